package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
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
		b.goal(atLeast("release-found/"+d.ID, "bad releases found within 60 days, 60 answers a day", 0.95, d.Found.Share, d.Found.SE))
		called := d.Kinds[drift.KindRegression]
		b.goal(atLeast("release-called/"+d.ID, "those of them called a regression when first told", 0.80, called.Share, called.SE))
		b.goal(atMost("release-ended/"+d.ID, "those of them resolved while scores are still down", c.ended(), d.Ended.Share, d.Ended.SE))
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
		b.goal(atMost("release-null/"+n.ID, "false pages per release that changes nothing", releasePromise, n.PerRelease, n.SE))
		b.goal(atMost("release-null-service/"+n.ID, "services with a false page in 180 days, releases included", budget, n.Paged.Share, n.Paged.SE))
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
	return releaseNulls{ID: id, Services: len(pages), Releases: figure(releases), Paged: shareOf(paged, len(pages)),
		Pages: figure(momentsOf(pages).mean), Without: figure(momentsOf(without).mean),
		PerRelease: figure(m.mean), SE: figure(math.Max(m.se(), least))}
}

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
		b.goal(atLeast("rollback-resolved/"+x.ID, "regressions resolved in the run of the roll-back", 0.99, x.Resolved.Share, x.Resolved.SE))
		b.goal(atMost("rollback-after/"+x.ID, "services told of the bad release with a page in the 60 days after its roll-back", releaseBudget, x.After.Share, x.After.SE))
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
	x.Found, x.Called, x.Resolved = shareOf(found, x.Services), shareOf(called, found), shareOf(resolved, called)
	x.Ended, x.After, x.Late = shareOf(ended, found), shareOf(after, found), shareOf(late, x.Services-found)
	return x
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
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
		r.Canaries, r.Early[d.ID] = append(r.Canaries, d, while), shareOf(len(early), d.Services)
		called := while.Kinds[drift.KindRegression]
		b.say("canary, %s: found early %.3f, called %.3f, by side %.3f", d.ID, r.Early[d.ID].Share, called.Share, while.Beside.Share)
		b.goal(atLeast("canary-found/"+d.ID, "bad canaries found while the old release still answers", 0.80, r.Early[d.ID].Share, r.Early[d.ID].SE))
		b.goal(atLeast("canary-called/"+d.ID, "those of them called a regression when first told", 0.80, called.Share, called.SE))
		silent := d.Later[drift.KindSilent]
		b.goal(atMost("canary-silent/"+d.ID, "bad canaries called silent when all traffic is theirs", 0.02, silent.Share, silent.SE))
		b.goal(atMost("canary-ended/"+d.ID, "bad canaries resolved while scores are still down", f.ended(), d.Ended.Share, d.Ended.SE))
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
	b.goal(atLeast("several-found", "silent falls of .05 found within 60 days, two to four releases a day, 60 answers a day", 0.95, d.Found.Share, d.Found.SE))
	blamed := d.Kinds[drift.KindRegression]
	b.goal(atMost("several-blamed", "those of them called a regression when first told", 0.10, blamed.Share, blamed.SE))
	b.goal(atMost("several-ended", "those of them resolved while scores are still down", endedSmall, d.Ended.Share, d.Ended.SE))
}

// toldLater is what becomes of a drop, the release being in no record, when somebody tells
// of releases a day after the page.
type toldLater struct {
	ID    string               `json:"id"`
	Drops share                `json:"drops"` // first told as a drop, of all found
	Kinds map[drift.Kind]share `json:"kinds"` // a day later, of the drops
}

// hearsay is what somebody may tell after a page.
type hearsay struct {
	id, goal string
	kind     drift.Kind // that the drop should become
	mark     func(m *monitor, f drift.Finding) drift.Mark
}

func hearsays() []hearsay {
	release := func(at time.Time) drift.Mark {
		return drift.Mark{Channel: sampler.ChannelRelease, Value: "v2", Source: "api", At: at}
	}
	return []hearsay{
		{"a release at the run of the change as it was told", "told-since", drift.KindRegression,
			func(_ *monitor, f drift.Finding) drift.Mark { return release(f.Since) }},
		{"the bad release at its true time", "told-true", drift.KindRegression,
			func(m *monitor, _ drift.Finding) drift.Mark { return release(m.due(oldReference + releaseAt)) }},
		{"no release until now", "told-none", drift.KindSilent, func(m *monitor, _ drift.Finding) drift.Mark {
			return drift.Mark{Channel: sampler.ChannelRelease, Source: "api", Through: m.due(m.runs)}
		}},
	}
}

func (b *bench) toldLater(r *releaseFigures) {
	kinds := replicate(b.n.Release, reporting)
	for k, say := range hearsays() {
		drops, found := 0, 0
		count := map[drift.Kind]int{}
		for _, got := range kinds {
			if len(got) == 0 {
				continue
			}
			found++
			if got[0] != drift.KindDrop {
				continue
			}
			drops++
			count[got[1+k]]++
		}
		t := toldLater{ID: say.id, Drops: shareOf(drops, found), Kinds: map[drift.Kind]share{}}
		for _, kind := range kindsShown() {
			t.Kinds[kind] = shareOf(count[kind], drops)
		}
		r.Told = append(r.Told, t)
		b.say("told later, %s: %s %.3f", t.ID, say.kind, t.Kinds[say.kind].Share)
		b.goal(atLeast(say.goal, "drops that become "+string(say.kind)+" a day after somebody told of "+say.id, 0.90, t.Kinds[say.kind].Share, t.Kinds[say.kind].SE))
	}
}

// reporting returns the kind of the page of an unlogged bad release, F −.10, and its kind in
// the run after, for each thing that somebody may have told until then.
func reporting(rep int) []drift.Kind {
	w := badRelease{faultF(-0.10), oldReference, false}.world(rep)
	w.unlogged = true
	told, m := follow(w, shipped(), oldReference, releaseAt+releaseFollow, false)
	if len(told) == 0 || told[0].run < releaseAt {
		return nil
	}
	page := told[0]
	kinds := []drift.Kind{page.Kind}
	after := w.run(page.run + 1)
	for _, say := range hearsays() {
		other := m.told(say.mark(m, page.Finding))
		other.next(after)
		for _, e := range other.result.Episodes {
			if e.Series == page.Series && e.Opened.Equal(page.Opened) {
				kinds = append(kinds, e.Kind)
			}
		}
	}
	return kinds
}
