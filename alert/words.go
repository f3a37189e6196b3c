package alert

import (
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// words are all that a message says in one language. Formats name their arguments by
// number, because languages order them differently; a test sees to it that no language
// lacks a word.
type words struct {
	Metrics  map[scorer.Metric]string
	Channels map[sampler.Channel]string
	Kinds    map[drift.Kind]string
	Problems map[string]problemWords
	Verdicts map[string]verdictWords // of a digest

	All        string // segment of all answers
	Segment    string // 1 dim=value, within a sentence
	Also       string // between two facts of a line
	Comma      string // between the parts of a list
	And        string // before the last of a list in a sentence
	Percent    string // 1 number
	Title      string // 1 status, 2 kind, 3 metric, 4 segment, 5 service
	TitleShort string // 1 status, 2 kind, 3 problem or week, 4 service
	Banner     string
	Scope      string
	Footer     string // 1 incident, 2 time
	Days       string // 1 days
	Hours      string // 1 hours, 2 minutes
	More       string // 1 count

	Fell string // 1 metric, 2 segment, 3 before, 4 after
	Rose string
	Said map[drift.Kind]string // 1 movement, 2 channel and value (silent: channels that stayed the same), 3 weight
	// SilentRelease and SilentUnseen are said of a silent fall where only the release is
	// watched, and where nothing is any more; SilentNear where code changed not long before
	// or after.
	SilentRelease, SilentUnseen string // 1 movement
	SilentNear                  string // 1 movement, 2 suspect, 3 weight
	Ended                       string // 1 metric, 2 segment, 3 duration, 4 before, 5 after
	// AcceptedBy and Merged replace Ended.
	AcceptedBy string // 1 metric, 2 segment, 3 who
	Merged     string // 1 incident
	Over       string // 1 problem, 2 duration

	Figures, Change, ZeroShare, Samples, Since, Found, Evidence, Detail string // labels
	ChangeIs                                                            string // 1 before, 2 after, 3 change, 4 low, 5 high
	Points                                                              string // 1 number
	ZeroShareIs                                                         string // 1 before, 2 after
	SamplesAre                                                          string // 1 before, 2 after
	SinceOnly                                                           string // 1 since
	SinceOne                                                            string // 1 since, which is the whole window
	SinceAt                                                             string // 1 since, 2 the one run of the window
	SinceIs                                                             string // 1 since, 2 from, 3 to
	FoundIn                                                             string // 1 opening run, 2 samples
	FiguresOf                                                           string // 1 newest run
	EvidenceIs                                                          string // 1 decades, 2 needed, 3 smallest change that can be seen

	Series      string // heading, 1 count
	SeriesIs    string // 1 metric, 2 before, 3 after, 4 since
	SeriesEnded string // 1 metric, 2 run
	SeriesBack  string // 1 segments

	Causes                                string // heading of the five lines
	Judge, Mix, Release, Other, Corpus    string // labels of the five lines
	JudgeNone                             string // of a share
	JudgeUnseen, JudgeMoved, JudgeCleared string // 1 items, 2 shift, 3 error, 4 can see
	JudgeOpen, JudgePending               string
	JudgeExcludes                         string // after JudgeCleared: 1 size
	Stands, MayBeAll                      string // after JudgeMoved: 1 corrected change, 2 low, 3 high

	Controls          string            // what a judge's move is of
	RulerSaid         string            // 1 metric, 2 items, 3 before, 4 after, 5 stricter or more lenient
	EmbeddingSaid     string            // 1 metric, 2 pairs with another cosine, 3 pairs
	Stricter, Lenient string            // of a judge
	RulerEnded        map[string]string // by end: 1 metric, 2 duration
	RulerAccepted     string            // 1 metric, 2 who
	ShiftOfScores     string            // label
	ShiftIs           string            // 1 shift, 2 low, 3 high
	ControlsAre       string            // 1 items, 2 before, 3 after
	Languages         map[string]string
	LanguageIs        string // 1 items, 2 shift, 3 error
	OnlyHere          string // the other language did not move
	Pairs             string // label
	PairsAre          string // 1 moved, 2 all
	RulerEvidenceIs   string // 1 decades, 2 needed
	HeldBack          string // heading
	HeldIs            string // 1 metric, 2 segment, 3 change, 4 without the judge, 5 low, 6 high

	MixUnseen                    string
	MixIs                        string // 1 explains, 2 error, 3 within
	MixWorst                     string // 1 segment, 2 change, 3 n
	Length                       string // label of the sixth
	LengthSame, LengthExplains   string // 1 before, 2 after, 3 explains, 4 error, 5 within
	LengthNot, LengthOpen        string
	LengthSupport                string // 1 before, 2 after, 3 error in points
	ReleaseNone                  string
	ReleaseLast                  string // 1 value, 2 time, 3 duration
	ReleaseChanged               string // 1 old, 2 new, 3 time, 4 weight
	ReleaseUnseen                string
	ChannelChanged               string // 1 channel, 2 old, 3 new, 4 weight
	ChannelValue                 string // 1 channel, 2 value
	ChannelsSame, ChannelsUnseen string // 1 channels
	ChannelsNone                 string
	CorpusUnseen                 string
	CorpusIs                     string // 1 overlap, 2 usual, 3 new, 4 vanished
	CorpusGone                   string // 1 documents
	Nothing                      string // an empty channel value

	Lowest    string                  // heading
	LowestIs  string                  // 1 score, 2 id, 3 excerpt
	Next      string                  // heading
	NextFor   map[drift.Kind][]string // 1 channel and value, 2 newest alarm in UTC, 3 incident
	NextGone  string                  // 1 document
	NextEnded string
	// NextAccepted and NextMerged replace NextEnded.
	NextAccepted string
	NextMerged   string // 1 incident

	LinkIncident, LinkSamples, LinkReport string
}

// problemWords say what a problem is; Detail puts its figures (1) in words.
type problemWords struct{ Name, Detail, Verdict, Next string }

type verdictWords struct{ Name, Verdict string }

func wordsOf(language string) words {
	if language == "ja" {
		return japanese()
	}
	return english()
}
