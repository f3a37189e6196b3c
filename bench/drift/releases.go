package main

import (
	"fmt"
	"math"
	"slices"

	"leadline/bench/goal"
	"leadline/drift"
	"leadline/scorer"
)

// Services of 60 answers a day with releases. A bad release comes in run releaseAt; the run
// before it is watched too, what came before that is learned.
const (
	releaseAt      = 1
	releaseFollow  = 60
	youngReference = 4              // with the run watched, 300 answers before
	oldReference   = 46             // 2,820 answers before
	rollBackAfter  = 5              // days
	releasePromise = 0.02           // drift.release_false_alarms
	releaseBudget  = budget / 3     // of 60 days
	seedReleases   = seedSilent + 1 // 9002
)

// releaseFigures is what the part releases measures.
type releaseFigures struct {
	Bad       []detection    `json:"bad,omitempty"`
	Nulls     []releaseNulls `json:"nulls,omitempty"`
	RollBacks []rollBack     `json:"roll_backs,omitempty"`
	Canaries  []detection    `json:"canaries,omitempty"`
	// Early are the canaries found while the old release still answers, by ID.
	Early   map[string]share `json:"canaries_found_early,omitempty"`
	Several *detection       `json:"several_silent,omitempty"`
	Told    []toldLater      `json:"told_later,omitempty"`
}

// releases measures good and bad releases, roll-backs, canaries, many releases a day, and
// releases that are only told of afterwards.
func (b *bench) releases() error {
	b.report.Releases = &releaseFigures{}
	for _, s := range []struct {
		name string
		run  func(*releaseFigures)
	}{
		{"bad", b.badReleases}, {"null", b.nullReleases}, {"rollback", b.rollBacks},
		{"canary", b.canaries}, {"several", b.severalReleases}, {"later", b.toldLater},
	} {
		if b.wantsOf("releases", s.name) {
			s.run(b.report.Releases)
		}
	}
	return nil
}

// badRelease is a fault that comes with a release on all traffic.
type badRelease struct {
	fault
	reference int
	// weekly goes on with a release every week, each with the fault, and has a new index
	// every night; else the bad release stays.
	weekly bool
}

func (c badRelease) id() string {
	s := fmt.Sprintf("%s, %d answers before", c.name, (c.reference+releaseAt)*silentSize)
	if c.weekly {
		return s + ", weekly releases go on"
	}
	return s
}

func badReleaseCases() []badRelease {
	var out []badRelease
	for _, f := range []fault{faultF(-0.05), faultF(-0.10), faultR(-0.05)} {
		out = append(out, badRelease{f, youngReference, false}, badRelease{f, oldReference, false})
	}
	return append(out, badRelease{faultF(-0.05), oldReference, true}, badRelease{faultF(-0.10), oldReference, true})
}

func (c badRelease) world(rep int) *rollout {
	good, bad := healthyPortion(), c.portion("bad")
	w := newRollout(seedReleases, rep, func(i int) []portion {
		p := good
		if i >= releaseAt {
			p = bad
		}
		if i < releaseAt || c.weekly {
			p.release = weeksFrom(releaseAt, i)
		}
		return []portion{p}
	})
	if c.weekly {
		w.channels = nights
	}
	return w
}

func (b *bench) badReleases(r *releaseFigures) {
	for _, c := range badReleaseCases() {
		d := detectionOf(c.id(), silentSize, replicate(b.n.Release, func(rep int) tale {
			told, m := follow(c.world(rep), shipped(), c.reference, releaseAt+releaseFollow, true)
			return taleOf(told, m, c.metric, releaseAt)
		}))
		r.Bad = append(r.Bad, d)
		b.say("bad release, %s: found %.3f, median %.0f days, regression %.3f", d.ID, d.Found.Share, d.Days, d.Kinds[drift.KindRegression].Share)
		if c.name == "F -0.05" && c.reference == youngReference {
			continue // below what 300 answers can show
		}
		b.goal(goal.AtLeast("release-found/"+d.ID, "bad releases found within 60 days, 60 answers a day", 0.95, d.Found.Share, d.Found.SE))
		called := d.Kinds[drift.KindRegression]
		b.goal(goal.AtLeast("release-called/"+d.ID, "those of them called a regression when first told", 0.80, called.Share, called.SE))
		b.goal(goal.AtMost("release-ended/"+d.ID, "those of them resolved while scores are still down", c.ended(), d.Ended.Share, d.Ended.SE))
	}
}

// releaseNulls is what releases that change nothing cost: the same scores under releases
// and under none.
type releaseNulls struct {
	ID         string `json:"id"`
	Services   int    `json:"services"`
	Releases   figure `json:"releases"`      // per service in 180 days
	Paged      share  `json:"paged"`         // services with a page
	Pages      figure `json:"pages"`         // runs with a page, per service
	Without    figure `json:"pages_without"` // the same, all answers of one release
	PerRelease figure `json:"per_release"`   // pages more, per release
	SE         figure `json:"se"`
}

func (b *bench) nullReleases(r *releaseFigures) {
	never := b.pagesUnder(func(int) func(int) []portion { return nullNever() })
	for _, c := range []struct {
		id       string
		releases float64
		begin    func(rep int) func(int) []portion
	}{
		{"weekly, on all traffic", 26, func(int) func(int) []portion { return nullWeekly() }},
		{"weekly canaries: 2 days on 10 %, 2 on 50 %", 26, func(int) func(int) []portion { return nullCanaries() }},
		{"two to four a day", 3 * watched, nullSeveral},
	} {
		n := nullsOf(c.id, c.releases, b.pagesUnder(c.begin), never)
		r.Nulls = append(r.Nulls, n)
		b.say("null releases, %s: %.4f ± %.4f per release", n.ID, n.PerRelease, n.SE)
		b.goal(goal.AtMost("release-null/"+n.ID, "false pages per release that changes nothing", releasePromise, n.PerRelease, n.SE))
		b.goal(goal.AtMost("release-null-service/"+n.ID, "services with a false page in 180 days, releases included", budget, n.Paged.Share, n.Paged.SE))
	}
}

func nullSeveral(rep int) func(int) []portion {
	p := healthyPortion()
	return several(generator(seedSplit+1, rep), func(int) portion { return p })
}

// pagesUnder counts the runs with a page in 180 days without a change.
func (b *bench) pagesUnder(begin func(rep int) func(int) []portion) []float64 {
	return replicate(b.n.Release/2, func(rep int) float64 {
		told, _ := follow(newRollout(seedReleases+1, rep, begin(rep)), shipped(), silentReference, watched, true)
		return float64(pagesOf(told, 0))
	})
}

// pagesOf counts runs with a page, from a run on.
func pagesOf(all []told, from int) int {
	runs := map[int]bool{}
	for _, e := range all {
		if e.run >= from {
			runs[e.run] = true
		}
	}
	return len(runs)
}

func nullsOf(id string, releases float64, pages, without []float64) releaseNulls {
	more := make([]float64, len(pages))
	paged := 0
	for i := range pages {
		more[i] = (pages[i] - without[i]) / releases
		if pages[i] > 0 {
			paged++
		}
	}
	m := momentsOf(more)
	least := 1 / (releases * float64(len(pages))) // one page more or less
	return releaseNulls{ID: id, Services: len(pages), Releases: figure(releases), Paged: goal.ShareOf(paged, len(pages)),
		Pages: figure(momentsOf(pages).mean), Without: figure(momentsOf(without).mean),
		PerRelease: figure(m.mean), SE: figure(math.Max(m.se(), least))}
}

// canaries are bad releases that get a tenth of the traffic for a week, half of it for
// another, and then all.
func (b *bench) canaries(r *releaseFigures) {
	r.Early = map[string]share{}
	for _, f := range []fault{faultF(-0.10), faultF(-0.20), faultR(-0.05)} {
		tales := replicate(b.n.Release, func(rep int) tale {
			told, m := follow(canaryWorld(f, rep), shipped(), oldReference, releaseAt+releaseFollow, true)
			return taleOf(told, m, f.metric, releaseAt)
		})
		d := detectionOf(f.name, silentSize, tales)
		early := slices.DeleteFunc(slices.Clone(tales), func(t tale) bool { return t.days <= 0 || t.days > 2*canaryDays })
		while := detectionOf(f.name+", found while the old one answers", silentSize, early)
		d.Answers, while.Answers = figure(math.NaN()), figure(math.NaN()) // of which release?
		r.Canaries, r.Early[d.ID] = append(r.Canaries, d, while), goal.ShareOf(len(early), d.Services)
		called := while.Kinds[drift.KindRegression]
		b.say("canary, %s: found early %.3f, called %.3f, by side %.3f", d.ID, r.Early[d.ID].Share, called.Share, while.Beside.Share)
		b.goal(goal.AtLeast("canary-found/"+d.ID, "bad canaries found while the old release still answers", 0.80, r.Early[d.ID].Share, r.Early[d.ID].SE))
		b.goal(goal.AtLeast("canary-called/"+d.ID, "those of them called a regression when first told", 0.80, called.Share, called.SE))
		silent := d.Later[drift.KindSilent]
		b.goal(goal.AtMost("canary-silent/"+d.ID, "bad canaries called silent when all traffic is theirs", 0.02, silent.Share, silent.SE))
		b.goal(goal.AtMost("canary-ended/"+d.ID, "bad canaries resolved while scores are still down", f.ended(), d.Ended.Share, d.Ended.SE))
	}
}

func canaryWorld(f fault, rep int) *rollout {
	old, bad := healthyPortion(), f.portion("bad")
	return newRollout(seedReleases+3, rep, func(i int) []portion {
		old.release = weeksFrom(releaseAt, min(i, releaseAt-1))
		if i < releaseAt {
			return []portion{old}
		}
		return beside(old, bad, step(i-releaseAt, canaryDays))
	})
}

// severalReleases is a silent fall of .05 under two to four releases a day: nothing can
// tell which of them it was, or that it was none.
func (b *bench) severalReleases(r *releaseFigures) {
	d := detectionOf("F -0.05, two to four releases a day", silentSize, replicate(b.n.Release, func(rep int) tale {
		good, low := healthyPortion(), faultF(-0.05).portion("")
		w := newRollout(seedReleases+4, rep, several(generator(seedSplit+2, rep), func(i int) portion {
			if i >= releaseAt {
				return low
			}
			return good
		}))
		told, m := follow(w, shipped(), oldReference, releaseAt+releaseFollow, true)
		return taleOf(told, m, scorer.Faithfulness, releaseAt)
	}))
	r.Several = &d
	b.say("several releases a day: found %.3f, median %.0f days", d.Found.Share, d.Days)
	b.goal(goal.AtLeast("several-found", "silent falls of .05 found within 60 days, two to four releases a day, 60 answers a day", 0.95, d.Found.Share, d.Found.SE))
	blamed := d.Kinds[drift.KindRegression]
	b.goal(goal.AtMost("several-blamed", "those of them called a regression when first told", 0.10, blamed.Share, blamed.SE))
	b.goal(goal.AtMost("several-ended", "those of them resolved while scores are still down", endedSmall, d.Ended.Share, d.Ended.SE))
}
