package drift

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"leadline/sampler"
)

const (
	noteCorpus     = "corpus"
	noteNewSegment = "new_segment"

	// replaced is how many retrievals an edition needs, and at what share of its document
	// over two runs, before it has replaced the older ones.
	replaced      = 20
	replacedShare = 0.8
	// outdatedLeast is how many retrievals of a document over two runs can show that an
	// older edition is back, outdatedShare what share of them.
	outdatedLeast = 3
	outdatedShare = 0.5

	newSegmentLeast = 30
	newSegmentShare = 0.02
	// newSegmentMissed is how many records of a cell had to be expected before the first.
	newSegmentMissed = 10
)

// notes returns what is worth a line in the report, oldest first.
func (l *layout) notes() []Note {
	out := append(l.documents.notes(), l.segments.notes...)
	slices.SortFunc(out, func(a, b Note) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Document, b.Document),
			cmp.Compare(a.Segment, b.Segment))
	})
	return out
}

// documents finds those whose older edition is served again after a newer one had
// replaced it: a note per document and spell.
type documents struct {
	all   map[string]*document
	noted []*document
}

// run takes in the next run.
func (ds *documents) run(t sampler.Tally) {
	for id, counts := range t.Docs {
		if id == "" {
			continue
		}
		d := ds.all[id]
		if d == nil {
			d = &document{id: id, newest: -1}
			ds.all[id] = d
		}
		quiet := len(d.spells) == 0
		d.run(t.Due, counts, t.DocDates)
		if quiet && len(d.spells) > 0 {
			ds.noted = append(ds.noted, d)
		}
	}
}

func (ds *documents) notes() []Note {
	var out []Note
	for _, d := range ds.noted {
		out = append(out, d.spells...)
	}
	return out
}

// document is followed from run to run.
type document struct {
	id       string
	editions []edition // in the order in which they were first seen
	newest   int       // the edition that has replaced all older ones, -1 before
	spells   []Note
	open     bool
}

type edition struct {
	name              string
	date              time.Time
	total, last, this int // retrievals ever, in the run before with any, in this one
}

func (d *document) run(due time.Time, counts map[string]int, dates map[string]time.Time) {
	all := d.count(counts, dates)
	if len(d.editions) < 2 {
		d.newest = len(d.editions) - 1 // nothing to replace
		return
	}
	for i, v := range d.editions {
		two := v.last + v.this
		if d.newer(i, d.newest) && v.total >= replaced && float64(two) >= replacedShare*float64(all) {
			d.newest = i
		}
	}
	if d.newest >= 0 && all >= outdatedLeast {
		d.judge(due, all)
	}
}

// count takes in a run and returns the retrievals of this one and the one before. An
// edition without a name cannot be told from others and is left out.
func (d *document) count(counts map[string]int, dates map[string]time.Time) int {
	known, all := 0, 0
	for i := range d.editions {
		v := &d.editions[i]
		v.last, v.this = v.this, counts[v.name]
		if v.this > 0 {
			known++
		}
		v.total += v.this
		all += v.last + v.this
	}
	if known == len(counts) {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if name == "" || slices.ContainsFunc(d.editions, func(v edition) bool { return v.name == name }) {
			continue
		}
		n := counts[name]
		d.editions = append(d.editions, edition{name: name, date: dates[d.id+"\x00"+name], total: n, this: n})
		all += n
	}
	return all
}

// newer compares two editions by their dates, or by which was seen first where one has
// none. Every edition is newer than none.
func (d *document) newer(i, than int) bool {
	if than < 0 {
		return true
	}
	a, b := d.editions[i].date, d.editions[than].date
	if !a.IsZero() && !b.IsZero() && !a.Equal(b) {
		return a.After(b)
	}
	return i > than
}

func (d *document) judge(due time.Time, all int) {
	two, now, worst := 0, 0, d.newest
	for i, v := range d.editions {
		if !d.newer(d.newest, i) || i == d.newest {
			continue
		}
		two, now = two+v.last+v.this, now+v.this
		if w := d.editions[worst]; worst == d.newest || v.last+v.this > w.last+w.this {
			worst = i
		}
	}
	share := float64(two) / float64(all)
	switch {
	case !d.open && share >= outdatedShare:
		d.open = true
		d.spells = append(d.spells, Note{Kind: noteCorpus, At: due, Document: d.id,
			Edition: d.editions[worst].name, Newest: d.editions[d.newest].name, Count: two})
	case d.open && share <= 1-replacedShare:
		d.open = false
		d.spells[len(d.spells)-1].Until = due
	case d.open:
		d.spells[len(d.spells)-1].Count += now
	}
}

// segments finds cells that came after the baseline had begun, with a share of the
// traffic that could not have been missed before. It is decided by a cell's first records:
// one that was rare and grows later has a baseline by then.
type segments struct {
	tables       []*table // that the samples are of
	seen         map[sampler.Cell]*arrival
	samples, all int // scored samples and records until now
	notes        []Note
}

type arrival struct {
	learned              bool // it came when there was a baseline
	before, since, count int  // all records before it and since, and its own
	decided              bool
}

func newSegments(tables []*table) *segments {
	return &segments{tables: tables, seen: map[sampler.Cell]*arrival{}}
}

// run takes in the next run.
func (s *segments) run(t sampler.Tally, minBaseline int) {
	for c, n := range t.Cells {
		if n > 0 && s.seen[c] == nil {
			s.seen[c] = &arrival{learned: s.samples >= minBaseline, before: s.all}
		}
	}
	for c, a := range s.seen {
		if a.decided {
			continue
		}
		a.since, a.count = a.since+t.Decoded, a.count+t.Cells[c]
		if a.decided = a.count >= newSegmentLeast; !a.decided || !a.learned || c == sampler.CellOther {
			continue
		}
		share := float64(a.count) / float64(max(a.since, 1))
		if share >= newSegmentShare && share*float64(a.before) >= newSegmentMissed {
			s.notes = append(s.notes, Note{Kind: noteNewSegment, At: t.Due, Segment: string(c), Count: a.count})
		}
	}
	s.samples, s.all = s.samples+s.scored(t.Due), s.all+t.Decoded
}

// scored returns the scored samples of a run: the most that a metric has.
func (s *segments) scored(due time.Time) int {
	n := 0
	for _, t := range s.tables {
		n = max(n, t.samples(due))
	}
	return n
}
