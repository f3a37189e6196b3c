// Package server serves the pages, the API, health and metrics.
package server
