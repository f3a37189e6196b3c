package drift

import "math"

// The mixtures over the size of a change: falls of the mean in standard deviations, and
// ratios of the rate of zeros. Smaller changes get more weight because they need more.
var (
	fallSizes  = [...]float64{0.1, 0.2, 0.4, 0.8}
	zeroRatios = [...]float64{1.5, 2.2, 3.5, 6}

	fallWeights = lnWeights(fallSizes, func(d float64) float64 { return 1 / d })
	zeroWeights = lnWeights(zeroRatios, func(r float64) float64 { return math.Pow(r-1, -0.7) })

	lnZeroRatios = lns(zeroRatios)

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

func lns(xs [4]float64) (ln [4]float64) {
	for i, x := range xs {
		ln[i] = math.Log(x)
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
	post := newTail(len(s.post))
	for g := range s.post {
		b := briefOf(&s.post[g])
		post.others[g].n, post.others[g].mean, post.zeros[g] = b.others, b.mean, b.zeros
	}
	return newBaseline(s.pre).compare(post, s, tolerance)
}

// baseline is all that a comparison needs of the scores before: it is worked out once,
// however many runs come after.
type baseline struct {
	all, others []shape // of all and of the non-zero scores, by cell; n is 0 where too few
	pooled              // of all scores
	nonZero     pooled
}

func newBaseline(pre []Moments) baseline { return baselineIn(make([]shape, 2*len(pre)), pre) }

// baselineIn puts a baseline into room for two shapes per cell.
func baselineIn(room []shape, pre []Moments) baseline {
	size := len(pre)
	cells := make([]sums, 2*size)
	all, others := cells[:size], cells[size:]
	for g, m := range pre {
		if m.N >= minCell {
			all[g], others[g] = m.all(), m.nonZero()
		}
	}
	b := baseline{all: room[:size], others: room[size:]}
	b.pooled = shapes(b.all, all)
	b.nonZero = shapes(b.others, others)
	return b
}

// tail is what a comparison needs of the scores since: counts and means, not their scatter.
// Of its sums only those are filled in.
type tail struct {
	all, others []sums // by cell
	zeros       []float64
	pairs       []zeroCell // scratch
}

func newTail(cells int) *tail {
	buf := make([]sums, 2*cells)
	return &tail{buf[:cells:cells], buf[cells:], make([]float64, cells), make([]zeroCell, 0, cells)}
}

func (t *tail) reset() {
	clear(t.others)
	clear(t.zeros)
}

// back adds the scores of run from to run to−1, the newest first, as Moments.Merge does.
func (t *tail) back(s *strip, from, to int) {
	size := len(t.others)
	for g := range t.others {
		n, mean, zeros := t.others[g].n, t.others[g].mean, t.zeros[g]
		for at := (to-1)*size + g; at >= from*size; at -= size {
			m := &s.brief[at]
			zeros += m.zeros
			switch {
			case m.others == 0:
			case n == 0:
				n, mean = m.others, m.mean
			default:
				n += m.others
				mean += (m.mean - mean) / n * m.others
			}
		}
		t.others[g].n, t.others[g].mean, t.zeros[g] = n, mean, zeros
	}
}

// sum brings all scores up to date, as Moments.all does.
func (t *tail) sum() {
	for g, o := range t.others {
		n := o.n + t.zeros[g]
		if o.n > 0 && t.zeros[g] > 0 {
			o.mean += (0 - o.mean) / n * t.zeros[g]
		}
		t.all[g].n, t.all[g].mean = n, o.mean
	}
}

// compare compares a baseline with what came after it, which is what sides hold, too: by
// length where answers of other lengths are told apart.
func (b baseline) compare(post *tail, s sides, tolerance float64) verdict {
	if s.length.strata {
		return b.weighByLength(post, s, tolerance)
	}
	return b.weigh(post, s.design, tolerance)
}

// weigh compares a baseline with what came after it, each cell with itself.
func (b baseline) weigh(post *tail, design, tolerance float64) verdict {
	v, zeros := b.meet(post)
	v.lnMean = lnFall(v.all, design, tolerance)
	v.weighParts(zeros, contrastOf(b.others, post.others), design, tolerance)
	return v
}

// weighByLength compares the zeros and the non-zero scores of each stratum with themselves.
func (b baseline) weighByLength(post *tail, s sides, tolerance float64) verdict {
	v, _ := b.meet(post)
	v.lnMean = lnFall(v.all, s.design*s.stretch(), tolerance)
	zeros, other := compareStrata(s.strata())
	v.weighParts(zeros, other, s.design, tolerance)
	return v
}

// meet compares all scores, and pairs up the zeros of the cells that have both sides.
func (b baseline) meet(post *tail) (verdict, []zeroCell) {
	post.sum()
	var v verdict
	zeros := post.pairs[:0]
	for g := range b.all {
		m, n := b.all[g].n, post.all[g].n
		v.m += int(m)
		if m > 0 && n > 0 {
			zeros = append(zeros, zeroCell{m, n, m - b.others[g].n, post.zeros[g]})
			v.n += int(n)
		}
	}
	v.all = contrastOf(b.all, post.all)
	return v, zeros
}

// compareStrata pairs up the zeros of strata, and compares their other scores.
func compareStrata(strata []stratum) ([]zeroCell, contrast) {
	buf := make([]sums, 2*len(strata))
	pre, post := buf[:len(strata)], buf[len(strata):]
	zeros := make([]zeroCell, 0, len(strata))
	for g, t := range strata {
		a, b := t.pre, t.post
		if a.N < minCell {
			continue
		}
		pre[g] = a.nonZero()
		if b.N > 0 {
			post[g] = b.nonZero()
			zeros = append(zeros, zeroCell{float64(a.N), float64(b.N), float64(a.Zeros), float64(b.Zeros)})
		}
	}
	before := make([]shape, len(strata))
	shapes(before, pre)
	return zeros, contrastOf(before, post)
}

// weighParts weighs zeros and other scores, and brings together all evidence.
func (v *verdict) weighParts(zeros []zeroCell, other contrast, design, tolerance float64) {
	v.rise = zeroRise(zeros)
	v.otherFall = nonZeroShare(zeros) * other.fall
	v.lnOther = lnFall(other, design, tolerance)
	v.lnZeros = lnMoreZeros(zeros, design, tolerance)
	v.ln = lnSum4(&[4]float64{lnMeanShare + v.lnMean, lnPartShare + v.lnZeros, lnPartShare + v.lnOther,
		lnPartShare + v.lnZeros + v.lnOther})
}

// lnFall is the likelihood ratio of a mean lower by a mixture of sizes, the common mean
// integrated out, as a tilt of the scores before to the fourth order.
func lnFall(c contrast, design, tolerance float64) float64 {
	if c.size == 0 {
		return 0
	}
	u := (c.fall - tolerance) / math.Sqrt(c.variance)
	n := c.size / design
	var ln [len(fallSizes)]float64
	for k, d := range fallSizes {
		tilt := d*d/2 + c.skew*d*d*d/6 + c.kurtosis*d*d*d*d/24
		ln[k] = fallWeights[k] + n*(d*u-tilt)
	}
	return lnSum4(&ln)
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
			if all := c.zm + c.zn; all > 0 {
				n := c.n * exposure
				x += c.zn*lnZeroRatios[j] + all*math.Log((c.m+n)/(c.m+r*n))
			}
		}
		ln[j] = zeroWeights[j] + x/design
	}
	return lnSum4(&ln)
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

// reach is how far below the largest a logarithm may be to add anything to a sum: e^−60 is
// far below the last bit of 1.
const reach = 60

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
		sum += expBelow(x - top)
	}
	return top + lnAbove(sum)
}

// lnSum4 is lnSum of four finite numbers.
func lnSum4(xs *[4]float64) float64 {
	top := max(xs[0], xs[1], xs[2], xs[3])
	sum := expBelow(xs[0]-top) + expBelow(xs[1]-top) + expBelow(xs[2]-top) + expBelow(xs[3]-top)
	return top + lnAbove(sum)
}

// expBelow is e^x of x ≤ 0, as far as it counts in a sum with 1.
func expBelow(x float64) float64 {
	switch {
	case x == 0:
		return 1
	case x < -reach:
		return 0
	}
	return math.Exp(x)
}

// lnAbove is the logarithm of x ≥ 1.
func lnAbove(x float64) float64 {
	if x == 1 {
		return 0
	}
	return math.Log(x)
}
