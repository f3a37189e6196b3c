// Package config says what a valid configuration file is, and loads one.
// It is a leaf of plain data: a stage gets its own section, never the whole.
package config

import "time"

// Config is a whole configuration file. A Config that Load returned is valid, and its
// relative paths begin at the file's folder.
type Config struct {
	Service Service `yaml:"service"`
	Kafka   Kafka   `yaml:"kafka"`
	Record  Record  `yaml:"record"`
	Sample  Sample  `yaml:"sample"`
	Judge   Judge   `yaml:"judge"`
	Score   Score   `yaml:"score"`
	Drift   Drift   `yaml:"drift"`
	Alert   Alert   `yaml:"alert"`
	Report  Report  `yaml:"report"`
	Store   Store   `yaml:"store"`
	Server  Server  `yaml:"server"`
	Log     Log     `yaml:"log"`
}

// Service names what is watched.
type Service struct {
	// Name is the service as alerts and reports call it.
	Name string `yaml:"name"`
	// Environment is "production" unless set; any other never pages.
	Environment string `yaml:"environment"`
	// Language is what people read: "en" or "ja".
	Language string `yaml:"language" jsonschema:"enum=en,enum=ja"`
	// Timezone is the IANA zone of schedules and of times in messages; "UTC" unless set.
	Timezone string `yaml:"timezone"`
}

// Kafka says where the log is. Its keys are those of the OpenTelemetry kafkareceiver.
type Kafka struct {
	Brokers  []string `yaml:"brokers"`
	Topics   []string `yaml:"topics"`
	ClientID string   `yaml:"client_id"`
	// InitialOffset is where a partition without a stored offset starts: "latest" or "earliest".
	InitialOffset string `yaml:"initial_offset" jsonschema:"enum=latest,enum=earliest"`
	// IsolationLevel is "read_committed" or "read_uncommitted".
	IsolationLevel string `yaml:"isolation_level" jsonschema:"enum=read_committed,enum=read_uncommitted"`
	// OnOffsetOutOfRange is what happens when the stored offset is no longer on the
	// broker: "earliest" counts the lost range and goes on, "fail" stops.
	OnOffsetOutOfRange string        `yaml:"on_offset_out_of_range" jsonschema:"enum=earliest,enum=fail"`
	MaxFetchSize       int           `yaml:"max_fetch_size"` // bytes
	MaxFetchWait       time.Duration `yaml:"max_fetch_wait"`
	DialTimeout        time.Duration `yaml:"dial_timeout"`
}

// Record says how a message becomes a record.
type Record struct {
	// Format is "auto" (plain and both Ragas column generations), "plain", "ragas" or "custom".
	Format string `yaml:"format" jsonschema:"enum=auto,enum=plain,enum=ragas,enum=custom"`
	// Fields maps a record field to a gjson path, for the custom format and to add
	// fields to the others: id, time, question, answer, contexts, document_ids,
	// document_versions, document_dates, error, finish_reason, session, language, turn.
	Fields map[string]string `yaml:"fields"`
	// Channels maps what a team changes to a gjson path: release, prompt, model,
	// retriever, embedding; and, as environment, response_model, index.
	Channels map[string]string `yaml:"channels"`
	// Segments maps a dimension to a gjson path. The cross of all dimensions is a cell;
	// at most 32 cells are kept apart.
	Segments map[string]string `yaml:"segments"`
	// Filter keeps only records whose gjson path equals the value.
	Filter map[string]string `yaml:"filter"`
	// MaxSize is the largest message read, in bytes; a larger one is counted as oversize.
	MaxSize int `yaml:"max_size"`
	// MaxAge is how old a record may be when it is read; an older one is too_old. 0 means
	// as old as Store.RowRetention allows.
	MaxAge time.Duration `yaml:"max_age"`
}

// DimensionTurn is the dimension that Record.Fields["turn"] adds to the segments: where in
// a conversation an answer stands.
const DimensionTurn = "turn"

// Sample says what share is looked at.
type Sample struct {
	Rate float64 `yaml:"rate"` // 0–1
	Salt string  `yaml:"salt"`
	// By is whose ID is hashed: "record" or "session". With session, the records of a
	// conversation pass the rate together or not at all; one without a session goes by its own ID.
	By string `yaml:"by" jsonschema:"enum=record,enum=session"`
	// PerRun is the most samples that one run judges.
	PerRun int `yaml:"per_run"`
	// Floor is how many of them each stratum (cell) gets at least, where it has them.
	Floor int `yaml:"floor"`
	// WatchFactor is by what PerRun is multiplied while a series is on watch; 1 is off.
	WatchFactor int `yaml:"watch_factor"`
	// SecondLook is the share of a run's samples that the judge scores a second time, half of
	// them at random and half with low scores, on top of PerRun; 0–0.5, 0 is off.
	SecondLook float64 `yaml:"second_look"`
}

// Judge says who scores.
type Judge struct {
	BaseURL string `yaml:"base_url"`
	APIKey  Secret `yaml:"api_key"`
	// APIKeyFile is read again at each use; a relative path begins at the folder of the
	// configuration file.
	APIKeyFile string `yaml:"api_key_file"`
	Model      string `yaml:"model"`
	// Prompts is the version of the prompts; part of the identity of the judge, so scores of
	// two versions are never compared.
	Prompts string `yaml:"prompts" jsonschema:"enum=auto,enum=v1,enum=v2,enum=v2-long"`
	// ResponseModels are the model names a server may answer with, besides Model and
	// its dated snapshots. Any other stops the run.
	ResponseModels  []string `yaml:"response_models"`
	ReasoningEffort string   `yaml:"reasoning_effort"`
	Temperature     *float64 `yaml:"temperature" jsonschema:"nullable"` // nil: not sent
	ServiceTier     string   `yaml:"service_tier"`
	// FlexFallback lets calls go to the standard tier when flex has no room.
	FlexFallback bool `yaml:"flex_fallback"`
	// PromptCache says whether the server's cache of prompts is steered: "auto" for models
	// that are known to take it, "explicit" for any, "off" for none.
	PromptCache string        `yaml:"prompt_cache" jsonschema:"enum=auto,enum=explicit,enum=off"`
	Timeout     time.Duration `yaml:"timeout"` // of one call
	// Concurrency is how many calls are in flight at most; fewer while the server is slow.
	Concurrency int `yaml:"concurrency"`
	// RequestsPerMinute and TokensPerMinute pace the calls; 0 means no limit of ours.
	RequestsPerMinute int `yaml:"requests_per_minute"`
	TokensPerMinute   int `yaml:"tokens_per_minute"`
	// TokensPerDay is the older name of Budget.TokensPerDay.
	TokensPerDay int64  `yaml:"tokens_per_day"`
	Budget       Budget `yaml:"budget"`
	Prices       Prices `yaml:"prices"`
	// Canaries are statements with a known verdict, hidden in each verdict call, which show a
	// judge that obeys a text. Prompts v1 have none.
	Canaries bool `yaml:"canaries"`
	// MaxContextTokens is how much of a sample's contexts goes into one call, by estimate; longer
	// ones are judged in up to eight parts.
	MaxContextTokens int `yaml:"max_context_tokens"`
	// Strictness is how many questions are generated for one answer; 3 in Ragas.
	Strictness int `yaml:"strictness"`
	// Embeddings is where relevancy gets its vectors; without a model only
	// faithfulness is scored.
	Embeddings Embeddings `yaml:"embeddings"`
}

// Embeddings says who turns questions into vectors. Empty BaseURL and key: the judge's.
type Embeddings struct {
	BaseURL string `yaml:"base_url"`
	APIKey  Secret `yaml:"api_key"`
	// APIKeyFile may be relative to the folder of the configuration file.
	APIKeyFile string `yaml:"api_key_file"`
	Model      string `yaml:"model"`
	Dimensions int    `yaml:"dimensions"`
	Prefix     string `yaml:"prefix"`
	// RequestsPerMinute and TokensPerMinute pace its calls; 0 means no limit of ours.
	RequestsPerMinute int `yaml:"requests_per_minute"`
	TokensPerMinute   int `yaml:"tokens_per_minute"`
}

// Score says when.
type Score struct {
	// Schedule is a five-field cron expression; each due time ends a window.
	Schedule string `yaml:"schedule"`
	// Lateness is how long after its end a window stays open, in record time.
	Lateness time.Duration `yaml:"lateness"`
	// Deadline bounds the time of a run; 0: the next due time alone does.
	Deadline time.Duration `yaml:"deadline"`
}

// Drift says what counts as one.
type Drift struct {
	FalseAlarms Probability   `yaml:"false_alarms"` // per Period and service, over all series and releases; 0–1
	Period      time.Duration `yaml:"period"`
	MinDrop     float64       `yaml:"min_drop"`  // smallest fall of a mean worth an alarm, 0–1
	MinTail     float64       `yaml:"min_tail"`  // smallest rise of the share of zeros worth an alarm, 0–1
	Tolerance   float64       `yaml:"tolerance"` // a fall up to this is not a change, 0–1
	// Tolerances are those of single metrics (faithfulness, answer_relevancy) or shares
	// (empty_retrieval, refusal, truncated, error_answer), in place of Tolerance; at most
	// 0.2. One above MinDrop is that metric's smallest fall worth an alarm.
	Tolerances map[string]float64 `yaml:"tolerances"`
	// ReleaseFalseAlarms is the part of FalseAlarms that the trials of all releases may spend
	// together, at most half of it.
	ReleaseFalseAlarms Probability `yaml:"release_false_alarms"`
	// MinBaseline is how many baseline samples a series needs before it can alarm.
	MinBaseline int `yaml:"min_baseline"`
	// LengthStrata compares answers of the same length, so that other lengths are no fall.
	LengthStrata bool `yaml:"length_strata"`
	// CodeChannels are the channels besides release whose change is a change of code.
	CodeChannels []string `yaml:"code_channels"`
	// NoDataAfter is how long no record may arrive before a blind incident.
	NoDataAfter time.Duration `yaml:"no_data_after"`
}

// ToleranceOf is the fall of a metric or share up to which nothing has changed.
func (d Drift) ToleranceOf(metric string) float64 {
	if w, ok := d.Tolerances[metric]; ok {
		return w
	}
	return d.Tolerance
}

// Probability is a number above 0 and at most 1.
type Probability float64

// Alert says who is told.
type Alert struct {
	Receivers []Receiver `yaml:"receivers"`
	// Samples is what of a sample a message shows: "none", "ids" or "excerpt".
	Samples string `yaml:"samples" jsonschema:"enum=none,enum=ids,enum=excerpt"`
	// ExpireAfter is when an undelivered alert is given up.
	ExpireAfter time.Duration `yaml:"expire_after"`
}

// Receiver is one place that is told. Exactly one of Slack and Webhook is set.
type Receiver struct {
	Name    string       `yaml:"name"`
	Slack   *SlackHook   `yaml:"slack"`
	Webhook *GenericHook `yaml:"webhook"`
}

// SlackHook is a Slack incoming webhook; its URL is the secret.
type SlackHook struct {
	APIURL Secret `yaml:"api_url"`
	// APIURLFile may be relative to the folder of the configuration file.
	APIURLFile string `yaml:"api_url_file"`
}

// GenericHook gets the Alertmanager v4 body, signed as Standard Webhooks.
type GenericHook struct {
	URL Secret `yaml:"url"`
	// URLFile may be relative to the folder of the configuration file.
	URLFile string `yaml:"url_file"`
	Secret  Secret `yaml:"secret"` // whsec_ and base64
	// SecretFile may be relative to the folder of the configuration file.
	SecretFile string `yaml:"secret_file"`
}

// Report says when the weekly report is made.
type Report struct {
	Schedule string `yaml:"schedule"`
	// Dir is where files 2026-W48.html and .json are written; empty: beside the store. A
	// relative path begins at the folder of the configuration file.
	Dir     string `yaml:"dir"`
	Samples int    `yaml:"samples"`
}

// Store says where everything is kept, and how long.
type Store struct {
	// Path is one file. A relative path begins at the folder of the configuration file, or
	// at the working directory where the configuration comes from standard input.
	Path          string        `yaml:"path"`
	TextRetention time.Duration `yaml:"text_retention"` // of questions, answers, contexts
	RowRetention  time.Duration `yaml:"row_retention"`  // of scores and rows
	MemoRetention time.Duration `yaml:"memo_retention"`
}

// Server says where the two listeners are. Empty: not started.
type Server struct {
	Listen      string `yaml:"listen"`     // pages and API: content, loopback only unless Token is set
	OpsListen   string `yaml:"ops_listen"` // metrics and probes, no content
	ExternalURL string `yaml:"external_url"`
	Token       Secret `yaml:"token"`
	// TokenFile may be relative to the folder of the configuration file.
	TokenFile string `yaml:"token_file"`
}

// Log says how the daemon's own log looks.
type Log struct {
	Level  string `yaml:"level" jsonschema:"enum=debug,enum=info,enum=warn,enum=error"` // debug, info, warn, error
	Format string `yaml:"format" jsonschema:"enum=auto,enum=json,enum=console"`         // auto, json, console
}
