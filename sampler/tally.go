package sampler

import "time"

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
	// records that carry it.
	Channels map[Channel]map[string]int `json:"channels,omitempty"`
	// Docs counts retrievals per document and edition ("" where no edition is logged),
	// for at most MaxDocs documents.
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
