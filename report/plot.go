package report

import (
	"strings"
	"time"
)

func (d *drawing) shades(x func(time.Time) float64) {
	for _, s := range d.Spans {
		to := s.To
		if to.IsZero() {
			to = d.To
		}
		if !to.After(d.From) || !s.From.Before(d.To) {
			continue
		}
		from, end := x(s.From), x(to)
		r := rect{X: px(from), W: px(max(end-from, 2)), Label: s.Label}
		d.Shades = append(d.Shades, r)
	}
}

// gaps shades where points are missing: between two, and at both ends of the chart.
func (d *drawing) gaps(w Words, x func(time.Time) float64) {
	if d.Empty {
		return
	}
	step := d.step()
	gap := func(a, b time.Time, from, end float64) {
		if b.Sub(a) > step*9/5 {
			d.Gaps = append(d.Gaps, rect{X: px(from), W: px(end - from), Label: w.T("no_data_between", w.Minute(a), w.Minute(b))})
		}
	}
	first, last := d.Points[0].Due, d.Points[len(d.Points)-1].Due
	gap(d.From, first, x(d.From), x(first.Add(-step/2)))
	for i := 1; i < len(d.Points); i++ {
		a, b := d.Points[i-1].Due, d.Points[i].Due
		gap(a, b, x(a.Add(step/2)), x(b.Add(-step/2)))
	}
	gap(last, d.To, x(last.Add(step/2)), x(d.To))
}

func (d *drawing) points(w Words, x func(time.Time) float64, y func(float64) float64) {
	var path, bars strings.Builder
	step := d.step()
	for i, p := range d.Points {
		px0, py0 := x(p.Due), y(p.Mean)
		op := "L"
		if i == 0 || p.Due.Sub(d.Points[i-1].Due) > step*9/5 {
			op = "M"
		}
		path.WriteString(op + px(px0) + " " + px(py0))
		if !d.Small {
			bars.WriteString("M" + px(px0) + " " + px(y(p.Low)) + "V" + px(y(p.High)))
		}
		d.dot(w, p, px0, py0)
	}
	d.Path, d.Bars = path.String(), bars.String()
}

// dot draws a point: a circle, or a diamond when it is worse than the band. A small chart
// only shows the latter, and points that no line reaches.
func (d *drawing) dot(w Words, p Point, x, y float64) {
	low := d.below(p)
	if d.Small && !low && len(d.Points) > 12 {
		return
	}
	o := dot{X: px(x), Y: px(y), R: "2.4", Low: low}
	if low {
		const r = 4
		o.D = "M" + px(x) + " " + px(y-r) + "l4 4l-4 4l-4-4z"
	}
	if !d.Small {
		o.Title = w.PointTitle(p, d.Daily, d.Percent)
	}
	d.Dots = append(d.Dots, o)
}

// lines places the labels of releases in up to three rows above the plot, which begins
// below them. A label that finds no room keeps its line and its tooltip.
func (d *drawing) lines(w Words, x func(time.Time) float64) {
	ends, used := [3]float64{}, 0
	for _, l := range d.Lines {
		if l.At.Before(d.From) || l.At.After(d.To) {
			continue
		}
		at := x(l.At)
		m := mark{X: px(at), Label: l.Label + " · " + w.Minute(l.At), row: -1}
		if !d.Small {
			d.place(&m, at, cut(l.Label, 18), &ends)
		}
		used = max(used, m.row+1)
		d.Marks = append(d.Marks, m)
	}
	d.Top += float64(used) * (d.Font + 4)
	for i := range d.Marks {
		m := &d.Marks[i]
		top := d.Top
		if m.row >= 0 {
			base := top - 6 - float64(used-1-m.row)*(d.Font+4)
			m.TextY, top = px(base), base-d.Font+2
		}
		m.Top = px(top)
	}
}

func (d *drawing) place(m *mark, at float64, label string, ends *[3]float64) {
	size := textWidth(label, d.Font)
	start, anchor := at+3, "start"
	if start+size > d.W-2 {
		start, anchor = at-3-size, "end"
	}
	for row := range ends {
		if start < ends[row] {
			continue
		}
		ends[row] = start + size + 6
		m.Short, m.Anchor, m.TextX, m.row = label, anchor, px(start), row
		if anchor == "end" {
			m.TextX = px(at - 3)
		}
		return
	}
}

// cut shortens a text to n columns; a Japanese character takes two.
func cut(s string, n int) string {
	cols := 0
	for i, r := range s {
		c := columns(r)
		if cols+c > n {
			return strings.TrimSpace(s[:i]) + "…"
		}
		cols += c
	}
	return s
}

func textWidth(s string, font float64) (size float64) {
	for _, r := range s {
		size += float64(columns(r)) * font * 0.54
	}
	return size
}

// columns is 2 for the scripts that are set in squares; all of them lie above Hangul Jamo.
func columns(r rune) int {
	if r >= 0x1100 {
		return 2
	}
	return 1
}
