package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
		return fmt.Errorf("%w: %w%s; go on after midnight UTC, or raise judge.tokens_per_day", server.ErrNotNow, err, kept)
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
			tokens, n = tokens+u.PromptTokens+u.CompletionTokens+u.EmbeddingTokens, n+1
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
	scored, err := b.scoring.Controls(ctx, next, time.Now().UTC())
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

// finish compares the judges and stores what that gave, with the new judge's rows.
func (b *bridge) finish() error {
	r, now := b.runner, time.Now().UTC()
	var bridges []drift.Bridge
	for _, m := range scorer.Metrics {
		from, ok := b.from[m]
		if !ok {
			continue
		}
		one := drift.Bridge{From: from.Key, To: b.to[m].Key, FromModel: from.Model, ToModel: b.to[m].Model, Metric: m, At: now, Basis: b.reply.Basis}
		if err := b.compare(&one); err != nil {
			return err
		}
		bridges = append(bridges, one)
	}
	var rows []drift.Row
	if b.reply.Basis == drift.BasisSamples {
		var err error
		if rows, err = b.rows(); err != nil {
			return err
		}
		for i := range bridges {
			for _, row := range rows {
				if row.Metric == bridges[i].Metric && row.Bridged == bridges[i].From {
					bridges[i].Carried += row.N
				}
			}
		}
	}
	if err := r.store.SaveBridge(bridges, rows, b.ids); err != nil {
		return err
	}
	if err := r.reconsider(); err != nil {
		return err
	}
	return b.results(bridges)
}

// compare pairs the scores of both judges in one metric.
func (b *bridge) compare(one *drift.Bridge) error {
	if one.Basis == drift.BasisControls {
		return b.compareControls(one)
	}
	var pairs []drift.Pair
	for _, it := range b.items {
		if it.again == nil || it.old.Judges[one.Metric] != one.From || !b.fits(it.old, one.Metric) || isExpected(it.again.Outcomes[one.Metric]) {
			continue
		}
		was, is := it.old.Outcomes[one.Metric], it.again.Outcomes[one.Metric]
		if !was.Scored || !is.Scored {
			one.Unscored++
			continue
		}
		pairs = append(pairs, drift.Pair{From: was.Value, To: is.Value})
		if one.First.IsZero() || it.old.Window.Before(one.First) {
			one.First = it.old.Window
		}
		if it.old.Window.After(one.Last) {
			one.Last = it.old.Window
		}
	}
	one.Compare(pairs)
	return nil
}

func (b *bridge) compareControls(one *drift.Bridge) error {
	mine, err := b.controlScores(b.keys)
	if err != nil {
		return err
	}
	was := itemMeans(b.history.Controls, one.Metric, one.From)
	is := itemMeans(mine, one.Metric, one.To)
	var pairs []drift.Pair
	for _, c := range scorer.Controls() {
		old, ok := was[c.ID]
		now, too := is[c.ID]
		if ok && too {
			pairs = append(pairs, drift.Pair{From: old, To: now})
		} else if ok {
			one.Unscored++
		}
	}
	one.CompareControls(pairs, b.zeros(one))
	return nil
}

// itemMeans are the means of a judge's scores of each control item.
func itemMeans(controls []scorer.ControlScore, m scorer.Metric, judge string) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for _, c := range controls {
		if o := c.Outcomes[m]; o.Scored && c.Judges[m] == judge {
			sum[c.Item] += o.Value
			n[c.Item]++
		}
	}
	for item := range sum {
		sum[item] /= n[item]
	}
	return sum
}

// zeros is the share of zeros in the old judge's baseline; −1 without one.
func (b *bridge) zeros(one *drift.Bridge) float64 {
	inside, zeros, n := drift.InControl(b.history, one.Metric, one.From), 0, 0
	for _, r := range b.history.Rows {
		if r.Metric == one.Metric && r.Judge == one.From && r.Bridged == "" && inside(r.Due, r.Cell) {
			zeros, n = zeros+r.Zeros, n+r.N
		}
	}
	if n == 0 {
		return -1
	}
	return float64(zeros) / float64(n)
}

// rows are those of the new judge for all answers that it scored again, of whichever old judge.
func (b *bridge) rows() ([]drift.Row, error) {
	rescored, err := b.runner.store.Rescored(b.keys)
	if err != nil {
		return nil, err
	}
	type part struct {
		metric scorer.Metric
		from   string
		due    time.Time
	}
	parts := map[part][]scorer.Score{}
	for _, r := range rescored {
		old := r.Score
		old.Judges, old.Outcomes = r.Judges, r.Outcomes
		for m := range b.from {
			if old.Judges[m] == b.keys[m] || !b.fits(old, m) {
				continue
			}
			one := r.Score
			one.Outcomes = map[scorer.Metric]scorer.Outcome{m: r.Score.Outcomes[m]}
			key := part{m, old.Judges[m], old.Window.UTC()}
			parts[key] = append(parts[key], one)
		}
	}
	var rows []drift.Row
	for key, scores := range parts {
		w := sampler.Window{Start: b.windows[key.metric][key.due].start, Due: key.due}
		for _, row := range drift.Rows(w, scores) {
			row.Bridged = key.from
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// results say how the new judge's series stand.
func (b *bridge) results(bridges []drift.Bridge) error {
	history, _, err := b.runner.store.History()
	if err != nil {
		return err
	}
	cfg := b.runner.cfg.Drift
	for _, one := range bridges {
		res := server.BridgeResult{Bridge: one, State: drift.StateOf(history, drift.Series{Metric: one.Metric, Judge: one.To}, cfg)}
		if res.State.Status == "learning" {
			res.Needed = max(cfg.MinBaseline-res.State.Baseline.N, 1)
			if res.LearnedBy, err = b.learnedBy(one.Metric, res.Needed); err != nil {
				return err
			}
		}
		b.reply.Results = append(b.reply.Results, res)
	}
	return nil
}

// paceRuns is over how many of the newest runs the pace of samples is measured.
const paceRuns = 10

// learnedBy is about when so many more samples are scored; zero when the pace is not known.
func (b *bridge) learnedBy(m scorer.Metric, needed int) (time.Time, error) {
	runs, err := b.runner.store.Runs(paceRuns)
	if err != nil || len(runs) == 0 {
		return time.Time{}, err
	}
	scored := 0
	for _, r := range runs {
		scored += r.Scored[m]
	}
	if scored == 0 {
		return time.Time{}, nil
	}
	at := runs[len(runs)-1].Window
	if now := b.runner.clock.now(); now.After(at) {
		at = now
	}
	for n := (needed*len(runs) + scored - 1) / scored; n > 0; n-- {
		at = b.runner.when.Next(at)
	}
	return at.UTC(), nil
}

// open finds the incidents that only the old judge could end.
func (b *bridge) open() error {
	incidents, err := b.runner.store.Incidents()
	if err != nil {
		return err
	}
	for _, i := range incidents {
		for _, a := range i.Alerts {
			s := a.Finding.Series
			if i.Open() && a.Resolved.IsZero() && s.Judge != "" && s.Judge == b.from[s.Metric].Key {
				b.reply.Open = append(b.reply.Open, server.OpenIncident{ID: i.ID, Since: i.Since})
				break
			}
		}
	}
	return nil
}

// Judges returns who scored what.
func (s *source) Judges(context.Context) ([]server.JudgeSeries, error) {
	var ids map[scorer.Metric]scorer.JudgeID
	if s.runner.judge != nil {
		ids = s.runner.judge()
	}
	return s.judges(ids)
}

// judges lists the judges that the store has rows of, and the configured one.
func (s *source) judges(configured map[scorer.Metric]scorer.JudgeID) ([]server.JudgeSeries, error) {
	history, _, err := s.runner.store.History()
	if err != nil {
		return nil, err
	}
	known, err := s.runner.store.Judges()
	if err != nil {
		return nil, err
	}
	type series struct {
		metric scorer.Metric
		key    string
	}
	found := map[series]*server.JudgeSeries{}
	at := func(m scorer.Metric, key string) *server.JudgeSeries {
		if found[series{m, key}] == nil {
			found[series{m, key}] = &server.JudgeSeries{Key: key, Metric: m}
		}
		return found[series{m, key}]
	}
	for m, id := range configured {
		j := at(m, id.Key())
		j.Configured, j.ID, j.Model = true, &id, id.Model
	}
	runs := map[series]map[time.Time]bool{}
	for _, r := range history.Rows {
		if r.Judge == "" {
			continue
		}
		j := at(r.Metric, r.Judge)
		if r.Bridged != "" {
			j.Bridged += r.N
			continue
		}
		if k := (series{r.Metric, r.Judge}); runs[k] == nil {
			runs[k] = map[time.Time]bool{r.Due: true}
		} else {
			runs[k][r.Due] = true
		}
		j.Samples += r.N
		if j.First.IsZero() || r.Due.Before(j.First) {
			j.First = r.Due
		}
		if r.Due.After(j.Last) {
			j.Last = r.Due
		}
	}
	var out []server.JudgeSeries
	for k, j := range found {
		j.Runs = len(runs[k])
		if id, ok := known[j.Key]; ok && j.ID == nil {
			j.ID, j.Model = &id, id.Model
		}
		out = append(out, *j)
	}
	slices.SortFunc(out, func(x, y server.JudgeSeries) int {
		return cmp.Or(y.Last.Compare(x.Last), slices.Index(scorer.Metrics, x.Metric)-slices.Index(scorer.Metrics, y.Metric), cmp.Compare(x.Key, y.Key))
	})
	return out, s.addReported(out)
}

// addReported names the judges of scores that are older than the names of judges: by what
// their server reported.
func (s *source) addReported(all []server.JudgeSeries) error {
	unnamed := map[string]string{}
	for _, j := range all {
		if j.Model == "" {
			unnamed[j.Key] = ""
		}
	}
	if len(unnamed) == 0 {
		return nil
	}
	_, err := s.runner.store.Scores(time.Time{}, time.Time{}, func(score scorer.Score) bool {
		for _, key := range score.Judges {
			if _, ok := unnamed[key]; ok && score.ResponseModel != "" {
				unnamed[key] = score.ResponseModel
			}
		}
		return false
	})
	for i := range all {
		if all[i].Model == "" {
			all[i].Model = unnamed[all[i].Key]
		}
	}
	return err
}

// chooseJudges finds the two judges of a request, per metric.
func chooseJudges(all []server.JudgeSeries, ids map[scorer.Metric]scorer.JudgeID, q server.BridgeRequest) (from, to map[scorer.Metric]server.JudgeSeries, err error) {
	from, to = map[scorer.Metric]server.JudgeSeries{}, map[scorer.Metric]server.JudgeSeries{}
	var mine, others []server.JudgeSeries
	for _, j := range all {
		if j.Configured {
			mine = append(mine, j)
		}
		if id, ok := ids[j.Metric]; ok && j.Samples > 0 && j.Key != id.Key() {
			others = append(others, j)
		}
	}
	asked := named(mine, q.To)
	for flag, name := range map[string]string{"--from": q.From, "--to": q.To} {
		if some := named(all, name); isAmbiguous(some, name) {
			return nil, nil, fmt.Errorf("%w: %s %s may be any of %s; write more of the key", server.ErrInvalid, flag, name, listed(some))
		}
	}
	if len(asked) == 0 {
		return nil, nil, fmt.Errorf("%w: --to %s: only the configured judge can be asked, which is %s; change the judge section of the configuration first, and let the daemon start with it",
			server.ErrInvalid, q.To, listed(mine))
	}
	if len(others) == 0 {
		return nil, nil, fmt.Errorf("%w: the store has no scores of another judge than %s, so there is nothing to bridge from", server.ErrInvalid, listed(mine))
	}
	if q.From != "" && len(named(others, q.From)) == 0 {
		if len(named(mine, q.From)) > 0 {
			return nil, nil, fmt.Errorf("%w: --from %s is the configured judge itself; name another one: %s", server.ErrInvalid, q.From, listed(others))
		}
		return nil, nil, fmt.Errorf("%w: --from %s: the store has no scores of such a judge, but of %s", server.ErrInvalid, q.From, listed(others))
	}
	for _, j := range asked {
		var choice []server.JudgeSeries
		for _, o := range named(others, q.From) {
			if o.Metric == j.Metric {
				choice = append(choice, o)
			}
		}
		if q.From != "" && len(choice) > 1 {
			return nil, nil, fmt.Errorf("%w: --from %s may be any of %s; name one by its key", server.ErrInvalid, q.From, listed(choice))
		}
		if len(choice) > 0 { // the newest is the first
			from[j.Metric], to[j.Metric] = choice[0], j
		}
	}
	if len(from) == 0 {
		return nil, nil, fmt.Errorf("%w: the two judges have no metric in common: %s, and %s", server.ErrInvalid, listed(named(others, q.From)), listed(asked))
	}
	return from, to, nil
}

// named are the judges with a key, a beginning of a key, or a model; all for an empty name.
func named(all []server.JudgeSeries, name string) []server.JudgeSeries {
	for _, is := range []func(server.JudgeSeries) bool{
		func(j server.JudgeSeries) bool { return name == "" || j.Key == name },
		func(j server.JudgeSeries) bool { return j.Model == name },
		func(j server.JudgeSeries) bool { return strings.HasPrefix(j.Key, name) },
	} {
		var out []server.JudgeSeries
		for _, j := range all {
			if is(j) {
				out = append(out, j)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// isAmbiguous says whether a name is the beginning of several keys, and nothing else.
func isAmbiguous(found []server.JudgeSeries, name string) bool {
	return name != "" && len(found) > 1 && found[0].Key != name && found[0].Model != name
}

// listed names judges for a message.
func listed(all []server.JudgeSeries) string {
	var names []string
	for _, j := range all {
		names = append(names, fmt.Sprintf("%s (%s, %s)", cmp.Or(j.Model, "unnamed"), j.Key, j.Metric))
	}
	return strings.Join(names, ", ")
}
