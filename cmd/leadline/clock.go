package main

import (
	"sync"
	"time"

	"leadline/sampler"
)

// clock tells the time that windows close by. With wall time, a partition that is read to
// its end counts as now; with the log's own time it counts as its newest records.
type clock struct {
	wall func() time.Time // nil: the log's own time

	mu    sync.Mutex // guards marks
	marks map[partition]time.Time
}

type partition struct {
	topic  string
	number int
}

func newClock(wall func() time.Time) *clock {
	return &clock{wall: wall, marks: map[partition]time.Time{}}
}

// observe takes note of what was read of a partition. A mark never goes back.
func (c *clock) observe(r sampler.Range) {
	mark := r.Watermark
	if c.wall != nil && r.AtEnd {
		mark = c.wall()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := partition{r.Topic, r.Partition}
	if old, ok := c.marks[key]; !ok || mark.After(old) {
		c.marks[key] = mark
	}
}

// knows says whether the partition of a range was observed before.
func (c *clock) knows(r sampler.Range) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.marks[partition{r.Topic, r.Partition}]
	return ok
}

// low returns the time up to which all partitions were read; zero while one was not.
func (c *clock) low() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	var low time.Time
	first := true
	for _, mark := range c.marks {
		if first || mark.Before(low) {
			low, first = mark, false
		}
	}
	return low
}

// now is wall time, or the low watermark of the log.
func (c *clock) now() time.Time {
	if c.wall != nil {
		return c.wall()
	}
	return c.low()
}

// seen says whether any partition was read.
func (c *clock) seen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.marks) > 0
}
