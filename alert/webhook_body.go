package alert

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"leadline/drift"
)

const (
	maxAlerts      = 20
	statusFiring   = "firing"
	statusResolved = "resolved"
)

// webhookBody is the body of Alertmanager's webhook, version 4.
type webhookBody struct {
	Receiver           string            `json:"receiver"`
	Status             string            `json:"status"`
	Alerts             []webhookAlert    `json:"alerts"`
	GroupLabels        model.LabelSet    `json:"groupLabels"`
	CommonLabels       model.LabelSet    `json:"commonLabels"`
	CommonAnnotations  map[string]string `json:"commonAnnotations"`
	ExternalURL        string            `json:"externalURL"`
	Version            string            `json:"version"`
	GroupKey           string            `json:"groupKey"`
	TruncatedAlerts    int               `json:"truncatedAlerts"`
	NotificationReason string            `json:"notification_reason"`
}

type webhookAlert struct {
	Status       string            `json:"status"`
	Labels       model.LabelSet    `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"` // the zero time while it fires
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"`
}

func webhookBodyOf(d Delivery) webhookBody {
	text := Render(d.Message)
	var alerts []webhookAlert
	group := model.LabelSet{}
	switch i := d.Message.Incident; {
	case i != nil:
		alerts = webhookAlerts(d.Message, text)
		group = groupLabels(*i)
	case d.Message.Report != nil:
		alerts = []webhookAlert{reportAlert(d, text)}
		group = model.LabelSet{"alertname": "LeadlineWeeklyReport", "service": label(d.Message.Report.Service)}
	}
	b := webhookBody{
		Receiver: d.Receiver, Status: statusResolved, Alerts: alerts, GroupLabels: group,
		ExternalURL: d.Message.BaseURL, Version: "4", GroupKey: "{}:" + group.String(),
		NotificationReason: reasonOf(text.Status),
	}
	if b.TruncatedAlerts = max(len(alerts)-maxAlerts, 0); b.TruncatedAlerts > 0 {
		b.Alerts = alerts[:maxAlerts]
	}
	if text.Status == Firing || text.Status == Updated {
		b.Status = statusFiring
	}
	b.CommonLabels, b.CommonAnnotations = common(alerts)
	return b
}

func reasonOf(t Transition) string {
	switch t {
	case Updated:
		return "alerts changed"
	case Resolved:
		return "all alerts resolved"
	case StatusReport:
		return "weekly report"
	case Firing:
	}
	return "first notification"
}

// groupLabels keep an incident one group for as long as it lives: its ID is in them, its
// kind, which may sharpen, is not.
func groupLabels(i Incident) model.LabelSet {
	name := model.LabelValue("RAGQualityDrift")
	switch i.Kind {
	case drift.KindBlind:
		name = "LeadlineBlind"
	case drift.KindDelivery:
		name = "LeadlineDeliveryFailing"
	case drift.KindSilent, drift.KindRegression, drift.KindUndecided, drift.KindDrop, drift.KindJudge:
	}
	return model.LabelSet{"alertname": name, "service": label(i.Service), "incident": label(i.ID)}
}

func webhookAlerts(m Message, text Text) []webhookAlert {
	i := *m.Incident
	r := newRenderer(m)
	if len(i.Alerts) == 0 {
		return []webhookAlert{r.troubleAlert(i, text)}
	}
	alerts := []webhookAlert{}
	seen := map[string]bool{}
	for _, a := range i.Alerts {
		// A series that fell twice is one alert, in its newest state: open ones come first.
		if w := r.webhookAlert(i, a, text); !seen[w.Fingerprint] {
			seen[w.Fingerprint] = true
			alerts = append(alerts, w)
		}
	}
	return alerts
}

func (r renderer) webhookAlert(i Incident, a Alert, text Text) webhookAlert {
	f := a.Finding
	labels := groupLabels(i)
	labels["severity"] = model.LabelValue(text.Severity)
	labels["environment"] = label(i.Environment)
	labels["metric"] = label(string(f.Series.Metric))
	labels["segment"] = label(f.Series.Segment())
	annotations := annotationsOf(text)
	annotations["summary"] = r.verdict(i, a)
	if !a.Open() && i.Open() {
		annotations["summary"] = r.segment(f.Series) + ": " + fmt.Sprintf(r.SeriesEnded, r.metric(f), r.at(a.Resolved))
	}
	annotations["description"] = joinLines(r.causes(f))
	if f.Ruler != nil {
		annotations["summary"], annotations["description"] = text.Verdict, plainBody(text)
		labels["segment"] = label(drift.ControlsDim)
	}
	annotations["kind"] = string(i.Kind)
	annotations["since"] = f.Since.UTC().Format(time.RFC3339)
	annotations["value"] = number(f.After.Mean)
	annotations["baseline"] = number(f.Before.Mean)
	annotations["drop"] = number(f.Drop)
	annotations["drop_low"] = number(f.Low)
	annotations["drop_high"] = number(f.High)
	annotations["window_samples"] = strconv.Itoa(f.After.N)
	addJudge(annotations, f)
	if a.Value != "" {
		annotations["release"] = clean(a.Value, maxValue)
	}
	return finish(labels, annotations, a.Opened, laterOf(a.Resolved, i.Resolved))
}

// addJudge says whether the judge moved, in figures.
func addJudge(annotations map[string]string, f drift.Finding) {
	j := f.Evidence.Judge
	if m := f.Ruler; m != nil {
		j = drift.JudgeEvidence{Items: m.Shift.Items, Verdict: drift.JudgeMoved, Shift: m.Shift.Mean, Low: m.Shift.Low, High: m.Shift.High, Only: m.Shift.Only}
	}
	if j.Items == 0 {
		return
	}
	annotations["judge"], annotations["judge_items"] = j.Verdict, strconv.Itoa(j.Items)
	annotations["judge_shift"], annotations["judge_shift_low"], annotations["judge_shift_high"] = number(j.Shift), number(j.Low), number(j.High)
	switch j.Verdict {
	case drift.JudgeCleared:
		annotations["judge_excludes"] = number(j.Excludes)
	case drift.JudgeNotExcluded:
		annotations["judge_can_see"] = number(j.CanSee)
	}
	if j.Only != "" {
		annotations["judge_only_language"] = j.Only
	}
	if c := j.Corrected; c != nil {
		annotations["corrected_drop"], annotations["corrected_drop_low"], annotations["corrected_drop_high"] = number(c.Drop), number(c.Low), number(c.High)
	}
}

// laterOf is when an alert ended: when its series did, else with the incident.
func laterOf(series, incident time.Time) time.Time {
	if series.IsZero() {
		return incident
	}
	return series
}

func (r renderer) troubleAlert(i Incident, text Text) webhookAlert {
	labels := groupLabels(i)
	labels["severity"] = model.LabelValue(text.Severity)
	labels["environment"] = label(i.Environment)
	annotations := annotationsOf(text)
	annotations["kind"] = string(i.Kind)
	annotations["problem"] = clean(i.Problem, maxName)
	annotations["since"] = i.Since.UTC().Format(time.RFC3339)
	return finish(labels, annotations, i.Opened, i.Resolved)
}

// reportAlert carries a report as an alert that is over, so that it wakes nobody.
func reportAlert(d Delivery, text Text) webhookAlert {
	labels := model.LabelSet{
		"alertname": "LeadlineWeeklyReport", "service": label(d.Message.Report.Service),
		"severity": model.LabelValue(Info), "week": label(d.Message.Report.Week),
	}
	return finish(labels, annotationsOf(text), d.Created, d.Created)
}

func annotationsOf(t Text) map[string]string {
	a := map[string]string{"title": t.Title, "summary": t.Verdict, "description": plainBody(t), "scope": t.Scope}
	if t.Banner != "" {
		a["banner"] = t.Banner
	}
	for n, l := range t.Links {
		a[[]string{"dashboard_url", "samples_url"}[min(n, 1)]] = l.URL
	}
	for name, value := range a {
		if value == "" {
			delete(a, name)
		}
	}
	return a
}

func finish(labels model.LabelSet, annotations map[string]string, start, end time.Time) webhookAlert {
	for name, value := range labels {
		if value == "" {
			delete(labels, name)
		}
	}
	a := webhookAlert{Status: statusFiring, Labels: labels, Annotations: annotations, StartsAt: start.UTC(),
		GeneratorURL: annotations["dashboard_url"], Fingerprint: labels.Fingerprint().String()}
	if !end.IsZero() {
		a.Status, a.EndsAt = statusResolved, end.UTC()
	}
	return a
}

// common is what all alerts share.
func common(alerts []webhookAlert) (model.LabelSet, map[string]string) {
	labels, annotations := model.LabelSet{}, map[string]string{}
	for n, a := range alerts {
		if n == 0 {
			labels = a.Labels.Clone()
			annotations = maps.Clone(a.Annotations)
			continue
		}
		for k, v := range labels {
			if a.Labels[k] != v {
				delete(labels, k)
			}
		}
		for k, v := range annotations {
			if a.Annotations[k] != v {
				delete(annotations, k)
			}
		}
	}
	return labels, annotations
}

func label(s string) model.LabelValue { return model.LabelValue(clean(s, 2*maxName)) }

func number(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 4, 64), ".0000")
}
