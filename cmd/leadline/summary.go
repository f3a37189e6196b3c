package main

import (
	"fmt"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

// summary is what stands above the table of `leadline status`.
func summary(st server.Status, running bool) []string {
	lines := []string{
		fmt.Sprintf("%s (%s): %s. %s", st.Service, st.Environment, st.Verdict, st.Sentence),
		fmt.Sprintf("last run %s, next due %s; %s", shortTime(st.LastWindow), shortTime(st.NextDue), coverageLine(st.Coverage)),
		"offsets  " + ledgerLine(st.Offsets, sampler.OffsetStates),
		"records  " + ledgerLine(st.Records, sampler.RecordStates),
	}
	if running {
		lines = append(lines, "kafka    "+kafkaLine(st))
	} else {
		lines = append(lines, "daemon   does not run; this is what its store holds")
	}
	if st.Judge.Paused != "" {
		lines = append(lines, "judge    paused: "+st.Judge.Paused)
	}
	if !st.Judge.Resumes.IsZero() {
		lines = append(lines, "runs     the time of the last one was over; its window goes on "+shortTime(st.Judge.Resumes))
	}
	if n := st.Judge.RunsSkipped; n > 0 {
		lines = append(lines, fmt.Sprintf("runs     %d due times passed during a run since the start", n))
	}
	lines = append(lines, replyLines(st)...)
	lines = append(lines, judgeFormLines(st.Judge)...)
	lines = append(lines, spentLines(st)...)
	for _, m := range scorer.Metrics {
		if a := st.Judge.Agreement[m]; a.Pairs > 0 {
			lines = append(lines, fmt.Sprintf("judge    two looks at the same answer differ by ±%.2f in %s (%d answers)", a.Differ(), m, a.Pairs))
		}
	}
	lines = append(lines, rulerLines(st)...)
	if st.Sampling.Raised() {
		lines = append(lines, fmt.Sprintf("sampling up to %d samples in the next run instead of %d, because a series is on watch", st.Sampling.Next, st.Sampling.PerRun))
	}
	words := wordsOf(st)
	for _, i := range st.Incidents {
		lines = append(lines, incidentLines(words, i)...)
		if hint := staleLine(st, openSeries(i), i.ID); hint != "" {
			lines = append(lines, hint)
		}
	}
	for _, n := range st.Notes {
		lines = append(lines, "note     "+words.Note(n))
	}
	return slices.Concat(lines, glanceLines(st, words), budgetLines(st, words))
}

func wordsOf(st server.Status) report.Words {
	location, err := time.LoadLocation(st.Timezone)
	if err != nil {
		location = time.UTC
	}
	return report.NewWords(st.Language, location)
}

// rulerLines say how the judges stand by their control items, and what those cost.
func rulerLines(st server.Status) []string {
	var lines []string
	for _, r := range st.Rulers {
		line := fmt.Sprintf("controls %s: %s; %d items with a past, %d runs", r.Metric, r.Status, r.Items, r.Runs)
		if b := st.Bands; r.Metric == scorer.Faithfulness && b.Outside > 0 {
			line += fmt.Sprintf("; %d of %d items outside their expected band (leadline judge controls list)", b.Outside, b.Scored)
		}
		lines = append(lines, line)
	}
	if share := st.Cost.ControlShare(); len(lines) > 0 && share >= 0 {
		lines[0] += shareText(share, st.Cost.Runs)
	}
	return lines
}

// shareText says what control items took, and why that may be above the tenth it is held to.
func shareText(share float64, runs int) string {
	text := fmt.Sprintf("; they took %.1f %% of the judge's tokens in the last %d runs", 100*share, runs)
	if share > scorer.ControlCap {
		text += " (above a tenth: a new judge's first runs, falls found in small runs, or answers that were remembered and so cost nothing)"
	}
	return text
}

// glanceLines are what the newest scores say without a baseline.
func glanceLines(st server.Status, words report.Words) []string {
	if !st.Glance.Known() {
		return nil
	}
	read := "read the lowest: leadline samples --limit 10"
	if low := st.Glance.Lowest; len(low) > 0 {
		read += ", or one of them: leadline samples " + low[0].ID
	}
	return []string{
		fmt.Sprintf("answers  since %s: %s", shortTime(st.Glance.From), words.Glance(st.Glance)),
		"         " + words.T("glance.not"),
		"         " + read,
	}
}

// kafkaLine says whether the log is read.
func kafkaLine(st server.Status) string {
	line := "reading"
	switch k := st.Kafka; {
	case k.Error != "" && k.Since.IsZero():
		return "cannot be read: " + k.Error
	case k.Error != "":
		return fmt.Sprintf("cannot be read since %s: %s", shortTime(k.Since), k.Error)
	case k.LastFetch.IsZero():
		return "not read yet"
	case st.Stale():
		line = "no fetch since " + shortTime(k.LastFetch)
	}
	if st.Kafka.Lag >= 0 {
		line += fmt.Sprintf(", %d messages behind", st.Kafka.Lag)
	}
	return line
}

// incidentLines say what an incident is about; a monitor that is blind may have several
// reasons, a line for each.
func incidentLines(words report.Words, i alert.Incident) []string {
	state := "open"
	if !i.Open() {
		state = "resolved " + shortTime(i.Resolved)
	}
	head := fmt.Sprintf("incident %s, since %s, %s: %s", i.ID, shortTime(i.Since), state, words.Kind(i.Kind))
	if len(i.Problems) == 0 {
		return []string{head + ": " + words.Incident(i, false)}
	}
	lines := []string{head}
	for _, p := range i.Problems {
		line := "         " + words.T("problem."+p.Problem)
		if p.Detail != "" {
			line += " (" + p.Detail + ")"
		}
		lines = append(lines, line+", since "+shortTime(p.Since))
	}
	return lines
}

// openSeries are the series for which an incident is still open.
func openSeries(i alert.Incident) []drift.Series {
	var out []drift.Series
	for _, a := range i.Alerts {
		if i.Open() && a.Resolved.IsZero() && a.Finding.Series.Metric != "" {
			out = append(out, a.Finding.Series)
		}
	}
	return out
}

// ledgerLine lists the states that occurred, and their sum.
func ledgerLine[S ~string](counts map[S]int64, order []S) string {
	line, total := "", int64(0)
	for _, s := range order {
		total += counts[s]
		if counts[s] > 0 {
			line += fmt.Sprintf("  %s %d", s, counts[s])
		}
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d =%s", total, line)
}
