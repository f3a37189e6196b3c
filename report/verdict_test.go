package report_test

import (
	"strings"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/scorer"
)

func TestAssess(t *testing.T) {
	to := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	from, before := to.AddDate(0, 0, -7), to.AddDate(0, 0, -20)
	state := func(status string) []drift.State {
		return []drift.State{{Series: drift.Series{Metric: scorer.Faithfulness}, Status: status}}
	}
	incident := func(k drift.Kind, opened, resolved time.Time) []alert.Incident {
		return []alert.Incident{{Kind: k, Opened: opened, Resolved: resolved}}
	}
	note := []drift.Note{{Kind: "corpus", At: before}}
	over := []drift.Note{{Kind: "corpus", At: before, Until: before.AddDate(0, 0, 1)}}
	for name, c := range map[string]struct {
		facts report.Facts
		want  report.Verdict
	}{
		"all steady":                {report.Facts{States: state("ok"), Scored: 100, Samples: 100}, report.Stable},
		"steady, old note":          {report.Facts{States: state("ok"), Scored: 100, Samples: 100, Notes: over}, report.Stable},
		"old incident":              {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindSilent, before, before.AddDate(0, 0, 1))}, report.Stable},
		"nothing scored":            {report.Facts{States: state("ok"), Samples: 100}, report.Unknown},
		"no series":                 {report.Facts{Scored: 100, Samples: 100}, report.Unknown},
		"learning":                  {report.Facts{States: state("learning"), Scored: 100, Samples: 100}, report.Unknown},
		"only shares are known":     {report.Facts{States: []drift.State{{Series: drift.Series{Metric: drift.ShareRefusal}, Status: "ok"}}, Scored: 9, Samples: 9}, report.Unknown},
		"half got no score":         {report.Facts{States: state("ok"), Scored: 40, Samples: 100}, report.Unknown},
		"blind":                     {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindBlind, from, time.Time{})}, report.Unknown},
		"judge moved":               {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindJudge, from, time.Time{})}, report.Unknown},
		"drop is open":              {report.Facts{States: state("down"), Scored: 9, Samples: 9, Incidents: incident(drift.KindDrop, before, time.Time{})}, report.Drift},
		"drop is known, now blind":  {report.Facts{Incidents: append(incident(drift.KindSilent, before, time.Time{}), incident(drift.KindBlind, from, time.Time{})...)}, report.Drift},
		"drop was over in the week": {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindRegression, before, from.AddDate(0, 0, 2))}, report.Watch},
		"drop was over after it":    {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindSilent, before, to.AddDate(0, 0, 2))}, report.Drift},
		"drop came after the week":  {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindSilent, to.AddDate(0, 0, 2), time.Time{})}, report.Stable},
		"watched":                   {report.Facts{States: state("watch"), Scored: 9, Samples: 9}, report.Watch},
		"outdated document":         {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Notes: note}, report.Watch},
		"alerts are not delivered":  {report.Facts{States: state("ok"), Scored: 9, Samples: 9, Incidents: incident(drift.KindDelivery, from, time.Time{})}, report.Watch},
	} {
		c.facts.From, c.facts.To = from, to
		for _, lang := range []string{"en", "ja"} {
			got, sentence := report.Assess(c.facts, report.NewWords(lang, time.UTC))
			if got != c.want {
				t.Errorf("%s: %s (%s), want %s", name, got, sentence, c.want)
			}
			scope := map[string]string{"en": "orrectness not measured", "ja": "正しさは測定していません"}[lang]
			if got != report.Unknown && !strings.Contains(sentence, scope) {
				t.Errorf("%s: %q does not say what is not measured", name, sentence)
			}
		}
	}
}
