package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// DeliveryOptions says who is told, and how.
type DeliveryOptions struct {
	Receivers []string
	Language  string // "en" or "ja"
	Timezone  string
	BaseURL   string
	// ExpireAfter is when an undelivered message is given up.
	ExpireAfter time.Duration
	// Samples returns the lowest samples of an incident, worst first; nil: none.
	Samples func(Incident) []SampleRef
}

// Deliveries returns one message for each change and receiver, in that order. Changes
// outside production give none. The same changes give the same IDs.
func Deliveries(changes []Change, o DeliveryOptions, now time.Time) []Delivery {
	var out []Delivery
	for _, c := range changes {
		if !c.Incident.Pages() {
			continue
		}
		i := c.Incident
		m := o.message()
		m.Transition, m.Incident = c.Transition, &i
		if o.Samples != nil && len(i.Alerts) > 0 {
			m.Samples = o.Samples(i)
		}
		said := string(c.Transition) + "|" + i.Updated.UTC().Format(time.RFC3339) + "|" + i.says()
		out = append(out, o.toAll(m, i.ID, said, now)...)
	}
	return out
}

// reportExpires is how long a report is worth delivering.
const reportExpires = 7 * 24 * time.Hour

// ReportDeliveries returns one message for each receiver about a weekly report.
func ReportDeliveries(d *Digest, o DeliveryOptions, now time.Time) []Delivery {
	m := o.message()
	m.Report = d
	o.ExpireAfter = max(o.ExpireAfter, reportExpires)
	return o.toAll(m, "report_"+d.Service+"_"+d.Week, d.Verdict+"|"+strings.Join(d.Lines, "|"), now)
}

func (o DeliveryOptions) message() Message {
	return Message{Language: o.Language, Timezone: o.Timezone, BaseURL: o.BaseURL}
}

func (o DeliveryOptions) toAll(m Message, group, said string, now time.Time) []Delivery {
	out := make([]Delivery, 0, len(o.Receivers))
	for _, r := range o.Receivers {
		sum := sha256.Sum256([]byte(r + "\x00" + group + "\x00" + said))
		out = append(out, Delivery{
			ID: "msg_" + hex.EncodeToString(sum[:12]), Receiver: r, Group: group, Message: m,
			Created: now, Next: now, Expires: now.Add(o.ExpireAfter),
		})
	}
	return out
}
