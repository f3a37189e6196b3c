// Package store keeps everything in one bbolt file. It is the only place that knows
// keys, encoding, migration and retention.
package store
