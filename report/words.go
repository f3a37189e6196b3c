package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

// Words says things in one language and one time zone.
type Words struct {
	ja   bool
	loc  *time.Location
	more map[string]Label
}

// Label is a text in both languages.
type Label struct{ En, Ja string }

// With adds texts of a caller's own.
func (w Words) With(more map[string]Label) Words {
	w.more = more
	return w
}

// NewWords speaks Japanese for "ja", else English. Times are shown in loc; nil is UTC.
func NewWords(language string, loc *time.Location) Words {
	if loc == nil {
		loc = time.UTC
	}
	return Words{ja: language == "ja", loc: loc}
}

// Language is "en" or "ja".
func (w Words) Language() string {
	if w.ja {
		return "ja"
	}
	return "en"
}

// T returns the text of a key, its verbs filled with args. A key without a text stands
// for itself, so that a value from data is shown rather than lost.
func (w Words) T(key string, args ...any) string {
	text, ok := w.more[key]
	if !ok {
		text, ok = table[key]
	}
	if !ok {
		return key
	}
	s := text.En
	if w.ja {
		s = text.Ja
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// Metric is a metric's name.
func (w Words) Metric(m scorer.Metric) string { return w.T("metric." + string(m)) }

// Kind is the title of an incident's kind.
func (w Words) Kind(k drift.Kind) string { return w.T("kind." + string(k)) }

// Segment is a segment's name: "all", or dimension and value.
func (w Words) Segment(s string) string {
	if s == "all" || s == "" {
		return w.T("all_segments")
	}
	return s
}

// Num is a score.
func (w Words) Num(v float64) string { return w.places(v, 2) }

func (w Words) places(v float64, digits int) string {
	v = unsigned(v, math.Pow10(digits))
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1)
}

// Signed is a change of a score.
func (w Words) Signed(v float64) string {
	if v = unsigned(v, 100); v > 0 {
		return "+" + w.Num(v)
	}
	return w.Num(v)
}

// unsigned rounds v to a part of one, without a negative zero.
func unsigned(v, parts float64) float64 { return math.Round(v*parts)/parts + 0 }

// Percent is a share 0–1, with two digits that count.
func (w Words) Percent(v float64) string {
	digits := 0
	if math.Abs(v) < 0.0995 && math.Abs(v) >= 0.0005 {
		digits = 1
	}
	return w.percent(v, digits)
}

func (w Words) percent(v float64, digits int) string {
	s := strings.Replace(strconv.FormatFloat(unsigned(v*100, 10), 'f', digits, 64), "-", "−", 1)
	if w.ja {
		return s + "%"
	}
	return s + "\u00a0%"
}

// Int is a count with separators.
func (w Words) Int(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Interval is a 95 % interval of scores, or of changes when signed.
func (w Words) Interval(low, high float64, signed bool) string {
	show := w.Num
	if signed {
		show = w.Signed
	}
	return w.Span(show(low), show(high))
}

// Span joins the ends of an interval.
func (w Words) Span(low, high string) string {
	if w.ja {
		return low + "〜" + high
	}
	return low + " to " + high
}

// Minute is a moment with its day.
func (w Words) Minute(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	t = t.In(w.loc)
	if w.ja {
		return fmt.Sprintf("%d月%d日(%s) %s", t.Month(), t.Day(), weekdays[t.Weekday()], t.Format("15:04"))
	}
	return t.Format("Mon 2 Jan 15:04")
}

// Moment is Minute with its year.
func (w Words) Moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	t = t.In(w.loc)
	if w.ja {
		return strconv.Itoa(t.Year()) + "年" + w.Minute(t)
	}
	return t.Format("Mon 2 Jan 2006 15:04")
}

var weekdays = []string{"日", "月", "火", "水", "木", "金", "土"}

// Day is a date on an axis.
func (w Words) Day(t time.Time) string {
	if w.ja {
		return t.In(w.loc).Format("1/2")
	}
	return t.In(w.loc).Format("2 Jan")
}

// Date is a full date.
func (w Words) Date(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	if w.ja {
		return t.In(w.loc).Format("2006年1月2日")
	}
	return t.In(w.loc).Format("2 January 2006")
}

// PointTitle is the tooltip of a point.
func (w Words) PointTitle(p Point, daily, percent bool) string {
	at := w.Minute(p.Due)
	if daily {
		at = w.Day(p.Due)
	}
	value, low, high := w.Num(p.Mean), w.Num(p.Low), w.Num(p.High)
	if percent {
		value, low, high = w.Percent(p.Mean), w.Percent(p.Low), w.Percent(p.High)
	}
	return fmt.Sprintf("%s: %s (%s), n=%d", at, value, w.Span(low, high), p.N)
}

// Period is the days from a moment to before another.
func (w Words) Period(from, to time.Time) string {
	if w.ja {
		return w.Date(from) + "〜" + w.Date(to.Add(-1))
	}
	return w.Date(from) + " – " + w.Date(to.Add(-1))
}

// Series is the name of a series.
func (w Words) Series(s drift.Series) string {
	return w.Metric(s.Metric) + w.comma() + w.Segment(s.Segment())
}

// comma is what parts two facts of a line.
func (w Words) comma() string {
	if w.ja {
		return "、"
	}
	return ", "
}

// List joins the first few items and counts the rest.
func (w Words) List(items []string, most int) string {
	sep := w.comma()
	if len(items) <= most {
		return strings.Join(items, sep)
	}
	return strings.Join(items[:most], sep) + w.T("and_more", len(items)-most)
}

// also joins facts that belong together in one line.
func (w Words) also(facts ...string) string {
	sep := "; "
	if w.ja {
		sep = "。"
	}
	return strings.Join(slices.DeleteFunc(facts, func(s string) bool { return s == "" }), sep)
}

// Sentences puts sentences together.
func (w Words) Sentences(all ...string) string {
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	if w.ja {
		return strings.Join(all, "")
	}
	return strings.Join(all, " ")
}
