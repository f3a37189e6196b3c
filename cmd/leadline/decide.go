package main

import (
	"fmt"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

// decide turns the scores of a window into rows, findings, incidents and messages, and
// stores them together.
func (r *runner) decide(w sampler.Window) error {
	changes, err := r.decideIncidents(w)
	if err != nil {
		return err
	}
	r.logChanges(changes)
	if err := r.report(w); err != nil {
		return err
	}
	r.tell()
	poke(r.decided)
	return r.trim(w)
}

// grown is a history with the rows of the window that is being decided.
type grown struct {
	all  drift.History
	rows []drift.Row
}

func (r *runner) historyWith(w sampler.Window) (grown, error) {
	h, _, err := r.store.History()
	if err != nil {
		return grown{}, err
	}
	scores, err := r.store.WindowScores(w)
	if err != nil {
		return grown{}, err
	}
	tally, controls, err := r.store.WindowFacts(w.Due)
	if err != nil {
		return grown{}, err
	}
	rows := drift.Rows(w, scores)
	// Clipped, so that the history in memory is not written through.
	h.Rows = append(slices.Clip(h.Rows), rows...)
	if tally.Decoded > 0 {
		h.Tallies = append(slices.Clip(h.Tallies), tally)
	}
	h.Controls = append(slices.Clip(h.Controls), controls...)
	return grown{h, rows}, nil
}

func (r *runner) deliveryOptions() alert.DeliveryOptions {
	var receivers []string
	for _, rec := range r.cfg.Alert.Receivers {
		receivers = append(receivers, rec.Name)
	}
	return alert.DeliveryOptions{
		Receivers: receivers, Language: r.cfg.Service.Language, Timezone: r.cfg.Service.Timezone,
		BaseURL: r.cfg.Server.ExternalURL, ExpireAfter: r.cfg.Alert.ExpireAfter, Samples: r.lowestOf,
	}
}

// samplesInMessage is how many of the lowest samples a message points to.
const samplesInMessage = 3

// lowestOf returns the lowest samples of an incident's headline since the change, as far as
// alert.samples allows.
func (r *runner) lowestOf(i alert.Incident) []alert.SampleRef {
	head, _ := i.Head()
	f := head.Finding
	if r.cfg.Alert.Samples == "none" || f.Series.Judge == "" || f.Ruler != nil {
		return nil
	}
	lowest, err := r.store.Lowest(f.Series.Metric, f.Since.Add(-time.Nanosecond), time.Time{}, inSegment(f.Series), samplesInMessage)
	if err != nil {
		r.log.Error().Err(err).Msg("lowest samples not read")
		return nil
	}
	var refs []alert.SampleRef
	for _, s := range lowest {
		ref := alert.SampleRef{ID: s.Sample.ID, Score: s.Score.Outcomes[f.Series.Metric].Value}
		if r.cfg.Alert.Samples == "excerpt" {
			ref.Excerpt = excerpt(s.Sample.Question)
		}
		refs = append(refs, ref)
	}
	return refs
}

// inSegment says whether a cell belongs to a series.
func inSegment(s drift.Series) func(sampler.Cell) bool {
	if s.Dim == "" {
		return nil
	}
	return func(c sampler.Cell) bool { return c.Values()[s.Dim] == s.Value }
}

// excerptRunes is how much of a question a message shows.
const excerptRunes = 120

func excerpt(text string) string {
	runes := []rune(text)
	if len(runes) <= excerptRunes {
		return text
	}
	return string(runes[:excerptRunes]) + "…"
}

// trim applies retention by the log's own time, once a day. With wall time, the watcher does it.
func (r *runner) trim(w sampler.Window) error {
	if r.clock.wall != nil || w.Start.UTC().YearDay() == w.Due.UTC().YearDay() {
		return nil
	}
	return r.trimAt(w.Due)
}

// trimAt drops what is older than its retention at a time.
func (r *runner) trimAt(now time.Time) error {
	keep := r.cfg.Store
	err := r.store.Trim(store.Retention{
		Text: now.Add(-keep.TextRetention), Rows: now.Add(-keep.RowRetention), Memo: time.Now().Add(-keep.MemoRetention),
	})
	if err != nil {
		return fmt.Errorf("apply retention: %w", err)
	}
	if err := forgetTexts(r.reportDir(), now.Add(-keep.TextRetention)); err != nil {
		// Like a report that cannot be written, this must not stop scoring.
		r.log.Error().Err(err).Msg("texts not taken out of old reports")
	}
	return nil
}

// coverageSamples is over how many of the newest samples coverage is watched.
const coverageSamples = 100

// covered is how many of the newest samples should have a score of a metric, and have one.
type covered struct {
	metric          scorer.Metric
	samples, scored int
	reasons         map[scorer.Reason]int // of those without
}

func (c covered) share() float64 {
	if c.samples == 0 {
		return 1
	}
	return float64(c.scored) / float64(c.samples)
}

// coverage looks at the newest samples and returns the metric that is covered worst. A
// sample without contexts needs no faithfulness, and without an embedding model none needs
// relevancy.
func coverage(runs []scorer.Run) covered {
	worst := covered{}
	for _, metric := range scorer.Metrics {
		c := covered{metric: metric, reasons: map[scorer.Reason]int{}}
		for i := len(runs) - 1; i >= 0 && c.samples < coverageSamples; i-- {
			c.scored += runs[i].Scored[metric]
			c.samples += runs[i].Scored[metric]
			for reason, n := range runs[i].Unscorable[metric] {
				if reason != scorer.ReasonNoContext && reason != scorer.ReasonNoEmbeddings {
					c.samples += n
					c.reasons[reason] += n
				}
			}
		}
		if worst.metric == "" || c.samples > 0 && c.share() < worst.share() {
			worst = c
		}
	}
	return worst
}
