package standin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseFaults reads faults as a command line gives them:
// MODE[:RATE][,first=N][,task=T][,value=V][,since=TIME], with a rate of 1 unless given.
func ParseFaults(texts []string) ([]Fault, error) {
	var faults []Fault
	var problems []error
	for _, text := range texts {
		f, err := parseFault(text)
		if err == nil {
			err = f.validate()
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("fault %s: %w", text, err))
		}
		faults = append(faults, f)
	}
	return faults, errors.Join(problems...)
}

func parseFault(text string) (Fault, error) {
	head, rest, _ := strings.Cut(text, ",")
	name, rate, rated := strings.Cut(head, ":")
	f := Fault{Mode: name, Rate: 1}
	if rated {
		var err error
		if f.Rate, err = strconv.ParseFloat(rate, 64); err != nil {
			return f, fmt.Errorf("rate: must be a number above 0 and at most 1, not %q", rate)
		}
	}
	if rest == "" {
		return f, nil
	}
	for option := range strings.SplitSeq(rest, ",") {
		if err := set(&f, option); err != nil {
			return f, err
		}
	}
	return f, nil
}

func set(f *Fault, option string) (err error) {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "first":
		if f.First, err = strconv.Atoi(value); err != nil || f.First < 1 {
			return fmt.Errorf("first: must be a whole number from 1, not %q", value)
		}
	case "task":
		f.Task = value
	case "value":
		f.Value = value
	case "since":
		if f.Since, err = time.Parse(time.RFC3339, value); err != nil {
			return fmt.Errorf("since: must be a time as in 2026-12-01T00:00:00Z, not %q", value)
		}
	default:
		return fmt.Errorf("%q: must be first=N, task=T, value=V or since=TIME", option)
	}
	return nil
}
