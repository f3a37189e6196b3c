package main

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"leadline/agreement"
)

// labelCheck compares scores with what people say of the same answers.
type labelCheck struct {
	field    string
	cases    []agreement.Case
	table    agreement.Table
	unknown  int // lines without a label that can be read
	unscored int // labeled lines without a faithfulness
}

// see takes a line and what came of it. A line of several records has no one label.
func (l *labelCheck) see(line []byte, results []scored) {
	if l.field == "" {
		return
	}
	unfaithful, ok := readLabel(gjson.GetBytes(line, l.field).String())
	switch {
	case !ok || len(results) != 1:
		l.unknown++
	case results[0].Faithfulness == nil:
		l.unscored++
	default:
		score := *results[0].Faithfulness
		l.cases = append(l.cases, agreement.Case{Score: -score, Positive: unfaithful})
		l.table.Add(unfaithful, score < 1, 1)
	}
}

// readLabel says whether a label means unfaithful, and whether it means anything.
func readLabel(text string) (unfaithful, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "faithful", "supported", "true", "1", "yes":
		return false, true
	case "unfaithful", "unsupported", "not supported", "false", "0", "no":
		return true, true
	}
	return false, false
}

// text says how well the scores agree with the labels.
func (l *labelCheck) text(lexical bool) string {
	t := l.table
	var b strings.Builder
	fmt.Fprintf(&b, "labels    %d answers compared, %.0f of them labeled unfaithful", len(l.cases), t.Unsupported())
	if l.unknown > 0 {
		fmt.Fprintf(&b, "; %d lines without faithful or unfaithful in %s", l.unknown, l.field)
	}
	if l.unscored > 0 {
		fmt.Fprintf(&b, "; %d labeled ones without a faithfulness", l.unscored)
	}
	if len(l.cases) == 0 {
		return b.String()
	}
	auroc := "not known: it takes answers of both kinds"
	if e := agreement.AUROC(l.cases); e != nil {
		auroc = fmt.Sprintf("%.2f (%.2f to %.2f)", e.Value, e.Low, e.High)
	}
	fmt.Fprintf(&b, "\nAUROC     %s of the faithfulness for the label\n", auroc)
	fmt.Fprintf(&b, "below 1   called unfaithful: agreement %s, sensitivity %s, specificity %s, kappa %s, AC1 %s",
		share(agreement.Wilson(t.BothUnsupported+t.BothSupported, t.N())), share(agreement.Wilson(t.BothUnsupported, t.Unsupported())),
		share(agreement.Wilson(t.BothSupported, t.Supported())), known(t.Kappa()), known(t.AC1()))
	if lexical {
		b.WriteString("\nthe stand-in only compares words: this says how far that goes, not how good a judge is")
	}
	return b.String()
}

func known(v *float64) string {
	if v == nil {
		return "not known"
	}
	return fmt.Sprintf("%.2f", *v)
}
