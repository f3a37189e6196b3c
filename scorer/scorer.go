package scorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"leadline/sampler"
)

const (
	// defaultStrictness is how many questions Ragas generates.
	defaultStrictness = 3
	// batchSize is how many samples share their embedding requests.
	batchSize = 128
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
	guard, each := &requestGuard{}, done
	done = func(score Score) error {
		err := each(score)
		for _, twin := range same[score.SampleID] {
			err = errors.Join(err, each(s.copied(score, twin)))
		}
		return err
	}
	for start := 0; start < len(samples); start += batchSize {
		batch := samples[start:min(start+batchSize, len(samples))]
		if err := s.scoreBatch(ctx, batch, guard, done); err != nil {
			return err
		}
	}
	return nil
}

// Unanswered returns the score of a sample that the judge never answers.
func (s *Scorer) Unanswered(sample sampler.Sample) Score {
	none := Outcome{Reason: ReasonUnanswered}
	score := s.blank(sample)
	score.Outcomes[Faithfulness], score.Outcomes[AnswerRelevancy] = none, none
	return score
}

// Controls scores the control items with the live judge: nothing is taken from the memo.
func (s *Scorer) Controls(ctx context.Context, items []Control, window time.Time) ([]ControlScore, error) {
	samples := make([]sampler.Sample, len(items))
	for i, c := range items {
		record := sampler.Record{ID: c.ID, Question: c.Question, Answer: c.Answer, Contexts: c.Contexts, Language: c.Language}
		samples[i] = sampler.Sample{Record: record, Window: window}
	}
	byID := make(map[string]Score, len(items))
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

// draft is a score on its way.
type draft struct {
	score Score
	user  string // the user's question
	ready bool   // the judge has answered everything that was asked
	embed bool   // relevancy still needs its vectors
}

func (s *Scorer) scoreBatch(ctx context.Context, batch []sampler.Sample, guard *requestGuard, done func(Score) error) error {
	drafts := make([]draft, len(batch))
	group, stop := errgroup.WithContext(ctx)
	group.SetLimit(s.concurrency)
	for i := range batch {
		group.Go(func() error {
			if err := stop.Err(); err != nil {
				return err
			}
			// Not with stop: a call in flight is paid for, so it may finish.
			return s.ask(ctx, batch[i], &drafts[i], guard)
		})
	}
	asked := group.Wait()
	if errors.Is(asked, ErrAllRejected) {
		return asked
	}
	// What was answered before the error is paid for: it becomes a score all the same.
	if err := s.embedAll(ctx, drafts); err != nil {
		return errors.Join(asked, err)
	}
	for i := range drafts {
		if !drafts[i].ready {
			continue
		}
		if err := done(drafts[i].score); err != nil {
			return errors.Join(asked, fmt.Errorf("keep score: %w", err))
		}
	}
	return asked
}

// ask makes the chat calls for one sample.
func (s *Scorer) ask(ctx context.Context, sample sampler.Sample, d *draft, guard *requestGuard) (err error) {
	d.score = s.blank(sample)
	if strings.TrimSpace(sample.Question) == "" || strings.TrimSpace(sample.Answer) == "" {
		for _, m := range Metrics {
			d.score.Outcomes[m] = unscorable(ReasonEmptyInput)
		}
		d.ready = true
		return nil
	}
	settle, err := s.reserve(ctx, s.AtMost(sample))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, settle(d.score.Usage)) }()

	faithfulness, err := s.faithfulness(ctx, sample, &d.score)
	if err != nil {
		return err
	}
	d.score.Outcomes[Faithfulness] = faithfulness
	outcome, known, err := s.questions(ctx, sample, &d.score)
	if err != nil {
		return err
	}
	d.embed, d.user = !known, asked(sample.Record)
	if known {
		d.score.Outcomes[AnswerRelevancy] = outcome
	}
	d.ready = true
	return guard.see(faithfulness, outcome)
}

func (s *Scorer) blank(sample sampler.Sample) Score {
	return Score{
		SampleID: sample.ID, Origin: sample.Origin, Time: sample.Time, Window: sample.Window,
		Cell: sample.Cell, Channels: sample.Channels, Inclusion: sample.Inclusion,
		TextHash: sample.TextHash, SessionHash: sample.SessionHash, CrossLanguage: crossLanguage(sample.Record),
		Outcomes: map[Metric]Outcome{}, Judges: maps.Clone(s.keys),
	}
}

func (score *Score) add(c Call) {
	score.Usage.Add(c.Usage)
	score.Standin = score.Standin || c.Standin
	score.Extended = score.Extended || c.Extended
	if c.Model != "" {
		score.ResponseModel = c.Model
	}
	if c.Fingerprint != "" {
		score.Fingerprint = c.Fingerprint
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
