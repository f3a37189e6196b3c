package sampler

import (
	"slices"
	"time"
)

const (
	watermarkMemory = 1000 // records
	watermarkRank   = 20
	// maxAhead is how far in the future a record time may lie before it is not believed.
	maxAhead = 10 * time.Minute
)

// Watermark follows the record time of one partition: it is the 20th-largest record time
// of the last 1,000, so that a few wrong clocks close nothing. The zero value is ready.
// It is not safe for concurrent use.
type Watermark struct {
	times []int64 // ring, Unix nanoseconds
	next  int
	stale bool
	mark  time.Time
}

// Observe takes the time of a record. A time more than 10 minutes after now is left out,
// unless now is zero (a clock that follows the records); so is a zero time.
func (w *Watermark) Observe(t, now time.Time) {
	if t.IsZero() || isFuture(t, now) {
		return
	}
	w.stale = true
	if len(w.times) < watermarkMemory {
		w.times = append(w.times, t.UnixNano())
		return
	}
	w.times[w.next] = t.UnixNano()
	w.next = (w.next + 1) % watermarkMemory
}

// Time returns the watermark in UTC; zero until 20 records were seen.
func (w *Watermark) Time() time.Time {
	if len(w.times) < watermarkRank {
		return time.Time{}
	}
	if w.stale {
		sorted := slices.Clone(w.times)
		slices.Sort(sorted)
		w.mark = time.Unix(0, sorted[len(sorted)-watermarkRank]).UTC()
		w.stale = false
	}
	return w.mark
}

func isFuture(t, now time.Time) bool { return !now.IsZero() && t.After(now.Add(maxAhead)) }
