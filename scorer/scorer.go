package scorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"leadline/sampler"
)

const (
	// defaultStrictness is how many questions Ragas generates.
	defaultStrictness = 3
	// firstRejected is how many samples the judge may reject as bad requests before it
	// has answered one: then not the samples but the request is wrong.
	firstRejected = 5
)

// Options are the parts of a Scorer.
type Options struct {
	Judge Judge
	// Embedder is nil where relevancy is not scored (no_embeddings).
	Embedder Embedder
	// IDs are the identities under which scores are kept.
	IDs map[Metric]JudgeID
	// Strictness is how many questions are generated per answer; 0 means 3.
	Strictness int
	// Concurrency is how many samples are worked on at once; 0 means 1.
	Concurrency int
	Log         zerolog.Logger
	// Budget is nil where nobody counts.
	Budget Budget
	// PromptTokens is the most that instructions, schema and hidden thinking of one call
	// take; 0 means 1,000.
	PromptTokens int64
	// Worst is what tokens cost at most, in dollars; nil where no price is known.
	Worst func(Usage) float64
}

// Scorer makes scores of samples. It may be used by several goroutines.
type Scorer struct {
	judge       Judge
	embedder    Embedder
	ids         map[Metric]JudgeID
	keys        map[Metric]string
	strictness  int
	concurrency int
	log         zerolog.Logger
	budget      Budget

	promptTokens int64
	worst        func(Usage) float64
}

// New returns a Scorer over the given parts.
func New(o Options) (*Scorer, error) {
	if o.Judge == nil {
		return nil, errors.New("scorer needs a judge")
	}
	if o.Strictness < 0 || o.Concurrency < 0 {
		return nil, fmt.Errorf("scorer: strictness %d and concurrency %d must not be negative", o.Strictness, o.Concurrency)
	}
	keys := map[Metric]string{}
	for m, id := range o.IDs {
		keys[m] = id.Key()
	}
	s := &Scorer{judge: o.Judge, embedder: o.Embedder, ids: maps.Clone(o.IDs), keys: keys, log: o.Log, budget: o.Budget}
	s.strictness, s.concurrency = o.Strictness, max(o.Concurrency, 1)
	s.promptTokens, s.worst = cmp.Or(o.PromptTokens, promptTokens), o.Worst
	if s.strictness == 0 {
		s.strictness = defaultStrictness
	}
	return s, nil
}

// IDs returns the identity of the judge of each metric.
func (s *Scorer) IDs() map[Metric]JudgeID { return maps.Clone(s.ids) }

// Score scores one sample. An error means that it has no score yet.
func (s *Scorer) Score(ctx context.Context, sample sampler.Sample) (Score, error) {
	var score Score
	err := s.ScoreAll(ctx, []sampler.Sample{sample}, func(done Score) error {
		score = done
		return nil
	})
	return score, err
}

// ScoreAll scores samples, several at once, and calls done with each score: one call at a
// time, in any order, and for no sample twice. It stops at the first error of the judge
// that is not about one sample, or of done. Samples that were not handed to done stay
// pending; what the judge has answered about them is in its memo. Of samples that are word
// for word the same (TextHash), the judge sees the first; the others get its score.
func (s *Scorer) ScoreAll(ctx context.Context, samples []sampler.Sample, done func(Score) error) error {
	samples, same := apart(samples)
	each := func(yield func(sampler.Sample, error) bool) {
		for _, sample := range samples {
			if !yield(sample, nil) {
				return
			}
		}
	}
	return s.ScoreEach(ctx, each, func(scores []Score) error {
		for _, score := range scores {
			if err := done(score); err != nil {
				return err
			}
			for _, twin := range same[score.SampleID] {
				if err := done(s.copied(score, twin)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Unanswered returns the score of a sample that the judge never answers.
func (s *Scorer) Unanswered(sample sampler.Sample) Score {
	none := Outcome{Reason: ReasonUnanswered}
	score := s.blank(sample)
	score.Outcomes[Faithfulness], score.Outcomes[AnswerRelevancy] = none, none
	return score
}

// Controls scores the control items with the live judge. Nothing is taken from the memo but
// what this window's own controls have left there: an interrupted run is not paid again.
func (s *Scorer) Controls(ctx context.Context, items []Control, window time.Time) ([]ControlScore, error) {
	samples := make([]sampler.Sample, len(items))
	for i, c := range items {
		record := sampler.Record{ID: c.ID, Question: c.Question, Answer: c.Answer, Contexts: c.Contexts, Language: c.Language}
		samples[i] = sampler.Sample{Record: record, Window: window}
	}
	byID := make(map[string]Score, len(items))
	if MemoName(ctx) == "" {
		ctx = Anew(ctx, "controls "+window.UTC().String())
	}
	err := s.ScoreAll(For(Unguarded(Fresh(ctx)), KindControl), samples, func(score Score) error {
		byID[score.SampleID] = score
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("score controls: %w", err)
	}
	out := make([]ControlScore, len(items))
	for i, c := range items {
		score := byID[c.ID]
		out[i] = ControlScore{Item: c.ID, Window: window, Language: c.Language, Outcomes: score.Outcomes,
			Judges: score.Judges, Expected: c.Expected, Usage: score.Usage}
	}
	return out, nil
}

func (s *Scorer) blank(sample sampler.Sample) Score {
	return Score{
		SampleID: sample.ID, Origin: sample.Origin, Time: sample.Time, Window: sample.Window,
		Cell: sample.Cell, Channels: sample.Channels, Inclusion: sample.Inclusion,
		TextHash: sample.TextHash, SessionHash: sample.SessionHash, CrossLanguage: crossLanguage(sample.Record),
		Outcomes: map[Metric]Outcome{}, Judges: maps.Clone(s.keys),
	}
}

// ErrAllRejected is ErrJudgePaused: not the samples but the form of the request is refused.
var ErrAllRejected = fmt.Errorf("%w: it rejects every request as malformed; run leadline check --live", ErrJudgePaused)

// requestGuard tells a request that no judge would take from a sample that this one does not.
type requestGuard struct {
	answered atomic.Bool
	mu       sync.Mutex
	rejected int // guarded by mu
}

func (g *requestGuard) see(outcomes ...Outcome) error {
	for _, o := range outcomes {
		if o.Reason == ReasonBadRequest {
			return g.reject()
		}
	}
	g.answered.Store(true)
	return nil
}

func (g *requestGuard) reject() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rejected++
	if g.rejected >= firstRejected && !g.answered.Load() {
		return ErrAllRejected
	}
	return nil
}
