package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"leadline/bench/goal"
)

// sizes are the numbers of replicates.
type sizes struct {
	Healthy int `json:"healthy"` // streams of F and of R that set the limits
	Change  int `json:"change"`  // streams per scenario
	Null    int `json:"null"`    // streams per other world without a change
	Fleet   int `json:"fleet"`   // services of forty series
	Release int `json:"release"` // services per sort of release
	Cost    int `json:"cost"`    // services per price
}

func sizesOf(o options) sizes {
	if o.quick {
		return sizes{Healthy: 300, Change: 150, Null: 60, Fleet: 10, Release: 20, Cost: 30}
	}
	return sizes{Healthy: 2000, Change: 600, Null: o.nulls, Fleet: 100, Release: 200, Cost: 600}
}

// report is all that was measured.
type report struct {
	Goals     []goal.Goal       `json:"goals"`
	Versions  map[string]string `json:"versions"`
	Seeds     map[string]uint64 `json:"seeds"`
	Sizes     sizes             `json:"sizes"`
	Delays    []outcome         `json:"delays,omitempty"`
	Mature    []outcome         `json:"delays_3500,omitempty"`
	Ratios    []ratio           `json:"ratios,omitempty"`
	Duels     []duel            `json:"duels,omitempty"`
	Intervals []interval        `json:"intervals,omitempty"`
	Nulls     []falseAlarms     `json:"nulls,omitempty"`
	Tolerance []price           `json:"tolerance,omitempty"`
	Learned   []lesson          `json:"learned,omitempty"`
	Silent    *detection        `json:"silent,omitempty"`
	MixShift  *share            `json:"mix_shift,omitempty"`
	Length    []lengthFall      `json:"length,omitempty"`
	Slow      []slowFall        `json:"slow,omitempty"`
	Fleet     *fleet            `json:"fleet,omitempty"`
	Releases  *releaseFigures   `json:"releases,omitempty"`
	Cost      *costFigures      `json:"cost,omitempty"`
	Labels    []outcome         `json:"labels,omitempty"`
	Seconds   map[string]figure `json:"seconds"`
}

// bench is one run of the program.
type bench struct {
	options
	n        sizes
	report   report
	imported []outcome
	progress io.Writer
}

// stage is a part of the benchmark that can be run by itself.
type stage struct {
	name  string
	quick bool // part of the quick tier
	run   func(*bench) error
}

func stages() []stage {
	return []stage{
		{"delays", true, (*bench).delays},
		{"mature", false, (*bench).mature},
		{"nulls", false, (*bench).nulls},
		{"tolerance", false, (*bench).tolerance},
		{"learned", false, (*bench).learned},
		{"silent", false, (*bench).silent},
		{"mix", false, (*bench).mixShift},
		{"length", false, (*bench).length},
		{"slow", false, (*bench).slow},
		{"fleet", false, (*bench).fleets},
		{"releases", false, (*bench).releases},
		{"cost", false, (*bench).costs},
		{"labels", false, (*bench).labels},
	}
}

func partNames() []string {
	var names []string
	for _, s := range stages() {
		names = append(names, s.name)
	}
	return names
}

func newBench(o options, progress io.Writer) (*bench, error) {
	for name := range strings.SplitSeq(o.only, ",") {
		name, _, _ = strings.Cut(name, "/")
		if name != "" && !slices.Contains(partNames(), name) {
			return nil, fmt.Errorf("-only: no part %q; there are %s", name, strings.Join(partNames(), ", "))
		}
	}
	b := &bench{options: o, n: sizesOf(o), progress: progress}
	if o.imports != "" {
		var err error
		if b.imported, err = readOutcomes(o.imports); err != nil {
			return nil, err
		}
	}
	b.report = report{Sizes: b.n, Versions: versions(), Seeds: seeds(), Seconds: map[string]figure{}}
	return b, nil
}

func (b *bench) measure() error {
	for _, s := range stages() {
		if !b.wants(s) {
			continue
		}
		start := time.Now()
		if err := s.run(b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		took := time.Since(start).Seconds()
		b.report.Seconds[s.name] = figure(took)
		b.say("%s: %.0f s on %d cores", s.name, took, runtime.GOMAXPROCS(0))
	}
	return nil
}

// wants says whether a part was asked for: by name, or by the tier.
func (b *bench) wants(s stage) bool {
	if b.only == "" {
		return s.quick || !b.quick
	}
	return slices.ContainsFunc(strings.Split(b.only, ","), func(name string) bool {
		return name == s.name || strings.HasPrefix(name, s.name+"/")
	})
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.progress, format+"\n", args...)
}

func (b *bench) goal(g goal.Goal) { b.report.Goals = append(b.report.Goals, g) }

func versions() map[string]string {
	v := map[string]string{"go": runtime.Version(), "leadline": "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v["leadline"] = s.Value
			}
		}
	}
	return v
}

func seeds() map[string]uint64 {
	return map[string]uint64{"healthy": seedHealthy, "change": seedChange, "null": seedNull, "wander": seedWander,
		"mix": seedMix, "length": seedLength, "slow": seedSlow, "fleet": seedFleet, "fleet_hit": seedFleetHit, "silent": seedSilent,
		"releases": seedReleases, "split": seedSplit, "cost": seedCost, "labels": seedLabels, "laws": seedHoldOut}
}
