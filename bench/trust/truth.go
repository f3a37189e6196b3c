package main

// truth is what really happens after the change, in one metric. The sizes are shares of texts.
type truth struct {
	name string
	// worse is the share of answers that the service spoils.
	worse float64
	// strict is the share of texts with a score above 0 that the judge now gives 0; lenient
	// that of texts below 1 that it now gives 1. They are fixed to texts: the same item is
	// hit in every run.
	strict, lenient float64
	want            verdict
	// small is true of moves that are smaller than what the controls promise to tell: they
	// are shown, and no goal is set for them.
	small bool
}

// verdict is what a person was told, all in all.
type verdict int

const (
	toldNothing verdict = iota
	toldSystem
	toldOpen // a fall, and that the judge cannot be excluded
	toldJudge
	toldBoth
	verdicts
)

func (v verdict) String() string {
	return [...]string{"nothing", "system", "undetermined", "judge", "both"}[v]
}

func truths() []truth {
	return []truth{
		{name: "nothing", want: toldNothing},
		{name: "system worse", worse: 0.18, want: toldSystem},
		{name: "judge stricter", strict: 0.22, want: toldJudge},
		{name: "judge lenient", lenient: 0.35, want: toldJudge},
		{name: "yes to all", lenient: 1, want: toldJudge},
		{name: "both", worse: 0.50, strict: 0.22, want: toldBoth},
		{name: "stricter, small", strict: 0.12, want: toldJudge, small: true},
	}
}
