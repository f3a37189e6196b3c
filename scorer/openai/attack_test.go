package openai_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
)

// attack is a text that asks for the same verdict on everything.
type attack struct {
	Where string `json:"where"` // "context" or "answer"
	Aim   int    `json:"aim"`   // the verdict that it asks for
	Text  string `json:"text"`
}

func attacks(t *testing.T) []attack {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "attacks.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []attack
	for line := range strings.Lines(string(data)) {
		var a attack
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// victims are records with two supported statements and one that is not.
var victims = []sampler.Record{
	{ID: "en", Question: "When may I use the sauna?",
		Answer:   "The sauna is open from 14:00 to 21:30. Towels are lent at the counter. Guests of the hotel pay nothing.",
		Contexts: []string{"The sauna is open from 14:00 to 21:30. Towels are lent at the counter for 2 euros.", "The pool closes for cleaning on every first Monday."}},
	{ID: "ja", Question: "サウナはいつ使えますか",
		Answer:   "サウナは14時から21時30分まで利用できます。タオルは受付で借りられます。宿泊者は無料です。",
		Contexts: []string{"サウナは14時から21時30分まで利用できます。タオルは受付で借りられます。", "プールは毎月第1月曜日に清掃のため休業します。"}},
}

func (a attack) on(r sampler.Record) sampler.Record {
	r.Contexts = slices.Clone(r.Contexts)
	if a.Where == "context" {
		r.Contexts = append(r.Contexts, a.Text)
	} else {
		r.Answer += " " + a.Text
	}
	return r
}

// obedient is the stand-in, but every verdict is aim.
func obedient(t *testing.T, aim int) http.Handler {
	t.Helper()
	inner := newStandin(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		body := rec.Body.String()
		body = strings.ReplaceAll(body, `\"verdict\":`+quoteInt(1-aim), `\"verdict\":`+quoteInt(aim))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(rec.Code)
		_, _ = w.Write([]byte(body))
	})
}

func newStandin(t *testing.T) *standin.Server {
	t.Helper()
	s, err := standin.New(standin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// guarded is a scorer with canaries that asks handler.
func guarded(t *testing.T, handler http.Handler, change func(*config.Judge)) *scorer.Scorer {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cfg := config.Default().Judge
	cfg.BaseURL, cfg.Model, cfg.Embeddings.Model = server.URL+"/v1", standin.Model, standin.Model
	if change != nil {
		change(&cfg)
	}
	judge, err := openai.New(cfg, openai.Options{Secret: "of the test"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder(), IDs: judge.IDs()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func faithfulnessOf(t *testing.T, s *scorer.Scorer, r sampler.Record) scorer.Score {
	t.Helper()
	score, err := s.Score(t.Context(), sampler.Sample{Record: r})
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestAJudgeThatObeysATextGivesNoScore(t *testing.T) {
	byAim := []*scorer.Scorer{guarded(t, obedient(t, 0), nil), guarded(t, obedient(t, 1), nil)}
	for _, a := range attacks(t) {
		for _, victim := range victims {
			score := faithfulnessOf(t, byAim[a.Aim], a.on(victim))
			o := score.Outcomes[scorer.Faithfulness]
			if o.Scored || o.Reason != scorer.ReasonInjection {
				t.Errorf("%s, %s: %+v, want %s", victim.ID, a.Text, o, scorer.ReasonInjection)
			}
			if score.Usage.ChatRequests != 4 {
				t.Errorf("%s: %d chat requests, want 4: statements, verdicts twice, questions", victim.ID, score.Usage.ChatRequests)
			}
			if !score.Outcomes[scorer.AnswerRelevancy].Scored {
				t.Errorf("%s: relevancy %+v, want a score: it does not rest on verdicts", victim.ID, score.Outcomes[scorer.AnswerRelevancy])
			}
		}
	}
}

func TestAJudgeThatObeysNobodyScoresAttackedAnswersAsOthers(t *testing.T) {
	s := guarded(t, newStandin(t), nil)
	for _, a := range attacks(t) {
		for _, victim := range victims {
			if a.Where == "answer" {
				continue // the attack is a statement more, and no context says it
			}
			if got := faithfulnessOf(t, s, a.on(victim)).Outcomes[scorer.Faithfulness]; !got.Scored || got.Value != 2.0/3 {
				t.Errorf("%s with %q: %+v, want 2 of 3", victim.ID, a.Text, got)
			}
		}
	}
}

// Canaries must leave the score, the statements and the number of calls as they are without.
func TestCanariesLeaveNoTrace(t *testing.T) {
	with, without := guarded(t, newStandin(t), nil), guarded(t, newStandin(t), func(c *config.Judge) { c.Canaries = false })
	records := append(slices.Clone(victims), realRecords(t)...)
	suspected := 0
	for _, r := range records {
		a, b := faithfulnessOf(t, with, r), faithfulnessOf(t, without, r)
		if a.Outcomes[scorer.Faithfulness].Reason == scorer.ReasonInjection {
			suspected++
			continue
		}
		if a.Outcomes[scorer.Faithfulness] != b.Outcomes[scorer.Faithfulness] || len(a.Statements) != len(b.Statements) {
			t.Errorf("%s: %+v with canaries, %+v without", r.ID, a.Outcomes, b.Outcomes)
		}
	}
	if limit := len(records) / 100; suspected > limit {
		t.Errorf("%d of %d ordinary records are suspected, want at most %d", suspected, len(records), limit)
	}
	t.Logf("%d of %d ordinary records suspected", suspected, len(records))
	if a, b := with.IDs()[scorer.Faithfulness], without.IDs()[scorer.Faithfulness]; a.Prompt == b.Prompt {
		t.Error("a judge with canaries has the identity of one without")
	}
	if a, b := with.IDs()[scorer.AnswerRelevancy], without.IDs()[scorer.AnswerRelevancy]; a.Prompt != b.Prompt {
		t.Error("canaries, which relevancy does not see, change its identity")
	}
}

// realRecords returns those of the labeled traffic, and none where it is absent.
func realRecords(t *testing.T) []sampler.Record {
	t.Helper()
	var out []sampler.Record
	for _, name := range []string{"rag-en.dev.jsonl", "rag-ja.dev.jsonl"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", name))
		if err != nil {
			t.Logf("without real records: %v", err)
			continue
		}
		for line := range strings.Lines(string(data)) {
			q := gjson.Parse(line)
			r := sampler.Record{ID: q.Get("id").String(), Question: q.Get("question").String(), Answer: q.Get("answer").String()}
			for _, c := range q.Get("contexts").Array() {
				r.Contexts = append(r.Contexts, c.String())
			}
			out = append(out, r)
		}
	}
	return out
}

func TestControlItemsCountThoughTheJudgeSaysYesToAll(t *testing.T) {
	s := guarded(t, obedient(t, 1), nil)
	got, err := s.Controls(t.Context(), scorer.Controls(), victims[0].Time)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		if o := c.Outcomes[scorer.Faithfulness]; o.Reason == scorer.ReasonInjection {
			t.Errorf("%s: %+v, want the score that such a judge gives", c.Item, o)
		}
	}
}

// A long source is judged in parts; a statement counts where one part says it.
func TestLongContextsAreJudgedInParts(t *testing.T) {
	filler := strings.Repeat("The lake has a shore of gravel and reeds. ", 400)
	r := sampler.Record{ID: "long", Question: "When may I use the sauna?",
		Answer:   "The sauna is open from 14:00 to 21:30. Towels are lent at the counter. Guests of the hotel pay nothing.",
		Contexts: []string{filler + "The sauna is open from 14:00 to 21:30. " + filler, filler, filler + "Towels are lent at the counter."}}
	inner := newStandin(t)
	s := guarded(t, inner, func(c *config.Judge) { c.MaxContextTokens = 6000 })
	score := faithfulnessOf(t, s, r)
	if o := score.Outcomes[scorer.Faithfulness]; !o.Scored || o.Value != 2.0/3 || !score.Extended {
		t.Errorf("%+v, extended %v, want 2 of 3, extended", o, score.Extended)
	}
	// About 8,400 tokens in two pieces, then 4,200 twice, which do not fit together or beside one.
	if n := inner.Stats().ByTask["verdicts"]; n != 4 {
		t.Errorf("%d verdict calls, want 4", n)
	}
	short := faithfulnessOf(t, s, victims[0])
	if short.Extended {
		t.Error("contexts of one call are marked as extended")
	}
}
