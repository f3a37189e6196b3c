package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/server"
	"leadline/store"
)

// abilityAge is for how long what was found out about a judge's server is taken to hold.
const abilityAge = 7 * 24 * time.Hour

// ability is what is remembered of the judge's server. Records of earlier releases hold the
// capabilities alone.
type ability struct {
	openai.Capabilities
	Probed time.Time           `json:"probed,omitzero"`
	Change *server.JudgeChange `json:"change,omitempty"`
}

// recallAbility loads what is remembered of the server, the model and what is sent to it.
func recallAbility(s *store.Store, cfg config.Judge) (a ability, ok bool, err error) {
	names, err := openai.AskedOf(cfg)
	if err != nil {
		return a, false, err
	}
	for _, name := range names {
		if ok, err = s.Remembered(name, &a); ok || err != nil {
			return a, ok, err
		}
	}
	return a, false, nil
}

func keepAbility(s *store.Store, cfg config.Judge, a ability) error {
	names, err := openai.AskedOf(cfg)
	if err != nil {
		return err
	}
	return s.Remember(names[0], a)
}

// connectJudge makes the judge. What its server can do is part of the judge's identity, so
// that the scorer has to wait until the server was asked once.
func (d *daemon) connectJudge() (err error) {
	d.budget = d.store.Budget(d.cfg.Judge.Limits(), time.Now)
	o := openai.Options{Memo: d.store.Memo(time.Now), Log: part(d.log, "judge"), Registerer: d.registry, Secret: d.cfg.Sample.Salt,
		FailFast: d.attended.FailFast, OnRetry: d.attended.OnRetry}
	if d.clock != nil { // nobody waits for it to end
		o.Drain = drain
	}
	if d.judge, err = openai.New(d.cfg.Judge, o); err != nil {
		return err
	}
	if end, ok := openai.ShutdownOf(d.cfg.Judge.Model, time.Now()); ok {
		d.log.Warn().Str("model", d.cfg.Judge.Model).Time("date", end.Date).Msg(end.Text(time.Now()))
	}
	known, ok, err := recallAbility(d.store, d.cfg.Judge)
	if err != nil || !ok {
		return err
	}
	if d.known = known; known.Window > 0 {
		d.known.Probed = time.Time{} // a restart is when a window was enlarged
	}
	d.judge.Use(known.Capabilities)
	return d.connectScorer()
}

func (d *daemon) connectScorer() error {
	s, err := newScorer(d.cfg.Judge, d.judge, d.budget, part(d.log, "scorer"))
	if err != nil {
		return err
	}
	d.scorer.Store(s)
	return d.warnOfOtherPrompts(s.IDs())
}

// scoring returns the scorer for a run. Before the first one, after a week, and when the server
// has refused what it was found to take, it asks the server what it can do: between runs, since
// the ruler must not change within one.
func (d *daemon) scoring(ctx context.Context) (*scorer.Scorer, error) {
	s := d.scorer.Load()
	aged := time.Since(d.known.Probed) >= abilityAge
	switch {
	case s == nil:
		if err := d.learn(ctx); err != nil {
			return nil, err
		}
	case aged || d.doubted.Load():
		if err := d.learnAgain(ctx, aged); err != nil {
			return nil, err
		}
	default:
		d.measureFloors(ctx, s)
		return s, nil
	}
	d.doubted.Store(false)
	if err := d.connectScorer(); err != nil {
		return nil, err
	}
	d.measureFloors(ctx, d.scorer.Load())
	return d.scorer.Load(), nil
}

// learn asks a server that nothing is known of.
func (d *daemon) learn(ctx context.Context) error {
	defer d.countProbe(ctx, d.judge.Tokens())
	if _, err := d.judge.Probe(ctx); err != nil {
		return err
	}
	if err := d.readLong(ctx); err != nil {
		return err
	}
	caps := d.judge.Capabilities()
	d.log.Info().Str("format", string(caps.Format)).Bool("n", caps.Generations).Bool("temperature", caps.Temperature).Msg("judge probed")
	return d.keep(ability{Capabilities: caps})
}

// learnAgain asks a server whether it still takes what it took. Where it does not, another
// judge scores from now on, and that is said.
func (d *daemon) learnAgain(ctx context.Context, long bool) error {
	defer d.countProbe(ctx, d.judge.Tokens())
	before, ids := d.known, d.judge.IDs()
	caps, why, err := d.judge.ProbeAgain(ctx, before.Capabilities)
	if err != nil {
		d.judge.Use(before.Capabilities)
		return err
	}
	if caps.Window = before.Window; !long {
		d.judge.Use(caps)
	} else if err := d.readLong(ctx); err != nil {
		return err
	}
	now := ability{Capabilities: d.judge.Capabilities(), Change: before.Change}
	if !maps.Equal(ids, d.judge.IDs()) {
		now.Change = &server.JudgeChange{At: time.Now().UTC(), From: formOf(before.Capabilities), To: formOf(now.Capabilities), Why: why}
		d.log.Warn().Str("from", now.Change.From).Str("to", now.Change.To).Str("why", why).
			Msg("the judge's server no longer takes requests as before: its scores are new series from this run on; leadline judge bridge gives them a baseline")
	}
	return d.keep(now)
}

// readLong finds out whether long prompts are read, and says so where they are not.
func (d *daemon) readLong(ctx context.Context) error {
	f, err := d.judge.LongPrompt(ctx)
	if err == nil && (f.Level == openai.LevelFailed || f.Level == openai.LevelWarning) {
		d.log.Warn().Str("found", f.Text).Msg("the judge may not read long prompts")
	}
	return err
}

func (d *daemon) keep(a ability) error {
	a.Probed = time.Now().UTC()
	if err := keepAbility(d.store, d.cfg.Judge, a); err != nil {
		return err
	}
	d.known = a
	return nil
}

// formOf names what of the capabilities makes another judge.
func formOf(caps openai.Capabilities) string {
	form := string(caps.Format)
	if !caps.Temperature {
		form += ", no temperature"
	}
	if caps.Effort != "" {
		form += ", effort " + caps.Effort
	}
	return form
}

// askedForm says how the server is asked, nil where nobody knows yet.
func askedForm(s *store.Store, cfg config.Judge) (*server.JudgeForm, error) {
	a, ok, err := recallAbility(s, cfg)
	if err != nil || !ok {
		return nil, err
	}
	return &server.JudgeForm{Format: string(a.Format), Temperature: a.Temperature && cfg.Temperature != nil, Choices: a.Generations,
		Probed: a.Probed, Window: a.Window, Change: a.Change}, nil
}

// judgeFormLines say how the judge is asked, and what of it somebody should know.
func judgeFormLines(j server.JudgeStatus) []string {
	var lines []string
	if f := j.Asked; f != nil {
		line := "judge    asked by " + f.Format
		if !f.Temperature {
			line += ", no temperature"
		}
		if !f.Choices {
			line += ", one call for each question"
		}
		if !f.Probed.IsZero() {
			line += "; found out " + shortTime(f.Probed)
		}
		lines = append(lines, line)
		if f.Window > 0 {
			lines = append(lines, fmt.Sprintf("judge    WARNING its server cuts long prompts without a word (it counted %d tokens); such samples have no score: leadline check --live", f.Window))
		}
		if c := f.Change; c != nil {
			lines = append(lines, fmt.Sprintf("judge    WARNING since %s asked by %s instead of %s (%s): new series; leadline judge bridge", shortTime(c.At), c.To, c.From, c.Why))
		}
	}
	if j.Shutdown != "" {
		lines = append(lines, "judge    WARNING "+j.Shutdown)
	}
	return lines
}

// lookOver sees what the scores of a run, or the error that ended it, say about the server.
func (r *runner) lookOver(counts map[scorer.Reason]int, err error) {
	if r.doubt != nil && (counts[scorer.ReasonBadRequest] > 0 || errors.Is(err, scorer.ErrAllRejected)) {
		r.doubt()
	}
	if n := counts[scorer.ReasonPromptTruncated]; n > 0 {
		r.log.Warn().Int("samples", n).Msg("the judge's server cut prompts without a word; these samples have no score. Enlarge its context window (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile), then run leadline check --live")
	}
	if n := counts[scorer.ReasonOnlyThought]; n > 0 {
		r.log.Warn().Int("samples", n).Msg("the judge only thought and gave no reply; these samples have no score. Set judge.reasoning_effort to none, or turn thinking off at the server")
	}
}
