package agreement

// Sample is an answer whose statements a person and a judge have judged.
type Sample struct {
	// Stratum is what the sample was drawn from, Weight how many answers it stands for.
	Stratum  string
	Weight   float64
	Verdicts []Verdict
}

// Verdict is what both say about one statement: true is unsupported.
type Verdict struct{ Person, Judge bool }

// Summary is how a judge agrees with a person.
type Summary struct {
	Samples    int `json:"samples"` // with at least one statement that both judged
	Statements int `json:"statements"`
	// Table counts the statements, and the figures below are of them. The intervals of Raw,
	// Sensitivity and Specificity are Wilson's, which take statements for independent; those
	// of κ and AC1 are by bootstrap over samples.
	Table       Table     `json:"table"`
	Raw         *Estimate `json:"raw,omitempty"`
	Kappa       *Estimate `json:"kappa,omitempty"`
	AC1         *Estimate `json:"ac1,omitempty"`
	Sensitivity *Estimate `json:"sensitivity,omitempty"`
	Specificity *Estimate `json:"specificity,omitempty"`
	// Population is about all answers that the samples were drawn from.
	Population Population `json:"population"`
}

// Population are weighted figures, with intervals by bootstrap over samples within strata.
type Population struct {
	Raw         *Estimate `json:"raw,omitempty"`
	Kappa       *Estimate `json:"kappa,omitempty"`
	AC1         *Estimate `json:"ac1,omitempty"`
	Sensitivity *Estimate `json:"sensitivity,omitempty"`
	Specificity *Estimate `json:"specificity,omitempty"`
	// Unsupported is the share of statements that the person calls unsupported.
	Unsupported *Estimate `json:"unsupported,omitempty"`
}

// Summarize compares the verdicts of both raters.
func Summarize(samples []Sample) Summary {
	strata, used := byStratum(samples)
	s := Summary{Samples: used, Table: tally(samples, false)}
	t := s.Table
	s.Statements = int(t.N())
	s.Raw = Wilson(t.BothUnsupported+t.BothSupported, t.N())
	s.Sensitivity = Wilson(t.BothUnsupported, t.Unsupported())
	s.Specificity = Wilson(t.BothSupported, t.Supported())
	figure := func(weighted bool, of func(Table) *float64) *Estimate {
		return Bootstrap(strata, func(drawn []Sample) *float64 { return of(tally(drawn, weighted)) })
	}
	s.Kappa, s.AC1 = figure(false, Table.Kappa), figure(false, Table.AC1)
	s.Population = Population{
		Raw: figure(true, Table.Raw), Kappa: figure(true, Table.Kappa), AC1: figure(true, Table.AC1),
		Sensitivity: figure(true, Table.Sensitivity), Specificity: figure(true, Table.Specificity),
		Unsupported: figure(true, Table.Prevalence),
	}
	return s
}

// byStratum groups the samples that have verdicts, strata in order of appearance.
func byStratum(samples []Sample) (strata [][]Sample, used int) {
	at := map[string]int{}
	for _, s := range samples {
		if len(s.Verdicts) == 0 {
			continue
		}
		i, seen := at[s.Stratum]
		if !seen {
			i = len(strata)
			at[s.Stratum], strata = i, append(strata, nil)
		}
		strata[i], used = append(strata[i], s), used+1
	}
	return strata, used
}

func tally(samples []Sample, weighted bool) (t Table) {
	for _, s := range samples {
		weight := 1.0
		if weighted {
			weight = s.Weight
		}
		for _, v := range s.Verdicts {
			t.Add(v.Person, v.Judge, weight)
		}
	}
	return t
}

// Corrected is the share of unsupported statements among all answers, from the share p that
// the judge found in n of them: Correct with the weighted sensitivity and specificity of the
// samples, each counted as so many independent samples as its weights are worth.
func Corrected(samples []Sample, p Rate) *Estimate {
	t := tally(samples, true)
	se, sp := t.Sensitivity(), t.Specificity()
	if se == nil || sp == nil {
		return nil
	}
	var bad, good []float64
	for _, s := range samples {
		unsupported := 0.0
		for _, v := range s.Verdicts {
			if v.Person {
				unsupported++
			}
		}
		bad = append(bad, unsupported*s.Weight)
		good = append(good, (float64(len(s.Verdicts))-unsupported)*s.Weight)
	}
	return Correct(p, Rate{*se, Effective(bad)}, Rate{*sp, Effective(good)})
}
