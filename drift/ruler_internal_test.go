package drift

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// The evidence is 1 on average while nothing changes, whatever the law of the item: rare flips,
// thirds, a normal law. Ville's inequality needs no more.
func TestRankEvidenceIsOneOnAverage(t *testing.T) {
	t.Parallel()
	laws := map[string]func(*rand.Rand) float64{
		"flips": func(r *rand.Rand) float64 {
			if r.Float64() < 0.1 {
				return 0
			}
			return 1
		},
		"thirds": func(r *rand.Rand) float64 { return float64(r.IntN(4)) / 3 },
		"normal": func(r *rand.Rand) float64 { return 0.8 + 0.03*r.NormFloat64() },
		"steady": func(*rand.Rand) float64 { return 1 },
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := start.AddDate(0, 0, 9)
	const streams = 6000
	for name, law := range laws {
		rng := rand.New(rand.NewPCG(8, 1))
		sum, squares, crossed := 0.0, 0.0, 0
		for range streams {
			g := gauges{floor: floorFaithfulness, items: []gauge{{}, {pair: true}}}
			top := 0.0
			for run := range 14 {
				for i := range g.items {
					g.items[i].readings = append(g.items[i].readings, reading{start.AddDate(0, 0, run), law(rng)})
				}
				if run >= 9 {
					top = max(top, math.Exp(g.rankEvidence(at, nil)))
				}
			}
			e := math.Exp(g.rankEvidence(at, nil))
			sum, squares = sum+e, squares+e*e
			if top >= 20 {
				crossed++
			}
		}
		mean := sum / streams
		se := math.Sqrt((squares/streams - mean*mean) / streams)
		if math.Abs(mean-1) > 4*se+1e-9 {
			t.Errorf("%s: mean %.3f ± %.3f, want 1", name, mean, se)
		}
		if share := float64(crossed) / streams; share > 0.05 {
			t.Errorf("%s: looked at after every run, %.3f of the streams reach 20; at most 0.05 may", name, share)
		}
	}
}

func TestTheShiftIsWeightedAsTheTraffic(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	g := gauges{floor: floorFaithfulness}
	for i := range 40 {
		before, after := float64(i%2), float64(i%2)
		if i%2 == 1 && i < 10 { // five of the twenty ones fall
			after = 0
		}
		g.items = append(g.items, gauge{language: "en", readings: []reading{{at.AddDate(0, 0, -1), before}, {at, after}}})
	}
	if s := g.shift(at, 0.1); math.Abs(s.Mean-0.9*-0.25) > 1e-12 || s.High >= 0 || s.Low > s.Mean {
		t.Errorf("shift %+.3f [%+.3f, %+.3f], want −0.225 below 0", s.Mean, s.Low, s.High)
	}
	for i := range g.items {
		g.items[i].readings[1].value = g.items[i].readings[0].value
	}
	// That no item moved is no proof that no text did: rule of three, halved.
	if s := g.shift(at, 0.1); s.Mean != 0 || s.High < 0.03 || s.High > 0.1 {
		t.Errorf("nothing moved: [%+.3f, %+.3f]", s.Low, s.High)
	}
}
