package report

import (
	"fmt"
	"html/template"
	"strings"
)

// SVG draws the two distributions side by side, each as shares of its own total: what
// differs is the shape, not the number of answers.
func (h Histogram) SVG(w Words) (template.HTML, error) {
	var b strings.Builder
	d := h.draw(w)
	if err := histogramTemplate.Execute(&b, d); err != nil {
		return "", fmt.Errorf("draw distribution: %w", err)
	}
	return template.HTML(b.String()), nil //nolint:gosec // html/template escaped it
}

var histogramTemplate = template.Must(template.New("histogram").Parse(`<svg class="chart hist" viewBox="0 0 760 150" role="img"><title>{{.Title}}</title><desc>{{.Desc}}</desc>
{{- range .Bars}}<rect class="{{.Class}}" x="{{.X}}" y="{{.Y}}" width="31" height="{{.H}}"><title>{{.Title}}</title></rect>{{if .Label}}<text x="{{.LabelX}}" y="{{.LabelY}}" text-anchor="middle">{{.Label}}</text>{{end}}{{end}}
{{- range .Ticks}}<text x="{{.X}}" y="{{.Y}}" text-anchor="middle">{{.Label}}</text>{{end}}<path class="grid" d="M20 126H750"/></svg>`))

type histogramDrawing struct {
	Title, Desc string
	Bars        []bar
	Ticks       []tick
}

type bar struct{ Class, X, Y, H, Title, Label, LabelX, LabelY string }

func (h Histogram) draw(w Words) histogramDrawing {
	const bottom, height, slot = 126, 100, 73
	d := histogramDrawing{Title: w.T("h.distribution"), Desc: w.T("desc.histogram")}
	this, base := shares(h.This), shares(h.Baseline)
	most := 0.01
	for i := range 10 {
		most = max(most, this[i], base[i])
	}
	for i := range 10 {
		left := 24 + float64(i)*slot
		name := fmt.Sprintf("%.1f–%.1f", float64(i)/10, float64(i+1)/10)
		d.Ticks = append(d.Ticks, tick{X: px(left + 32), Y: "142", Label: name})
		for k, s := range []float64{this[i], base[i]} {
			b := bar{Class: "bar", X: px(left + float64(k)*32), Y: px(bottom - height*s/most), H: px(height * s / most)}
			b.Title = name + ": " + w.T("this_week") + " " + w.Percent(s)
			if k == 1 {
				b.Class, b.Title = "was", name+": "+w.T("usually")+" "+w.Percent(s)
			}
			if s >= 0.005 {
				b.Label, b.LabelX, b.LabelY = w.percent(s, 0), px(left+float64(k)*32+15), px(bottom-height*s/most-4)
			}
			d.Bars = append(d.Bars, b)
		}
	}
	return d
}

func shares(counts [10]int) (s [10]float64) {
	n := 0
	for _, c := range counts {
		n += c
	}
	for i, c := range counts {
		s[i] = float64(c) / float64(max(n, 1))
	}
	return s
}
