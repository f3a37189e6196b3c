package agreement

import "math"

// Rate is a share that was counted: Share of about N independent things. N may be a
// fraction, an effective number.
type Rate struct{ Share, N float64 }

// Correct is the true share of unsupported statements, from the share p that a judge with a
// known sensitivity and specificity calls so: θ = (p + sp − 1)/(se + sp − 1) (Rogan and Gladen
// 1978; for judges Lee et al. 2025, arXiv 2511.21140). The interval is the one given there,
// of Lang and Reiczigel (2014): p with z²/2 hits and misses added, se and sp with one of each,
// and a shift of the center for the curvature. Both are cut to 0–1. Nil when the judge is no
// better than chance (se + sp ≤ 1), or one of the three was not counted.
func Correct(p, sensitivity, specificity Rate) *Estimate {
	if p.N <= 0 || sensitivity.N <= 0 || specificity.N <= 0 {
		return nil
	}
	better := sensitivity.Share + specificity.Share - 1
	q, se, sp := p.adjusted(z*z), sensitivity.adjusted(2), specificity.adjusted(2)
	width := se.Share + sp.Share - 1
	if better <= 0 || width <= 0 {
		return nil
	}
	theta := (q.Share + sp.Share - 1) / width
	shift := 2 * z * z * (theta*se.variance() - (1-theta)*sp.variance())
	half := z * math.Sqrt(q.variance()+(1-theta)*(1-theta)*sp.variance()+theta*theta*se.variance()) / width
	return &Estimate{
		Value: unit((p.Share + specificity.Share - 1) / better),
		Low:   unit(theta + shift - half), High: unit(theta + shift + half),
	}
}

// adjusted adds so many things, half of them hits.
func (r Rate) adjusted(more float64) Rate {
	return Rate{(r.Share*r.N + more/2) / (r.N + more), r.N + more}
}

func (r Rate) variance() float64 { return r.Share * (1 - r.Share) / r.N }

// Effective is the number of equally weighted, independent samples that weighted samples
// are worth (Kish 1965): (Σw)²/Σw². A sample's weight is that of all its statements, as if
// these were one: the careful end.
func Effective(weights []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		sum += w
		squares += w * w
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}
