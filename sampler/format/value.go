package format

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"
)

// maxLabel is the longest value of a channel, segment or version in bytes. A longer one,
// such as a whole prompt, is told apart by its hash.
const maxLabel = 100

var errTime = errors.New("time: neither RFC 3339 nor a number of seconds, ms, µs or ns since 1970")

func isScalar(r gjson.Result) bool {
	return r.Exists() && r.Type != gjson.Null && r.Type != gjson.JSON
}

func scalarAt(r gjson.Result, path string) string {
	if v := r.Get(path); isScalar(v) {
		return v.String()
	}
	return ""
}

// valid replaces bytes that are not UTF-8: the store and the judge speak JSON.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// clean makes a name out of a value: valid UTF-8, no control characters, no outer space.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, valid(s)))
}

// label returns the value of a channel, a segment or a version; "" if it is not there.
func label(r gjson.Result) string {
	if !r.Exists() || r.Type == gjson.Null {
		return ""
	}
	v := clean(r.String())
	if len(v) <= maxLabel {
		return v
	}
	sum := sha256.Sum256([]byte(v))
	return "sha256:" + hex.EncodeToString(sum[:8])
}

// primaryTag returns the language of a BCP 47 tag in lower case; "" if it is not one.
func primaryTag(s string) string {
	tag, _, _ := strings.Cut(strings.ReplaceAll(s, "_", "-"), "-")
	tag = strings.ToLower(strings.TrimSpace(tag))
	if len(tag) < 2 || len(tag) > 3 || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return tag
}

// time returns the time of the record; zero if it is not there.
func (d document) time() (time.Time, error) {
	r := d.get(fieldTime)
	if !r.Exists() || r.Type == gjson.String && strings.TrimSpace(r.Str) == "" {
		return time.Time{}, nil
	}
	t, ok := timeOf(r)
	if !ok {
		return time.Time{}, errTime
	}
	return t, nil
}

// dateOf returns the date of a document; zero if it is not there or not a date. A small
// number may be a year or an edition.
func dateOf(r gjson.Result) time.Time {
	if t, err := time.Parse(time.DateOnly, r.String()); err == nil {
		return t
	}
	if r.Type == gjson.Number && r.Num < 1e8 {
		return time.Time{}
	}
	t, _ := timeOf(r)
	return t
}

// timeOf reads RFC 3339, also with a space for the T, and Unix times. A time without a
// zone is UTC. Years that JSON cannot say are no times.
func timeOf(r gjson.Result) (time.Time, bool) {
	t, ok := time.Time{}, false
	if r.Type == gjson.Number {
		t, ok = unixTime(r.Raw)
	}
	if r.Type == gjson.String {
		t, ok = textTime(strings.TrimSpace(r.Str))
	}
	t = t.UTC()
	if !ok || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

func textTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return unixTime(s)
}

// unixTime tells the unit by the size of the number: up to 1e11 are seconds (until the
// year 5138), up to 1e14 milliseconds, up to 1e17 microseconds, more nanoseconds.
func unixTime(s string) (time.Time, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if strings.ContainsAny(s, "eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f >= 1<<62 {
			return time.Time{}, false
		}
		whole, fraction = strconv.FormatFloat(math.Trunc(f), 'f', 0, 64), ""
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	part, fracErr := strconv.ParseFloat("0."+fraction+"0", 64)
	if err != nil || fracErr != nil || n < 0 {
		return time.Time{}, false
	}
	unit := time.Nanosecond
	switch {
	case n < 1e11:
		unit = time.Second
	case n < 1e14:
		unit = time.Millisecond
	case n < 1e17:
		unit = time.Microsecond
	}
	perSecond := int64(time.Second / unit)
	nanos := n%perSecond*int64(unit) + int64(math.Round(part*float64(unit)))
	return time.Unix(n/perSecond, nanos), true
}
