package main

import (
	"fmt"
	"io"
	"math"
)

func printReleases(w io.Writer, r *releaseFigures) {
	if r == nil {
		return
	}
	if len(r.Bad) > 0 {
		fmt.Fprintf(w, "\n## A bad release on all traffic, 60 answers a day\n\nLater is 60 days after the release. Where weekly releases go on, each has the fault and the index is new every night.\n")
		printDetections(w, r.Bad, "later")
	}
	if len(r.Nulls) > 0 {
		fmt.Fprintf(w, "\n## Releases that change nothing\n\n| releases | services | pages per service in 180 days | the same scores without releases | more, per release | services with a page |\n|---|---|---|---|---|---|\n")
		for _, n := range r.Nulls {
			fmt.Fprintf(w, "| %s | %d | %.3f | %.3f | %.5f ± %.5f | %s |\n", n.ID, n.Services, n.Pages, n.Without, n.PerRelease, n.SE, n.Paged)
		}
	}
	if len(r.RollBacks) > 0 {
		fmt.Fprintf(w, "\n## A bad release taken back after five days\n\n| fall | services | found before | of those called a regression | of those resolved in the run of the roll-back | of all found over a week later | found, and a page in the 60 days after | not found, and a page then |\n|---|---|---|---|---|---|---|---|\n")
		for _, x := range r.RollBacks {
			fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", x.ID, x.Services, x.Found, x.Called, x.Resolved, x.Ended, x.After, x.Late)
		}
	}
	if len(r.Canaries) > 0 {
		fmt.Fprintf(w, "\n## A bad canary: a week on 10 %%, a week on 50 %%, then on all\n\nDays count from its first run on 10 %%.\n")
		printDetections(w, r.Canaries, "later")
		fmt.Fprintln(w)
		for _, d := range r.Canaries {
			if early, ok := r.Early[d.ID]; ok {
				fmt.Fprintf(w, "%s: %s found while the old release still answers.\n", d.ID, early)
			}
		}
	}
	if r.Several != nil {
		fmt.Fprintf(w, "\n## A silent fall under several releases a day\n")
		printDetections(w, []detection{*r.Several}, "later")
	}
	if len(r.Told) > 0 {
		fmt.Fprintf(w, "\n## A release in no record, told of a day after the page\n\n| what is told | first told as drop | regression | undecided | silent | drop |\n|---|---|---|---|---|---|\n")
		for _, t := range r.Told {
			fmt.Fprintf(w, "| %s | %s |", t.ID, t.Drops)
			for _, k := range kindsShown() {
				fmt.Fprintf(w, " %s |", t.Kinds[k])
			}
			fmt.Fprintln(w)
		}
	}
}

// printDetections writes a row per sort of fall; kinds as told first and, if any looked on,
// later.
func printDetections(w io.Writer, all []detection, later string) {
	fmt.Fprintf(w, "\n| fall | services (early) | found | days: median | 90 %% | answers |")
	for _, k := range kindsShown() {
		fmt.Fprintf(w, " %s", k)
		if later != "" {
			fmt.Fprintf(w, " / %s", later)
		}
		fmt.Fprint(w, " |")
	}
	fmt.Fprintf(w, " side by side | resolved while down | pages |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, d := range all {
		fmt.Fprintf(w, "| %s | %d (%d) | %s | %s | %s | %s |", d.ID, d.Services, d.Early, d.Found, daysCell(d.Days, d.DaysSE),
			daysCell(d.DaysP90, d.P90SE), plainCell(d.Answers))
		for _, k := range kindsShown() {
			fmt.Fprintf(w, " %s", d.Kinds[k])
			if later != "" {
				fmt.Fprintf(w, " / %.3f", d.Later[k].Share)
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintf(w, " %s | %s | %s |\n", d.Beside, d.Ended, daysCell(d.Pages, figure(math.NaN())))
	}
}

func daysCell(x, se figure) string {
	switch {
	case math.IsInf(float64(x), 0) || math.IsNaN(float64(x)):
		return "—"
	case math.IsInf(float64(se), 0) || math.IsNaN(float64(se)):
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.2f ± %.2f", x, se)
}

func plainCell(x figure) string {
	if math.IsInf(float64(x), 0) || math.IsNaN(float64(x)) {
		return "—"
	}
	return fmt.Sprintf("%.0f", x)
}

func printCost(w io.Writer, c *costFigures) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, "\n## What ten dollars a month find\n\nPrices as of %s. The default takes up to %d samples in each of %d runs a day, %d times as many while a series is on watch, which %.0f records a day fill; %.1f %% of a healthy service's runs are. %.0f %% of the samples are scored twice. A sample is %d prompt tokens besides the prompts, which are %d tokens in the cache and %d elsewhere, and %d completion tokens in three requests; "+
		"the control items of a run take %.1f %% more. %.0f %% of all requests are paid twice. A month has %.2f days.\n",
		c.AsOf, c.PerRun, c.PerDay, c.Factor, c.Records, 100*c.Watch.Share, 100*c.Second, statementsIn+verdictsIn+questionIn,
		longStatements+longVerdicts+longQuestion, shortStatements+shortVerdicts+shortQuestion, statementsOut+verdictsOut+3*questionOut,
		100*ruler, 100*c.Again, monthDays)
	fmt.Fprintf(w, "\n| judge | price of | tier | $ per million in / read / written / out | $ per 1,000 samples | controls, $ a month | default, all in, $ a month | samples a run for $%d |\n|---|---|---|---|---|---|---|---|\n", dollars)
	for _, p := range c.Prices {
		fmt.Fprintf(w, "| %s | %s | %s | %.3g / %.3g / %.3g / %.3g | %.3f | %.2f | %.2f | %d |\n", p.Model, p.Dated, p.Tier, p.In, p.Read, p.Write, p.Out,
			p.Sample, p.Ruler, p.Month, p.Buys)
	}
	fmt.Fprintf(w, "\nA silent fall after %d days at the same rate, weekly releases, nightly index. Days to the end of the run that tells it.\n", monthOld)
	printDetections(w, c.Falls, "")
}
