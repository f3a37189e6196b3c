// Package scorer works through waiting samples with a judge and makes scores:
// Faithfulness and Answer Relevancy by the formulas of Ragas 0.4.3. A score is a number
// or a reason; it is never NaN and never a default.
package scorer

import (
	"time"

	"leadline/sampler"
)

// Metric names a number per answer, 0–1 and higher is better (relevancy may be
// slightly negative: it is a mean of cosines).
type Metric string

// The two metrics that need no reference answer.
const (
	Faithfulness    Metric = "faithfulness"
	AnswerRelevancy Metric = "answer_relevancy"
)

// Metrics lists them in the order in which they are shown.
var Metrics = []Metric{Faithfulness, AnswerRelevancy}

// Reason says why a metric has no score.
type Reason string

// Reasons without a score. NoContext and NoEmbeddings are expected; the others count
// against coverage. docs/operations.md says of each what to do.
const (
	ReasonNoContext       Reason = "no_context"
	ReasonNoEmbeddings    Reason = "no_embeddings"
	ReasonNoStatements    Reason = "no_statements"
	ReasonRunaway         Reason = "runaway_statements" // many more than the answer makes
	ReasonMissingVerdicts Reason = "missing_verdicts"
	ReasonBadVerdict      Reason = "bad_verdict" // neither 0 nor 1, or on no statement
	ReasonConflicting     Reason = "conflicting_verdicts"
	ReasonBadJSON         Reason = "bad_json"       // no JSON object of the wanted shape
	ReasonAmbiguous       Reason = "ambiguous_json" // two objects that differ
	ReasonEmptyOutput     Reason = "empty_output"
	ReasonTruncated       Reason = "truncated"        // the reply was cut off
	ReasonPromptTruncated Reason = "prompt_truncated" // the server read only a part
	ReasonRefusal         Reason = "refusal"
	ReasonContentFilter   Reason = "content_filter"
	ReasonTooLong         Reason = "too_long"
	ReasonNoQuestion      Reason = "no_question"
	ReasonWrongLanguage   Reason = "wrong_language"
	ReasonBadEmbedding    Reason = "embedding_invalid"
	ReasonBadRequest      Reason = "judge_bad_request"
	ReasonUnanswered      Reason = "unanswered" // the judge answers, but never for this sample
	ReasonEmptyInput      Reason = "empty_input"
	// ReasonInjection: the judge failed a statement with a known verdict, twice.
	ReasonInjection Reason = "injection_suspected"
	// ReasonOnlyThought: the model thought until its tokens were used up.
	ReasonOnlyThought Reason = "only_thought"
	// ReasonBadReply is a response without end. Earlier versions kept under it what has a
	// reason of its own now.
	ReasonBadReply Reason = "bad_reply"
)

// Reasons lists them all.
var Reasons = []Reason{
	ReasonNoContext, ReasonNoEmbeddings, ReasonNoStatements, ReasonRunaway, ReasonMissingVerdicts, ReasonBadVerdict, ReasonConflicting,
	ReasonBadJSON, ReasonAmbiguous, ReasonEmptyOutput, ReasonTruncated, ReasonPromptTruncated, ReasonOnlyThought, ReasonRefusal, ReasonContentFilter, ReasonTooLong,
	ReasonNoQuestion, ReasonWrongLanguage, ReasonBadEmbedding, ReasonBadRequest, ReasonUnanswered, ReasonEmptyInput, ReasonInjection, ReasonBadReply,
}

// Outcome is a score or the reason why there is none.
type Outcome struct {
	Scored bool    `json:"scored"`
	Value  float64 `json:"value"` // only if Scored
	Reason Reason  `json:"reason,omitempty"`
	// Parity is what Ragas 0.4.3 would have returned where Leadline deviates on purpose.
	Parity *float64 `json:"parity,omitempty"`
}

// Score is what a judge found in one sample.
type Score struct {
	SampleID string                     `json:"sample_id"` // Sample.ID
	Origin   sampler.Origin             `json:"origin"`
	Time     time.Time                  `json:"time"` // of the record
	Window   time.Time                  `json:"window"`
	Cell     sampler.Cell               `json:"cell"`
	Channels map[sampler.Channel]string `json:"channels,omitempty"`
	// Inclusion is the sample's probability of having been picked.
	Inclusion float64 `json:"inclusion"`
	// TextHash and SessionHash are those of the sample: the same for records that are word
	// for word the same, and for records of one conversation.
	TextHash    string `json:"text_hash,omitempty"`
	SessionHash string `json:"session_hash,omitempty"`

	// CrossLanguage is true when question and answer are surely in different languages.
	// Cosines across languages are lower: the judge's questions are in that of the user's.
	CrossLanguage bool `json:"cross_language,omitempty"`
	// Evasion is what the judge's flags say together; "" without questions.
	Evasion Evasion `json:"evasion,omitempty"`

	Outcomes   map[Metric]Outcome `json:"outcomes"`
	Judges     map[Metric]string  `json:"judges"` // JudgeID.Key per metric
	Statements []Statement        `json:"statements,omitempty"`
	Questions  []Question         `json:"questions,omitempty"`
	Usage      Usage              `json:"usage"`
	// Second is set where the sample was scored a second time.
	Second *SecondLook `json:"second,omitempty"`
	// Extended is true when the contexts were judged in parts: a statement counts as supported
	// where one part supports it. Ragas sends all contexts at once.
	Extended bool `json:"extended,omitempty"`
	// Standin is true when the judge said that it only compares words.
	Standin bool `json:"standin,omitempty"`
	// ResponseModel and Fingerprint are what the server reported.
	ResponseModel string `json:"response_model,omitempty"`
	Fingerprint   string `json:"fingerprint,omitempty"`
}

// Statement is one claim of an answer and its verdict.
type Statement struct {
	Text    string `json:"text"`
	Verdict int    `json:"verdict"` // 1 supported by the contexts, 0 not
	Reason  string `json:"reason,omitempty"`
	Count   int    `json:"count,omitempty"` // how often the answer said it, if more than once
}

// Question is a question that the answer would fit.
type Question struct {
	Text         string  `json:"text"`
	Noncommittal bool    `json:"noncommittal"`
	Cosine       float64 `json:"cosine"` // with the user's question; 0 when it was not needed
}

// Usage counts what the calls for one thing cost, failed attempts included.
type Usage struct { //nolint:recvcheck // only Add changes it; what was spent is of a value
	ChatRequests      int   `json:"chat_requests"`
	EmbeddingRequests int   `json:"embedding_requests"`
	PromptTokens      int64 `json:"prompt_tokens"`
	CachedTokens      int64 `json:"cached_tokens"`
	CompletionTokens  int64 `json:"completion_tokens"`
	EmbeddingTokens   int64 `json:"embedding_tokens"`
	MemoHits          int   `json:"memo_hits"`
	// Replies are those that were read, remembered ones too; Repairs are those of them that
	// could not be used, so that the judge was asked a second time. Earlier versions kept neither.
	Replies int `json:"replies,omitempty"`
	Repairs int `json:"repairs,omitempty"`
	// CacheWriteTokens are those prompt tokens that the server put into its cache, at a price
	// of their own.
	CacheWriteTokens int64 `json:"cache_write_tokens,omitempty"`
	// FlexRequests are those chat requests that were billed at the flex tier.
	FlexRequests int `json:"flex_requests,omitempty"`
	// Dollars is what all of it cost at the prices and tiers of its time; 0 where no price
	// was known.
	Dollars float64 `json:"dollars,omitempty"`
	// RepairTokens and RepairDollars are the part of second calls, which were made because a
	// first reply could not be used.
	RepairTokens  int64   `json:"repair_tokens,omitempty"`
	RepairDollars float64 `json:"repair_dollars,omitempty"`
}

// Add adds b to u.
func (u *Usage) Add(b Usage) {
	u.ChatRequests += b.ChatRequests
	u.EmbeddingRequests += b.EmbeddingRequests
	u.PromptTokens += b.PromptTokens
	u.CachedTokens += b.CachedTokens
	u.CompletionTokens += b.CompletionTokens
	u.EmbeddingTokens += b.EmbeddingTokens
	u.MemoHits += b.MemoHits
	u.Replies += b.Replies
	u.Repairs += b.Repairs
	u.CacheWriteTokens += b.CacheWriteTokens
	u.FlexRequests += b.FlexRequests
	u.Dollars += b.Dollars
	u.RepairTokens += b.RepairTokens
	u.RepairDollars += b.RepairDollars
}

// JudgeID is what makes scores of one metric comparable, from configuration only.
type JudgeID struct {
	Metric     Metric `json:"metric"`
	Endpoint   string `json:"endpoint"` // scheme, host and path; no credentials
	Model      string `json:"model"`
	Prompt     string `json:"prompt"`   // version of prompt, schema and parser
	Sampling   string `json:"sampling"` // what was sent: "temperature=0.01"
	Effort     string `json:"effort,omitempty"`
	Format     string `json:"format"`               // response-format rung: openai.Format
	Embedding  string `json:"embedding,omitempty"`  // relevancy only: endpoint and model
	Dimensions int    `json:"dimensions,omitempty"` // relevancy only
	Prefix     string `json:"prefix,omitempty"`     // relevancy only
	Strictness int    `json:"strictness,omitempty"` // relevancy only
	Standin    bool   `json:"standin,omitempty"`
}

// ControlScore is the live judge's view of one frozen control item in one run.
type ControlScore struct {
	Item     string             `json:"item"`
	Window   time.Time          `json:"window"`
	Language string             `json:"language"`
	Outcomes map[Metric]Outcome `json:"outcomes"`
	Judges   map[Metric]string  `json:"judges"`
	// Expected is the band the item was written for: "supported", "unsupported", "partial",
	// "noncommittal"; "pair" of two texts for the embedding model; "" of an own item that says
	// nothing of it.
	Expected string `json:"expected"`
	Usage    Usage  `json:"usage"`
	// Pass numbers the scores of an item in one run, where it was scored more than once.
	Pass int `json:"pass,omitempty"`
}

// Run sums up one window's scoring.
type Run struct {
	Window     time.Time                 `json:"window"`
	Samples    int                       `json:"samples"`
	Scored     map[Metric]int            `json:"scored"`
	Unscorable map[Metric]map[Reason]int `json:"unscorable,omitempty"`
	OverBudget int                       `json:"over_budget,omitempty"` // samples left out for lack of budget
	Usage      Usage                     `json:"usage"`                 // second looks included
	Controls   Usage                     `json:"controls"`
	// ControlItems is how many control items were scored, each pass of an item for itself; 0
	// in runs from before it was kept.
	ControlItems int `json:"control_items,omitempty"`
	// Agreement is how far two looks at the same answer were apart, of samples picked at random.
	Agreement map[Metric]Agreement `json:"agreement,omitempty"`
}
