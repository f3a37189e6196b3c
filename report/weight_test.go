package report_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

// row is one run's row of a department, each of whose scores stands for each answers.
func row(due time.Time, department string, each float64, values ...float64) drift.Row {
	var m drift.Moments
	for _, x := range values {
		m = m.Add(x)
	}
	return drift.Row{Due: due, Metric: scorer.Faithfulness, Judge: judge, Moments: m, Weight: each * float64(len(values)),
		Cell: sampler.CellOf(map[string]string{"department": department})}
}

func TestMeansAreThoseOfTheTraffic(t *testing.T) {
	_, from, to := report.WeekOf(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC), time.UTC)
	due := from.AddDate(0, 0, 2)
	rows := []drift.Row{row(due, "hr", 100, 1, 0.8, 1, 0.8), row(due, "it", 10, 0, 0.4)}
	want := (400*0.9 + 20*0.2) / 420

	points := report.Points(rows, drift.Series{Metric: scorer.Faithfulness, Judge: judge})
	if len(points) != 1 || points[0].N != 6 || math.Abs(points[0].Mean-want) > 1e-12 {
		t.Errorf("points %+v, want one of 6 scores with mean %.4f", points, want)
	}
	week := report.Make(report.Input{Location: time.UTC, From: from, To: to, History: drift.History{Rows: rows}})
	got := week.Metrics[0].This
	if got.N != 6 || math.Abs(got.Mean-want) > 1e-12 || math.Abs(got.Zeros-10.0/420) > 1e-12 {
		t.Errorf("this week %+v, want mean %.4f, %.4f at 0", got, want, 10.0/420)
	}
}

// The interval counts the shares of the cells among what is estimated, so it is never too
// narrow, and wider than needed where their means are far apart.
func TestIntervalsHoldTheMeanOfTheTraffic(t *testing.T) {
	const replicates = 4000
	cells := []struct {
		name          string
		n             int
		weight, share float64 // of its answers that score 1; the others score 0.2
	}{{"hr", 40, 30, 0.8}, {"it", 15, 20, 0.7}, {"travel", 15, 3, 0.4}}
	truth, total := 0.0, 0.0
	for _, c := range cells {
		w := float64(c.n) * c.weight
		truth += w * (c.share + 0.2*(1-c.share))
		total += w
	}
	truth /= total
	rng := rand.New(rand.NewPCG(3003, 1))
	covered, plain := 0, 0
	for range replicates {
		var rows, unweighted []drift.Row
		for _, c := range cells {
			values := make([]float64, c.n)
			for i := range values {
				values[i] = 0.2
				if rng.Float64() < c.share {
					values[i] = 1
				}
			}
			rows = append(rows, row(newStory("").end, c.name, c.weight, values...))
			unweighted = append(unweighted, row(newStory("").end, c.name, 0, values...))
		}
		holds := func(rows []drift.Row) int {
			p := report.Points(rows, drift.Series{Metric: scorer.Faithfulness, Judge: judge})[0]
			if p.Low <= truth && truth <= p.High {
				return 1
			}
			return 0
		}
		covered += holds(rows)
		plain += holds(unweighted)
	}
	if share := float64(covered) / replicates; share < 0.94 || share > 0.98 {
		t.Errorf("the interval held the traffic's mean in %.1f %% of %d runs", 100*share, replicates)
	}
	if plain >= covered-100 {
		t.Errorf("without weights the interval held it in %d of %d, with them in %d", plain, replicates, covered)
	}
}
