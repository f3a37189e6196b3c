package drift_test

import (
	"syscall"
	"testing"
	"time"

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
