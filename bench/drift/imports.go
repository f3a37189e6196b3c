package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// readOutcomes reads what other programs made of the exported streams.
func readOutcomes(path string) ([]outcome, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out, err := parseOutcomes(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return out, nil
}

// parseOutcomes reads an outcome per line. A scenario may have its name or its file's.
func parseOutcomes(r io.Reader) ([]outcome, error) {
	names := map[string]string{}
	for i, s := range scenarios() {
		names[s.name], names[fmt.Sprintf("s%02d", i)] = s.name, s.name
	}
	var out []outcome
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		name, known := names[o.Scenario]
		switch {
		case o.Detector == "" || o.Detector == ourName:
			return nil, fmt.Errorf("line %d: detector must have a name that is not ours", n)
		case o.Calibration != asPublished && o.Calibration != equalRate:
			return nil, fmt.Errorf("line %d: calibration is %q, want %s or %s", n, o.Calibration, asPublished, equalRate)
		case !known:
			return nil, fmt.Errorf("line %d: no scenario %q", n, o.Scenario)
		}
		o.Scenario = name
		out = append(out, o)
	}
	return out, lines.Err()
}
