package drift

import (
	"math"
	"slices"
	"time"
)

// Ledger is the account of the budget of false alarms of one service over the last period:
// what is promised, by what it is spent, and what was alarmed.
type Ledger struct {
	From time.Time `json:"from"` // runs due after it
	To   time.Time `json:"to"`   // the newest run
	Live int       `json:"live"` // series with a baseline, down ones included
	// FalseAlarms is what everything together may spend in a period: the chance of a false
	// page, 0–1. Scans is what the scans of all series may, ForReleases what the trials of all
	// new releases may; 0 while no release is known of.
	FalseAlarms float64 `json:"false_alarms"`
	Scans       float64 `json:"scans"`
	ForReleases float64 `json:"for_releases"`
	Releases    int     `json:"releases"` // new ones that came in the period
	// Spent is what they were given, NextRelease what one that came now would be.
	Spent       float64 `json:"releases_spent"`
	NextRelease float64 `json:"next_release"`
	// Judge is what the controls may spend besides; 0 while no judge scores any.
	Judge float64 `json:"judge,omitempty"`
	// LnNeeded is ln(Live/Scans): what the first series needs to alarm. Of k that
	// alarm at once each needs ln k less.
	LnNeeded float64     `json:"ln_needed"`
	Alarms   int         `json:"alarms"` // of all rows
	Rows     []LedgerRow `json:"rows"`   // always all, in the order of the constants below
}

// LedgerKind is what a line of the ledger is about.
type LedgerKind string

// The lines of the ledger. The last two are in no budget: that a monitor is blind or a message
// undelivered is counted, not inferred.
const (
	LedgerScores   LedgerKind = "scores"
	LedgerShares   LedgerKind = "shares"
	LedgerReleases LedgerKind = "releases"
	LedgerJudge    LedgerKind = "judge"
	LedgerBlind    LedgerKind = "blind"
	LedgerDelivery LedgerKind = "delivery"
)

// LedgerRow is one line of the ledger.
type LedgerRow struct {
	Kind     LedgerKind `json:"kind"`
	Promised bool       `json:"promised"` // false: not part of the promise, whatever it does
	// Live counts the series with a baseline; of the releases' line, those that a release
	// is on trial in.
	Live int `json:"live"`
	// Budget is the part of FalseAlarms that the line may spend, 0–1: each series has an
	// equal part of Scans.
	Budget float64 `json:"budget"`
	// Strongest is the largest evidence now, of series that are not down; nil without any.
	Strongest *Strongest `json:"strongest,omitempty"`
	// Alarms were raised in the period. Series that fell together are one alarm, as they are
	// one incident. Each is open, or was accepted as the new normal, or ended without a word.
	Alarms   int `json:"alarms"`
	Open     int `json:"open"`
	Accepted int `json:"accepted"`
	Ended    int `json:"ended"`
}

// Strongest is the series with the most evidence of a fall, and how much that is.
type Strongest struct {
	Series     Series  `json:"series"`
	LnEvidence float64 `json:"ln_evidence"` // natural logarithm, as LnNeeded
	Release    string  `json:"release,omitempty"`
	// LnNeeded is what the judge's line needs; 0 in the others, which need Ledger.LnNeeded.
	LnNeeded float64 `json:"ln_needed,omitempty"`
}

// ledger draws up the account after a decision.
func (e *evaluation) ledger() Ledger {
	l := Ledger{
		From: e.now.Add(-e.Period), To: e.now, Live: e.live(),
		FalseAlarms: float64(e.FalseAlarms), Scans: e.scanning, ForReleases: float64(e.FalseAlarms) - e.scanning,
	}
	rulers := e.rulers()
	if len(rulers) > 0 {
		l.Judge = JudgeFalseAlarms
	}
	s := e.spending()
	l.Releases, l.Spent, l.NextRelease = s.newest, max(s.spent, 0), s.next // sums of what was added and taken may be off in the last bit
	l.LnNeeded = e.lnNeeded(l.Live, 1)
	for _, kind := range []LedgerKind{LedgerScores, LedgerShares} {
		row := LedgerRow{Kind: kind, Promised: true}
		e.countSeries(&row)
		row.Budget = l.Scans * float64(row.Live) / float64(max(l.Live, 1))
		l.Rows = append(l.Rows, row)
	}
	releases := LedgerRow{Kind: LedgerReleases, Promised: true, Budget: l.ForReleases}
	e.countTrials(&releases)
	l.Rows = append(l.Rows, releases, e.judgeRow(l, rulers), LedgerRow{Kind: LedgerBlind}, LedgerRow{Kind: LedgerDelivery})
	e.countAlarms(&l)
	return l
}

// judgeRow is the line of the controls. A move that a fall was the reason to look for is a
// part of the fall's alarm.
func (e *evaluation) judgeRow(l Ledger, rulers []Ruler) LedgerRow {
	row := LedgerRow{Kind: LedgerJudge, Promised: len(rulers) > 0, Live: len(rulers), Budget: l.Judge}
	for _, r := range rulers {
		if r.Status != "moved" {
			row.stronger(Strongest{Series: Series{Metric: r.Metric, Dim: ControlsDim, Value: string(KindJudge), Judge: r.Judge}, LnEvidence: r.LnEvidence, LnNeeded: r.LnNeeded})
		}
	}
	for _, m := range e.judges.moves {
		if m.Found || !m.Opened.After(l.From) {
			continue
		}
		row.Alarms++
		switch {
		case m.Resolved.IsZero():
			row.Open++
		case m.End == EndAccepted:
			row.Accepted++
		default:
			row.Ended++
		}
	}
	return row
}

// kindOf is the line that a series belongs to.
func kindOf(s Series) LedgerKind {
	if IsShare(s.Metric) {
		return LedgerShares
	}
	return LedgerScores
}

func (e *evaluation) countSeries(row *LedgerRow) {
	for i, t := range e.tracks {
		if kindOf(t.Series) != row.Kind || !e.isLive(i) {
			continue
		}
		row.Live++
		if s := e.scans[i]; s != nil {
			row.stronger(Strongest{Series: t.Series, LnEvidence: s.lnScan})
		}
	}
}

func (e *evaluation) countTrials(row *LedgerRow) {
	for i, t := range e.tracks {
		if s := e.scans[i]; s != nil && s.trial != "" {
			row.Live++
			row.stronger(Strongest{Series: t.Series, LnEvidence: s.lnTrial, Release: s.trial})
		}
	}
}

func (r *LedgerRow) stronger(s Strongest) {
	s.LnEvidence = max(s.LnEvidence, -maxExponent) // JSON has no −∞
	if r.Strongest == nil || s.LnEvidence > r.Strongest.LnEvidence {
		r.Strongest = &s
	}
}

// countAlarms puts each alarm of the period into the line of what raised it.
func (e *evaluation) countAlarms(l *Ledger) {
	for _, row := range l.Rows {
		l.Alarms += row.Alarms // of the judge
	}
	for _, episodes := range e.together() {
		first := episodes[0]
		if !first.Opened.After(l.From) {
			continue
		}
		kind := kindOf(first.Series)
		if first.Trial {
			kind = LedgerReleases
		}
		row := &l.Rows[slices.IndexFunc(l.Rows, func(r LedgerRow) bool { return r.Kind == kind })]
		l.Alarms++
		row.Alarms++
		switch {
		case slices.ContainsFunc(episodes, func(p Episode) bool { return p.Resolved.IsZero() }):
			row.Open++
		case slices.ContainsFunc(episodes, e.endedByWord):
			row.Accepted++
		default:
			row.Ended++
		}
	}
}

// endedByWord says whether an operator's word ended an episode, and not its scores before.
func (e *evaluation) endedByWord(p Episode) bool {
	if p.Undone {
		return !e.takenBackFrom(p)
	}
	return slices.ContainsFunc(e.Acceptances, func(a Acceptance) bool {
		i, _ := e.channels.run(a.At.Add(1))
		overBefore := i > 0 && p.Resolved.Before(e.channels.runs[i-1].Due)
		return a.Ends(p.Series, p.Opened) && !overBefore
	})
}

// together puts the episodes into groups, as incidents are formed of them: one that is
// found while others are open belongs to those of its kind, and to those with which its
// change set meets.
func (e *evaluation) together() [][]Episode {
	var groups [][]Episode
	for _, p := range e.episodes { // in the order of their opening
		at := slices.IndexFunc(groups, func(group []Episode) bool {
			return slices.ContainsFunc(group, func(q Episode) bool { return e.joins(p, q) })
		})
		if at < 0 {
			groups = append(groups, []Episode{p})
			continue
		}
		groups[at] = append(groups[at], p)
	}
	return groups
}

func (e *evaluation) joins(p, q Episode) bool {
	if !q.Resolved.IsZero() && !q.Resolved.After(p.Opened) {
		return false
	}
	from, to := e.channels.widen(changeSet(p))
	first, last := changeSet(q)
	return p.Kind == q.Kind || !from.After(last) && !to.Before(first)
}

// changeSet is where the change lies; where it begins, while nothing more was found.
func changeSet(p Episode) (from, to time.Time) {
	if p.Finding.Since.IsZero() {
		return p.From, p.From
	}
	return p.Finding.From, p.Finding.To
}

// muchMore is by how much more evidence a new release may need than a single one
// before it is worth a word.
const muchMore = 4

// LnMore is ln of how much more evidence of the next release its trial asks for than that of a
// single one in a period would; ok is false when that is not much.
func (l Ledger) LnMore() (lnMore float64, ok bool) {
	single := takes * l.ForReleases
	if single == 0 || l.NextRelease > single/muchMore {
		return 0, false
	}
	return math.Log(single / max(l.NextRelease, 1e-9)), true
}
