package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/sampler"
	"leadline/scorer"
)

//go:embed page
var page embed.FS

// Style is the style sheet of reports and pages, charts included.
func Style() string {
	b, err := page.ReadFile("page/style.css")
	if err != nil {
		return "" // cannot happen: it is embedded
	}
	return string(b)
}

// Templates returns the parts that reports and pages share, with their functions, in the
// words of w. With linked they point to each other's addresses, as they do where the
// daemon serves them. Callers add their own templates to it.
func Templates(w Words, linked bool) (*template.Template, error) {
	files := []string{"page/parts.tmpl"}
	if linked {
		files = append(files, "page/linked.tmpl")
	}
	t, err := template.New("").Funcs(w.funcs()).ParseFS(page, files...)
	if err != nil {
		return nil, fmt.Errorf("parse page parts: %w", err)
	}
	return t, nil
}

// WriteHTML writes a page that needs nothing but itself: no script, nothing to load.
func WriteHTML(out io.Writer, week Week) error { return write(out, week, false) }

// WriteLinked writes the same page with links to the pages of the daemon that serves it.
func WriteLinked(out io.Writer, week Week) error { return write(out, week, true) }

func write(out io.Writer, week Week, linked bool) error {
	t, err := Templates(NewWords(week.Language, week.location()), linked)
	if err != nil {
		return err
	}
	if t, err = t.ParseFS(page, "page/week.html.tmpl"); err != nil {
		return fmt.Errorf("parse report page: %w", err)
	}
	if err := t.ExecuteTemplate(out, "week.html.tmpl", week); err != nil {
		return fmt.Errorf("write report %s: %w", week.ID, err)
	}
	return nil
}

// WriteJSON writes the week as indented JSON.
func WriteJSON(out io.Writer, week Week) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	if err := e.Encode(week); err != nil {
		return fmt.Errorf("write report %s: %w", week.ID, err)
	}
	return nil
}

// location is the zone of the report. A week that was read from JSON has only its name.
func (w Week) location() *time.Location {
	if loc, err := time.LoadLocation(w.Timezone); err == nil {
		return loc
	}
	return w.From.Location()
}

// Entry is a line of a ledger.
type Entry struct {
	Name  string
	Count int64
}

func (w Words) funcs() template.FuncMap {
	return template.FuncMap{
		"t":              w.T,
		"metric":         w.Metric,
		"kind":           w.Kind,
		"channel":        w.Channel,
		"segment":        w.Segment,
		"num":            w.Num,
		"signed":         w.Signed,
		"change":         func(now, before float64) string { return w.Signed(now - before) },
		"pct":            w.Percent,
		"int":            w.count,
		"bytes":          w.Bytes,
		"glance":         w.Glance,
		"span":           func(p Portion) string { return w.Span(w.Percent(p.Low), w.Percent(p.High)) },
		"budget":         w.Budget,
		"budgetAdvice":   w.BudgetAdvice,
		"decades":        func(ln float64) string { return strconv.FormatFloat(ln/math.Ln10, 'f', 1, 64) },
		"minute":         w.Minute,
		"moment":         w.Moment,
		"date":           w.Date,
		"comma":          w.comma,
		"path":           url.PathEscape,
		"list":           func(items []string) string { return w.List(items, len(items)) },
		"period":         w.Period,
		"interval":       func(low, high float64) string { return w.Interval(low, high, false) },
		"intervalSigned": func(low, high float64) string { return w.Interval(low, high, true) },
		"svg":            func(c Chart) (template.HTML, error) { return c.SVG(w) },
		"histogram":      func(m Metric) (template.HTML, error) { return m.Histogram.SVG(w) },
		"style":          func() template.CSS { return template.CSS(Style()) }, //nolint:gosec // our own file
		"note":           w.Note,
		"spent":          w.Spent,
		"mix":            w.Mix,
		"impact":         w.Impact,
		"incident":       w.Incident,
		"finding":        w.Finding,
		"cause":          w.Cause,
		"level":          w.level,
		"fall":           w.fall,
		"capital":        w.capital,
		"cut":            func(s string) string { return cut(s, 90) },
		"evidence":       w.Evidence,
		"anchor":         func(id string) string { return "a-" + strings.Join(strings.Fields(id), "-") },
		"offsets":        w.offsets,
		"records":        w.records,
	}
}

// capital begins a sentence, where the language has capitals: in Japanese one may begin
// with a name from the log.
func (w Words) capital(s string) string {
	if w.ja {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// count is Int for the integers that a page holds.
func (w Words) count(n any) string {
	switch n := n.(type) {
	case int:
		return w.Int(int64(n))
	case int64:
		return w.Int(n)
	}
	return fmt.Sprint(n)
}

// Bytes is a size.
func (w Words) Bytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func (w Words) offsets(ledger map[sampler.OffsetState]int64) []Entry {
	return ledgerOf(w, "offset.", sampler.OffsetStates, ledger)
}

func (w Words) records(ledger map[sampler.RecordState]int64) []Entry {
	return ledgerOf(w, "record.", sampler.RecordStates, ledger)
}

// ledgerOf lists the states that occurred, in their order, and their sum.
func ledgerOf[S ~string](w Words, prefix string, states []S, ledger map[S]int64) []Entry {
	var entries []Entry
	var all int64
	for _, s := range states {
		if n := ledger[s]; n != 0 {
			entries = append(entries, Entry{w.T(prefix + string(s)), n})
			all += n
		}
	}
	return append(entries, Entry{w.T("total"), all})
}

// HasHistogram says whether there are single scores of the week.
func (m Metric) HasHistogram() bool { return m.P50 != nil }

// Tokens are those of the week's scoring.
func (c Coverage) Tokens() int64 {
	return c.Usage.Spend().Tokens
}

// ControlTokens are those of the control items.
func (c Coverage) ControlTokens() int64 {
	return c.Control.Spend().Tokens
}

// Scores are the numbers of scored answers, in the order of the metrics.
func (c Coverage) Scores() []ReasonCount {
	var counts []ReasonCount
	for _, m := range scorer.Metrics {
		if n, ok := c.Scored[m]; ok {
			counts = append(counts, ReasonCount{Metric: m, Count: n})
		}
	}
	return counts
}

// Identity is who scored a metric in a week, oldest first.
type Identity struct {
	Metric scorer.Metric
	IDs    []string
}

// Identities are the judges in the order of the metrics.
func (j Judge) Identities() []Identity {
	var all []Identity
	for _, m := range scorer.Metrics {
		if ids, ok := j.IDs[m]; ok {
			all = append(all, Identity{m, ids})
		}
	}
	return all
}

// Read are the lowest answers that still have their text, Gone those that lost it.
func (w Week) Read() []Answer { return w.lowest(false) }

// Gone are the lowest answers whose text was deleted.
func (w Week) Gone() []Answer { return w.lowest(true) }

func (w Week) lowest(gone bool) []Answer {
	return slices.DeleteFunc(slices.Clone(w.Lowest), func(a Answer) bool { return a.TextGone != gone })
}

// PerAnswer is how many tokens a sample took, 0 without samples.
func (c Coverage) PerAnswer() int64 {
	if c.Samples == 0 {
		return 0
	}
	return c.Tokens() / int64(c.Samples)
}

// Passages is how many contexts the answer had.
func (a Answer) Passages() int { return len(a.Contexts) + a.MoreContexts }
