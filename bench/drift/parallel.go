package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// replicate runs a job for each replicate on as many cores as Go may use and returns what
// they made in the order of their numbers: the result does not depend on the cores.
func replicate[T any](n int, job func(rep int) T) []T {
	out := make([]T, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for rep := int(next.Add(1)) - 1; rep < n; rep = int(next.Add(1)) - 1 {
				out[rep] = job(rep)
			}
		})
	}
	group.Wait()
	return out
}
