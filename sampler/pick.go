package sampler

import (
	"cmp"
	"maps"
	"slices"
)

// Hash maps a logical ID to [0,1), evenly and the same on every machine. Salt and ID are
// kept apart, so that moving a byte from one to the other gives another value.
//
// It is FNV-1a with 64 bits, finished by MurmurHash3's mixer: the top bits of plain FNV
// are nearly the same for IDs that only count up.
func Hash(salt, id string) float64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(salt) {
		h = (h ^ uint64(salt[i])) * prime
	}
	h *= prime // a zero byte between the two
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * prime
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return float64(h>>11) / (1 << 53)
}

// Inclusion returns the probability with which a record of one window and stratum was
// picked: the smallest hash that had to leave the bottom-k, or the rate when none had to.
func Inclusion(smallestEvicted float64, evicted bool, rate float64) float64 {
	if evicted {
		return min(smallestEvicted, rate)
	}
	return rate
}

// Allocate says how many of k samples each stratum gets: in proportion to what it
// offered, but at least floor where it has them, and never more than it has. Remainders
// go to the largest fractions, ties to the stratum that comes first by name. The sum is k
// when that many were offered. Only when the floors alone are more than k it is larger:
// floors win.
func Allocate(offered map[Cell]int, k, floor int) map[Cell]int {
	share := make(map[Cell]int, len(offered))
	var open []Cell // strata above their floor
	rest, pool := k, 0
	for _, c := range slices.Sorted(maps.Keys(offered)) {
		if offered[c] > 0 {
			open = append(open, c)
			pool += offered[c]
		}
	}
	if k >= pool {
		return offeredOnly(offered)
	}
	// A stratum held at its floor leaves less for the others, which may push more of them
	// to theirs: repeat until none moves.
	for moved := true; moved; {
		moved = false
		left, size := rest, pool
		open = slices.DeleteFunc(open, func(c Cell) bool {
			least := min(floor, offered[c])
			if left > 0 && left*offered[c] >= least*size {
				return false
			}
			share[c] = least
			rest -= least
			pool -= offered[c]
			moved = true
			return true
		})
	}
	spread(share, offered, open, rest, pool)
	return share
}

// spread shares rest among the open strata by the largest remainder.
func spread(share, offered map[Cell]int, open []Cell, rest, pool int) {
	if len(open) == 0 {
		return
	}
	left := rest
	for _, c := range open {
		share[c] = rest * offered[c] / pool
		left -= share[c]
	}
	slices.SortStableFunc(open, func(a, b Cell) int {
		return cmp.Compare(rest*offered[b]%pool, rest*offered[a]%pool)
	})
	for _, c := range open[:left] {
		share[c]++
	}
}

func offeredOnly(offered map[Cell]int) map[Cell]int {
	share := maps.Clone(offered)
	maps.DeleteFunc(share, func(_ Cell, n int) bool { return n <= 0 })
	if share == nil {
		share = map[Cell]int{}
	}
	return share
}

// Cells are the cells that a service keeps apart, in the order in which they were first
// seen. The zero value knows none.
type Cells []Cell

// Place returns the cell under which c is counted, and the known cells with it: c itself
// while there are fewer than MaxCells, CellOther after.
func (cs Cells) Place(c Cell) (Cell, Cells) {
	switch {
	case slices.Contains(cs, c):
		return c, cs
	case c == CellOther || len(cs) >= MaxCells:
		return CellOther, cs
	}
	return c, append(slices.Clip(cs), c)
}
