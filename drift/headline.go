package drift

import (
	"cmp"
	"slices"
)

// Headline returns the finding that says best where it happened, the zero Finding of none:
//   - a judged metric goes before a share, which says what but not where;
//   - of several metrics, the one with the largest evidence in any of its series;
//   - of its series, a segment goes before "all" when the fall is its own: without it, the
//     rest fell by less than 30 % of what it did. A fall everywhere is "all";
//   - of several such segments, or where "all" is not down, the one with the largest evidence.
func Headline(fs []Finding) Finding {
	if len(fs) == 0 {
		return Finding{}
	}
	fs = slices.SortedFunc(slices.Values(fs), func(a, b Finding) int {
		return cmp.Or(cmp.Compare(shareRank(a), shareRank(b)), -cmp.Compare(a.LnEvidence, b.LnEvidence),
			compareSeries(a.Series, b.Series))
	})
	best := fs[0]
	fs = slices.DeleteFunc(fs, func(f Finding) bool { return f.Series.Metric != best.Series.Metric })
	i := slices.IndexFunc(fs, func(f Finding) bool { return f.Series.Dim == "" })
	if i < 0 {
		return best
	}
	all := fs[i]
	for _, f := range fs {
		if f.Series.Dim != "" && ownFall(all, f) {
			return f
		}
	}
	return all
}

func shareRank(f Finding) int {
	if IsShare(f.Series.Metric) {
		return 1
	}
	return 0
}

// ownFall says whether a segment accounts for the fall of all: what is left for the rest
// is small beside its own.
func ownFall(all, part Finding) bool {
	share := part.Before.share(all.Before)
	if share >= 1 {
		return false
	}
	rest := (all.Drop - share*part.Drop) / (1 - share)
	return rest < 0.3*part.Drop
}

func (l Level) share(of Level) float64 {
	if of.N == 0 {
		return 1
	}
	return float64(l.N) / float64(of.N)
}
