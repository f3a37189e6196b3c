package sampler

import (
	"maps"
	"slices"
	"time"
)

// Tally counts what was logged in one window, over all decoded records that belong to
// it: waiting, judged, evicted and error answers, but no duplicates and none that came
// too late. It is what can be seen without a judge. Tallies of the same window add up.
type Tally struct {
	Start   time.Time      `json:"start"`
	Due     time.Time      `json:"due"`
	Decoded int            `json:"decoded"`
	Cells   map[Cell]int   `json:"cells,omitempty"`
	Dims    map[string]int `json:"dims,omitempty"` // records per dimension that carry it
	// Channels counts each value of each channel; the counts of one channel sum to the
	// records that carry it. Beyond MaxValues values, further ones count as ValueOther.
	Channels map[Channel]map[string]int `json:"channels,omitempty"`
	// Docs counts retrievals per document and edition ("" where no edition is logged),
	// for at most MaxDocs documents with MaxEditions editions each.
	Docs map[string]map[string]int `json:"docs,omitempty"`
	// DocDates is the date of an edition where logged, keyed id + "\x00" + version.
	DocDates map[string]time.Time `json:"doc_dates,omitempty"`
	// DocCells counts the retrievals of a document per cell.
	DocCells map[string]map[Cell]int `json:"doc_cells,omitempty"`

	NoContexts int `json:"no_contexts"` // the retriever returned nothing
	Refusals   int `json:"refusals"`
	Truncated  int `json:"truncated"`
	Errors     int `json:"errors"`
}

// MaxDocs is how many documents one tally keeps apart; retrievals of further ones are
// counted under the empty ID.
const MaxDocs = 5000

// MaxValues is how many values of a channel, and MaxEditions how many editions of a
// document, one tally keeps apart; further ones are counted as ValueOther.
const (
	MaxValues   = 256
	MaxEditions = 16
)

// ValueOther stands for all values beyond the limit.
const ValueOther = "other"

// Unknown is the value of a segment that is not logged.
const Unknown = "unknown"

// Add counts a record under a cell.
func (t *Tally) Add(r Record, cell Cell) {
	t.Decoded++
	count(&t.Cells, cell, 1)
	for dim, value := range r.Segments {
		if value != Unknown {
			count(&t.Dims, dim, 1)
		}
	}
	for channel, value := range r.Channels {
		t.addChannel(channel, value, 1)
	}
	for _, d := range r.Docs {
		t.addDoc(d, cell)
	}
	t.NoContexts += one(len(r.Contexts) == 0)
	t.Refusals += one(IsRefusal(r.Answer))
	t.Truncated += one(r.Truncated)
	t.Errors += one(r.Error != "")
}

// Merge adds what another tally of the same window counted.
func (t *Tally) Merge(o Tally) {
	if t.Due.IsZero() {
		t.Start, t.Due = o.Start, o.Due
	}
	t.Decoded += o.Decoded
	addAll(&t.Cells, o.Cells)
	addAll(&t.Dims, o.Dims)
	for channel, values := range o.Channels {
		for _, value := range slices.Sorted(maps.Keys(values)) {
			t.addChannel(channel, value, values[value])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.Docs)) {
		t.mergeDoc(id, o)
	}
	t.NoContexts += o.NoContexts
	t.Refusals += o.Refusals
	t.Truncated += o.Truncated
	t.Errors += o.Errors
}

// CutDocs keeps the n most retrieved documents apart and counts the others under the empty
// ID, so that a year of tallies fits into memory.
func (t *Tally) CutDocs(n int) {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(t.Docs)), func(id string) bool { return id == "" })
	if len(ids) <= n {
		return
	}
	retrievals := func(id string) (sum int) {
		for _, k := range t.Docs[id] {
			sum += k
		}
		return sum
	}
	slices.SortStableFunc(ids, func(a, b string) int { return retrievals(b) - retrievals(a) })
	for _, id := range ids[n:] {
		t.addEdition("", "", retrievals(id), time.Time{})
		cells := t.DocCells[""]
		addAll(&cells, t.DocCells[id])
		t.DocCells[""] = cells
		for version := range t.Docs[id] {
			delete(t.DocDates, id+"\x00"+version)
		}
		delete(t.Docs, id)
		delete(t.DocCells, id)
	}
}

func (t *Tally) addChannel(channel Channel, value string, n int) {
	if t.Channels == nil {
		t.Channels = map[Channel]map[string]int{}
	}
	counts := t.Channels[channel]
	if _, known := counts[value]; !known && len(counts) >= MaxValues {
		value = ValueOther
	}
	count(&counts, value, n)
	t.Channels[channel] = counts
}

func (t *Tally) addDoc(d Document, cell Cell) {
	if d.ID == "" {
		return
	}
	id := t.docSlot(d.ID)
	t.addEdition(id, d.Version, 1, d.Date)
	cells := t.DocCells[id]
	count(&cells, cell, 1)
	t.DocCells[id] = cells
}

func (t *Tally) mergeDoc(from string, o Tally) {
	id := t.docSlot(from)
	for _, version := range slices.Sorted(maps.Keys(o.Docs[from])) {
		t.addEdition(id, version, o.Docs[from][version], o.DocDates[from+"\x00"+version])
	}
	cells := t.DocCells[id]
	addAll(&cells, o.DocCells[from])
	t.DocCells[id] = cells
}

// docSlot returns the ID under which a document is counted, and makes room for it.
func (t *Tally) docSlot(id string) string {
	if t.Docs == nil {
		t.Docs = map[string]map[string]int{}
	}
	if t.DocCells == nil {
		t.DocCells = map[string]map[Cell]int{}
	}
	room := MaxDocs - len(t.Docs)
	if _, further := t.Docs[""]; further {
		room++
	}
	if _, known := t.Docs[id]; known || room > 0 {
		return id
	}
	return ""
}

// addEdition counts retrievals of an edition, and notes when it was made. Logs that
// disagree leave the later date. Further documents have no editions.
func (t *Tally) addEdition(id, version string, n int, made time.Time) {
	if id == "" {
		version, made = "", time.Time{}
	}
	editions := t.Docs[id]
	if _, known := editions[version]; !known && len(editions) >= MaxEditions {
		version, made = ValueOther, time.Time{}
	}
	count(&editions, version, n)
	t.Docs[id] = editions
	if key := id + "\x00" + version; made.After(t.DocDates[key]) {
		if t.DocDates == nil {
			t.DocDates = map[string]time.Time{}
		}
		t.DocDates[key] = made
	}
}

func count[K comparable](counts *map[K]int, key K, n int) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key] += n
}

func addAll[K comparable](counts *map[K]int, other map[K]int) {
	for key, n := range other {
		count(counts, key, n)
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
