package drift

import "math"

// The mixtures over the size of a change: falls of the mean in standard deviations, and
// ratios of the rate of zeros. Smaller changes get more weight because they need more.
var (
	fallSizes  = [...]float64{0.1, 0.2, 0.4, 0.8}
	zeroRatios = [...]float64{1.5, 2.2, 3.5, 6}

	fallWeights = lnWeights(fallSizes, func(d float64) float64 { return 1 / d })
	zeroWeights = lnWeights(zeroRatios, func(r float64) float64 { return math.Pow(r-1, -0.7) })

	lnMeanShare = math.Log(0.4)
	lnPartShare = math.Log(0.2)
)

const maxExponent = 200

func lnWeights(sizes [4]float64, weight func(float64) float64) (ln [4]float64) {
	sum := 0.0
	for _, s := range sizes {
		sum += weight(s)
	}
	for i, s := range sizes {
		ln[i] = math.Log(weight(s) / sum)
	}
	return ln
}

// verdict is the evidence that scores fell from one side to the other. Its e-values are 1
// on average while nothing changes; they are kept as logarithms.
type verdict struct {
	ln                       float64
	lnMean, lnZeros, lnOther float64 // all scores; zeros; the non-zero scores
	all                      contrast
	rise                     float64 // of the share of zeros, mix held constant
	otherFall                float64 // of the mean, as far as the non-zero scores fell
	m, n                     int
}

// sides are the scores before and after a possible change, cell by cell in the same
// order, and the design effect of the runs before.
type sides struct {
	pre, post []Moments
	design    float64
	length    lengthSides
}

// compare weighs a fall of more than tolerance against none. Cells with under minCell
// baseline samples are on neither side.
func compare(s sides, tolerance float64) verdict {
	size := len(s.pre)
	buf := make([]sums, 2*size)
	preAll, postAll := buf[:size], buf[size:]
	v := verdict{}
	for g, a := range s.pre {
		if a.N < minCell {
			continue
		}
		preAll[g] = a.all()
		v.m += a.N
		if b := s.post[g]; b.N > 0 {
			postAll[g] = b.all()
			v.n += b.N
		}
	}
	v.all = contrastOf(preAll, postAll)
	v.lnMean = lnFall(v.all, s.design*s.stretch(), tolerance)
	v.compareParts(s.strata(), s.design, tolerance)
	v.ln = lnSum(lnMeanShare+v.lnMean, lnPartShare+v.lnZeros, lnPartShare+v.lnOther,
		lnPartShare+v.lnZeros+v.lnOther)
	return v
}

// compareParts weighs the zeros and the non-zero scores, each stratum with itself.
func (v *verdict) compareParts(strata []stratum, design, tolerance float64) {
	buf := make([]sums, 2*len(strata))
	preOther, postOther := buf[:len(strata)], buf[len(strata):]
	zeros := make([]zeroCell, 0, len(strata))
	for g, t := range strata {
		a, b := t.pre, t.post
		if a.N < minCell {
			continue
		}
		preOther[g] = a.nonZero()
		if b.N > 0 {
			postOther[g] = b.nonZero()
			zeros = append(zeros, zeroCell{float64(a.N), float64(b.N), float64(a.Zeros), float64(b.Zeros)})
		}
	}
	v.rise = zeroRise(zeros)
	other := contrastOf(preOther, postOther)
	v.otherFall = nonZeroShare(zeros) * other.fall
	v.lnOther = lnFall(other, design, tolerance)
	v.lnZeros = lnMoreZeros(zeros, design, tolerance)
}

// lnFall is the likelihood ratio of a mean lower by a mixture of sizes, the common mean
// integrated out, as a tilt of the scores before to the fourth order.
func lnFall(c contrast, design, tolerance float64) float64 {
	if c.size == 0 {
		return 0
	}
	u := (c.fall - tolerance) / math.Sqrt(c.variance)
	var ln [len(fallSizes)]float64
	for k, d := range fallSizes {
		tilt := d*d/2 + c.skew*d*d*d/6 + c.kurtosis*d*d*d*d/24
		ln[k] = fallWeights[k] + min(c.size/design*(d*u-tilt), maxExponent)
	}
	return lnSum(ln[:]...)
}

// zeroCell counts samples and zeros before (m, zm) and after (n, zn).
type zeroCell struct{ m, n, zm, zn float64 }

// lnMoreZeros is the Poisson likelihood ratio of a higher rate of zeros, the common rate
// of each cell integrated out.
func lnMoreZeros(cells []zeroCell, design, tolerance float64) float64 {
	var m, zm, total float64
	for _, c := range cells {
		m, zm, total = m+c.m, zm+c.zm, total+c.zm+c.zn
	}
	if total == 0 {
		return 0
	}
	usual := (zm + 1) / (m + 2)
	exposure := (usual + tolerance) / usual
	var ln [len(zeroRatios)]float64
	for j, r := range zeroRatios {
		x := 0.0
		for _, c := range cells {
			n := c.n * exposure
			x += c.zn*math.Log(r) + (c.zm+c.zn)*math.Log((c.m+n)/(c.m+r*n))
		}
		ln[j] = zeroWeights[j] + min(x/design, maxExponent)
	}
	return lnSum(ln[:]...)
}

// nonZeroShare is the share of scores before that are not zero.
func nonZeroShare(cells []zeroCell) float64 {
	var m, zm float64
	for _, c := range cells {
		m, zm = m+c.m, zm+c.zm
	}
	if m == 0 {
		return 0
	}
	return 1 - zm/m
}

func zeroRise(cells []zeroCell) float64 {
	var size, rise float64
	for _, c := range cells {
		w := c.m * c.n / (c.m + c.n)
		size += w
		rise += w * (c.zn/c.n - c.zm/c.m)
	}
	if size == 0 {
		return 0
	}
	return rise / size
}

// lnSum returns the logarithm of the sum of what xs are the logarithms of.
func lnSum(xs ...float64) float64 {
	top := math.Inf(-1)
	for _, x := range xs {
		top = max(top, x)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, x := range xs {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}
