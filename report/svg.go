package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"
)

//go:embed page/chart.svg.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// The sizes of a chart in its own units, which are CSS pixels at full width. The scale is
// on the right, beside the newest points: a narrow screen begins there.
type frame struct{ W, H, Left, Right, Top, Bottom, Font float64 }

var (
	large = frame{W: 760, H: 260, Left: 14, Right: 48, Top: 12, Bottom: 26, Font: 12}
	small = frame{W: 300, H: 118, Left: 8, Right: 38, Top: 8, Bottom: 22, Font: 11}
)

// drawing is a chart in coordinates, ready for its template.
type drawing struct {
	Chart
	frame
	X0, X1, Y0, Y1     string
	BandTop, BandH     string
	BaseY              string
	Week               rect
	Shades             []rect
	Gaps               []rect
	Marks              []mark
	YTicks, XTicks     []tick
	Path               string
	Bars               string // the intervals, one path
	Dots               []dot
	Empty, ShowWeek    bool
	NoData, MidX, MidY string
	PlotW, PlotH       string
}

type rect struct{ X, W, Label string }
type tick struct{ X, Y, Anchor, Label string }
type dot struct {
	X, Y, R, Title string
	Low            bool
	D              string // of the diamond that a low point is
}
type mark struct {
	X, TextX, TextY, Anchor, Label, Short, Top string
	row                                        int // of its label, from the top; -1 without one
}

// SVG draws the chart with the words of w. Style paints its classes.
func (c Chart) SVG(w Words) (template.HTML, error) {
	var b strings.Builder
	if err := chartTemplate.Execute(&b, c.draw(w)); err != nil {
		return "", fmt.Errorf("draw chart %s: %w", c.Title, err)
	}
	return template.HTML(b.String()), nil //nolint:gosec // html/template escaped it
}

func (c Chart) draw(w Words) drawing {
	d := drawing{Chart: c, frame: large, Empty: len(c.Points) == 0, NoData: w.T("no_data")}
	if c.Small {
		d.frame = small
	}
	x := func(t time.Time) float64 {
		share := float64(t.Sub(c.From)) / float64(max(c.To.Sub(c.From), 1))
		return d.Left + min(max(share, 0), 1)*(d.W-d.Left-d.Right)
	}
	d.lines(w, x)
	lo, hi := c.yRange()
	y := func(v float64) float64 {
		return d.Top + min(max((hi-v)/(hi-lo), 0), 1)*(d.H-d.Top-d.Bottom)
	}
	d.X0, d.X1, d.Y0, d.Y1 = px(d.Left), px(d.W-d.Right), px(d.Top), px(d.H-d.Bottom)
	d.PlotW, d.PlotH = px(d.W-d.Left-d.Right), px(d.H-d.Top-d.Bottom)
	d.MidX, d.MidY = px((d.Left+d.W-d.Right)/2), px((d.Top+d.H-d.Bottom)/2)
	d.axes(w, x, y, lo, hi)
	if c.HasBand {
		d.BaseY, d.BandTop = px(y(c.Baseline)), px(y(c.Baseline+c.Band))
		d.BandH = px(y(c.Baseline-c.Band) - y(c.Baseline+c.Band))
	}
	if !c.WeekFrom.IsZero() {
		d.ShowWeek, d.Week = true, rect{X: px(x(c.WeekFrom)), W: px(x(c.To) - x(c.WeekFrom))}
	}
	d.shades(x)
	d.gaps(w, x)
	d.points(w, x, y)
	return d
}

// yRange is what the axis shows: all points and the band, never less than a tenth, so that
// noise does not look like a cliff.
func (c Chart) yRange() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	if c.HasBand {
		lo, hi = c.Baseline-c.Band, c.Baseline+c.Band
	}
	for _, p := range c.Points {
		lo, hi = min(lo, p.Mean), max(hi, p.Mean)
	}
	if lo > hi {
		return 0, 1
	}
	if spare := 0.1 - (hi - lo); spare > 0 {
		lo, hi = lo-spare/2, hi+spare/2
	}
	pad := (hi - lo) * 0.08
	lo, hi = lo-pad, hi+pad
	if hi > 1 {
		lo, hi = lo-(hi-1)/2, 1
	}
	if lo < 0 && (len(c.Points) == 0 || c.lowest() >= 0) {
		lo = 0
	}
	return lo, hi
}

func (c Chart) lowest() float64 {
	low := math.Inf(1)
	for _, p := range c.Points {
		low = min(low, p.Mean)
	}
	return low
}

func (d *drawing) axes(w Words, x func(time.Time) float64, y func(float64) float64, lo, hi float64) {
	most := 6
	if d.Small {
		most = 4
	}
	step := niceStep(lo, hi, most)
	for v := math.Ceil(lo/step-1e-9) * step; v <= hi+1e-9; v += step {
		label := w.Num(v)
		if d.Percent {
			label = w.percent(v, 0)
		}
		d.YTicks = append(d.YTicks, tick{X: px(d.W - d.Right + 6), Y: px(y(v)), Label: label})
	}
	for _, t := range d.timeTicks(w.loc) {
		d.XTicks = append(d.XTicks, tick{X: px(x(t)), Y: px(d.H - d.Bottom + d.Font + 4), Anchor: d.anchor(x(t), w.Day(t)), Label: w.Day(t)})
	}
}

// anchor keeps a date at the edge inside the chart.
func (d *drawing) anchor(x float64, label string) string {
	switch half := textWidth(label, d.Font) / 2; {
	case x+half > d.W:
		return "end"
	case x-half < 0:
		return "start"
	}
	return "middle"
}

// timeTicks are the Mondays in the chart, or its days when it is short; at most eight, in
// a small chart four.
func (d *drawing) timeTicks(loc *time.Location) []time.Time {
	most := 8
	if d.Small {
		most = 4
	}
	from, to := d.From.In(loc), d.To.In(loc)
	t := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, loc)
	every := 1
	if to.Sub(from) > 10*24*time.Hour {
		every, t = 7, t.AddDate(0, 0, (8-int(t.Weekday()))%7)
	}
	var all []time.Time
	for ; t.Before(to); t = t.AddDate(0, 0, every) {
		if !t.Before(from) {
			all = append(all, t)
		}
	}
	var ticks []time.Time
	skip := (len(all) + most - 1) / most
	for i, t := range all {
		if i%max(skip, 1) == 0 {
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// niceStep is the smallest round step with at most n multiples between two values.
func niceStep(lo, hi float64, n int) float64 {
	for _, s := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5} {
		if math.Floor(hi/s+1e-9)-math.Ceil(lo/s-1e-9) < float64(n) {
			return s
		}
	}
	return 1
}

func px(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

func sqrtRatio(a, b float64) float64 {
	if a <= 0 || b <= 0 {
		return 1
	}
	return math.Sqrt(a / b)
}
