package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

const (
	// bridgePart is how many answers or control items one request scores: scoring of runs
	// has to wait for no more than these.
	bridgePart = 10
	// mostBridged is how many answers are scored again unless more are asked for.
	mostBridged = 1000
	// bridgeSalt orders the answers: the first n by its hash are a simple random sample of
	// all, and a longer sample begins with the shorter one.
	bridgeSalt = "judge bridge"
)

// Bridge scores some more answers of the old judge with the new one, or, when all are
// scored, stores what that gave. Nothing that decisions rest on changes before.
func (s *source) Bridge(ctx context.Context, q server.BridgeRequest) (server.BridgeReply, error) {
	r := s.runner
	if !r.bridging.TryLock() {
		return server.BridgeReply{}, fmt.Errorf("%w: another bridge is being made; wait for it", server.ErrNotNow)
	}
	defer r.bridging.Unlock()
	if p := r.pauseState(); p.Reason != "" && !q.DryRun {
		return server.BridgeReply{}, fmt.Errorf("%w: the judge cannot be asked: %s", server.ErrNotNow, p.Reason)
	}
	r.asking.Lock() // runs and bridges take turns with the judge
	defer r.asking.Unlock()
	ctx = scorer.For(ctx, scorer.KindBridge)
	scoring, err := r.scoring(ctx)
	if err != nil {
		return server.BridgeReply{}, judgeTrouble(err, "")
	}
	b, err := s.newBridge(scoring, q)
	if err != nil {
		return server.BridgeReply{}, err
	}
	if b.reply.Basis == drift.BasisControls {
		err = b.controls(ctx)
	} else {
		err = b.answers(ctx)
	}
	if err != nil {
		return server.BridgeReply{}, err
	}
	b.reply.Finished = b.reply.Done == b.reply.Total && !q.DryRun
	if b.reply.Finished {
		err = b.finish()
	}
	return b.reply, err
}

// judgeTrouble gives an error of the judge or the budget to who asked for the bridge.
func judgeTrouble(err error, kept string) error {
	switch {
	case errors.Is(err, scorer.ErrOverBudget):
		return fmt.Errorf("%w: %w%s; go on after midnight UTC, or raise judge.budget", server.ErrNotNow, err, kept)
	case isJudgeTrouble(err):
		return fmt.Errorf("%w: %w%s", server.ErrNotNow, err, kept)
	}
	return err
}

// bridge is one on its way.
type bridge struct {
	*source
	scoring  *scorer.Scorer
	request  server.BridgeRequest
	ids      map[scorer.Metric]scorer.JudgeID // of the new judge
	keys     map[scorer.Metric]string
	from, to map[scorer.Metric]server.JudgeSeries // of the metrics that are bridged
	history  drift.History
	windows  map[scorer.Metric]map[time.Time]judged
	inside   map[string]func(time.Time, sampler.Cell) bool // by metric and judge
	items    []item                                        // in their order
	pending  []item                                        // the next ones
	reply    server.BridgeReply
}

// judged is a decided window: when it began, and who scored a metric in it.
type judged struct {
	start time.Time
	by    map[string]bool
}

// item is a stored answer; again is nil until the new judge has scored it.
type item struct {
	old   scorer.Score
	again *scorer.Score
	place float64
}

func (s *source) newBridge(scoring *scorer.Scorer, q server.BridgeRequest) (*bridge, error) {
	history, _, err := s.runner.store.History()
	if err != nil {
		return nil, err
	}
	b := &bridge{source: s, scoring: scoring, request: q, ids: scoring.IDs(), keys: map[scorer.Metric]string{}, history: history,
		windows: map[scorer.Metric]map[time.Time]judged{}, inside: map[string]func(time.Time, sampler.Cell) bool{}}
	for m, id := range b.ids {
		b.keys[m] = id.Key()
	}
	all, err := s.judges(b.ids)
	if err != nil {
		return nil, err
	}
	if b.from, b.to, err = chooseJudges(all, b.ids, q); err != nil {
		return nil, err
	}
	for _, m := range scorer.Metrics {
		if _, ok := b.from[m]; ok {
			b.reply.From, b.reply.To = append(b.reply.From, b.from[m]), append(b.reply.To, b.to[m])
		}
	}
	for _, r := range history.Rows {
		b.seeWindow(r)
	}
	if err := b.gather(); err != nil {
		return nil, err
	}
	return b, b.open()
}

func (b *bridge) seeWindow(r drift.Row) {
	if r.Bridged != "" {
		return
	}
	if b.windows[r.Metric] == nil {
		b.windows[r.Metric] = map[time.Time]judged{}
	}
	w := b.windows[r.Metric][r.Due.UTC()]
	if w.by == nil {
		w = judged{start: r.Start, by: map[string]bool{}}
	}
	w.by[r.Judge] = true
	b.windows[r.Metric][r.Due.UTC()] = w
}

// fits says whether an answer is one that the new judge's baseline in a metric may hold: of a
// run that is in the baseline of its old judge, and in which the new one had no part.
func (b *bridge) fits(old scorer.Score, m scorer.Metric) bool {
	judge := old.Judges[m]
	w, ok := b.windows[m][old.Window.UTC()]
	if !ok || judge == "" || w.by[b.keys[m]] {
		return false
	}
	name := string(m) + " " + judge
	if b.inside[name] == nil {
		b.inside[name] = drift.InControl(b.history, m, judge)
	}
	return b.inside[name](old.Window, old.Cell)
}

// ofOldJudge says whether an answer may be scored again, in a metric for which that can help.
func (b *bridge) ofOldJudge(old scorer.Score) bool {
	for m, from := range b.from {
		if old.Judges[m] == from.Key && !isExpected(old.Outcomes[m]) && b.fits(old, m) {
			return true
		}
	}
	return false
}

// isExpected says that no judge would score this.
func isExpected(o scorer.Outcome) bool {
	return o.Reason == scorer.ReasonNoContext || o.Reason == scorer.ReasonNoEmbeddings
}

// gather finds the answers, puts them in order, and says which are next.
func (b *bridge) gather() error {
	st := b.runner.store
	rescored, err := st.Rescored(b.keys)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, r := range rescored {
		old := r.Score
		old.Judges, old.Outcomes = r.Judges, r.Outcomes
		if b.ofOldJudge(old) {
			done[r.Score.SampleID] = true
			b.items = append(b.items, item{old: old, again: &r.Score})
			b.reply.Usage.Add(r.Score.Usage)
		}
	}
	outside := 0
	kept, err := st.WithText(func(old scorer.Score) bool {
		switch {
		case done[old.SampleID], !b.isFrom(old):
			return false
		case !b.ofOldJudge(old):
			outside++
			return false
		}
		return true
	})
	if err != nil {
		return err
	}
	tokens, n := int64(0), int64(0)
	for _, old := range kept {
		b.items = append(b.items, item{old: old})
		if u := old.Usage; u.MemoHits == 0 && u.ChatRequests > 0 {
			tokens, n = tokens+u.Spend().Tokens, n+1
		}
	}
	b.reply.TokensEach, b.reply.Kept = tokens/max(n, 1), len(b.items)
	for i := range b.items {
		b.items[i].place = sampler.Hash(bridgeSalt, b.items[i].old.SampleID)
	}
	slices.SortFunc(b.items, func(x, y item) int {
		return cmp.Or(cmp.Compare(x.place, y.place), cmp.Compare(x.old.SampleID, y.old.SampleID))
	})
	b.basis(outside)
	return nil
}

// isFrom says whether the old judge scored an answer, in control or not.
func (b *bridge) isFrom(old scorer.Score) bool {
	for m, from := range b.from {
		if old.Judges[m] == from.Key {
			return true
		}
	}
	return false
}

// basis decides what the judges are compared on, and how much of it is left to do.
func (b *bridge) basis(outside int) {
	if len(b.items) == 0 {
		b.reply.Basis = drift.BasisControls
		b.reply.Why = fmt.Sprintf("no text is kept of answers that the old judge scored (store.text_retention is %s)", days(b.runner.cfg.Store.TextRetention))
		if outside > 0 {
			b.reply.Why = fmt.Sprintf("none of the %d answers of the old judge whose text is kept is in its baseline: they lie in an incident, or before what was accepted", outside)
		}
		return
	}
	b.reply.Basis = drift.BasisSamples
	most := cmp.Or(b.request.Samples, mostBridged)
	ready := map[scorer.Metric]*drift.Ready{}
	for m := range b.from {
		ready[m] = drift.NewReady(b.runner.cfg.Drift.MinBaseline)
	}
	for _, it := range b.items {
		if b.reply.Total == most || b.request.Samples == 0 && allMet(ready) {
			break
		}
		b.reply.Total++
		outcomes := it.old.Outcomes // what is to be expected of the new judge
		if it.again != nil {
			outcomes = it.again.Outcomes
			b.reply.Done++
		} else {
			b.pending = append(b.pending, it)
		}
		for m, r := range ready {
			if outcomes[m].Scored && b.fits(it.old, m) && it.old.Judges[m] == b.from[m].Key {
				r.Add(it.old.Cell)
			}
		}
	}
}

func allMet(ready map[scorer.Metric]*drift.Ready) bool {
	for _, r := range ready {
		if !r.Met() {
			return false
		}
	}
	return true
}

// answers scores the next ones and keeps what that gave.
func (b *bridge) answers(ctx context.Context) error {
	if b.request.DryRun || len(b.pending) == 0 {
		return nil
	}
	part := b.pending[:min(bridgePart, len(b.pending))]
	old := map[string]scorer.Score{}
	var scores []scorer.Score
	for _, it := range part {
		old[it.old.SampleID] = it.old
		scores = append(scores, it.old)
	}
	samples, err := b.runner.store.SamplesOf(scores)
	if err != nil {
		return err
	}
	again, err := b.score(ctx, samples)
	var keep []drift.Rescored
	for _, score := range again {
		was := old[score.SampleID]
		keep = append(keep, drift.Rescored{Score: score, Judges: was.Judges, Outcomes: was.Outcomes})
	}
	if saved := b.runner.store.SaveRescored(keep); saved != nil {
		return saved
	}
	if err != nil {
		return judgeTrouble(err, fmt.Sprintf("; %d of %d answers are scored again and kept", b.reply.Done+len(keep), b.reply.Total))
	}
	b.items, b.pending, b.reply = nil, nil, server.BridgeReply{From: b.reply.From, To: b.reply.To, Open: b.reply.Open}
	return b.gather()
}

// score judges samples. One that the judge never answers must not stop the bridge: when it
// answers another one, those left are tried one by one.
func (b *bridge) score(ctx context.Context, samples []sampler.Sample) ([]scorer.Score, error) {
	scores, err := scoreAll(ctx, b.scoring, samples)
	if !errors.Is(err, scorer.ErrJudgeDown) || ctx.Err() != nil {
		return scores, err
	}
	if len(scores) == 0 && len(samples) > 1 {
		last, again := b.scoring.Score(ctx, samples[len(samples)-1])
		if again != nil {
			return nil, err
		}
		scores = append(scores, last)
	}
	if len(scores) == 0 {
		return nil, err
	}
	done := map[string]bool{}
	for _, s := range scores {
		done[s.SampleID] = true
	}
	left := slices.DeleteFunc(samples, func(s sampler.Sample) bool { return done[s.ID] })
	rest, err := b.runner.scoreSingly(ctx, b.scoring, left)
	return append(scores, rest...), err
}

// controls scores the next control items that the new judge has not scored yet.
func (b *bridge) controls(ctx context.Context) error {
	mine, err := b.controlScores(b.keys)
	if err != nil {
		return err
	}
	items := scorer.Controls()
	var next []scorer.Control
	for _, c := range items {
		if !slices.ContainsFunc(mine, func(s scorer.ControlScore) bool { return s.Item == c.ID }) {
			next = append(next, c)
		}
	}
	b.reply.Total, b.reply.Done = len(items), len(items)-len(next)
	if b.request.DryRun || len(next) == 0 {
		return nil
	}
	next = next[:min(bridgePart, len(next))]
	scored, err := b.scoring.Controls(scorer.Anew(ctx, "bridge "+b.keys[scorer.Faithfulness]), next, time.Now().UTC())
	if err != nil {
		return judgeTrouble(err, fmt.Sprintf("; %d of %d control items are scored and kept", b.reply.Done, b.reply.Total))
	}
	for _, c := range scored {
		b.reply.Usage.Add(c.Usage)
	}
	b.reply.Done += len(scored)
	return b.runner.store.SaveItems(scored)
}

// controlScores are all scores of control items by exactly these judges, in runs or not.
func (b *bridge) controlScores(keys map[scorer.Metric]string) ([]scorer.ControlScore, error) {
	out, err := b.runner.store.Items(keys)
	if err != nil {
		return nil, err
	}
	for _, c := range b.history.Controls {
		same := true
		for m, key := range keys {
			same = same && c.Judges[m] == key
		}
		if same {
			out = append(out, c)
		}
	}
	return out, nil
}
