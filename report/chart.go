package report

import (
	"cmp"
	"slices"
	"time"

	"leadline/drift"
)

// maxRuns is how many points a chart shows as runs; of more it shows the days.
const maxRuns = 70

// Chart is a series over time: points against the band of usual points, gaps where there
// is no data, incidents as shaded spans, changes as vertical lines with a label.
type Chart struct {
	Title string    `json:"title"`
	Desc  string    `json:"desc"` // the finding in words, for those who cannot see it
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	// Baseline is the usual mean and Band the half width of the band in which 95 of 100
	// usual points lie; HasBand is false while there is no baseline.
	Baseline float64 `json:"baseline"`
	Band     float64 `json:"band"`
	HasBand  bool    `json:"has_band"`
	Points   []Point `json:"points"` // in order of time
	Daily    bool    `json:"daily"`  // points are days, not runs
	Spans    []Shade `json:"spans"`
	Lines    []Line  `json:"lines"`
	// WeekFrom sets the reported week apart; zero when there is none.
	WeekFrom time.Time `json:"week_from,omitzero"`
	Small    bool      `json:"small,omitempty"`   // a small multiple: half size, no intervals
	Percent  bool      `json:"percent,omitempty"` // a share: more is worse
}

// Shade is a time to shade, as that of an incident. A zero To is still going on.
type Shade struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to,omitzero"`
	Label string    `json:"label"`
}

// Line is a moment to mark, as a release.
type Line struct {
	At    time.Time `json:"at"`
	Label string    `json:"label"`
}

// NewChart draws the run means of a series against its state, between two moments: as
// days in loc when there are many runs.
func NewChart(points []Point, st drift.State, from, to time.Time, loc *time.Location) Chart {
	c := Chart{From: from.In(loc), To: to.In(loc), Baseline: st.Baseline.Mean, Band: st.Band, HasBand: st.Baseline.N > 0,
		Points: []Point{}, Spans: []Shade{}, Lines: []Line{}}
	c.Percent = drift.IsShare(st.Series.Metric)
	if c.Percent {
		c.Baseline = 1 - c.Baseline
	}
	for _, p := range points {
		if p.Due.After(from) && !p.Due.After(to) {
			c.Points = append(c.Points, p)
		}
	}
	if len(c.Points) <= maxRuns {
		return c
	}
	runs := meanN(c.Points)
	c.Points, c.Daily = days(c.Points, loc), true
	// A day's mean rests on more answers than a run's, and its band is narrower.
	c.Band *= sqrtRatio(runs, meanN(c.Points))
	return c
}

// ShownOn says whether an episode of one series is shaded on the chart of another: on its
// own, and on the pooled one, whose points it pulls down.
func ShownOn(episode, chart drift.Series) bool {
	return episode == chart || chart.Dim == "" && episode.Metric == chart.Metric && episode.Judge == chart.Judge
}

// Union joins shades that overlap and have one label: the series of one incident would
// be drawn over each other.
func Union(shades []Shade) []Shade {
	slices.SortFunc(shades, func(a, b Shade) int { return cmp.Or(cmp.Compare(a.Label, b.Label), a.From.Compare(b.From)) })
	out := []Shade{}
	for _, s := range shades {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].Label != s.Label || !out[last].To.IsZero() && s.From.After(out[last].To):
			out = append(out, s)
		case s.To.IsZero() || !out[last].To.IsZero() && s.To.After(out[last].To):
			out[last].To = s.To
		}
	}
	return out
}

// step is the usual distance of two points.
func (c Chart) step() time.Duration {
	if c.Daily {
		return 24 * time.Hour
	}
	var gaps []time.Duration
	for i := 1; i < len(c.Points); i++ {
		gaps = append(gaps, c.Points[i].Due.Sub(c.Points[i-1].Due))
	}
	if len(gaps) == 0 {
		return 24 * time.Hour
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// below says whether a point is worse than the band.
func (c Chart) below(p Point) bool {
	if !c.HasBand {
		return false
	}
	if c.Percent {
		return p.Mean > c.Baseline+c.Band
	}
	return p.Mean < c.Baseline-c.Band
}
