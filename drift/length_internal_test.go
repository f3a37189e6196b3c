package drift

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// answered returns counts of answers whose statements are each supported with the same
// probability.
func answered(rng *rand.Rand, answers, low, high int, support float64) []LengthCount {
	var out []LengthCount
	for range answers {
		n, s := low+rng.IntN(high-low+1), 0
		for range n {
			if rng.Float64() < support {
				s++
			}
		}
		out = addLength(out, n, s)
	}
	return out
}

// sidesOf are two sides of one cell; without strata lengths are evidence only.
func sidesOf(pre, post []LengthCount, strata bool) sides {
	a, b := newLengths(pre), newLengths(post)
	return sides{pre: []Moments{a.total()}, post: []Moments{b.total()}, design: 1,
		length: lengthSides{[]lengths{*a}, []lengths{*b}, strata}}
}

func (l *lengths) total() Moments {
	var m Moments
	for _, c := range l.class {
		m = m.Merge(c)
	}
	return m
}

func TestLengthsKeepEveryScore(t *testing.T) {
	var counts []LengthCount
	var want Moments
	for _, a := range [][2]int{{3, 2}, {1, 0}, {12, 9}, {3, 2}, {8, 8}, {2, 1}, {5, 0}} {
		counts = addLength(counts, a[0], a[1])
		want = want.Add(float64(a[1]) / float64(a[0]))
	}
	l := newLengths(counts)
	got := l.total()
	if got.N != want.N || got.Zeros != want.Zeros || math.Abs(got.Mean-want.Mean) > 1e-12 || math.Abs(got.M2-want.M2) > 1e-12 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s := l.sums; s.answers != 7 || s.n != 34 || s.s != 22 || s.nn != 9+1+144+9+64+4+25 {
		t.Errorf("sums %+v", s)
	}
	for n, class := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 60: 4} {
		if got := lengthClass(n); got != class {
			t.Errorf("%d statements are of class %d, want %d", n, got, class)
		}
	}
}

// Shorter answers of the same support have more zeros, and alarm unless told apart.
func TestShorterAnswersOfTheSameSupportAreNoFall(t *testing.T) {
	rng := rand.New(rand.NewPCG(6001, 1))
	pre, post := answered(rng, 1000, 3, 8, 0.865), answered(rng, 400, 1, 3, 0.865)
	if v := compare(sidesOf(pre, post, false), 0); v.ln < 10 || v.rise < 0.03 {
		t.Errorf("not told apart: ln E %.1f, zeros up by %.3f; want the false alarm that this is about", v.ln, v.rise)
	}
	if v := compare(sidesOf(pre, post, true), 0); v.ln > 0 || v.rise > 0.02 {
		t.Errorf("told apart: ln E %.1f, zeros up by %.3f; want no evidence", v.ln, v.rise)
	}
}

// A fault that makes answers short and bad has no baseline of short answers.
func TestShortBadAnswersAreAFall(t *testing.T) {
	rng := rand.New(rand.NewPCG(6001, 2))
	pre := answered(rng, 1000, 3, 8, 0.9)
	post := append(answered(rng, 340, 3, 8, 0.9), answered(rng, 60, 1, 2, 0.2)...)
	if v := compare(sidesOf(pre, post, true), 0); v.ln < 10 {
		t.Errorf("ln E %.1f, want an alarm", v.ln)
	}
}

// What a class holds after does not decide whether it takes part: boundaries would else be
// judged by different answers, and the likeliest one need not be the true one.
func TestLengthsWithoutABaselineAreOnNeitherSide(t *testing.T) {
	ten := func(n int) *lengths {
		return newLengths([]LengthCount{{1, 1, n}, {3, 3, 200}, {6, 6, 100}, {10, 10, 20}})
	}
	for _, after := range []int{5, 400} {
		got := lengthStrata(ten(10), ten(after))
		if len(got) != 2 || got[0].pre.N != 200 || got[0].post.N != 200 || got[1].pre.N != 100 || got[1].post.N != 100 {
			t.Errorf("%d short ones after: strata %+v, want those of 3–4 and 5–8 statements", after, got)
		}
	}
	few := newLengths([]LengthCount{{1, 1, 20}, {3, 3, 20}})
	if got := lengthStrata(few, few); len(got) != 1 || got[0].pre.N != 40 {
		t.Errorf("strata %+v, want the whole of a small cell", got)
	}
}

func TestWithoutLengthsCellsAreStrata(t *testing.T) {
	rng := rand.New(rand.NewPCG(6001, 3))
	s := sidesOf(answered(rng, 300, 1, 8, 0.8), answered(rng, 50, 1, 8, 0.7), true)
	plain := compare(sides{pre: s.pre, post: s.post, design: 1}, 0)
	s.length.pre[0] = *newLengths(answered(rng, 100, 1, 8, 0.8)) // of a third of the baseline only
	if got := compare(s, 0); got != plain {
		t.Errorf("got %+v, want %+v as without lengths", got, plain)
	}
}

// Both ways to compare, and a scan that goes either way, give the same number where no length
// is known.
func TestWithoutLengthsBothComparisonsAreOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(6001, 5))
	const cells, runs = 3, 60
	plain, split := &strip{minimum: 100}, &strip{minimum: 100, strata: true}
	for run := range runs {
		row := make([]Moments, cells)
		for g := range row {
			for range rng.IntN(4) * (3 - g) { // the last has few, and all have runs with none
				row[g] = row[g].Add(max(rng.Float64()-0.1-0.2*float64(run/40), 0))
			}
		}
		at := time.Date(2026, 1, 5+run, 0, 0, 0, 0, time.UTC)
		plain.add(at, 0.01, row)
		split.add(at, 0.01, row)
		split.addLengths(make([]*lengths, cells))
	}
	at := boundaries(plain.first(), runs-1, dense)
	want, got := plain.scan(at, 0.01), split.scan(at, 0.01)
	if len(want) == 0 || want[likeliest(want)].ln < 5 {
		t.Fatalf("%d candidates without a fall", len(want))
	}
	for i, c := range want {
		if got[i] != c {
			t.Errorf("before run %d: %+v by length, want %+v", c.at, got[i], c)
		}
		s := sides{pre: plain.sum(0, c.at), post: plain.sum(c.at, runs), design: c.design}
		s.length = lengthSides{make([]lengths, cells), make([]lengths, cells), true}
		byLength := compare(s, 0.01)
		s.length = lengthSides{}
		if v := compare(s, 0.01); v != byLength || math.Abs(v.ln-c.ln) > 1e-12*math.Abs(v.ln)+1e-12 {
			t.Errorf("before run %d: %+v, by length %+v, want %+v", c.at, v, byLength, c.verdict)
		}
	}
}

func TestLengthVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6001, 4))
	worse := func(answers, short int) []LengthCount { // short answers were always worse
		return append(answered(rng, answers-short, 5, 8, 0.95), answered(rng, short, 1, 2, 0.5)...)
	}
	for name, c := range map[string]struct {
		pre, post []LengthCount
		want      string
	}{
		"as long as before":              {answered(rng, 800, 3, 8, 0.9), answered(rng, 200, 3, 8, 0.7), LengthSame},
		"more of the short and worse":    {worse(2000, 200), worse(800, 500), LengthExplains},
		"shorter, and worse everywhere":  {answered(rng, 800, 3, 8, 0.9), answered(rng, 300, 1, 3, 0.6), LengthNot},
		"shorter, and too few to decide": {answered(rng, 800, 3, 8, 0.9), []LengthCount{{1, 0, 2}, {2, 1, 3}, {2, 2, 20}}, LengthOpen},
	} {
		var a, b Moments
		for _, l := range c.pre {
			a = a.Merge(newLengths([]LengthCount{l}).total())
		}
		for _, l := range c.post {
			b = b.Merge(newLengths([]LengthCount{l}).total())
		}
		f := Finding{Before: a.Level(), After: b.Level(), Drop: a.Level().Mean - b.Level().Mean}
		got := lengthEvidence(sidesOf(c.pre, c.post, true), f, 0.02)
		if got.Verdict != c.want {
			t.Errorf("%s: %q, want %q: %+v", name, got.Verdict, c.want, got)
		}
		if math.Abs(got.Explains+got.Within-f.Drop) > 1e-9 {
			t.Errorf("%s: %v and %v do not add up to the drop of %v", name, got.Explains, got.Within, f.Drop)
		}
	}
	none := sides{pre: make([]Moments, 1), post: make([]Moments, 1), design: 1}
	if got := lengthEvidence(none, Finding{}, 0.02); got != (LengthEvidence{}) {
		t.Errorf("without lengths %+v, want nothing", got)
	}
}

// The standard error of support is that of answers drawn anew.
func TestSupportErrorIsTheScatterOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(6001, 5))
	var xs sums
	told := 0.0
	for range 400 {
		var counts []LengthCount
		for range 100 { // answers that are good or bad as a whole
			support := 0.95
			if rng.Float64() < 0.2 {
				support = 0.3
			}
			for _, c := range answered(rng, 1, 1, 8, support) {
				for range c.Answers {
					counts = addLength(counts, c.Statements, c.Supported)
				}
			}
		}
		s := newLengths(counts).sums
		xs.merge(sums{n: 1, mean: s.s / s.n})
		told += math.Sqrt(s.supportVariance()) / 400
	}
	if sd := math.Sqrt(xs.m2 / xs.n); math.Abs(told/sd-1) > 0.12 { // 400 draws: ± 3.5 %
		t.Errorf("told a standard error of %.4f, the scatter is %.4f", told, sd)
	}
}
