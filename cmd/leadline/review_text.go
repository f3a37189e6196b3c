package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"leadline/agreement"
	"leadline/review"
	"leadline/server"
)

// reviewText says how the judge agrees with people, disagreements first: of one rater, or of
// all for an empty name.
func reviewText(reply server.ReviewReply, rater string) string {
	var b strings.Builder
	r := reply.Result
	fmt.Fprintf(&b, "review %s of %s: %d of %d stored answers of the runs %s to %s, %d of them from the lowest quarter (%d)\njudge %s (%s)\n",
		r.Review, shortTime(r.Made), r.Samples, r.Frame.Answers, shortTime(r.Frame.Since), shortTime(r.Frame.Until), r.Frame.LowDrawn, r.Frame.Low,
		cmp.Or(r.Frame.Model, "unnamed"), r.Frame.Judge())
	if r.Frame.Standin {
		b.WriteString("the stand-in only compares words: this shows how a review goes, not how good a judge is\n")
	}
	for _, one := range r.Raters {
		if rater == "" || one.Rater == strings.TrimSpace(rater) {
			b.WriteString("\n" + raterText(one, r))
		}
	}
	if r.Between != nil {
		b.WriteString("\n" + betweenText(*r.Between))
	}
	fmt.Fprintf(&b, "\n%d answers are a sanity check, not a proof. κ falls where nearly all is supported: 90 %% agreement is κ 0.80 at 50/50 but\n"+
		"0.44 at 90/10, where AC1 is 0.88; read both beside the table.\n", r.Samples)
	return b.String()
}

func raterText(one review.RaterResult, r review.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s marked %d of %d answers, %d of %d statements; %d cannot be told\n", one.Rater, one.Samples, r.Samples, one.Statements, r.Statements, one.Unclear)
	if one.Changed > 0 {
		fmt.Fprintf(&b, "%d marks were changed after the verdicts could be seen\n", one.Changed)
	}
	b.WriteString(disagreementText(one))
	if one.All.Statements == 0 {
		return b.String() + "no statement is marked supported or not supported, so there is nothing to compare\n"
	}
	t := one.All.Table
	fmt.Fprintf(&b, "\n%s\n%s\n", plain(table.Row{"", "judge: not supported", "judge: supported"},
		table.Row{one.Rater + ": not supported", t.BothUnsupported, t.OnlyPerson}, table.Row{one.Rater + ": supported", t.OnlyJudge, t.BothSupported}),
		agreementTable(one))
	b.WriteString("In parentheses 95 % intervals: Wilson over statements (κ, AC1: bootstrap over answers); of the traffic: weighted, bootstrap over answers.\n" +
		"Sensitivity: of what the person calls not supported, how much the judge finds; specificity: of what is supported, how much it leaves alone.\n")
	fmt.Fprintf(&b, "\nThe judge calls %s of the statements in the traffic not supported.", percent(one.JudgedUnsupported))
	if c := one.Corrected; c != nil {
		fmt.Fprintf(&b, " With its errors taken out: %s (%s to %s), an extra, never instead.", percent(c.Value), percent(c.Low), percent(c.High))
	}
	b.WriteString("\n")
	if one.AnsweredYes+one.AnsweredNo > 0 {
		fmt.Fprintf(&b, "Question answered: %d yes, %d no.", one.AnsweredYes, one.AnsweredNo)
		if a := one.Relevancy; a != nil {
			fmt.Fprintf(&b, " Answer relevancy tells them apart with AUROC %.2f (%.2f to %.2f).", a.Value, a.Low, a.High)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func disagreementText(one review.RaterResult) string {
	all := one.Disagreements()
	if len(all) == 0 {
		return "they differ nowhere\n"
	}
	var b strings.Builder
	b.WriteString("\nWhere they differ:\n")
	for _, c := range all {
		question := c.Question
		if question == "" {
			question = "(the text is no longer kept)"
		}
		fmt.Fprintf(&b, "%s  %s\n", c.Sample, oneLine(question))
		for _, s := range c.Statements {
			fmt.Fprintf(&b, "  %d. %s\n     %s: %s; judge: %s", s.No, oneLine(s.Text), one.Rater, spoken(s.Person), spoken(s.Judge))
			if s.Reason != "" {
				fmt.Fprintf(&b, " (%s)", oneLine(s.Reason))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// oneLine keeps a text from breaking the layout, or a terminal.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
}

func spoken(m review.Mark) string {
	if m == review.Unsupported {
		return "not supported"
	}
	return string(m)
}

func plain(head table.Row, rows ...table.Row) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(head)
	t.AppendRows(rows)
	return t.Render()
}

func agreementTable(one review.RaterResult) string {
	rows := []table.Row{agreementRow("these statements", one.All)}
	if len(one.Languages) > 1 {
		for _, l := range one.Languages {
			rows = append(rows, agreementRow("  "+l.Language, l.All))
		}
	}
	p := one.All.Population
	rows = append(rows, table.Row{"the traffic", "", share(p.Raw), coefficient(p.Kappa), coefficient(p.AC1), share(p.Sensitivity), share(p.Specificity)})
	return plain(table.Row{"", "n", "agreement", "kappa", "ac1", "sensitivity", "specificity"}, rows...)
}

func agreementRow(name string, s agreement.Summary) table.Row {
	return table.Row{name, s.Statements, share(s.Raw), coefficient(s.Kappa), coefficient(s.AC1), share(s.Sensitivity), share(s.Specificity)}
}

func share(e *agreement.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%s (%.0f–%.0f)", percent(e.Value), 100*e.Low, 100*e.High)
}

func coefficient(e *agreement.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", e.Value, e.Low, e.High)
}

func betweenText(b review.Between) string {
	var rows []table.Row
	for _, p := range b.Pairs {
		rows = append(rows, table.Row{p.A + " and " + p.B, p.All.Statements, share(p.All.Raw), coefficient(p.All.Kappa), coefficient(p.All.AC1)})
	}
	alpha := "not known"
	if b.Alpha != nil {
		alpha = fmt.Sprintf("%.2f", *b.Alpha)
	}
	return "Between people:\n" + plain(table.Row{"", "n", "agreement", "kappa", "ac1"}, rows...) + "\nKrippendorff's alpha of all: " + alpha + "\n"
}
