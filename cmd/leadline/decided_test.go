package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/store"
)

// makeDecided makes the store of a daemon that has decided so many runs, one a day. From
// run 30 to 39 half of the answers are bad. Scores are made up; windows, rows and decisions
// are the daemon's.
func makeDecided(ctx context.Context, cfg config.Config, runs int) error {
	when, err := schedule.Parse("@daily", time.UTC)
	if err != nil {
		return err
	}
	st, err := store.Open(cfg.Store.Path, store.Plan{Window: when.Window, Rate: 1, Salt: cfg.Sample.Salt, PerRun: cfg.Sample.PerRun, Floor: cfg.Sample.Floor})
	if err != nil {
		return err
	}
	defer st.Close()
	r := &runner{cfg: cfg, log: zerolog.Nop(), clock: newClock(time.Now), store: st, when: when, location: time.UTC}
	rng := rand.New(rand.NewPCG(3, 4))
	offset := int64(0)
	for run := range runs + 1 { // what is read of the next window closes the one before
		at := epoch.Add(time.Duration(run)*24*time.Hour + time.Hour)
		if err := st.Add(ctx, []sampler.Range{dayOf(at, offset)}); err != nil {
			return err
		}
		if offset += perDay; run == runs {
			return nil
		}
		w, _, err := st.NextWindow()
		if err != nil {
			return err
		}
		if err := st.CloseWindow(w); err != nil {
			return err
		}
		picks, _, err := st.Picks(w.Due)
		if err != nil {
			return err
		}
		if err := st.SaveScores(w.Due, madeUp(w, picks, rng, run >= 30 && run < 40)); err != nil {
			return err
		}
		if _, err := r.decideIncidents(w); err != nil {
			return err
		}
	}
	return nil
}

const perDay = 40

// dayOf are the records of a day.
func dayOf(at time.Time, offset int64) sampler.Range {
	r := sampler.Range{Topic: "rag", From: offset, Next: offset + perDay, Offsets: map[sampler.OffsetState]int64{sampler.OffsetContributed: perDay}}
	for i := range int64(perDay) {
		id := fmt.Sprintf("q-%05d", offset+i)
		r.Kept = append(r.Kept, sampler.Kept{Sample: sampler.Sample{
			Record: sampler.Record{ID: id, Time: at, Question: "q", Answer: "a", Contexts: []string{"c"}, Channels: map[sampler.Channel]string{sampler.ChannelRelease: "1.0"}},
			U:      sampler.Hash("leadline", id), Rate: 1, Origin: sampler.Origin{Topic: "rag", Offset: offset + i},
		}})
	}
	return r
}

func madeUp(w sampler.Window, picks []sampler.Sample, rng *rand.Rand, bad bool) store.Scored {
	out := store.Scored{}
	for _, p := range picks {
		f := 1.0
		switch u := rng.Float64(); {
		case u < 0.05 || bad && u < 0.5:
			f = 0
		case u < 0.7 && u > 0.5:
			f = 0.75
		}
		out.Scores = append(out.Scores, scorer.Score{
			SampleID: p.ID, Time: p.Time, Window: w.Due, Cell: p.Cell, Inclusion: 1, Channels: p.Channels,
			Judges:   map[scorer.Metric]string{scorer.Faithfulness: "j"},
			Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: f}},
		})
	}
	all := newTally(w)
	for _, score := range out.Scores {
		_ = all.add(score)
	}
	out.Run = all.close(out)
	return out
}
