package scorer

// Evasion says whether an answer evades its question: "yes" when the judge flagged every
// question that it would fit.
type Evasion string

// What is known of it. An empty Evasion was not asked for, or stored by an earlier version.
const (
	Evasive   Evasion = "yes"
	Answering Evasion = "no"
)

// Evades says whether the answer evades its question, and whether that is known. Of a score
// stored before it was kept apart, a relevancy of 0 says so: a cosine is hardly ever 0.
func (s *Score) Evades() (evasive, known bool) {
	if s.Evasion != "" {
		return s.Evasion == Evasive, true
	}
	o := s.Outcomes[AnswerRelevancy]
	return o.Value == 0, o.Scored
}
