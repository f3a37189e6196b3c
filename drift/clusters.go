package drift

import (
	"maps"
	"slices"
)

// Clusters are sums over the conversations c of a row, with n_c scores that sum to s_c; a
// score without a conversation is one of its own. For any mean μ they give the variance
// that the sum of all scores has about nμ when conversations, not answers, are independent:
// Σ (s_c − n_c μ)². Those of several rows add up.
type Clusters struct {
	SumSq float64 `json:"sum_sq"` // Σ s_c²
	SumN  float64 `json:"sum_n"`  // Σ s_c n_c
	NSq   float64 `json:"n_sq"`   // Σ n_c²
}

// Add returns the sums with one more conversation, of n scores with a sum.
func (c Clusters) Add(n int, sum float64) Clusters {
	k := float64(n)
	return c.merge(Clusters{SumSq: sum * sum, SumN: sum * k, NSq: k * k})
}

func (c Clusters) merge(o Clusters) Clusters {
	return Clusters{SumSq: c.SumSq + o.SumSq, SumN: c.SumN + o.SumN, NSq: c.NSq + o.NSq}
}

// about is the sum of squares of the conversations' distances from a mean.
func (c Clusters) about(mean float64) float64 {
	return c.SumSq - 2*mean*c.SumN + mean*mean*c.NSq
}

// clusters are those of the row; without any, each score is its own.
func (r *Row) clusters() Clusters {
	if r.Clusters != nil {
		return *r.Clusters
	}
	n := float64(r.N - r.Zeros)
	return Clusters{SumSq: r.M2 + n*r.Mean*r.Mean, SumN: n * r.Mean, NSq: float64(r.N)}
}

// conversation is what one session brought to a row.
type conversation struct {
	n   int
	sum float64
}

// conversations are those of a row.
type conversations struct {
	byID  map[string]conversation
	loose Clusters // of answers that name none
}

func (cs *conversations) add(session string, value float64) {
	if session == "" {
		cs.loose = cs.loose.Add(1, value)
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
		sums = sums.Add(c.n, c.sum)
		many = many || c.n > 1
	}
	if !many {
		return nil
	}
	return &sums
}

// addClusters takes in those of the next run.
func (s *strip) addClusters(cells []Clusters) {
	before := s.clusters[max(len(s.clusters)-len(cells), 0):]
	for g, c := range cells {
		if len(before) > 0 {
			c = before[g].merge(c)
		}
		s.clusters = append(s.clusters, c)
	}
}

// clusterEffect is by how much conversations make the scores of the runs before one scatter
// more than independent scores would, at least 1. The pseudo-observations of a baseline are
// conversations of the usual size here: a few that went well do not prove that all do.
func (s *strip) clusterEffect(before int, pre []Moments) float64 {
	if s.clusters == nil || before == 0 {
		return 1
	}
	sums := s.clusters[(before-1)*len(pre):]
	var clustered, independent, n, square float64
	for g, m := range pre {
		if m.N < minCell {
			continue
		}
		c, all := sums[g], m.all()
		clustered, independent = clustered+c.about(all.mean), independent+all.m2
		n, square = n+all.n, square+c.NSq
	}
	if n == 0 {
		return 1
	}
	const pseudo = pseudoCount * pseudoFall * pseudoFall
	usual := square / n // size of the conversation of a score
	return max(1, (clustered+pseudo*usual*usual)/(independent+pseudo))
}
