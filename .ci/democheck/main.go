// Command democheck reads what `leadline demo --exit --json` printed, one object a file,
// and says where it is not what the demo's traffic must lead to. Objects of the same seed
// must be the same but for the seconds.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"time"

	"leadline/demo"
)

const (
	maxSeconds = 60
	maxSamples = 300 // from the change to the alarm, over all departments
)

type result struct {
	Seed          uint64         `json:"seed"`
	Records       int            `json:"records"`
	Sampled       int            `json:"sampled"`
	Scored        int            `json:"scored"`
	Unscorable    int            `json:"unscorable"`
	Runs          int            `json:"runs"`
	Incidents     []incident     `json:"incidents"`
	Notes         []note         `json:"notes"`
	Notifications map[string]int `json:"notifications"`
	Reports       []any          `json:"reports"`
	Seconds       float64        `json:"seconds"`
}

type incident struct {
	Kind               string    `json:"kind"`
	Metric             string    `json:"metric"`
	Segment            string    `json:"segment"`
	Series             []any     `json:"series"`
	Opened             time.Time `json:"opened"`
	Resolved           time.Time `json:"resolved"`
	SamplesAfterChange int       `json:"samples_after_change"`
}

type note struct {
	Kind     string `json:"kind"`
	Document string `json:"document"`
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(files []string, out io.Writer) error {
	if len(files) == 0 {
		return errors.New("usage: democheck FILE...")
	}
	var faults []error
	first := map[uint64]map[string]any{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r result
		var whole map[string]any
		if err := errors.Join(json.Unmarshal(data, &r), json.Unmarshal(data, &whole)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		delete(whole, "seconds")
		if before, again := first[r.Seed]; again && !reflect.DeepEqual(before, whole) {
			faults = append(faults, fmt.Errorf("%s: seed %d gave another object before", file, r.Seed))
		}
		first[r.Seed] = whole
		for _, fault := range check(r) {
			faults = append(faults, fmt.Errorf("%s: %w", file, fault))
		}
		fmt.Fprintf(out, "%s: seed %d, %d records, %d sampled, %d runs, %d incidents, %.0f s\n",
			file, r.Seed, r.Records, r.Sampled, r.Runs, len(r.Incidents), r.Seconds)
		// Not a fault: the machine may be busy with something else.
		if r.Seconds > maxSeconds {
			fmt.Fprintf(out, "%s: over the goal of %d s\n", file, maxSeconds)
		}
	}
	return errors.Join(faults...)
}

// check returns what is wrong with one object.
func check(r result) []error {
	var faults []error
	must := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	events := demo.Events()
	kinds := map[string]int{}
	for _, i := range r.Incidents {
		kinds[i.Kind]++
		must(len(i.Series) > 0, "the %s incident has no series", i.Kind)
		switch i.Kind {
		case "silent":
			must(i.Metric == "faithfulness", "the silent incident names %s", i.Metric)
			must(i.Segment == "department="+events.LostDepartment, "the silent incident names %s, want %s", i.Segment, events.LostDepartment)
			must(i.Opened.After(events.Lost.From), "the silent incident opened %s, before the change", i.Opened)
			must(i.SamplesAfterChange > 0 && i.SamplesAfterChange <= maxSamples, "the silent incident took %d samples", i.SamplesAfterChange)
		case "regression":
			must(i.Opened.After(events.BadRelease.From) && i.Opened.Before(events.BadRelease.To), "the regression opened %s", i.Opened)
			must(i.Resolved.After(events.BadRelease.To), "the regression was resolved %s, want after the roll-back", i.Resolved)
		}
	}
	must(kinds["silent"] == 1 && kinds["regression"] == 1 && len(kinds) == 2, "incidents %v, want one silent and one regression", kinds)
	must(len(r.Notes) == 1 && r.Notes[0].Kind == "corpus" && r.Notes[0].Document == events.OutdatedDocument,
		"notes %v, want one of the corpus that names %s", r.Notes, events.OutdatedDocument)
	must(r.Sampled > 0 && r.Sampled < r.Records, "%d of %d records were sampled", r.Sampled, r.Records)
	must(r.Scored+r.Unscorable == r.Sampled, "%d scored and %d unscorable are not the %d sampled", r.Scored, r.Unscorable, r.Sampled)
	must(r.Runs >= 12*7*4, "%d runs, want four a day for twelve weeks", r.Runs)
	must(r.Notifications["slack"] > 0 && r.Notifications["webhook"] > 0, "notifications %v, want both receivers told", r.Notifications)
	must(len(r.Reports) >= 11, "%d weekly reports", len(r.Reports))
	return faults
}
