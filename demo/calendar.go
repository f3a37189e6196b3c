package demo

import "time"

// Period is a time, From included and To not.
type Period struct{ From, To time.Time }

func (p Period) holds(t time.Time) bool { return !t.Before(p.From) && t.Before(p.To) }

// Span is the time of the whole log: twelve weeks from a Monday, and two days more, in
// which the last windows of the twelve weeks can close.
func Span() Period { return Period{day(0), day(weeks*7 + 2)} }

const weeks = 12

// day returns midnight UTC of a day of the log, counted from 0.
func day(n int) time.Time { return time.Date(2026, time.January, 5+n, 0, 0, 0, 0, time.UTC) }

// Calendar is what happens in the log, in the order of its fields.
type Calendar struct {
	NullRelease time.Time // changes nothing
	NoTraffic   Period    // an evening
	BadRelease  Period    // adds claims that are in no document; To is the roll-back
	MixShift    time.Time // other questions from then on, answered as well as before
	Outdated    Period    // OutdatedDocument is served in its old edition
	Lost        Period    // LostDepartment's documents are gone from the index
	// Revised is when RevisedDocument gets a newer edition, as documents do.
	Revised time.Time

	OutdatedDocument string
	LostDepartment   string
	RevisedDocument  string
}

// Events returns the calendar. It is the same for every seed.
func Events() Calendar {
	return Calendar{
		NullRelease: day(16).Add(9 * time.Hour),
		NoTraffic:   Period{day(23).Add(17 * time.Hour), day(24)},
		BadRelease:  Period{day(30).Add(9 * time.Hour), day(35).Add(8 * time.Hour)},
		MixShift:    day(42),
		Outdated:    Period{day(52).Add(2 * time.Hour), day(66).Add(2 * time.Hour)},
		Lost:        Period{day(72).Add(2 * time.Hour), Span().To},
		Revised:     day(25).Add(2 * time.Hour),

		OutdatedDocument: "travel-daily-allowance",
		LostDepartment:   "expenses",
		RevisedDocument:  "hr-remote-work",
	}
}

func (c Calendar) release(t time.Time) string {
	switch {
	case t.Before(c.NullRelease):
		return "4.1.0"
	case c.BadRelease.holds(t):
		return "4.3.0"
	default:
		return "4.2.0"
	}
}

// servesOld says whether the index holds the old edition of a document.
func (c Calendar) servesOld(doc string, t time.Time) bool {
	switch doc {
	case c.OutdatedDocument:
		return c.Outdated.holds(t)
	case c.RevisedDocument:
		return t.Before(c.Revised)
	default:
		return false
	}
}
