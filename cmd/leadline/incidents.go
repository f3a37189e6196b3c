package main

import (
	"reflect"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/store"
)

func (r *runner) decideIncidents(w sampler.Window) ([]alert.Change, error) {
	r.incidents.Lock()
	defer r.incidents.Unlock()
	history, err := r.historyWith(w)
	if err != nil {
		return nil, err
	}
	result := drift.Evaluate(history.all, r.cfg.Drift)
	incidents, err := r.store.Incidents()
	if err != nil {
		return nil, err
	}
	in := r.stepInput(w.Due, result, history.all.Acceptances)
	in.History = r.isHistory(w.Due)
	// What keeps the monitor from seeing is a matter of now, not of the window.
	in.Unwatched = r.clock.wall != nil
	if !in.Unwatched {
		if in.Problems, err = r.problems(); err != nil {
			return nil, err
		}
	}
	next, changes := alert.Step(incidents, in)
	return changes, r.store.SaveDecision(w.Due, store.Decision{
		Rows: history.rows, Result: result, Incidents: changed(incidents, next),
		Deliveries: alert.Deliveries(changes, r.deliveryOptions(), time.Now()),
	})
}

// reconsider decides anew what an operator's word may have changed, such as a release that
// is told afterwards: nobody should have to wait for the next run.
func (r *runner) reconsider() error {
	r.incidents.Lock()
	defer r.incidents.Unlock()
	history, _, err := r.store.History()
	if err != nil {
		return err
	}
	result := drift.Evaluate(history, r.cfg.Drift)
	if err := r.store.SaveResult(result); err != nil {
		return err
	}
	return r.stepBetween(func(in *alert.Input, _ []alert.Incident) { in.Unwatched = true })
}

// stepBetween brings the incidents up to date outside of a run. The caller holds
// r.incidents.
func (r *runner) stepBetween(with func(in *alert.Input, before []alert.Incident)) error {
	history, result, err := r.store.History()
	if err != nil {
		return err
	}
	before, err := r.store.Incidents()
	if err != nil {
		return err
	}
	last, _, err := r.store.LastDecided()
	if err != nil {
		return err
	}
	in := r.stepInput(r.clock.now(), result, history.Acceptances)
	// The newest decided window, with traffic or without: a quiet service is not behind.
	in.History = !last.Due.IsZero() && r.isHistory(last.Due)
	with(&in, before)
	next, changes := alert.Step(before, in)
	if news := changed(before, next); len(news) > 0 {
		err = r.store.SaveIncidents(news, alert.Deliveries(changes, r.deliveryOptions(), time.Now()))
	}
	if err != nil || len(changes) == 0 {
		return err
	}
	r.logChanges(changes)
	if r.tell != nil {
		r.tell()
	}
	return nil
}

// historyAfter is how old a run may be for its findings to wake somebody.
const historyAfter = 24 * time.Hour

// isHistory says whether a run is worked off too late to tell its findings one by one.
func (r *runner) isHistory(run time.Time) bool {
	return r.clock.wall != nil && r.clock.wall().Sub(run) > historyAfter+r.when.Next(run).Sub(run)
}

func (r *runner) stepInput(run time.Time, result drift.Result, accepted []drift.Acceptance) alert.Input {
	return alert.Input{
		Run: run, Service: r.cfg.Service.Name, Environment: r.cfg.Service.Environment,
		Every: r.when.Next(run).Sub(run), Episodes: slices.Concat(result.Episodes, drift.MoveEpisodes(result.Moves, run)), Acceptances: accepted,
		SamplesSince: r.samplesSince, Standin: r.standin,
	}
}

// samplesSince counts the samples scored in the runs from since to until.
func (r *runner) samplesSince(since, until time.Time) int {
	runs, err := r.store.Runs(0)
	if err != nil {
		r.log.Error().Err(err).Msg("runs not counted")
		return 0
	}
	n := 0
	for _, run := range runs {
		if !run.Window.Before(since) && !run.Window.After(until) {
			n += run.Samples
		}
	}
	return n
}

// changed returns the incidents of next that are new or differ from those before.
func changed(before, next []alert.Incident) []alert.Incident {
	old := map[string]alert.Incident{}
	for _, i := range before {
		old[i.ID] = i
	}
	var out []alert.Incident
	for _, i := range next {
		if b, ok := old[i.ID]; !ok || !reflect.DeepEqual(b, i) {
			out = append(out, i)
		}
	}
	return out
}

func (r *runner) logChanges(changes []alert.Change) {
	for _, c := range changes {
		metric, segment := c.Incident.Headline()
		r.log.Info().Str("incident", c.Incident.ID).Str("kind", string(c.Incident.Kind)).Str("transition", string(c.Transition)).
			Str("metric", string(metric)).Str("segment", segment).Msg("incident")
	}
}
