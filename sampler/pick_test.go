package sampler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/sampler"
)

func TestHashKeepsItsShare(t *testing.T) {
	const n, rate = 200_000, 0.1
	kept := 0
	for i := range n {
		if sampler.Hash("salt", fmt.Sprintf("request-%d", i)) < rate {
			kept++
		}
	}
	// Four standard deviations of a binomial share.
	if slack := 4 * math.Sqrt(rate*(1-rate)/n); math.Abs(float64(kept)/n-rate) > slack {
		t.Errorf("kept %d of %d, want a tenth", kept, n)
	}
}

func TestHashIsEvenForIDsThatCountUp(t *testing.T) {
	const n, bins = 100_000, 100
	var count [bins]int
	for i := range n {
		count[int(sampler.Hash("", fmt.Sprintf("%08d", i))*bins)]++
	}
	chi2 := 0.0
	for _, c := range count {
		d := float64(c) - n/bins
		chi2 += d * d / (n / bins)
	}
	if chi2 > 148.2 { // 99.9 % of a chi-squared with 99 degrees of freedom
		t.Errorf("chi-squared over %d bins is %.1f, want below 148.2", bins, chi2)
	}
}

// The values keep picks the same over versions and machines: computed by a separate
// implementation of FNV-1a and the MurmurHash3 finaliser in Python.
func TestHashIsTheSameEverywhere(t *testing.T) {
	for _, c := range []struct {
		salt, id string
		want     float64
	}{
		{"", "", 0.722706486340339},
		{"leadline", "q-1", 0.8279535796539811},
		{"leadline", "q-2", 0.6476968884588369},
		{"ab", "c", 0.783166045290354},
		{"a", "bc", 0.8723594360341954},
		{"s", "有給休暇", 0.9135967601675373},
	} {
		if got := sampler.Hash(c.salt, c.id); got != c.want {
			t.Errorf("Hash(%q, %q) = %v, want %v", c.salt, c.id, got, c.want)
		}
	}
}

func TestHashDoesNotAllocate(t *testing.T) {
	id := "0193b1c2-request"
	if n := testing.AllocsPerRun(100, func() { _ = sampler.Hash("salt", id) }); n != 0 {
		t.Errorf("Hash allocates %v times", n)
	}
}

func TestAllocate(t *testing.T) {
	type cells = map[sampler.Cell]int
	for name, c := range map[string]struct {
		offered  cells
		k, floor int
		want     cells
	}{
		"nothing offered":            {nil, 10, 2, cells{}},
		"fewer offered than wanted":  {cells{"a": 3, "b": 4}, 10, 2, cells{"a": 3, "b": 4}},
		"in proportion":              {cells{"a": 60, "b": 30, "c": 10}, 10, 0, cells{"a": 6, "b": 3, "c": 1}},
		"largest remainder":          {cells{"a": 50, "b": 30, "c": 20}, 7, 0, cells{"a": 4, "b": 2, "c": 1}}, // 3.5, 2.1, 1.4
		"ties by name":               {cells{"a": 10, "b": 10, "c": 10}, 10, 0, cells{"a": 4, "b": 3, "c": 3}},
		"floor":                      {cells{"a": 900, "b": 90, "c": 10}, 50, 5, cells{"a": 40, "b": 5, "c": 5}}, // 45, 4.5, 0.5 without
		"floor where there are some": {cells{"a": 990, "b": 3}, 50, 5, cells{"a": 47, "b": 3}},
		"floors win":                 {cells{"a": 100, "b": 100, "c": 2}, 5, 4, cells{"a": 4, "b": 4, "c": 2}},
		"empty strata":               {cells{"a": 10, "b": 0}, 4, 2, cells{"a": 4}},
		"no budget":                  {cells{"a": 10}, 0, 0, cells{"a": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, sampler.Allocate(c.offered, c.k, c.floor)); diff != "" {
				t.Errorf("shares (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzAllocate(f *testing.F) {
	f.Add(uint16(900), uint16(90), uint16(10), uint16(50), uint8(5))
	f.Fuzz(func(t *testing.T, a, b, c, k uint16, floor uint8) {
		offered := map[sampler.Cell]int{"a": int(a), "b": int(b), "c": int(c)}
		share := sampler.Allocate(offered, int(k), int(floor))
		sum, floors, total := 0, 0, 0
		for cell, n := range offered {
			least := min(n, int(floor))
			if share[cell] < least || share[cell] > n {
				t.Errorf("%s got %d of %d, floor %d", cell, share[cell], n, floor)
			}
			sum, floors, total = sum+share[cell], floors+least, total+n
		}
		if want := min(total, max(int(k), floors)); sum != want {
			t.Errorf("shares of %v sum to %d, want %d", offered, sum, want)
		}
	})
}

func TestInclusionIsTheSmallestEvictedHash(t *testing.T) {
	for _, c := range []struct {
		smallest float64
		evicted  bool
		want     float64
	}{{0, false, 0.2}, {0.05, true, 0.05}, {0.9, true, 0.2}} {
		if got := sampler.Inclusion(c.smallest, c.evicted, 0.2); got != c.want {
			t.Errorf("Inclusion(%v, %v, 0.2) = %v, want %v", c.smallest, c.evicted, got, c.want)
		}
	}
}

func TestCellsBeyondTheLimitAreOther(t *testing.T) {
	var known sampler.Cells
	for i := range 40 {
		want := sampler.Cell(fmt.Sprintf("dept=%d", i))
		if i >= sampler.MaxCells {
			want = sampler.CellOther
		}
		var got sampler.Cell
		got, known = known.Place(sampler.Cell(fmt.Sprintf("dept=%d", i)))
		if got != want {
			t.Errorf("cell %d is %q, want %q", i, got, want)
		}
	}
	if got, _ := known.Place("dept=3"); got != "dept=3" || len(known) != sampler.MaxCells {
		t.Errorf("a known cell became %q; %d cells are known", got, len(known))
	}
}

func TestCellTellsItsValues(t *testing.T) {
	segments := map[string]string{"dept": `R&D, "core"=1\2`, "lang": "ja"}
	cell := sampler.CellOf(segments)
	if diff := cmp.Diff(segments, cell.Values()); diff != "" {
		t.Errorf("values of %q (-want +got):\n%s", cell, diff)
	}
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		sampler.Hash("salt", "0193b1c2-7a54-7c1e-9f3a-2b7e1d90aa01")
	}
}
