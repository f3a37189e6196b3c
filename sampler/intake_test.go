package sampler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
	"leadline/sampler"
)

// lines is a log in which a message is "id|question|answer|error"; several records are
// parted by a semicolon.
type lines struct{ at time.Time }

func (lines) ID(m sampler.Message) string {
	id, _, _ := strings.Cut(string(m.Value), "|")
	return id
}

// Session is the question: one question is one conversation.
func (lines) Session(m sampler.Message) string {
	if f := strings.Split(string(m.Value), "|"); len(f) > 1 {
		return f[1]
	}
	return ""
}

func (l lines) Decode(m sampler.Message) (records []sampler.Record, err error) {
	for part := range strings.SplitSeq(string(m.Value), ";") {
		f := strings.Split(part, "|")
		if len(f) != 4 {
			return nil, errors.New("message: not four parts")
		}
		records = append(records, sampler.Record{Time: l.at, Question: f[1], Answer: f[2], Error: f[3], Segments: map[string]string{"dept": "hr"}})
	}
	if strings.Contains(string(m.Value), "staging") {
		err = sampler.ErrFiltered
	}
	return records, err
}

func intake(rate float64, at time.Time) *sampler.Intake {
	rec := config.Record{MaxSize: 1000, MaxAge: 24 * time.Hour}
	return sampler.NewIntake(config.Sample{Rate: rate, Salt: "s"}, rec, lines{at}, func() time.Time { return noon })
}

func message(value string) sampler.Message {
	return sampler.Message{Topic: "logs", Partition: 2, Offset: 7, Time: noon.Add(-time.Minute), Value: []byte(value)}
}

func TestTakeGivesEveryRecordItsState(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		at    time.Time
		want  sampler.RecordState
	}{
		"may be judged":           {"1|q|a|", noon, ""},
		"future":                  {"1|q|a|", noon.Add(11 * time.Minute), sampler.RecordFuture},
		"a clock slightly ahead":  {"1|q|a|", noon.Add(9 * time.Minute), ""},
		"too old":                 {"1|q|a|", noon.Add(-25 * time.Hour), sampler.RecordTooOld},
		"far past":                {"1|q|a|", time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), sampler.RecordTooOld},
		"no question":             {"1| \t|a|", noon, sampler.RecordNoQuestion},
		"no answer":               {"1|q|\u3000\n|", noon, sampler.RecordNoAnswer},
		"error":                   {"1|q|a|timeout", noon, sampler.RecordErrorAnswer},
		"error without an answer": {"1|q||timeout", noon, sampler.RecordErrorAnswer},
		"filtered":                {"1|q|a staging|", noon, sampler.RecordFiltered},
	} {
		t.Run(name, func(t *testing.T) {
			state, kept := intake(1, c.at).Take(message(c.value))
			if state != sampler.OffsetContributed || len(kept) != 1 {
				t.Fatalf("state %s with %d records, want contributed with one", state, len(kept))
			}
			if kept[0].State != c.want {
				t.Errorf("state %q, want %q", kept[0].State, c.want)
			}
		})
	}
}

func TestTakeWithoutAClockKnowsNoFuture(t *testing.T) {
	for _, at := range []time.Time{noon.AddDate(50, 0, 0), noon.AddDate(-50, 0, 0)} {
		in := sampler.NewIntake(config.Sample{Rate: 1}, config.Record{MaxAge: time.Hour}, lines{at}, func() time.Time { return time.Time{} })
		if _, kept := in.Take(message("1|q|a|")); kept[0].State != "" {
			t.Errorf("a record of %v is %s", at, kept[0].State)
		}
	}
}

func TestTakeDecidesAboutOffsets(t *testing.T) {
	tombstone := message("")
	tombstone.Value = nil
	for name, c := range map[string]struct {
		m    sampler.Message
		want sampler.OffsetState
	}{
		"tombstone": {tombstone, sampler.OffsetTombstone},
		"oversize":  {message(strings.Repeat("x", 1001)), sampler.OffsetOversize},
		"malformed": {message("1|q"), sampler.OffsetMalformed},
		"empty":     {message(""), sampler.OffsetMalformed},
	} {
		if state, kept := intake(1, noon).Take(c.m); state != c.want || kept != nil {
			t.Errorf("%s: %s with %d records, want %s", name, state, len(kept), c.want)
		}
	}
}

func TestLastMalformedSaysWhereAndWhy(t *testing.T) {
	in := intake(1, noon)
	in.Take(message("1|q|a|"))
	if err := in.LastMalformed(); err != nil {
		t.Errorf("malformed before any was: %v", err)
	}
	in.Take(message("secret"))
	if got, want := fmt.Sprint(in.LastMalformed()), "logs/2 offset 7: message: not four parts"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTakePicksByTheLogicalID(t *testing.T) {
	picked := 0
	for i := range 2000 {
		m := message(fmt.Sprintf("id-%d|q|a|", i))
		state, _ := intake(0.2, noon).Take(m)
		m.Offset, m.Partition = int64(i), 5
		if again, _ := intake(0.2, noon).Take(m); again != state {
			t.Fatalf("%s at one offset and %s at another", state, again)
		}
		if want := sampler.Hash("s", fmt.Sprintf("id-%d", i)) < 0.2; want != (state == sampler.OffsetContributed) {
			t.Fatalf("id-%d is %s", i, state)
		}
		if state == sampler.OffsetContributed {
			picked++
		}
	}
	if picked < 320 || picked > 480 {
		t.Errorf("picked %d of 2000 at a rate of 0.2", picked)
	}
}

func TestLogicalIDFallsBack(t *testing.T) {
	for name, c := range map[string]struct{ value, key, want string }{
		"of the record":         {"r1|q|a|", "k1", "r1"},
		"the key":               {"|q|a|", "k1", "k1"},
		"a binary key":          {"|q|a|", "\xff\x01", "0xff01"},
		"the place":             {"|q|a|", "", "logs/2/7"},
		"too long to be a name": {strings.Repeat("x", 257) + "|q|a|", "", "sha256:15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f"},
	} {
		m := message(c.value)
		m.Key = []byte(c.key)
		_, kept := intake(1, noon).Take(m)
		if got := kept[0].Sample.ID; got != c.want {
			t.Errorf("%s: ID %q, want %q", name, got, c.want)
		}
	}
}

func TestTakeFillsInTheSample(t *testing.T) {
	_, kept := intake(1, time.Time{}).Take(message("m1|q1|a1|;m1|q2|a2|"))
	sample := func(id, question, answer, text string, part int) sampler.Kept {
		return sampler.Kept{Sample: sampler.Sample{
			Record: sampler.Record{
				ID: id, Time: noon.Add(-time.Minute), Question: question, Answer: answer, Segments: map[string]string{"dept": "hr"},
			},
			Origin: sampler.Origin{Topic: "logs", Partition: 2, Offset: 7, Part: part},
			U:      sampler.Hash("s", "m1"), Rate: 1, Cell: "dept=hr", TextHash: text,
		}}
	}
	want := []sampler.Kept{sample("m1", "q1", "a1", "3187e62754415922", 0), sample("m1#1", "q2", "a2", "425ef08c65359fe6", 1)}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestTakePicksWholeConversations(t *testing.T) {
	rec := config.Record{MaxSize: 1000}
	in := sampler.NewIntake(config.Sample{Rate: 0.3, Salt: "s", By: "session"}, rec, lines{noon}, func() time.Time { return noon })
	picked := 0
	for session := range 200 {
		taken := map[float64]int{}
		for i := range 5 {
			_, kept := in.Take(message(fmt.Sprintf("id-%d-%d|session %d|answer %d|", session, i, session, i)))
			for _, k := range kept {
				taken[k.Sample.U]++
			}
		}
		u := sampler.Hash("s", fmt.Sprintf("session %d", session))
		if want := u < 0.3; want != (taken[u] == 5) || len(taken) > 1 {
			t.Errorf("session %d with u %g: %v", session, u, taken)
		}
		picked += len(taken)
	}
	if picked < 40 || picked > 80 {
		t.Errorf("picked %d of 200 sessions at a rate of 0.3", picked)
	}
	// Without a session, the record's own ID decides.
	_, kept := in.Take(message("id-7||a|"))
	if u := sampler.Hash("s", "id-7"); (u < 0.3) != (len(kept) == 1) {
		t.Errorf("a record without a session is kept %d times, its u is %g", len(kept), u)
	}
}
