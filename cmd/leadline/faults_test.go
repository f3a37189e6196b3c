package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
	"leadline/store"
)

// faultEnd is what a mode may lead to, besides the score that there is without it.
type faultEnd struct {
	reasons []scorer.Reason
	stops   []error // classes of errors that leave samples pending
	moves   bool    // verdicts or cosines are other ones on purpose
	fewer   bool    // a score of fewer questions is right
	one     bool    // the choices of one call are the same question
}

func leaves(reasons ...scorer.Reason) faultEnd { return faultEnd{reasons: reasons} }

// A server that is down for all tries of a sample, and only for it, leaves it unanswered.
func down() faultEnd {
	return faultEnd{reasons: []scorer.Reason{scorer.ReasonUnanswered}, stops: []error{scorer.ErrJudgeDown}}
}

func pauses() faultEnd { return faultEnd{stops: []error{scorer.ErrJudgePaused}} }

// A request that is rejected first of all is taken for one that no judge would take.
func rejects() faultEnd {
	return faultEnd{reasons: []scorer.Reason{scorer.ReasonBadRequest}, stops: []error{scorer.ErrJudgePaused}}
}

// faultEnds is the table of what each mode of the stand-in leads to. An empty end: to the
// score, as if nothing had been.
var faultEnds = map[string]faultEnd{
	"rate_limit": down(), "rate_limit_seconds": down(), "rate_limit_ms": down(), "rate_limit_date": down(),
	"error_500_html": down(), "error_502_empty": down(), "error_503": down(), "busy_498": down(), "error_200": down(),
	"hang": down(), "drip": down(), "reset": down(), "wrong_length": down(), "no_choices": down(),

	"insufficient_quota": pauses(), "unauthorized": pauses(), "model_not_found": pauses(), "redirect": pauses(),
	"model_swapped": {stops: []error{scorer.ErrJudgeChanged}},

	"content_filter": leaves(scorer.ReasonContentFilter), "filtered": leaves(scorer.ReasonContentFilter),
	"context_length": leaves(scorer.ReasonTooLong), "huge": leaves(scorer.ReasonBadReply),
	"temperature_rejected": rejects(), "json_schema_rejected": rejects(), "json_object_rejected": rejects(), "n_rejected": rejects(),
	"n_ignored":    {one: true},
	"usage_capped": leaves(scorer.ReasonPromptTruncated),

	"truncated": leaves(scorer.ReasonTruncated), "cut_no_reason": leaves(scorer.ReasonTruncated), "think_unclosed": leaves(scorer.ReasonTruncated),
	"refusal": leaves(scorer.ReasonRefusal), "refusal_text": leaves(scorer.ReasonRefusal),
	"empty": leaves(scorer.ReasonEmptyOutput), "blank": leaves(scorer.ReasonEmptyOutput),
	"two_objects": leaves(scorer.ReasonAmbiguous), "wrong_key": leaves(scorer.ReasonBadJSON),
	"fence": {}, "prose": {}, "think_closed": {}, "think_end_only": {}, "trailing_comma": {}, "single_quotes": {}, "encoded_twice": {},

	"no_statements": leaves(scorer.ReasonNoStatements), "runaway_statements": leaves(scorer.ReasonRunaway),
	"wrong_language": leaves(scorer.ReasonWrongLanguage),
	"no_question":    {reasons: []scorer.Reason{scorer.ReasonNoQuestion}, fewer: true},

	"verdict_text": {}, "verdict_bool": {}, "verdict_duplicate": {}, "verdict_reordered": {},
	"verdict_null": leaves(scorer.ReasonBadVerdict), "verdict_half": leaves(scorer.ReasonBadVerdict), "verdict_extra": leaves(scorer.ReasonBadVerdict),
	"verdict_missing": leaves(scorer.ReasonMissingVerdicts), "verdict_conflicting": leaves(scorer.ReasonConflicting),
	"verdict_strict": {moves: true}, "verdict_lenient": {moves: true}, "embeddings_moved": {moves: true},

	"embeddings_shuffled": {}, "embeddings_missing": leaves(scorer.ReasonBadEmbedding), "embeddings_dimensions": leaves(scorer.ReasonBadEmbedding),
	"embeddings_null": leaves(scorer.ReasonBadEmbedding), "embeddings_zero": leaves(scorer.ReasonBadEmbedding),
}

// faultSeeds are a few for every day: a kill, faults that do not pass, a tight budget, and for
// some modes the whole runner. Make faults asks for 100 of them: LEADLINE_FAULT_SEEDS.
func faultSeeds(mode int) (seeds []uint64, full bool) {
	n, err := strconv.Atoi(os.Getenv("LEADLINE_FAULT_SEEDS"))
	for seed := range uint64(max(n, 0)) {
		seeds = append(seeds, seed)
	}
	if err == nil && n > 0 {
		return seeds, true
	}
	seeds = []uint64{1, 2, 3}
	if mode%8 == 0 {
		seeds = append(seeds, 4)
	}
	return seeds, false
}

func TestEveryFaultEndsAsItShould(t *testing.T) {
	usual := scoreWithout(t)
	start := time.Now()
	var total faultSum
	seeds, full := faultSeeds(0)
	for i, mode := range standin.Modes() {
		seeds, _ = faultSeeds(i)
		end, ok := faultEnds[mode]
		if !ok {
			t.Errorf("%s: nobody says what it should lead to", mode)
			continue
		}
		sum := faultSum{reasons: map[scorer.Reason]int{}}
		for _, seed := range seeds {
			c := &faultCase{mode: mode, end: end, seed: seed, usual: usual}
			t.Run(fmt.Sprintf("%s/%d", mode, seed), func(t *testing.T) { synctest.Test(t, c.run) })
			sum.add(c)
		}
		if full {
			sum.complete(t, mode, end)
			t.Logf("%-22s %s", mode, &sum)
		}
		total.join(sum)
	}
	if full {
		t.Logf("%-22s %s", "all", &total)
		t.Logf("%d modes × %d seeds in %s", len(faultEnds), len(seeds), time.Since(start).Round(time.Second))
	}
}

// faultSum is a row of the printed table.
type faultSum struct {
	cases, requests, hit, rounds, restarts, scores, pending int
	reasons                                                 map[scorer.Reason]int
	stopped                                                 int
	budgets                                                 int
	over                                                    float64 // worst share of the budget that was used
}

func (s *faultSum) add(c *faultCase) {
	s.cases++
	s.requests, s.hit, s.rounds, s.restarts = s.requests+c.stats.Requests, s.hit+c.stats.Faults[c.mode], s.rounds+c.rounds, s.restarts+c.restarts
	s.scores, s.stopped, s.pending = s.scores+c.scored, s.stopped+c.stopped, s.pending+c.overBudget
	for r, n := range c.reasons {
		s.reasons[r] += n
	}
	if c.limit < 1_000_000 {
		s.budgets++
		s.over = max(s.over, float64(c.stats.PromptTokens+c.stats.CompletionTokens)/float64(c.limit))
	}
}

func (s *faultSum) join(o faultSum) {
	s.cases, s.requests, s.hit, s.rounds = s.cases+o.cases, s.requests+o.requests, s.hit+o.hit, s.rounds+o.rounds
	s.restarts, s.scores, s.stopped, s.pending = s.restarts+o.restarts, s.scores+o.scores, s.stopped+o.stopped, s.pending+o.pending
	s.budgets, s.over = s.budgets+o.budgets, max(s.over, o.over)
	if s.reasons == nil {
		s.reasons = map[scorer.Reason]int{}
	}
	for r, n := range o.reasons {
		s.reasons[r] += n
	}
}

func (s *faultSum) String() string {
	var reasons []string
	for _, r := range scorer.Reasons {
		if s.reasons[r] > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %d", r, s.reasons[r]))
		}
	}
	return fmt.Sprintf("%4d cases %7d requests %6d hit %5d rounds %4d stops %5d restarts %6d scores %4d over budget (%d tight, most used %.2f)  %s",
		s.cases, s.requests, s.hit, s.rounds, s.stopped, s.restarts, s.scores, s.pending, s.budgets, s.over, strings.Join(reasons, ", "))
}

// complete asks that what a mode may lead to has been seen.
func (s *faultSum) complete(t *testing.T, mode string, end faultEnd) {
	if s.hit == 0 {
		t.Errorf("%s was never in force", mode)
	}
	if len(end.stops) > 0 && s.stopped == 0 && len(end.reasons) == 0 {
		t.Errorf("%s never stopped scoring", mode)
	}
	for _, r := range end.reasons {
		if s.reasons[r] == 0 && r != scorer.ReasonUnanswered {
			t.Errorf("%s never left %s", mode, r)
		}
	}
}

// faultCase is one mode and one seed: a window of samples, scored until it is done, with
// restarts in between.
type faultCase struct {
	mode  string
	end   faultEnd
	seed  uint64
	usual map[string]scorer.Score

	random   *rand.Rand
	fault    standin.Fault
	whole    bool // with the runner and its control items
	limit    int64
	wire     *faultWire
	log      lockedBuffer
	registry []*prometheus.Registry
	errs     []error
	path     string

	stats                    standin.Stats
	rounds, restarts, killed int
	stopped, scored          int
	overBudget               int
	reasons                  map[scorer.Reason]int
}

func (c *faultCase) run(t *testing.T) {
	c.plan()
	server, err := standin.New(standin.Options{Seed: c.seed, Faults: []standin.Fault{c.fault}})
	if err != nil {
		t.Fatal(err)
	}
	c.wire = &faultWire{server: server, latency: time.Duration(c.random.IntN(400)) * time.Millisecond}
	c.path = filepath.Join(t.TempDir(), "leadline.db")
	started := time.Now()
	scores := c.score(t)
	c.stats = server.Stats()
	c.checkScores(t, scores)
	c.checkCost(t, time.Since(started))
	c.checkSilence(t)
}

// plan mixes by the seed how often and how long a request is hit.
func (c *faultCase) plan() {
	c.random = rand.New(rand.NewPCG(c.seed, 7))
	c.fault = standin.Fault{Mode: c.mode, Rate: 0.1 + 0.5*c.random.Float64()}
	switch c.seed % 4 {
	case 0:
		c.fault.First, c.fault.Rate = 1, 0.6
	case 1:
		c.fault.First = 2 + c.random.IntN(3)
	case 2:
		if c.seed%8 == 2 {
			c.fault.First, c.fault.Rate = 50, 0.6 // for these requests it does not pass
		}
	}
	if c.mode == "verdict_strict" || c.mode == "verdict_lenient" {
		c.fault.First = 0
		c.fault.Since = time.Now().Add(time.Duration(c.random.IntN(3)) * time.Second)
	}
	if strings.HasPrefix(c.mode, "rate_limit") && c.mode != "rate_limit" {
		c.fault.Value = strconv.Itoa(1 + c.random.IntN(90))
	}
	c.whole = c.seed%5 == 4
	c.limit = 100_000_000
	if c.seed%7 == 3 {
		c.limit = 15_000 + int64(c.random.IntN(20_000))
	}
	c.reasons = map[scorer.Reason]int{}
}

// heal is after how many rounds somebody mends the server.
const heal = 12

func (c *faultCase) score(t *testing.T) []scorer.Score {
	picks := c.samples()
	for c.rounds = 1; c.rounds < 60; c.rounds++ {
		if c.rounds == heal {
			if err := c.wire.server.SetFaults(nil); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		if c.rounds == 1 && c.seed%3 == 1 {
			// A process that is killed.
			ctx, cancel = context.WithTimeout(t.Context(), time.Duration(c.random.IntN(4000))*time.Millisecond)
		}
		scores, done := c.round(ctx, t, picks)
		if ctx.Err() != nil {
			c.killed++
		}
		cancel()
		if done {
			return scores
		}
		c.restarts++
		time.Sleep(retryAfter)
	}
	t.Fatalf("not done after %d rounds: %v", c.rounds, c.errs[len(c.errs)-1])
	return nil
}

// round is the life of a process: it opens the store and works until scoring stands still.
func (c *faultCase) round(ctx context.Context, t *testing.T, picks []sampler.Sample) ([]scorer.Score, bool) {
	st := openWindow(t, c.path, picks)
	defer st.Close()
	reg := prometheus.NewRegistry()
	c.registry = append(c.registry, reg)
	log := zerolog.New(&c.log).Level(zerolog.DebugLevel)
	scoring := c.scorer(t, st, reg, log)
	w, ok, err := st.NextWindow()
	if err != nil || !ok {
		t.Fatalf("no window: %v", err)
	}
	if !c.whole {
		stored, _, err := st.Picks(w.Due)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := scoreAll(ctx, scoring, stored)
		return scores, c.sort(ctx, t, err, len(stored)-len(scores))
	}
	r := &runner{store: st, log: log, clock: newClock(nil), metrics: newMetrics(reg, func() float64 { return 0 }),
		scoring: func(context.Context) (*scorer.Scorer, error) { return scoring, nil }}
	for tries := 0; ; tries++ {
		done, err := r.score(ctx, w)
		if err != nil && ctx.Err() == nil {
			t.Fatalf("the daemon would end: %v", err)
		}
		if done {
			runs, err := st.Runs(1000)
			if err != nil || len(runs) != 1 {
				t.Fatalf("%d runs, %v, want 1", len(runs), err)
			}
			c.overBudget = runs[0].OverBudget
			scores, err := st.WindowScores(w)
			if err != nil {
				t.Fatal(err)
			}
			return scores, true
		}
		if p := r.pauseState(); p.Reason != "" {
			c.stopped++
			c.errs = append(c.errs, errors.New(p.Reason))
			if !slices.ContainsFunc(c.end.stops, func(class error) bool { return strings.Contains(p.Reason, class.Error()) }) {
				t.Errorf("paused for %q, want one of %v", p.Reason, c.end.stops)
			}
		}
		if ctx.Err() != nil || tries > patience {
			return nil, false
		}
		time.Sleep(retryAfter)
	}
}

// sort says whether scoring is done, and holds an error against what the mode may lead to.
func (c *faultCase) sort(ctx context.Context, t *testing.T, err error, left int) bool {
	switch {
	case err == nil && left > 0:
		t.Errorf("%d samples are neither scored nor pending", left)
		return true
	case err == nil:
		return true
	case errors.Is(err, scorer.ErrOverBudget):
		c.overBudget = left
		return true
	case ctx.Err() != nil:
		return false
	}
	c.stopped++
	c.errs = append(c.errs, err)
	if !slices.ContainsFunc(c.end.stops, func(class error) bool { return errors.Is(err, class) }) {
		t.Errorf("stopped for %v, want one of %v", err, c.end.stops)
	}
	return false
}

func (c *faultCase) scorer(t *testing.T, st *store.Store, reg prometheus.Registerer, log zerolog.Logger) *scorer.Scorer {
	temperature := 0.01
	cfg := config.Judge{BaseURL: "http://judge.test/v1", APIKey: plantedKey, Model: standin.Model, Temperature: &temperature, Strictness: 3,
		Concurrency: 4, Timeout: time.Minute, Embeddings: config.Embeddings{Model: standin.Model, Dimensions: standin.Dimensions}}
	caps := openai.DefaultCapabilities(cfg)
	if c.mode == "json_object_rejected" {
		caps.Format = openai.FormatObject
	}
	judge, err := openai.New(cfg, openai.Options{Memo: st.Memo(time.Now), Log: log, Registerer: reg, Transport: c.wire, Capabilities: &caps})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newScorer(cfg, judge, st.Budget(config.Budget{TokensPerDay: c.limit}, time.Now), log)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// samples are five answers: of one claim, of several, of more than fit one call for
// verdicts, in Japanese, and without contexts.
func (c *faultCase) samples() []sampler.Sample {
	var long, rooms []string
	for i := range 28 {
		long = append(long, fmt.Sprintf("The %s room %d is on floor %d.", plantedText, i+100, i))
		rooms = append(rooms, fmt.Sprintf("The %s room %d is on floor %d.", plantedText, i+100, i+i/20))
	}
	context := "The " + plantedText + " desk opens at 9 and is closed on Sundays. Badges are free."
	if c.mode == "usage_capped" {
		context += strings.Repeat(" The canteen of "+plantedText+" serves soup and bread to everybody who works in the building.", 160)
	}
	all := []sampler.Record{
		{Question: "When does the " + plantedText + " desk open?", Answer: "The " + plantedText + " desk opens at 9.", Contexts: []string{context}},
		{Question: "Is the " + plantedText + " desk open on Sundays?", Answer: "The " + plantedText + " desk is closed on Sundays. Badges of " + plantedText + " cost 40 euros. The " + plantedText + " desk is closed on Sundays.", Contexts: []string{context}},
		{Question: "On which floors are the " + plantedText + " rooms?", Answer: strings.Join(long, " "), Contexts: []string{strings.Join(rooms, " "), context}},
		{Question: plantedText + "の受付は何時からですか", Answer: plantedText + "の受付は9時からです。" + plantedText + "の証明書は無料です。", Contexts: []string{plantedText + "の受付は9時からです。日曜は休みです。" + context}},
		{Question: "Who runs the " + plantedText + " desk?", Answer: "The facility team runs the " + plantedText + " desk."},
	}
	var out []sampler.Sample
	for i, r := range all {
		r.ID, r.Time = fmt.Sprintf("s%d", i), epoch.Add(time.Hour)
		out = append(out, sampler.Sample{Record: r, U: float64(i) / 10, Rate: 1})
	}
	return out
}

// openWindow opens the store with one closed window, which it makes at first.
func openWindow(t *testing.T, path string, picks []sampler.Sample) *store.Store {
	when, err := schedule.Parse("0 */6 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(path, store.Plan{Window: when.Window, Rate: 1, PerRun: 100})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := st.NextWindow(); ok || err != nil {
		return st
	}
	r := sampler.Range{Topic: "t", Next: int64(len(picks)), Offsets: map[sampler.OffsetState]int64{sampler.OffsetContributed: int64(len(picks))}}
	for _, p := range picks {
		r.Kept = append(r.Kept, sampler.Kept{Sample: p})
	}
	if err := st.Add(t.Context(), []sampler.Range{r}); err != nil {
		t.Fatal(err)
	}
	w, _, err := st.NextWindow()
	if err == nil {
		err = st.CloseWindow(w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// scoreWithout gives the scores without any fault.
func scoreWithout(t *testing.T) map[string]scorer.Score {
	usual := map[string]scorer.Score{}
	for _, mode := range []string{"", "usage_capped"} {
		synctest.Test(t, func(t *testing.T) {
			server, err := standin.New(standin.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c := &faultCase{mode: mode, limit: 1 << 40, random: rand.New(rand.NewPCG(1, 1)), wire: &faultWire{server: server}, path: filepath.Join(t.TempDir(), "leadline.db")}
			for _, s := range c.score(t) {
				usual[mode+s.SampleID] = s
			}
			if got := server.Stats(); got.AnsweredAgain != 0 {
				t.Errorf("without a fault %d calls were repeated", got.AnsweredAgain)
			}
		})
	}
	for id, s := range usual {
		for m, o := range s.Outcomes {
			if !o.Scored && o.Reason != scorer.ReasonNoContext {
				t.Fatalf("%s: %s is %+v without a fault", id, m, o)
			}
		}
	}
	if f := usual["s1"].Outcomes[scorer.Faithfulness].Value; f <= 0 || f >= 1 {
		t.Fatalf("s1 has %v; the cases need one that is partly supported", f)
	}
	return usual
}

// checkScores holds every outcome against the one without a fault.
func (c *faultCase) checkScores(t *testing.T, scores []scorer.Score) {
	if len(scores)+c.overBudget != 5 {
		t.Errorf("%d scores and %d over budget, want 5 in all", len(scores), c.overBudget)
	}
	seen := map[string]bool{}
	for _, s := range scores {
		if seen[s.SampleID] {
			t.Errorf("%s has two scores", s.SampleID)
		}
		seen[s.SampleID] = true
		usual := c.usual[s.SampleID]
		if c.mode == "usage_capped" {
			usual = c.usual[c.mode+s.SampleID]
		}
		for _, m := range scorer.Metrics {
			c.checkOutcome(t, s, usual, m)
		}
	}
}

func (c *faultCase) checkOutcome(t *testing.T, s, usual scorer.Score, m scorer.Metric) {
	o, want := s.Outcomes[m], usual.Outcomes[m]
	if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
		t.Errorf("%s: %s is %v", s.SampleID, m, o.Value)
	}
	switch {
	case !o.Scored && o.Value != 0:
		t.Errorf("%s: %s has no score and the value %v", s.SampleID, m, o.Value)
	case !o.Scored && o.Reason == "":
		t.Errorf("%s: %s has neither a score nor a reason", s.SampleID, m)
	case !o.Scored && !want.Scored && o.Reason == want.Reason:
	case !o.Scored:
		c.reasons[o.Reason]++
		if !slices.Contains(c.end.reasons, o.Reason) {
			t.Errorf("%s: %s has no score for %s, want one of %v", s.SampleID, m, o.Reason, c.end.reasons)
		}
	case m == scorer.Faithfulness:
		c.scored++
		c.checkFaithfulness(t, s, usual)
	default:
		c.scored++
		c.checkRelevancy(t, s, usual)
	}
}

// checkFaithfulness asks for a verdict on each statement, those of a judge without faults.
func (c *faultCase) checkFaithfulness(t *testing.T, s, usual scorer.Score) {
	if len(s.Statements) != len(usual.Statements) {
		t.Errorf("%s: %d statements, want %d", s.SampleID, len(s.Statements), len(usual.Statements))
		return
	}
	supported, n := 0, 0
	for i, st := range s.Statements {
		was := usual.Statements[i]
		if st.Text != was.Text || st.Count != was.Count || !c.end.moves && st.Verdict != was.Verdict || st.Verdict != 0 && st.Verdict != 1 {
			t.Errorf("%s: statement %d has the verdict %d, count %d; want %d, %d", s.SampleID, i+1, st.Verdict, st.Count, was.Verdict, was.Count)
		}
		n, supported = n+max(st.Count, 1), supported+max(st.Count, 1)*st.Verdict
	}
	if got, want := s.Outcomes[scorer.Faithfulness].Value, float64(supported)/float64(n); got != want {
		t.Errorf("%s: faithfulness %v of %d supported of %d", s.SampleID, got, supported, n)
	}
}

// checkRelevancy asks for the mean cosine of questions that the judge without faults gave,
// too, with their cosines. A question asked for anew is the first of its kind.
func (c *faultCase) checkRelevancy(t *testing.T, s, usual scorer.Score) {
	if len(s.Questions) != len(usual.Questions) && (!c.end.fewer || len(s.Questions) == 0) {
		t.Errorf("%s: %d questions, want %d", s.SampleID, len(s.Questions), len(usual.Questions))
		return
	}
	sum := 0.0
	for _, q := range s.Questions {
		i := slices.IndexFunc(usual.Questions, func(u scorer.Question) bool { return u.Text == q.Text })
		if i < 0 || !c.end.moves && math.Abs(usual.Questions[i].Cosine-q.Cosine) > 1e-9 {
			t.Errorf("%s: a question with the cosine %v that was not asked without a fault", s.SampleID, q.Cosine)
		}
		sum += q.Cosine
	}
	if got, want := s.Outcomes[scorer.AnswerRelevancy].Value, sum/float64(len(s.Questions)); math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: relevancy %v, want the mean %v", s.SampleID, got, want)
	}
}

// checkCost asks that no call is repeated after its success, and that the budget holds.
func (c *faultCase) checkCost(t *testing.T, took time.Duration) {
	again := 0
	for _, b := range c.stats.Bodies {
		most := 1
		if b.Task == "question" {
			most = 3 // choices that one call did not give are asked for by equal ones
		}
		again += max(b.Answered-most, 0)
	}
	// A process that dies takes with it what is in flight. Control items are asked anew on purpose.
	if most := c.killed * 4; !c.whole && again > most {
		t.Errorf("%d calls were repeated after their success, want at most %d", again, most)
	}
	used := c.stats.PromptTokens + c.stats.CompletionTokens
	if took < 24*time.Hour && used > c.limit {
		t.Errorf("%d tokens used, the budget is %d", used, c.limit)
	}
	if harmless := len(c.end.reasons)+len(c.end.stops) == 0; harmless && (c.stopped > 0 || c.rounds-c.killed > 1) {
		t.Errorf("%d rounds and %d stops for a fault that does no harm", c.rounds, c.stopped)
	}
	if len(c.wire.strays) > 0 {
		t.Errorf("other hosts were asked: %v", c.wire.strays)
	}
}

// checkSilence looks for what was planted.
func (c *faultCase) checkSilence(t *testing.T) {
	told := c.log.String()
	for _, err := range c.errs {
		told += err.Error() + "\n"
	}
	for _, reg := range c.registry {
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			var b bytes.Buffer
			if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
				t.Fatal(err)
			}
			told += b.String()
		}
	}
	for _, planted := range []string{plantedKey, plantedText, "elsewhere.invalid"} {
		if at := strings.Index(told, planted); at >= 0 {
			t.Errorf("%s is told: …%s…", planted, told[max(0, at-80):min(len(told), at+80)])
		}
	}
}

// lockedBuffer takes the lines of several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
