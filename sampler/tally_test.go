package sampler_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/sampler"
)

func TestTallyCountsWhatIsLogged(t *testing.T) {
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var got sampler.Tally
	got.Add(sampler.Record{
		Answer: "Three days.", Contexts: []string{"c"},
		Segments: map[string]string{"dept": "hr", "lang": sampler.Unknown},
		Channels: map[sampler.Channel]string{sampler.ChannelRelease: "1.8.2"},
		Docs:     []sampler.Document{{ID: "leave", Version: "3", Date: day}, {ID: "leave", Version: "3"}, {ID: "travel"}, {}},
	}, "dept=hr")
	got.Add(sampler.Record{Answer: "I don't know.", Truncated: true, Segments: map[string]string{"dept": "it"}}, "dept=it")
	got.Add(sampler.Record{Error: "timeout", Channels: map[sampler.Channel]string{sampler.ChannelRelease: "1.8.3"}}, "dept=it")
	want := sampler.Tally{
		Decoded:    3,
		Cells:      map[sampler.Cell]int{"dept=hr": 1, "dept=it": 2},
		Dims:       map[string]int{"dept": 2},
		Channels:   map[sampler.Channel]map[string]int{sampler.ChannelRelease: {"1.8.2": 1, "1.8.3": 1}},
		Docs:       map[string]map[string]int{"leave": {"3": 2}, "travel": {"": 1}},
		DocDates:   map[string]time.Time{"leave\x003": day},
		DocCells:   map[string]map[sampler.Cell]int{"leave": {"dept=hr": 2}, "travel": {"dept=hr": 1}},
		NoContexts: 2, Refusals: 1, Truncated: 1, Errors: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tally (-want +got):\n%s", diff)
	}
}

func TestTalliesOfOneWindowAddUp(t *testing.T) {
	record := func(i int) (sampler.Record, sampler.Cell) {
		dept := fmt.Sprintf("d%d", i%3)
		return sampler.Record{
			Answer: "I don't know.", Segments: map[string]string{"dept": dept},
			Channels: map[sampler.Channel]string{sampler.ChannelModel: fmt.Sprintf("m%d", i%2)},
			Docs:     []sampler.Document{{ID: fmt.Sprintf("doc%d", i%7), Version: strconv.Itoa(i % 2), Date: noon.AddDate(0, 0, i%2)}},
		}, sampler.Cell("dept=" + dept)
	}
	whole := sampler.Tally{Due: noon}
	parts := [2]sampler.Tally{{Due: noon}, {Due: noon}}
	for i := range 50 {
		r, cell := record(i)
		whole.Add(r, cell)
		parts[i/20%2].Add(r, cell)
	}
	var got sampler.Tally
	got.Merge(parts[1])
	got.Merge(parts[0])
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("merged tally (-whole +merged):\n%s", diff)
	}
}

func TestTallyStaysSmall(t *testing.T) {
	var a, b sampler.Tally
	for i := range sampler.MaxDocs + 100 {
		name := fmt.Sprintf("x%d", i)
		a.Add(sampler.Record{
			Channels: map[sampler.Channel]string{sampler.ChannelPrompt: name},
			Docs:     []sampler.Document{{ID: name, Version: "1", Date: noon}, {ID: "x0", Version: name, Date: noon}},
		}, "")
	}
	b.Merge(a)
	b.Merge(a)
	for name, c := range map[string]struct {
		tally sampler.Tally
		times int
	}{"added": {a, 1}, "merged": {b, 2}} {
		if got := len(c.tally.Docs); got != sampler.MaxDocs+1 {
			t.Errorf("%s: %d documents, want %d", name, got, sampler.MaxDocs+1)
		}
		if got := len(c.tally.Channels[sampler.ChannelPrompt]); got > sampler.MaxValues+1 {
			t.Errorf("%s: %d values of a channel, want at most %d", name, got, sampler.MaxValues+1)
		}
		if got := len(c.tally.Docs["x0"]); got > sampler.MaxEditions+1 {
			t.Errorf("%s: %d editions, want at most %d", name, got, sampler.MaxEditions+1)
		}
		if got, most := len(c.tally.DocDates), sampler.MaxDocs+sampler.MaxEditions; got > most {
			t.Errorf("%s: %d dates, want at most %d", name, got, most)
		}
		sum := 0
		for _, editions := range c.tally.Docs {
			for _, n := range editions {
				sum += n
			}
		}
		if want := 2 * (sampler.MaxDocs + 100) * c.times; sum != want {
			t.Errorf("%s: %d retrievals, want %d", name, sum, want)
		}
	}
}

func TestCutKeepsTheMostRetrievedDocumentsAndEveryRetrieval(t *testing.T) {
	var tally sampler.Tally
	for i := range 10 {
		for range i + 1 {
			doc := sampler.Document{ID: fmt.Sprintf("d%d", i), Version: "1", Date: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			tally.Add(sampler.Record{Docs: []sampler.Document{doc}}, "c")
		}
	}
	tally.CutDocs(3)
	total, cells := 0, 0
	for id, editions := range tally.Docs {
		for _, n := range editions {
			total += n
		}
		cells += tally.DocCells[id]["c"]
	}
	if len(tally.Docs) != 4 || tally.Docs["d9"]["1"] != 10 || tally.Docs["d7"]["1"] != 8 || len(tally.DocDates) != 3 {
		t.Errorf("kept %v with dates %v, want d7, d8, d9 and the rest", tally.Docs, tally.DocDates)
	}
	if total != 55 || cells != 55 {
		t.Errorf("%d retrievals, %d by cell; want 55", total, cells)
	}
}
