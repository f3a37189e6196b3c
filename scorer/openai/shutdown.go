package openai

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// shutdownsAsOf is the day of the list below; docs/judge-migration.md has its sources.
const shutdownsAsOf = "2026-11-30"

// shutdowns are the days on which a vendor turns models off.
var shutdowns = []struct { //nolint:gochecknoglobals // a constant table
	vendor, date string
	models       []string
}{
	{"OpenAI", "2026-10-23", []string{"gpt-4.1-nano"}},
	{"OpenAI", "2026-12-11", []string{"gpt-5", "gpt-5-mini", "gpt-5-nano"}},
	{"OpenAI", "2027-01-14", []string{"gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"}},
}

// shutdownNotice is how long before its end a model is warned of.
const shutdownNotice = 90 * 24 * time.Hour

// Shutdown is the announced end of a model.
type Shutdown struct {
	Model  string    `json:"model"`
	Date   time.Time `json:"date"`
	Source string    `json:"source"` // who says so, and as of when
}

// ShutdownOf returns the announced end of a model, or of the one that it is a dated snapshot
// of, if it is less than 90 days away or past.
func ShutdownOf(model string, now time.Time) (Shutdown, bool) {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, s := range shutdowns {
		if !slices.ContainsFunc(s.models, func(m string) bool { return name == m || isSnapshot(name, m) }) {
			continue
		}
		at, err := time.Parse(time.DateOnly, s.date)
		if err != nil || at.Sub(now) > shutdownNotice {
			return Shutdown{}, false
		}
		return Shutdown{Model: model, Date: at, Source: s.vendor + "'s announcements as of " + shutdownsAsOf}, true
	}
	return Shutdown{}, false
}

// Text says when, by whom, and what to do.
func (s Shutdown) Text(now time.Time) string {
	days := int(s.Date.Sub(now.UTC().Truncate(24*time.Hour)).Hours() / 24)
	when := fmt.Sprintf("shuts down on %s (%d days)", s.Date.Format(time.DateOnly), days)
	if days < 0 {
		when = fmt.Sprintf("was to shut down on %s", s.Date.Format(time.DateOnly))
	}
	return fmt.Sprintf("model %s %s, by %s. Choose another one while this one answers, then run leadline judge bridge: docs/judge-migration.md",
		shortName(s.Model), when, cmp.Or(s.Source, "the server"))
}

// isSnapshot says whether a name is that of a model with a date behind it.
func isSnapshot(name, model string) bool {
	date, ok := strings.CutPrefix(name, model)
	if !ok || len(date) < 5 || date[0] != '-' && date[0] != '@' {
		return false
	}
	return !strings.ContainsFunc(date[1:], func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
}
