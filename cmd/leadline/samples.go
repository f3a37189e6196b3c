package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/report"
	"leadline/scorer"
	"leadline/server"
)

func (a *app) samplesCommand() *cobra.Command {
	var q server.SampleQuery
	var metric, reason string
	c := &cobra.Command{
		Use:   "samples [ID]",
		Short: "List the lowest scored samples, or show one",
		Args:  takes("[ID]"),
	}
	form := outputFlag(c)
	c.Flags().StringVar(&metric, "metric", "", "faithfulness or answer_relevancy")
	c.Flags().StringVar(&reason, "reason", "", "only those without a score for this reason, newest first, as injection_suspected")
	c.Flags().StringVar(&q.Segment, "segment", "", `only one segment, as "department=hr"`)
	c.Flags().StringVar(&q.Incident, "incident", "", "only what an incident is about")
	c.Flags().IntVar(&q.Limit, "limit", defaultSamples, "how many")
	c.RunE = func(c *cobra.Command, args []string) error {
		q.Metric, q.Reason = scorer.Metric(metric), scorer.Reason(reason)
		if err := errors.Join(checkOutput(*form), checkQuery(q)); err != nil {
			return err
		}
		q.ID = strings.Join(args, "")
		return a.samples(c.Context(), q, *form)
	}
	return c
}

// samples prints what fits a query, at least one sample.
func (a *app) samples(ctx context.Context, q server.SampleQuery, form string) error {
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.close()
	samples, err := client.Samples(ctx, q)
	if err != nil {
		return err
	}
	if len(samples) == 0 {
		return exitError{exitNotEnoughData, errors.New("no sample fits")}
	}
	switch {
	case form == "json":
		return writeJSON(a.io.out, samples)
	case q.ID != "":
		return a.printSample(samples[0])
	}
	return render(a.io.out, form, sampleTable(samples))
}

func checkQuery(q server.SampleQuery) error {
	switch {
	case q.Metric != "" && !slices.Contains(scorer.Metrics, q.Metric):
		return exitError{exitUsage, fmt.Errorf("--metric %s: must be faithfulness or answer_relevancy", q.Metric)}
	case q.Reason != "" && !slices.Contains(scorer.Reasons, q.Reason):
		return exitError{exitUsage, fmt.Errorf("--reason %s: must be one of %s", q.Reason, reasonNames())}
	case q.Segment != "" && q.Segment != "all" && !strings.Contains(q.Segment, "="):
		return exitError{exitUsage, fmt.Errorf("--segment %s: must be a dimension and its value, as department=hr", q.Segment)}
	case q.Limit < 1:
		return exitError{exitUsage, fmt.Errorf("--limit %d: must be 1 or more", q.Limit)}
	}
	return nil
}

func reasonNames() string {
	names := make([]string, len(scorer.Reasons))
	for i, r := range scorer.Reasons {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

func sampleTable(samples []report.Sample) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"id", "time", "segment", "faithfulness", "relevancy", "second look", "question"})
	for _, s := range samples {
		t.AppendRow(table.Row{s.Sample.ID, shortTime(s.Sample.Time), s.Sample.Cell, outcome(s, scorer.Faithfulness), outcome(s, scorer.AnswerRelevancy), secondLook(s), excerpt(s.Sample.Question)})
	}
	return t
}

func outcome(s report.Sample, m scorer.Metric) string {
	o := s.Score.Outcomes[m]
	if !o.Scored {
		return string(o.Reason)
	}
	return fmt.Sprintf("%.3f", o.Value)
}

// secondLook is what the judge said the second time; "" where it was not asked again.
func secondLook(s report.Sample) string {
	if s.Score.Second == nil {
		return ""
	}
	s.Score.Outcomes = s.Score.Second.Outcomes
	return outcome(s, scorer.Faithfulness) + ", " + outcome(s, scorer.AnswerRelevancy)
}

// printSample shows everything that is known of one sample.
func (a *app) printSample(s report.Sample) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s  %s  %s\nfaithfulness %s, answer relevancy %s\n", s.Sample.ID, shortTime(s.Sample.Time), s.Sample.Cell,
		outcome(s, scorer.Faithfulness), outcome(s, scorer.AnswerRelevancy))
	if again := secondLook(s); again != "" {
		line("second look: %s\n", again)
	}
	if s.Score.CrossLanguage {
		line("Question and answer are in different languages (cross_language).\n")
	}
	if s.Sample.Question == "" {
		line("The text is no longer kept (store.text_retention).")
	} else {
		for _, turn := range s.Sample.History {
			line("Before    %s", turn)
		}
		line("Question  %s", s.Sample.Question)
		if s.Sample.Rewritten != "" {
			line("Rewritten %s", s.Sample.Rewritten)
		}
		line("Answer    %s", s.Sample.Answer)
	}
	for n, c := range s.Sample.Contexts {
		line("Context %d %s", n+1, c)
	}
	for _, st := range s.Score.Statements {
		mark := "unsupported"
		if st.Verdict == 1 {
			mark = "supported"
		}
		line("  %-11s %s (%s)", mark, st.Text, st.Reason)
	}
	for _, q := range s.Score.Questions {
		line("  would answer (cosine %.3f): %s", q.Cosine, q.Text)
	}
	return a.printf("%s", b.String())
}
