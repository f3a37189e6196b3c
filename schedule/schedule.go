// Package schedule says when a cron expression is due.
package schedule

import (
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // zones are known on machines and in images without zone files

	"github.com/robfig/cron/v3"
)

// Schedule is a cron expression in a time zone. It is due at times on the clock on the
// wall there, each of them once: a time that the clock repeats is due when it comes
// first, and times that the clock skips are due together at the moment of the jump.
// The zero Schedule is never due.
type Schedule struct {
	spec cron.Schedule // read on a clock without jumps: the wall clock, written down as UTC
	loc  *time.Location
	expr string
}

// Parse reads the five fields of cron, from minutes to days of the week, or one of
// @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually. A nil loc means
// UTC. The error says in plain words what to write instead.
func Parse(expr string, loc *time.Location) (Schedule, error) {
	expr = strings.TrimSpace(expr)
	spec, err := read(expr)
	if err != nil {
		return Schedule{}, err
	}
	if loc == nil {
		loc = time.UTC
	}
	s := Schedule{spec: spec, loc: loc, expr: expr}
	if s.Next(time.Unix(0, 0)).IsZero() {
		return Schedule{}, errors.New("names a date that never comes")
	}
	return s, nil
}

// String returns the expression.
func (s Schedule) String() string { return s.expr }

// Next returns the first due time after t, in the schedule's zone. It is the zero time
// for the zero Schedule and where none comes within five years.
func (s Schedule) Next(t time.Time) time.Time {
	if s.spec == nil {
		return time.Time{}
	}
	for wall := wallOf(t.In(s.loc)); ; {
		wall = s.spec.Next(wall)
		if wall.IsZero() {
			return time.Time{}
		}
		if due := firstAt(wall, s.loc); due.After(t) {
			return due
		}
	}
}

// wallOf writes down what the clock on the wall shows at t as if it were UTC.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.Add(time.Duration(offset) * time.Second).UTC()
}

// firstAt returns the first moment at which the clock on the wall in loc shows wall, or
// the jump that skips it. time.Date promises neither.
func firstAt(wall time.Time, loc *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, loc)
	start, end := t.ZoneBounds()
	switch shown := wallOf(t); {
	case shown.Before(wall):
		return end
	case shown.After(wall):
		return start
	case start.IsZero():
		return t
	}
	_, before := start.Add(-time.Second).Zone()
	_, now := t.Zone()
	if earlier := t.Add(time.Duration(now-before) * time.Second); earlier.Before(start) && before > now {
		return earlier
	}
	return t
}

// Window returns the window (start, due] that t falls into, in UTC: due is the first due
// time at or after t, start the due time before it. Due is zero where Next is; start is
// zero where no due time came in the ten years before.
func (s Schedule) Window(t time.Time) (start, due time.Time) {
	due = s.Next(t.Add(-time.Nanosecond))
	if due.IsZero() {
		return time.Time{}, time.Time{}
	}
	return s.before(due).UTC(), due.UTC()
}

// before returns the last due time before due. Cron only looks ahead, so it steps back
// further and further until a due time lies in between, then forward to the last.
func (s Schedule) before(due time.Time) time.Time {
	const decade = 10 * 366 * 24 * time.Hour
	for step := time.Minute; step < 2*decade; step *= 2 {
		last := s.Next(due.Add(-step))
		if last.IsZero() || !last.Before(due) {
			continue
		}
		for next := s.Next(last); next.Before(due); next = s.Next(next) {
			last = next
		}
		return last
	}
	return time.Time{}
}
