package drift_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"leadline/config"
	"leadline/drift"
)

// cpuTime is what the process used so far: other work on the machine does not count.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchmarkEvaluate(b *testing.B, runs int) {
	w := demo(1)
	w.every, w.perRun = 6*time.Hour, 15
	h := w.history(0, runs)
	before := cpuTime()
	for b.Loop() {
		drift.Evaluate(h, defaults())
	}
	b.ReportMetric((cpuTime()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
}

func BenchmarkEvaluateTwelveWeeks(b *testing.B) { benchmarkEvaluate(b, 336) }

func BenchmarkEvaluateYear(b *testing.B) { benchmarkEvaluate(b, 1460) }

// benchmarkReplay decides a history run by run and reports the CPU time per run and series.
func benchmarkReplay(b *testing.B, h drift.History) {
	b.Helper()
	benchmarkReplayUnder(b, h, defaults())
}

func benchmarkReplayUnder(b *testing.B, h drift.History, cfg config.Drift) {
	b.Helper()
	b.ReportAllocs()
	decided := 0
	before := cpuTime()
	for b.Loop() {
		err := drift.Replay(h, cfg, func(_ time.Time, _ drift.History, r drift.Result) error {
			decided += len(r.States)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(decided), "cpu-ns/run/series")
}

// service is one with a number of departments and two metrics, and nothing that falls.
func service(depts int) *world {
	w := plain(1)
	w.runs, w.every, w.perRun = 1000, 6*time.Hour, 200
	w.depts = nil
	for d := range depts {
		w.depts = append(w.depts, fmt.Sprintf("d%02d", d))
	}
	return w
}

func BenchmarkReplayOneSeries(b *testing.B) {
	w := service(1)
	var h drift.History
	for _, r := range w.history(0, w.runs).Rows {
		if r.Metric == "faithfulness" {
			h.Rows = append(h.Rows, r)
		}
	}
	benchmarkReplay(b, h)
}

// Twenty segments and all of them, for two metrics.
func BenchmarkReplayFortySeries(b *testing.B) {
	w := service(20)
	benchmarkReplay(b, drift.History{Rows: w.history(0, w.runs).Rows})
}

// The same where the lengths of answers are known and told apart.
func BenchmarkReplayFortySeriesByLength(b *testing.B) {
	w := service(20)
	h := drift.History{Rows: w.history(0, w.runs).Rows}
	measure(rand.New(rand.NewPCG(1, 1)), h.Rows, time.Time{})
	cfg := defaults()
	cfg.LengthStrata = true
	benchmarkReplayUnder(b, h, cfg)
}

// The same with what the log shows beside the scores: releases, documents and shares.
func BenchmarkReplayFortySeriesWithTallies(b *testing.B) {
	w := service(20)
	benchmarkReplay(b, w.history(0, w.runs))
}

// Twelve weeks in which everything happens once, at four runs a day.
func BenchmarkReplayDemo(b *testing.B) {
	w := demo(1)
	w.every, w.perRun = 6*time.Hour, 15
	benchmarkReplay(b, w.history(0, 336))
}
