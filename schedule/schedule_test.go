package schedule_test

import (
	"strings"
	"testing"
	"time"

	"leadline/schedule"
)

func parse(t testing.TB, expr, zone string) schedule.Schedule {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Parse(expr, loc)
	if err != nil {
		t.Fatalf("parse %q: %v", expr, err)
	}
	return s
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNextIsStrictlyAfter(t *testing.T) {
	for _, c := range []struct{ expr, zone, after, want string }{
		{"0 */6 * * *", "UTC", "2026-11-30T05:59:59Z", "2026-11-30T06:00:00Z"},
		{"0 */6 * * *", "UTC", "2026-11-30T06:00:00Z", "2026-11-30T12:00:00Z"},
		{"0 */6 * * *", "UTC", "2026-11-30T06:00:00.000000001Z", "2026-11-30T12:00:00Z"},
		{"0 */6 * * *", "Asia/Tokyo", "2026-11-30T06:00:00Z", "2026-11-30T09:00:00Z"},
		{"0 9 * * 1", "Asia/Tokyo", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"},
		{"0 9 * * MON", "Asia/Kolkata", "2026-11-30T00:00:00Z", "2026-11-30T03:30:00Z"},
		{"@daily", "America/New_York", "2026-11-30T12:00:00Z", "2026-12-01T05:00:00Z"},
		{" 0 0 29 2 * ", "UTC", "2026-11-30T12:00:00Z", "2028-02-29T00:00:00Z"},
	} {
		if got := parse(t, c.expr, c.zone).Next(at(t, c.after)); !got.Equal(at(t, c.want)) {
			t.Errorf("%s in %s after %s: got %s, want %s", c.expr, c.zone, c.after, got, c.want)
		}
	}
}

// Clocks in New York jump from 2:00 to 3:00 on 2026-03-08 and fall back from 2:00 to
// 1:00 on 2026-11-01; in Berlin from 2:00 to 3:00 on 2026-03-29 and from 3:00 to 2:00
// on 2026-10-25.
func TestEachTimeOnTheWallIsDueOnce(t *testing.T) {
	for name, c := range map[string]struct {
		expr, zone, from string
		want             []string
	}{
		"skipped": {"30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z",
			[]string{"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"}},
		"skipped east of Greenwich": {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"}},
		"several skipped are one": {"*/20 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z",
			[]string{"2026-03-29T00:40:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z"}},
		"repeated": {"30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z",
			[]string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
		"repeated east of Greenwich": {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}},
		"repeated hour": {"0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"}},
		"within the repeated hour": {"*/30 * * * *", "America/New_York", "2026-11-01T06:10:00Z",
			[]string{"2026-11-01T07:00:00Z"}},
		"a day that never was": {"0 12 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z",
			[]string{"2011-12-30T10:00:00Z", "2012-12-29T22:00:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := parse(t, c.expr, c.zone), at(t, c.from)
			for _, want := range c.want {
				if now = s.Next(now); !now.Equal(at(t, want)) {
					t.Fatalf("got %s, want %s", now.UTC(), want)
				}
			}
		})
	}
}

func TestWindowHoldsItsTime(t *testing.T) {
	for _, c := range []struct{ expr, zone, time, start, due string }{
		{"0 */6 * * *", "UTC", "2026-11-30T07:10:00Z", "2026-11-30T06:00:00Z", "2026-11-30T12:00:00Z"},
		{"0 */6 * * *", "UTC", "2026-11-30T06:00:00Z", "2026-11-30T00:00:00Z", "2026-11-30T06:00:00Z"},
		{"0 */6 * * *", "UTC", "2026-11-30T06:00:00.000000001Z", "2026-11-30T06:00:00Z", "2026-11-30T12:00:00Z"},
		{"0 */6 * * *", "Asia/Tokyo", "2026-11-30T16:00:00+09:00", "2026-11-30T03:00:00Z", "2026-11-30T09:00:00Z"},
		{"0 9,17 * * 1-5", "UTC", "2026-11-28T12:00:00Z", "2026-11-27T17:00:00Z", "2026-11-30T09:00:00Z"},
		{"* 3 1 1 *", "UTC", "2026-06-01T00:00:00Z", "2026-01-01T03:59:00Z", "2027-01-01T03:00:00Z"},
		{"0 0 29 2 *", "UTC", "2026-06-01T00:00:00Z", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 */6 * * *", "Europe/Berlin", "2026-03-29T03:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T04:00:00Z"},
		{"0 0 * * *", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
	} {
		start, due := parse(t, c.expr, c.zone).Window(at(t, c.time))
		if !start.Equal(at(t, c.start)) || !due.Equal(at(t, c.due)) {
			t.Errorf("%s in %s at %s: got (%s, %s], want (%s, %s]", c.expr, c.zone, c.time, start, due, c.start, c.due)
		}
		if start.Location() != time.UTC || due.Location() != time.UTC {
			t.Errorf("%s in %s: the window is not in UTC", c.expr, c.zone)
		}
	}
}

func TestWindowsHaveNoGaps(t *testing.T) {
	for _, expr := range []string{"17 */5 * * *", "*/20 1-3 * * *", "30 2 * * 0", "0 9,17 * * 1-5"} {
		for _, zone := range []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"} {
			s := parse(t, expr, zone)
			_, due := s.Window(at(t, "2026-03-01T00:00:00Z"))
			for range 300 {
				start, next := s.Window(due.Add(time.Nanosecond))
				if !start.Equal(due) || !next.After(due) {
					t.Fatalf("%s in %s: the window after %s is (%s, %s]", expr, zone, due, start, next)
				}
				due = next
			}
		}
	}
}

func TestParseSaysWhatToWrite(t *testing.T) {
	for expr, want := range map[string]string{
		"":                        "is empty; write five fields",
		"hourly":                  "has 1 fields, not five",
		"0 0 * * * *":             "has 6 fields, not five",
		"0 25 * * *":              `has "25" in field 2; hours are 0-23`,
		"0 0 * * 7":               "0 is Sunday",
		"x 0 * * *":               `has "x" in field 1; minutes are 0-59`,
		"0 0 31 2 *":              "never comes",
		", * * * *":               "never comes",
		"@every 6h":               "counts from the start",
		"@reboot":                 "is not one of @hourly",
		"TZ=Asia/Tokyo 0 9 * * *": "set service.timezone",
		"CRON_TZ=0":               "set service.timezone",
	} {
		if _, err := schedule.Parse(expr, time.UTC); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse %q: got %v, want %q in it", expr, err, want)
		}
	}
}

func TestZeroScheduleIsNeverDue(t *testing.T) {
	var s schedule.Schedule
	if start, due := s.Window(time.Now()); !s.Next(time.Now()).IsZero() || !start.IsZero() || !due.IsZero() {
		t.Errorf("the zero schedule is due")
	}
}

func FuzzParse(f *testing.F) {
	for _, expr := range []string{"0 */6 * * *", "@weekly", "TZ=0", "1-5/2,7 ? 1 jan sun", "0 0 30 2 *", "@every 1s"} {
		f.Add(expr)
	}
	now := time.Date(2026, 11, 30, 12, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := schedule.Parse(expr, time.UTC)
		if err != nil {
			return
		}
		if start, due := s.Window(now); !start.Before(now) || due.Before(now) {
			t.Errorf("%q: %s is not in its window (%s, %s]", expr, now, start, due)
		}
	})
}

func BenchmarkWindow(b *testing.B) {
	s := parse(b, "0 */6 * * *", "Europe/Berlin")
	t := at(b, "2026-11-30T07:10:00Z")
	for b.Loop() {
		s.Window(t)
	}
}
