package main

import (
	"slices"

	"leadline/bench/goal"
	"leadline/drift"
)

// rollBack is what was told when a bad release is taken back after five days.
type rollBack struct {
	ID       string `json:"id"`
	Services int    `json:"services"` // without a page before the bad release
	Found    share  `json:"found"`    // while the bad release was there
	Called   share  `json:"called"`   // of those, a regression in the run before the roll-back
	Resolved share  `json:"resolved"` // of those called one, resolved in the run of the roll-back
	Ended    share  `json:"ended"`    // of all found, resolved within a week of it
	// After are those found, Late those not found, with a page in the 60 days from the
	// roll-back on.
	After share `json:"pages_after"`
	Late  share `json:"pages_late"`
}

func (b *bench) rollBacks(r *releaseFigures) {
	for _, f := range []fault{faultF(-0.10), faultF(-0.20), faultR(-0.05)} {
		x := rollBackOf(f.name, replicate(b.n.Release, func(rep int) returned { return rollingBack(f, rep) }))
		r.RollBacks = append(r.RollBacks, x)
		b.say("roll-back, %s: found %.3f, called %.3f, resolved %.3f, pages after %.3f", x.ID, x.Found.Share, x.Called.Share, x.Resolved.Share, x.After.Share)
		b.goal(goal.AtLeast("rollback-resolved/"+x.ID, "regressions resolved in the run of the roll-back", 0.99, x.Resolved.Share, x.Resolved.SE))
		b.goal(goal.AtMost("rollback-after/"+x.ID, "services told of the bad release with a page in the 60 days after its roll-back", releaseBudget, x.After.Share, x.After.SE))
	}
}

// returned is one service whose bad release was taken back.
type returned struct {
	early, found, called, resolved, ended, after bool
}

func rollingBack(f fault, rep int) returned {
	const back = releaseAt + rollBackAfter
	good, bad := healthyPortion(), f.portion("bad")
	w := newRollout(seedReleases+2, rep, func(i int) []portion {
		if i >= releaseAt && i < back {
			return []portion{bad}
		}
		good.release = weeksFrom(releaseAt, min(i, releaseAt-1))
		return []portion{good}
	})
	m := newMonitor(shipped())
	var out returned
	before := m.follow(w, oldReference, back, true)
	out.early = len(before) > 0 && before[0].run < releaseAt
	out.found = len(before) > 0
	out.called = slices.ContainsFunc(m.result.Episodes, func(e drift.Episode) bool { return e.Kind == drift.KindRegression })
	for i := back; i < back+releaseFollow; i++ {
		out.after = len(m.next(w.run(i))) > 0 || out.after
		over := allResolved(m.result.Episodes)
		out.resolved = out.resolved || over && i == back
		out.ended = out.ended || over && i == back+6
	}
	return out
}

func allResolved(episodes []drift.Episode) bool {
	return !slices.ContainsFunc(episodes, func(e drift.Episode) bool { return e.Resolved.IsZero() })
}

func rollBackOf(id string, all []returned) rollBack {
	x := rollBack{ID: id}
	var found, called, resolved, ended, after, late int
	for _, r := range all {
		if r.early {
			continue
		}
		x.Services++
		found += one(r.found)
		called += one(r.found && r.called)
		resolved += one(r.found && r.called && r.resolved)
		ended += one(r.found && r.ended)
		after += one(r.found && r.after)
		late += one(!r.found && r.after)
	}
	x.Found, x.Called, x.Resolved = goal.ShareOf(found, x.Services), goal.ShareOf(called, found), goal.ShareOf(resolved, called)
	x.Ended, x.After, x.Late = goal.ShareOf(ended, found), goal.ShareOf(after, found), goal.ShareOf(late, x.Services-found)
	return x
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
