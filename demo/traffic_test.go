package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/demo"
)

// line is what the tests read of a log record.
type line struct {
	message                                                   demo.Message
	truth                                                     demo.Truth
	ID, Time, Department, Language, Release, Question, Answer string
	Contexts                                                  []string
	Documents                                                 []struct{ ID, Version, Date string }
}

// parsed is a third of the log of seed 1, and all of it that asks the outdated document.
var parsed = sync.OnceValues(func() ([]line, error) {
	var all []line
	n := 0
	for m, truth := range demo.Annotated(1) {
		if n++; n%3 != 0 && truth.Document != demo.Events().OutdatedDocument {
			continue
		}
		l := line{message: m, truth: truth}
		if err := json.Unmarshal(m.Value, &l); err != nil {
			return nil, fmt.Errorf("record at %s: %w", m.Time, err)
		}
		all = append(all, l)
	}
	return all, nil
})

func lines(t *testing.T) []line {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSameSeedGivesTheSameBytes(t *testing.T) {
	again, stopAgain := iter.Pull(demo.Generate(3))
	defer stopAgain()
	other, stopOther := iter.Pull(demo.Generate(4))
	defer stopOther()
	differ := false
	for m := range demo.Generate(3) {
		if m.Time.After(demo.Span().From.AddDate(0, 0, 14)) {
			break
		}
		if same, _ := again(); !equal(m, same) {
			t.Fatalf("record at %s differs between two generations of one seed", m.Time)
		}
		o, _ := other()
		differ = differ || !bytes.Equal(m.Value, o.Value)
	}
	if !differ {
		t.Error("two seeds gave the same log")
	}
}

func equal(a, b demo.Message) bool {
	return bytes.Equal(a.Value, b.Value) && bytes.Equal(a.Key, b.Key) && a.Time.Equal(b.Time) && a.Partition == b.Partition
}

func TestLogIsInOrderAndInsideItsSpan(t *testing.T) {
	span, last := demo.Span(), time.Time{}
	seen := map[string]bool{}
	for _, l := range lines(t) {
		if l.message.Time.Before(last) || l.message.Time.Before(span.From) || !l.message.Time.Before(span.To) {
			t.Fatalf("record at %s after one at %s, in a span of %s to %s", l.message.Time, last, span.From, span.To)
		}
		if at, err := time.Parse(time.RFC3339, l.Time); err != nil || !at.Equal(l.message.Time) {
			t.Fatalf("record says %q (%v), its message %s", l.Time, err, l.message.Time)
		}
		if seen[l.ID] {
			t.Fatalf("id %s twice", l.ID)
		}
		seen[l.ID] = true
		last = l.message.Time
	}
	days := span.To.Sub(span.From).Hours() / 24
	if perDay := float64(demo.Count(1)) / days; perDay < 300 || perDay > 400 {
		t.Errorf("%.0f records a day, want 300 to 400", perDay)
	}
	if span.From.Weekday() != time.Monday || days != 86 {
		t.Errorf("span begins on a %s and has %g days, want a Monday and 86", span.From.Weekday(), days)
	}
}

func TestEveryDepartmentIsServedInBothLanguages(t *testing.T) {
	answers, refusals, cells := map[string]bool{}, map[string]bool{}, map[string]int{}
	refused, all := 0, lines(t)
	for _, l := range all {
		cells[l.Department+" "+l.Language]++
		if l.Department != l.truth.Department || l.Language != l.truth.Language {
			t.Fatalf("record says %s %s, truth %s %s", l.Department, l.Language, l.truth.Department, l.truth.Language)
		}
		if len(l.Contexts) == 0 || len(l.Contexts) != len(l.Documents) {
			t.Fatalf("%d contexts and %d documents", len(l.Contexts), len(l.Documents))
		}
		if l.truth.Refused {
			refused++
			refusals[l.Answer] = true
		} else {
			answers[l.Answer] = true
		}
	}
	if len(answers) < 300 || len(refusals) < 40 {
		t.Errorf("%d distinct answers and %d refusals, want at least 300 and 40", len(answers), len(refusals))
	}
	if share := float64(refused) / float64(len(all)); share < 0.02 || share > 0.04 {
		t.Errorf("%.3f of the answers are refusals, want about 0.03", share)
	}
	if len(cells) != 12 {
		t.Errorf("cells %v, want 6 departments in 2 languages", cells)
	}
	for c, n := range cells {
		if n < len(all)/50 {
			t.Errorf("%s has %d of %d records, want at least 2 %%", c, n, len(all))
		}
	}
}

func TestReleasesFollowTheCalendar(t *testing.T) {
	events := demo.Events()
	want := func(at time.Time) string {
		switch {
		case at.Before(events.NullRelease):
			return "4.1.0"
		case !at.Before(events.BadRelease.From) && at.Before(events.BadRelease.To):
			return "4.3.0"
		default:
			return "4.2.0" // also after the roll-back
		}
	}
	seen := map[string]int{}
	for _, l := range lines(t) {
		if l.Release != want(l.message.Time) {
			t.Fatalf("release %s at %s, want %s", l.Release, l.message.Time, want(l.message.Time))
		}
		seen[l.Release]++
	}
	if len(seen) != 3 {
		t.Errorf("releases %v, want 3", seen)
	}
}

func TestEveningWithoutTrafficIsEmpty(t *testing.T) {
	evening := demo.Events().NoTraffic
	for _, l := range lines(t) {
		if within(l, evening) {
			t.Fatalf("record at %s", l.message.Time)
		}
	}
}

func within(l line, p demo.Period) bool {
	return !l.message.Time.Before(p.From) && l.message.Time.Before(p.To)
}

func TestBadReleaseAddsClaimsInEveryDepartmentAndLanguage(t *testing.T) {
	events := demo.Events()
	type count struct{ n, beyond float64 }
	usual, bad := map[string]count{}, map[string]count{}
	for _, l := range lines(t) {
		of := usual
		if within(l, events.BadRelease) {
			of = bad
		}
		for _, key := range []string{l.Department, l.Language} {
			c := of[key]
			c.n++
			if l.truth.Beyond > 0 {
				c.beyond++
			}
			of[key] = c
		}
	}
	for key, u := range usual {
		before, after := u.beyond/u.n, bad[key].beyond/bad[key].n
		if after-before < 0.2 {
			t.Errorf("%s: %.2f of the answers go beyond the documents usually, %.2f in the bad release", key, before, after)
		}
	}
}

func TestMixShiftsForGood(t *testing.T) {
	events := demo.Events()
	var n, sales [2]float64
	for _, l := range lines(t) {
		later := 0
		if !l.message.Time.Before(events.MixShift) {
			later = 1
		}
		n[later]++
		if l.Department == "sales_ops" {
			sales[later]++
		}
	}
	if before, after := sales[0]/n[0], sales[1]/n[1]; before > 0.15 || after < 0.2 {
		t.Errorf("sales_ops asks %.2f of the questions before and %.2f after, want about .11 and .25", before, after)
	}
}

func TestOutdatedEditionIsLoggedAndQuoted(t *testing.T) {
	events := demo.Events()
	quoted := 0
	for _, l := range lines(t) {
		want := "2025-10"
		if within(l, events.Outdated) {
			want = "2024-04"
		}
		for _, d := range l.Documents {
			if d.ID == events.OutdatedDocument && (d.Version != want || d.Date != want+"-01") {
				t.Fatalf("edition %s of %s at %s, want %s", d.Version, d.Date, l.message.Time, want)
			}
		}
		if l.truth.Outdated && !l.truth.Refused && !l.truth.Missed && l.truth.Beyond == 0 {
			quoted++
			for sentence := range strings.SplitAfterSeq(l.Answer, "。") {
				if l.Language == "ja" && !strings.Contains(l.Contexts[0], sentence) {
					t.Errorf("%q is not in the old edition %q", sentence, l.Contexts[0])
				}
			}
		}
	}
	if quoted < 20 {
		t.Errorf("%d answers out of the old edition, want at least 20", quoted)
	}
}

func TestOtherEditionsNeverGoBack(t *testing.T) {
	newest, revised := map[string]string{}, 0
	for _, l := range lines(t) {
		for _, d := range l.Documents {
			if d.Date < newest[d.ID] && d.ID != demo.Events().OutdatedDocument {
				t.Fatalf("%s goes back to %s from %s at %s", d.ID, d.Date, newest[d.ID], l.message.Time)
			}
			if newest[d.ID] != "" && d.Date > newest[d.ID] && d.ID == demo.Events().RevisedDocument {
				revised++
			}
			newest[d.ID] = max(newest[d.ID], d.Date)
		}
	}
	if revised != 1 {
		t.Errorf("the revised document gets a newer edition %d times, want once", revised)
	}
}

func TestLostDepartmentIsAnsweredFromItsNeighbors(t *testing.T) {
	events := demo.Events()
	before, lost, usual := map[string]bool{}, 0, 0
	for _, l := range lines(t) {
		if l.Department != events.LostDepartment {
			continue
		}
		if l.truth.Lost != within(l, events.Lost) {
			t.Fatalf("record at %s is marked lost: %t", l.message.Time, l.truth.Lost)
		}
		if !l.truth.Lost {
			before[l.Answer] = true
			continue
		}
		lost++
		if before[l.Answer] {
			usual++
		}
		for _, d := range l.Documents {
			if strings.HasPrefix(d.ID, events.LostDepartment) {
				t.Fatalf("lost document %s at %s", d.ID, l.message.Time)
			}
		}
	}
	if lost < 150 || usual < lost*8/10 {
		t.Errorf("%d answers after the loss, %d of them as before, want 150 and four in five", lost, usual)
	}
	if days := events.Lost.To.Sub(events.Lost.From).Hours() / 24; days < 10 {
		t.Errorf("the loss lasts %.1f days, want at least 10", days)
	}
}
