package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"leadline/drift"
	"leadline/sampler"
)

const collectTimeout = 5 * time.Second

// kinds are all that an incident can be, so that each has its line from the start.
var kinds = []drift.Kind{drift.KindSilent, drift.KindRegression, drift.KindUndecided, drift.KindDrop,
	drift.KindJudge, drift.KindBlind, drift.KindDelivery}

// Collector shows what the status says as metrics. Counts come from the ledgers, so they
// go on over a restart.
type Collector struct {
	source                                        Source
	mean, baseline, evidence                      *prometheus.Desc
	incidents, decided, offsets, records, waiting *prometheus.Desc
	store                                         *prometheus.Desc
}

// NewCollector returns a collector that asks source for each scrape.
func NewCollector(source Source) *Collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("leadline_"+name, help, labels, nil)
	}
	return &Collector{
		source:    source,
		mean:      desc("series_mean", "Mean of a series in its newest run; of a share, the share of records with the property.", "metric", "segment"),
		baseline:  desc("series_baseline_mean", "Mean of a series over its baseline; of a share, the share of records with the property.", "metric", "segment"),
		evidence:  desc("series_log_evidence", "Natural logarithm of the evidence that a series has fallen.", "metric", "segment"),
		incidents: desc("incidents", "Open incidents.", "kind"),
		decided:   desc("run_last_decided_timestamp_seconds", "End of the newest decided run."),
		offsets:   desc("offsets_total", "Offsets by the state in which they ended.", "state"),
		records:   desc("records_total", "Records by the state in which they ended.", "state"),
		waiting:   desc("records_waiting", "Records that wait to be scored."),
		store:     desc("store_size_bytes", "Size of the store's file."),
	}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.mean, c.baseline, c.evidence, c.incidents, c.decided, c.offsets, c.records, c.waiting, c.store} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. A status that cannot be read is an error of
// the scrape, not a set of zeros.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	s, err := c.source.Status(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(c.decided, err)
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, x := range newest(s.Series) {
		// Values come from the log; Prometheus takes valid UTF-8 only.
		metric, segment := string(x.Series.Metric), strings.ToValidUTF8(x.Series.Segment(), "\ufffd")
		gauge(c.mean, x.LastMean(), metric, segment)
		gauge(c.evidence, x.LnEvidence, metric, segment)
		if x.Baseline.N > 0 {
			gauge(c.baseline, x.UsualMean(), metric, segment)
		}
	}
	for _, k := range kinds {
		open := 0
		for _, i := range s.Incidents {
			if i.Kind == k && i.Open() {
				open++
			}
		}
		gauge(c.incidents, float64(open), string(k))
	}
	if !s.LastWindow.IsZero() {
		gauge(c.decided, float64(s.LastWindow.Unix()))
	}
	gauge(c.store, float64(s.StoreBytes))
	gauge(c.waiting, float64(s.Records[sampler.RecordWaiting]))
	c.ledgers(ch, s)
}

func (c *Collector) ledgers(ch chan<- prometheus.Metric, s Status) {
	counter := func(d *prometheus.Desc, n int64, state string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), state)
	}
	for _, state := range sampler.OffsetStates {
		counter(c.offsets, s.Offsets[state], string(state))
	}
	for _, state := range sampler.RecordStates {
		// Waiting is left again, so it is no counter.
		if state != sampler.RecordWaiting {
			counter(c.records, s.Records[state], string(state))
		}
	}
}

// newest keeps the judge that scored last, of series that differ by their judge only.
func newest(all []SeriesStatus) []SeriesStatus {
	var kept []SeriesStatus
	for _, x := range all {
		same := func(y SeriesStatus) bool {
			return y.Series.Metric == x.Series.Metric && y.Series.Segment() == x.Series.Segment()
		}
		switch at := slices.IndexFunc(kept, same); {
		case at < 0:
			kept = append(kept, x)
		case x.Run.After(kept[at].Run):
			kept[at] = x
		}
	}
	return kept
}
