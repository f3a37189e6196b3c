package main

import (
	"fmt"
	"os"
	"strings"

	"leadline/bench/answers"
)

// writeRecords puts the records where both sides read them.
func writeRecords(name string, all []answers.Record) error {
	var b strings.Builder
	for _, r := range all {
		b.WriteString(encode(r) + "\n")
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("write the records: %w", err)
	}
	return nil
}
