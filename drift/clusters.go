package drift

import (
	"maps"
	"slices"
)

// Add returns the sums over the conversations of both.
func (c Clusters) Add(o Clusters) Clusters {
	return Clusters{SumSq: c.SumSq + o.SumSq, SumN: c.SumN + o.SumN, NSq: c.NSq + o.NSq}
}

// ClusterSums returns the row's Clusters; those of a row without any, in which every answer
// is a conversation of its own, follow from its moments.
func (r *Row) ClusterSums() Clusters {
	if r.Clusters != nil {
		return *r.Clusters
	}
	return alone(r.Moments)
}

// alone are the sums of answers that are all conversations of their own.
func alone(m Moments) Clusters {
	n := float64(m.N - m.Zeros)
	return Clusters{SumSq: m.M2 + n*m.Mean*m.Mean, SumN: n * m.Mean, NSq: float64(m.N)}
}

// conversation is what one session brought to a row.
type conversation struct{ n, sum float64 }

func (c conversation) sums() Clusters {
	return Clusters{SumSq: c.sum * c.sum, SumN: c.sum * c.n, NSq: c.n * c.n}
}

// conversations are those of a row.
type conversations struct {
	byID  map[string]conversation
	loose Clusters // of answers that name none
}

func (cs *conversations) add(session string, value float64) {
	if session == "" {
		cs.loose = cs.loose.Add(conversation{1, value}.sums())
		return
	}
	if cs.byID == nil {
		cs.byID = map[string]conversation{}
	}
	c := cs.byID[session]
	cs.byID[session] = conversation{c.n + 1, c.sum + value}
}

// clusters sums them up; nil when none has more than one answer.
func (cs *conversations) clusters() *Clusters {
	sums, many := cs.loose, false
	for _, id := range slices.Sorted(maps.Keys(cs.byID)) { // sums of floats keep their last bit
		c := cs.byID[id]
		sums = sums.Add(c.sums())
		many = many || c.n > 1
	}
	if !many {
		return nil
	}
	return &sums
}
