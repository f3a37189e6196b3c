package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"leadline/drift"
)

// printPlanned prints a plan: the lines and tables for people, or its falls as data.
func printPlanned(w io.Writer, form string, p plan) error {
	switch form {
	case "json":
		return writeJSON(w, p)
	case "csv", "markdown":
		return render(w, form, fallsTable(p, form == "csv"))
	}
	if _, err := fmt.Fprintf(w, "%s\n\nA fall of the mean, from when it happens to the alarm; sooner when all answers get a little worse, later when some fail:\n", strings.Join(planLines(p), "\n")); err != nil {
		return err
	}
	if err := render(w, form, fallsTable(p, false)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n\n%s\n", moreLine(p.Sampling), strings.Join(toleranceLines(p), "\n"))
	return err
}

// moreLine says how to get twice the samples.
func moreLine(s samplingPlan) string {
	const full = 0.9 // of the samples that a run may have
	switch {
	case s.SeenPerRun >= full*float64(s.PerRun):
		return fmt.Sprintf("Twice the samples is sample.per_run: %d.", 2*s.PerRun)
	case s.SeenPerRun == 0:
		return fmt.Sprintf("Twice the samples is sample.per_run: %d, where sample.rate leaves enough records.", 2*s.PerRun)
	case s.Rate < 1:
		return fmt.Sprintf("Twice the samples is sample.rate: %g; runs are not full at sample.per_run: %d.", min(2*s.Rate, 1), s.PerRun)
	}
	return "Twice the samples is not to be had: every record is taken already. Fewer, longer runs do not help; more traffic does."
}

func planLines(p plan) []string {
	head := fmt.Sprintf("%s as of %s. Delays, dates and costs are estimates: read \"about\" before each.", p.Service, shortTime(p.AsOf))
	if p.Typical {
		head = fmt.Sprintf("%s has no history yet. These are the figures of usual scores, with a baseline of %d days at the configured sampling;\nthey say what to expect, not how your service behaves.", p.Service, p.TypicalDays)
	}
	if p.Anew {
		head = fmt.Sprintf("%s learns anew: none of its history is in a baseline. These are the figures of usual scores, with a baseline of %d days at the\nconfigured sampling; they say what to expect, not how your service behaves.", p.Service, p.TypicalDays)
	}
	s := p.Sampling
	sampling := fmt.Sprintf("sampling  %g of the records, at most %d a run, %s runs a day: at most %s samples a day", s.Rate, s.PerRun, round(s.RunsPerDay), round(float64(s.PerRun)*s.RunsPerDay))
	if s.SeenPerRun > 0 {
		sampling += fmt.Sprintf("; runs had %s on average", round(s.SeenPerRun))
	}
	lines := []string{head, sampling}
	for _, m := range p.Metrics {
		lines = append(lines, "baseline  "+planBaselineLine(m))
	}
	return append(lines, costLines(p)...)
}

func planBaselineLine(m metricPlan) string {
	switch {
	case m.Status == typicalStatus:
		return fmt.Sprintf("%s: not started", m.Metric)
	case !m.LearningUntil.IsZero():
		return fmt.Sprintf("%s: learning, with %d samples, until %s", m.Metric, m.Baseline, m.LearningUntil.Format(time.DateOnly))
	case m.Grows == 0:
		return fmt.Sprintf("%s: %s samples, and none more while all of it is down", m.Metric, round(float64(m.Baseline)))
	}
	return fmt.Sprintf("%s: %s samples, %s more a day", m.Metric, round(float64(m.Baseline)), round(m.Grows))
}

func costLines(p plan) []string {
	c := p.Cost
	from := "as observed"
	if !c.Observed {
		from = "prompts as configured, texts of usual size; leadline check --live measures yours"
	}
	lines := []string{fmt.Sprintf("judge     a sample takes %s, the control items of a usual run %s (%s)", c.text(c.Sample), c.text(c.Controls), from)}
	if c.Observed {
		lines = append(lines, fmt.Sprintf("          at the samples that runs had: %s a day, %s in 30 days", c.text(c.Day), c.text(c.Day.times(30))))
	}
	return append(lines, fmt.Sprintf("          at %d samples in every run: %s a day, %s in 30 days", p.Sampling.PerRun, c.text(c.AtMost), c.text(c.AtMost.times(30))))
}

func (c costPlan) text(a amount) string {
	text := fmt.Sprintf("%s requests and %s tokens", round(a.Requests), round(a.Tokens))
	if a.Price > 0 {
		text += " (" + c.priceText(round(a.Price)) + ")"
	}
	return text
}

func (c costPlan) priceText(number string) string {
	if c.Dollars {
		return "$" + number
	}
	return number
}

// fallsTable lists what would be seen of each fall; exact has figures for a program.
func fallsTable(p plan, exact bool) table.Writer {
	number := round
	if exact {
		number = func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	}
	known := func(x float64) string {
		if x == 0 {
			return "–"
		}
		return number(x)
	}
	t := table.NewWriter()
	header := table.Row{"metric", "fall", "seen from", "samples", "days", "tokens, at most"}
	priced := p.Cost.Sample.Price > 0
	if priced {
		header = append(header, "price, at most")
	}
	t.AppendHeader(append(header, "twice the samples: seen from", "days"))
	for _, m := range p.Metrics {
		for _, f := range m.Falls {
			row := table.Row{m.Metric, fmt.Sprintf("%.2f", f.Fall), seenFrom(f.Now, f.SeenFrom), f.Samples.text(number), f.Days.text(number), known(f.Tokens)}
			if priced {
				price := known(f.Price)
				if !exact && f.Price > 0 {
					price = p.Cost.priceText(price)
				}
				row = append(row, price)
			}
			t.AppendRow(append(row, seenFrom(f.Now, f.TwiceFrom), f.TwiceDays.text(number)))
		}
	}
	return t
}

// text writes a span: "120 to 450", "120 or more" when its end is not known, "450" when both
// ends are as good as one.
func (s span) text(number func(float64) string) string {
	least, most := number(s.Least), number(s.Most)
	switch {
	case s.Least == 0:
		return "–"
	case s.Most == 0:
		return least + " or more"
	case least == most:
		return most
	}
	return least + " to " + most
}

func seenFrom(now bool, from time.Time) string {
	switch {
	case now:
		return "now"
	case from.IsZero():
		return "never"
	}
	return from.Format(time.DateOnly)
}

// toleranceLines say what the history asks for, and what it would cost.
func toleranceLines(p plan) []string {
	lines := []string{"Tolerance: a fall up to this is not a change (drift.tolerance, drift.tolerances)."}
	var set []string
	for _, m := range p.Metrics {
		line := fmt.Sprintf("%s: %g is set. %s", m.Metric, m.Tolerance.Set, wanderText(m.Tolerance))
		if m.Status == "down" {
			line += " The time of the open incident is left out."
		}
		lines = append(lines, line)
		if m.Tolerance.Recommended > m.Tolerance.Set {
			set = append(set, fmt.Sprintf("%s: %g", m.Metric, m.Tolerance.Recommended))
			lines = append(lines, priceLine(m.Tolerance))
		}
	}
	if len(set) > 0 {
		lines = append(lines, "To set it: drift: {tolerances: {"+strings.Join(set, ", ")+"}}")
	}
	return lines
}

func wanderText(t tolerancePlan) string {
	w := t.Wander
	switch {
	case w == nil || !w.Known():
		days := 0
		if w != nil {
			days = w.Days
		}
		return fmt.Sprintf("Not enough history to recommend one: %d days with scores are needed, there are %d.", drift.MinWander, days)
	case w.Tolerance == 0 && w.SD == 0:
		return fmt.Sprintf("No slow wander in %d days, and at most %.3f: too little to matter at this sampling. 0 is recommended.", w.Days, w.Bound)
	case w.Tolerance == 0:
		return fmt.Sprintf("Over %d days the level wanders by about %.3f, too little to matter at this sampling. 0 is recommended.", w.Days, w.SD)
	case w.SD == 0:
		return fmt.Sprintf("No slow wander shows in %d days, but they cannot rule out one of %.3f. %g is recommended to bear with that, and less once more days show none; where you know of no wander, 0 sees falls sooner.", w.Days, w.Bound, w.Tolerance)
	}
	return fmt.Sprintf("Over %d days the level wanders by about %.3f without a cause, at most by %.3f. %g is recommended: below it, the promise of false_alarms may not hold.", w.Days, w.SD, w.Bound, w.Tolerance)
}

// priceLine compares the delays at the recommended tolerance with those without one.
func priceLine(t tolerancePlan) string {
	var parts []string
	for _, d := range t.Delays {
		switch {
		case d.AtZero.Least == 0:
		case d.Recommended.Least == 0:
			parts = append(parts, fmt.Sprintf("%.2f is not seen, instead of after %s samples", d.Fall, d.AtZero.text(round)))
		default:
			parts = append(parts, fmt.Sprintf("%.2f takes %s samples instead of %s", d.Fall, d.Recommended.text(round), d.AtZero.text(round)))
		}
	}
	if len(parts) == 0 {
		return "  its price is not known yet"
	}
	return "  its price, with today's baseline: a fall of " + strings.Join(parts, ", one of ")
}

// round writes a number with two digits that count, three from 1,000 on, with commas.
func round(x float64) string {
	digits := 2
	if math.Abs(x) >= 1000 {
		digits = 3
	}
	if x == 0 || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	scale := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits-1))
	x = math.Round(x/scale) * scale
	if x < 100 {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	return thousands(int64(math.Round(x)))
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
