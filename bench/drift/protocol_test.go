package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestNumbersDoNotDependOnTheCores(t *testing.T) {
	measure := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		b, err := newBench(options{quick: true}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		b.n = sizes{Healthy: 10, Change: 4}
		f := calibrate(faithfulness(), young(), b.n.Healthy, b.rivals())
		outcomes, _ := trial{scenarios()[3], seedChange + 3, young(), quietRuns, b.n.Change}.compete(f)
		data, err := json.Marshal(outcomes)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if one, three := measure(1), measure(3); one != three {
		t.Errorf("one core:\n%s\nthree cores:\n%s", one, three)
	}
}

func TestLimitSpendsNoMoreThanItsShare(t *testing.T) {
	for _, xs := range [][]float64{
		{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		{1, 1, 1, 1, 1, 1, 1, 1, 2, 2},
		{5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
		{3},
	} {
		limit := atRate(xs, 0.1)
		if got := reached(xs, limit); got > 0.1 {
			t.Errorf("%v: limit %g is reached by %g", xs, limit, got)
		}
	}
	if got := atRate([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.1); got != 10 {
		t.Errorf("limit is %g, want 10: one in ten may reach it", got)
	}
}

func TestDelaysCountMissesAtTheCapAndLeaveOutEarlyAlarms(t *testing.T) {
	tr := trial{scenario{name: "s", cap: 10}, 1, shape{1, 50}, 5, 4}
	o := tr.outcome("d", limit{}, []int{3, 5, 8, -1})
	near(t, "mean delay", float64(o.MeanDelay), (50+200+500)/3.0, 1e-9)
	near(t, "share missed", float64(o.Miss), 1/3.0, 1e-9)
	near(t, "share of early alarms", float64(o.PreFA), 0.25, 1e-9)
	near(t, "median", float64(o.Median), 200, 1e-9)
}

func TestOurDetectorSeesALargeFallAndDatesIt(t *testing.T) {
	s := scenarios()[3]
	p := watch(changing(generator(seedChange+3, 0), s.healthy.law.source(), s.sources(), young(), quietRuns, s.cap), shipped(), 0)
	if p.run < quietRuns || p.run > quietRuns+3 {
		t.Fatalf("page in run %d, want soon after %d", p.run, quietRuns)
	}
	near(t, "run of the change", float64(p.start), quietRuns, 1)
}

func TestReferenceIsDrawnFirst(t *testing.T) {
	from := faithfulness().source()
	s := healthy(generator(seedHealthy, 4), from, shape{2, 5}, 3)
	flat := from.drawN(generator(seedHealthy, 4), 25)
	if got := slices.Concat(slices.Concat(s.reference...), slices.Concat(s.runs...)); !slices.Equal(got, flat) {
		t.Errorf("stream is %v, want the generator's order %v", got, flat)
	}
}

func TestExportedStreamsAreThoseMeasured(t *testing.T) {
	folder := t.TempDir()
	if err := export(folder, 1, io.Discard); err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := readJSON(filepath.Join(folder, "manifest.json"), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Files) != 16 {
		t.Fatalf("%d files, want 14 scenarios and 2 healthy", len(m.Files))
	}
	s := scenarios()[1]
	want := changing(generator(seedChange+1, 0), s.healthy.law.source(), s.sources(), young(), quietRuns, s.cap)
	got := readStream(t, filepath.Join(folder, m.Files[1].Path), m.Files[1].SHA256)
	if !slices.Equal(got, slices.Concat(slices.Concat(want.reference...), slices.Concat(want.runs...))) {
		t.Error("scores of", m.Files[1].Path, "are not those of the scenario")
	}
}

func TestImportedOutcomesStandInTheTable(t *testing.T) {
	const line = `{"detector":"river ADWIN","version":"0.22","calibration":"p10","scenario":"s01","reps":600,"threshold":0.1,"p_fa_30":0.01,"p_fa_180":0.1,"mean_delay":700,"se_delay":20,"median":650,"miss":0.01,"cap":5000}`
	got, err := parseOutcomes(strings.NewReader(line + "\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Scenario != "F mix -0.05" || got[0].MeanDelay != 700 {
		t.Fatalf("read %+v", got)
	}
	var table bytes.Buffer
	printDelays(&table, got, scenarios())
	if !strings.Contains(table.String(), "700±20 (1%)") {
		t.Errorf("table lacks the imported delay:\n%s", table.String())
	}
	for _, bad := range []string{"{", `{"detector":"x","calibration":"best","scenario":"s01"}`,
		`{"detector":"x","calibration":"p10","scenario":"s99"}`, `{"calibration":"p10","scenario":"s01"}`} {
		if _, err := parseOutcomes(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func FuzzParseOutcomes(f *testing.F) {
	f.Add(`{"detector":"x","calibration":"p10","scenario":"s01","mean_delay":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseOutcomes(strings.NewReader(text))
		for _, o := range got {
			if err == nil && (o.Detector == "" || o.Scenario == "") {
				t.Errorf("%q gave %+v", text, o)
			}
		}
	})
}

func TestUnknownFiguresAreNull(t *testing.T) {
	data, err := json.Marshal([]figure{figure(math.NaN()), figure(math.Inf(1)), 0.5})
	if err != nil || string(data) != "[null,null,0.5]" {
		t.Errorf("got %s, %v", data, err)
	}
}

// The quick tier with fewer replicates: what it prints can be read back and has goals.
func TestReportCanBeReadBack(t *testing.T) {
	b, err := newBench(options{quick: true}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	b.n = sizes{Healthy: 10, Change: 2}
	if err := b.measure(); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(b.report)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	// Three limits each for ADWIN, Page-Hinkley and the 0.03 rule, two for Leadline and the
	// oracle.
	if want := 14 * 13; len(r.Delays) != want {
		t.Errorf("%d outcomes, want %d", len(r.Delays), want)
	}
	for _, g := range r.Goals {
		if g.ID == "" || g.What == "" || math.IsNaN(float64(g.Value)) {
			t.Errorf("goal without a name or value: %+v", g)
		}
	}
	var tables bytes.Buffer
	b.print(&tables)
	for _, want := range []string{"| ADWIN | p10 |", "| Leadline | default |", "| oracle CUSUM | p10 |"} {
		if !strings.Contains(tables.String(), want) {
			t.Errorf("tables lack %q", want)
		}
	}
	t.Logf("10 healthy streams and 2 per scenario: %v s on %d cores", b.report.Seconds["delays"], runtime.GOMAXPROCS(0))
}

func TestUnknownPartsAreRefused(t *testing.T) {
	if err := run([]string{"-only", "delays,bogus"}, io.Discard, io.Discard); err == nil {
		t.Error("a part that there is not was taken")
	}
}

// Runs before a page decide nothing, so that leaving their decisions out changes nothing.
func TestQuietRunsCanBeSkipped(t *testing.T) {
	f := field{settings: []setting{{falseAlarms: 0.1}, {falseAlarms: 0.3}}}
	for rep := range 4 {
		s := scenarios()[2]
		stream := changing(generator(seedChange+2, rep), s.healthy.law.source(), s.sources(), young(), quietRuns, s.cap)
		got := f.ours(stream)[0]
		want := watch(stream, shipped(), 0)
		if got.run != want.run || got.start != want.start || got.Drop != want.Drop {
			t.Errorf("page in run %d of a change in %d, want %d and %d", got.run, got.start, want.run, want.start)
		}
	}
}
