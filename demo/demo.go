// Package demo is the broker, the made-up traffic and its truth, so that a newcomer
// sees an alarm in a minute. Nothing but the demo command and tests use it.
package demo
