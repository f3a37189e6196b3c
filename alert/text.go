package alert

// Text is a message as it is shown, whatever shows it. Users' text in it is cleaned and
// cut, but not escaped: that belongs to the one who shows it.
type Text struct {
	Status   Transition `json:"status"` // "report" for a digest
	Severity Severity   `json:"severity"`
	Icon     string     `json:"icon"`
	Title    string     `json:"title"`
	// Banner warns that the numbers are no measurement; "" when they are one.
	Banner  string `json:"banner,omitempty"`
	Verdict string `json:"verdict"` // one sentence
	// Figures, Series, Evidence, Samples and Next are the parts in order of reading.
	// Empty ones are left out.
	Parts []Part `json:"parts"`
	Links []Link `json:"links,omitempty"`
	// Scope says what the numbers do not measure.
	Scope  string `json:"scope"`
	Footer string `json:"footer"`
}

// Part is a group of lines under a heading.
type Part struct {
	Heading string `json:"heading,omitempty"`
	Lines   []Line `json:"lines"`
	Quote   bool   `json:"quote,omitempty"` // the lines are text of users
}

// Line is a line with a label; Label may be empty.
type Line struct {
	Label string `json:"label,omitempty"`
	Text  string `json:"text"`
}

// Link is a link with fixed words.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Severity says how urgent a message is.
type Severity string

// The severities. Drift of quality is a warning: it wants a person, not at night.
const (
	Critical Severity = "critical" // Leadline cannot see, or cannot tell
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// StatusReport is the status of a digest.
const StatusReport Transition = "report"

// Color is the color of the bar beside a message, by Slack's names.
func (t Text) Color() string {
	switch {
	case t.Status == Resolved || t.Severity == Info:
		return "good"
	case t.Severity == Critical:
		return "danger"
	}
	return "warning"
}
