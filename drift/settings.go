package drift

import (
	"math"
	"time"

	"leadline/config"
)

// settings are the drift section with the defaults of zero fields filled in, so that a
// hand-made config.Drift is as safe as a loaded one.
type settings struct {
	config.Drift
	// forReleases is what the trials of releases may spend of FalseAlarms together, and scanning what
	// the scans of all series may.
	forReleases, scanning float64
}

func newSettings(cfg config.Drift) settings {
	if cfg.FalseAlarms <= 0 {
		cfg.FalseAlarms = 0.10
	}
	if cfg.ReleaseFalseAlarms <= 0 {
		cfg.ReleaseFalseAlarms = 0.02
	}
	if cfg.Period <= 0 {
		cfg.Period = 180 * 24 * time.Hour
	}
	if cfg.MinBaseline <= 0 {
		cfg.MinBaseline = 100
	}
	all := float64(cfg.FalseAlarms)
	return settings{Drift: cfg, forReleases: min(float64(cfg.ReleaseFalseAlarms), all/2), scanning: all}
}

// lnNeeded is ln(J/(p k)): what each of the k largest of J series needs to alarm, p being what
// the scans may spend.
func (s settings) lnNeeded(live, k int) float64 {
	return math.Log(float64(max(live, 1)) / (s.scanning * float64(max(k, 1))))
}

// lnBonus is the prior weight of a change at a release relative to that of one anywhere
// in a whole period.
func (s settings) lnBonus() float64 {
	return math.Log(s.forReleases / float64(s.FalseAlarms))
}

// largest returns how many of the largest values alarm beside those that stand: the largest
// k for which the k-th is at least ln(needed/(k+standing)) (e-BH of Wang and Ramdas, 2022, in
// which what was rejected before keeps its evidence). Values are in falling order.
func largest(ln []float64, lnNeeded float64, standing int) int {
	for k := len(ln); k > 0; k-- {
		if ln[k-1] >= lnNeeded-math.Log(float64(k+standing)) {
			return k
		}
	}
	return 0
}
