package sampler

import (
	"cmp"
	"slices"
)

// Drawn is a pick of a closed window, without its text.
type Drawn struct {
	ID   string
	Cell Cell
	U    float64 // its hash
}

// Afford says which of a window's picks are judged where the budget is enough for k of them:
// as if only k had been picked. Each stratum keeps its share with the smallest hashes, at
// least floor where k allows it; where k is less than one for each, the smallest hashes of
// all stay. What decides is never the time, the text or the cost of a record, so that those
// that stay are a random sample of all.
//
// It returns the IDs that are left out, and the smallest hash that was left out of each
// stratum: the new inclusion probability of those that stay.
func Afford(picks []Drawn, offered map[Cell]int, k, floor int) (over map[string]bool, smallest map[Cell]float64) {
	share := shares(picks, offered, k, floor)
	over, smallest = map[string]bool{}, map[Cell]float64{}
	for _, p := range byHash(picks) {
		if share == nil && k > 0 {
			k--
			continue
		}
		if share[p.Cell] > 0 {
			share[p.Cell]--
			continue
		}
		over[p.ID] = true
		if _, known := smallest[p.Cell]; !known {
			smallest[p.Cell] = p.U
		}
	}
	return over, smallest
}

// shares says how many of k each stratum gets, as Allocate does; nil where there are more
// strata than k. Floors give way: k is what there is.
func shares(picks []Drawn, offered map[Cell]int, k, floor int) map[Cell]int {
	have := map[Cell]int{}
	for _, p := range picks {
		have[p.Cell]++
	}
	if k <= 0 {
		return map[Cell]int{}
	}
	if k < len(have) {
		return nil
	}
	counts := map[Cell]int{}
	for c, n := range have {
		counts[c] = max(offered[c], n)
	}
	share := Allocate(counts, k, max(min(floor, k/len(have)), 1))
	for c, n := range share {
		share[c] = min(n, have[c])
	}
	return share
}

func byHash(picks []Drawn) []Drawn {
	return slices.SortedFunc(slices.Values(picks), func(a, b Drawn) int {
		return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.ID, b.ID))
	})
}
