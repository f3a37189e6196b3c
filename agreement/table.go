package agreement

// Table is the 2×2 table of two raters who each call a statement supported or unsupported.
// Its cells are counts, or sums of weights. The person is the reference, unsupported the
// finding that is looked for.
type Table struct { //nolint:recvcheck // only Add changes it; the figures are of a value
	BothUnsupported float64 `json:"both_unsupported"`
	OnlyJudge       float64 `json:"only_judge_unsupported"`  // a false alarm of the judge
	OnlyPerson      float64 `json:"only_person_unsupported"` // missed by the judge
	BothSupported   float64 `json:"both_supported"`
}

// Add counts one statement with a weight.
func (t *Table) Add(person, judge bool, weight float64) {
	switch {
	case person && judge:
		t.BothUnsupported += weight
	case judge:
		t.OnlyJudge += weight
	case person:
		t.OnlyPerson += weight
	default:
		t.BothSupported += weight
	}
}

// N is the number of statements, or their weight.
func (t Table) N() float64 { return t.BothUnsupported + t.OnlyJudge + t.OnlyPerson + t.BothSupported }

// Unsupported is what the person calls unsupported, Supported the rest.
func (t Table) Unsupported() float64 { return t.BothUnsupported + t.OnlyPerson }

// Supported is what the person calls supported.
func (t Table) Supported() float64 { return t.BothSupported + t.OnlyJudge }

// Raw is the share of statements on which the raters agree.
func (t Table) Raw() *float64 { return ratio(t.BothUnsupported+t.BothSupported, t.N()) }

// Sensitivity is the share of what the person calls unsupported that the judge does, too.
func (t Table) Sensitivity() *float64 { return ratio(t.BothUnsupported, t.Unsupported()) }

// Specificity is the share of what the person calls supported that the judge does, too.
func (t Table) Specificity() *float64 { return ratio(t.BothSupported, t.Supported()) }

// Prevalence is the share of statements that the person calls unsupported.
func (t Table) Prevalence() *float64 { return ratio(t.Unsupported(), t.N()) }

// Kappa is Cohen's κ (1960): (po − pe)/(1 − pe), with po the raw agreement and pe = p₁q₁ + p₂q₂
// from the marginal shares of both raters. Nil where both always say the same one thing.
func (t Table) Kappa() *float64 {
	n := t.N()
	if n <= 0 {
		return nil
	}
	person, judge := t.Unsupported()/n, (t.BothUnsupported+t.OnlyJudge)/n
	return t.overChance(person*judge + (1-person)*(1-judge))
}

// AC1 is Gwet's first agreement coefficient (2008): (po − pe)/(1 − pe) with pe = 2π(1−π), π the
// mean of the raters' shares of unsupported. It does not fall where one answer is rare.
func (t Table) AC1() *float64 {
	n := t.N()
	if n <= 0 {
		return nil
	}
	pi := (t.Unsupported() + t.BothUnsupported + t.OnlyJudge) / (2 * n)
	return t.overChance(2 * pi * (1 - pi))
}

// overChance is the agreement beyond that expected by chance, as a share of what is possible.
func (t Table) overChance(chance float64) *float64 {
	return ratio((t.BothUnsupported+t.BothSupported)/t.N()-chance, 1-chance)
}

// ratio is nil where it is not known.
func ratio(k, n float64) *float64 {
	if n <= 1e-12 {
		return nil
	}
	v := k / n
	return &v
}
