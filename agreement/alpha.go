package agreement

// Alpha is Krippendorff's α for nominal values: 1 − Do/De, the observed over the expected
// disagreement of pairable values (Krippendorff, Content Analysis, 3rd ed., ch. 11). Each
// unit has the values that raters gave it, of any number of raters; who left a gap is left
// out, and a unit with one value cannot be paired. Nil without pairable values, or where all
// are the same.
func Alpha[V comparable](units [][]V) *float64 {
	totals := map[V]float64{}
	n, observed := 0.0, 0.0
	for _, unit := range units {
		m := float64(len(unit))
		if m < 2 {
			continue
		}
		counts := map[V]float64{}
		for _, v := range unit {
			counts[v]++
			totals[v]++
		}
		for _, k := range counts {
			observed += k * (m - k) / (m - 1)
		}
		n += m
	}
	expected := 0.0
	for _, k := range totals {
		expected += k * (n - k)
	}
	if expected == 0 {
		return nil
	}
	v := 1 - (n-1)*observed/expected
	return &v
}
