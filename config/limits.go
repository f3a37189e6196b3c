package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/schedule"
)

// check finds what each value alone does not show: what is missing, out of bounds, or
// contradicts something else.
func check(c *Config, d *decoder) {
	checkService(c.Service, d)
	checkKafka(c.Kafka, d)
	checkRecord(c.Record, d)
	checkSample(c.Sample, d)
	checkJudge(c.Judge, d)
	askGently(&c.Judge, d)
	checkSchedules(c, d)
	checkDrift(c.Drift, d)
	checkAlert(c.Alert, d)
	checkStore(c.Store, d)
	checkServer(c.Server, d)
	if d.secrets {
		d.readSecrets(c)
	}
}

func checkService(s Service, d *decoder) {
	d.require("service.name", s.Name != "", "names what is watched, such as helpdesk")
	d.require("service.environment", s.Environment != "", "says production, or what else it is")
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "" || s.Timezone == "Local" {
		d.not("service.timezone", "must be a time zone of the IANA list, such as UTC or Asia/Tokyo")
	}
}

func checkKafka(k Kafka, d *decoder) {
	d.require("kafka.brokers", len(k.Brokers) > 0, "lists where to reach Kafka, such as [kafka-1:9092]")
	for i, b := range k.Brokers {
		if host, err := hostOf(b); err != nil || host == "" {
			d.not(fmt.Sprintf("kafka.brokers[%d]", i), "must be host:port")
		}
	}
	d.require("kafka.topics", len(k.Topics) > 0, "lists the topics to read, such as [rag-logs]")
	for i, t := range k.Topics {
		path := fmt.Sprintf("kafka.topics[%d]", i)
		if !regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`).MatchString(t) {
			d.not(path, "must be a topic name: letters, digits, dots, underscores and hyphens, at most 249")
		} else if slices.Contains(k.Topics[:i], t) {
			d.bad(path, "is listed twice; keep one")
		}
	}
	d.require("kafka.client_id", k.ClientID != "", "is what brokers call this reader")
	between(d, "kafka.max_fetch_size", k.MaxFetchSize, 1<<10, 1<<30)
	between(d, "kafka.max_fetch_wait", k.MaxFetchWait, time.Millisecond, time.Minute)
	between(d, "kafka.dial_timeout", k.DialTimeout, 100*time.Millisecond, 5*time.Minute)
}

func checkRecord(r Record, d *decoder) {
	names(d, "record.fields", r.Fields, "id", "time", "question", "answer", "contexts", "document_ids",
		"document_versions", "document_dates", "error", "finish_reason", "session", "language", "turn", "history", "rewritten_question")
	names(d, "record.channels", r.Channels, append([]string{"release", "response_model", "index"}, codeChannels()...)...)
	names(d, "record.segments", r.Segments)
	names(d, "record.filter", r.Filter)
	if r.Format == "custom" {
		d.require("record.fields.question", r.Fields["question"] != "", "says where a custom format keeps the question")
		d.require("record.fields.answer", r.Fields["answer"] != "", "says where a custom format keeps the answer")
	}
	dimensions := len(r.Segments) // that of the turn included
	if r.Fields["turn"] != "" {
		dimensions++
		if r.Segments[DimensionTurn] != "" {
			d.bad(join("record.segments", DimensionTurn), "is the dimension that record.fields.turn adds; keep one of the two")
		}
	}
	if dimensions > 4 {
		d.bad("record.segments", "has %d dimensions; keep at most 4, because their cross is told apart", dimensions)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Segments)) {
		if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(name) {
			d.bad(join("record.segments", name), "must be named in lower case letters, digits and underscores")
		}
	}
	between(d, "record.max_size", r.MaxSize, 1<<10, 256<<20)
}

func checkSample(s Sample, d *decoder) {
	share(d, "sample.rate", s.Rate)
	d.require("sample.salt", s.Salt != "", "decides which records are picked")
	between(d, "sample.per_run", s.PerRun, 1, 100_000)
	if s.Floor < 0 || s.Floor > s.PerRun {
		d.not("sample.floor", "must be from 0 to sample.per_run (%d)", s.PerRun)
	}
	between(d, "sample.watch_factor", s.WatchFactor, 1, 10)
	between(d, "sample.second_look", s.SecondLook, 0, 0.5)
}

func checkSchedules(c *Config, d *decoder) {
	loc, err := time.LoadLocation(c.Service.Timezone)
	if err != nil {
		loc = time.UTC
	}
	for path, expr := range map[string]string{"score.schedule": c.Score.Schedule, "report.schedule": c.Report.Schedule} {
		if _, err := schedule.Parse(expr, loc); err != nil {
			d.bad(path, "%s", err)
		}
	}
	between(d, "score.lateness", c.Score.Lateness, 0, day)
	between(d, "score.deadline", c.Score.Deadline, 0, 7*day)
	between(d, "report.samples", c.Report.Samples, 0, 100)
}

func checkDrift(f Drift, d *decoder) {
	share(d, "drift.false_alarms", f.FalseAlarms)
	share(d, "drift.release_false_alarms", f.ReleaseFalseAlarms)
	share(d, "drift.min_drop", f.MinDrop)
	share(d, "drift.min_tail", f.MinTail)
	between(d, "drift.period", f.Period, day, 3650*day)
	if f.Tolerance < 0 || f.Tolerance >= f.MinDrop {
		d.not("drift.tolerance", "must be at least 0 and below drift.min_drop (%v)", f.MinDrop)
	}
	checkTolerances(f, d)
	between(d, "drift.min_baseline", f.MinBaseline, 10, 1_000_000)
	between(d, "drift.no_data_after", f.NoDataAfter, time.Minute, 366*day)
	for i, name := range f.CodeChannels {
		if !slices.Contains(codeChannels(), name) {
			d.not(fmt.Sprintf("drift.code_channels[%d]", i), "must be %s", orList(codeChannels()))
		}
	}
}

// maxTolerance is the largest tolerance of one metric: more would be no watching.
const maxTolerance = 0.2

func checkTolerances(f Drift, d *decoder) {
	for _, name := range slices.Sorted(maps.Keys(f.Tolerances)) {
		path := join("drift.tolerances", name)
		if !slices.Contains(metricNames(), name) {
			d.bad(path, "is not known here; use %s", orList(metricNames()))
			continue
		}
		between(d, path, f.Tolerances[name], 0, maxTolerance)
	}
}

// metricNames are what is watched: the judged metrics and the shares.
func metricNames() []string {
	return []string{"faithfulness", "answer_relevancy", "empty_retrieval", "refusal", "truncated", "error_answer"}
}

// codeChannels are the channels besides release that a team changes on purpose.
func codeChannels() []string { return []string{"prompt", "model", "retriever", "embedding"} }

func checkStore(s Store, d *decoder) {
	d.require("store.path", s.Path != "", "is the file that keeps everything")
	between(d, "store.text_retention", s.TextRetention, time.Hour, 3650*day)
	between(d, "store.memo_retention", s.MemoRetention, time.Hour, 3650*day)
	if s.RowRetention < s.TextRetention {
		d.not("store.row_retention", "must be at least store.text_retention (%s)", show(s.TextRetention))
	}
}

func checkServer(s Server, d *decoder) {
	d.pair("server.token", s.Token, s.TokenFile)
	open := s.Token.IsSet() || s.TokenFile != ""
	if host, err := hostOf(s.Listen); s.Listen != "" && err != nil {
		d.not("server.listen", "must be host:port, such as 127.0.0.1:8480, or empty")
	} else if s.Listen != "" && !isLoopback(host) && !open {
		d.not("server.listen", "shows what users asked, so it must be on loopback unless server.token_file is set")
	}
	if _, err := hostOf(s.OpsListen); s.OpsListen != "" && err != nil {
		d.not("server.ops_listen", "must be host:port or :port, such as :9480, or empty")
	}
	if s.Listen != "" && s.Listen == s.OpsListen && !strings.HasSuffix(s.Listen, ":0") {
		d.bad("server.ops_listen", "is the same as server.listen; give it its own port")
	}
	if s.ExternalURL != "" && !isWebAddress(s.ExternalURL) {
		d.not("server.external_url", "must be an http or https URL without a query")
	}
}

// names checks the names of a table; no allowed ones means any. Every value must be there.
func names(d *decoder, path string, table map[string]string, allowed ...string) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if allowed != nil && !slices.Contains(allowed, name) {
			d.bad(join(path, name), "is not known here; use %s", orList(allowed))
		}
		if table[name] == "" {
			d.bad(join(path, name), "is empty; give it a value, or remove the line")
		}
	}
}

func share[T ~float64](d *decoder, path string, v T) {
	if v <= 0 || v > 1 {
		d.not(path, "must be above 0 and at most 1")
	}
}

func between[T cmp.Ordered](d *decoder, path string, v, low, high T) {
	if v < low || v > high {
		d.not(path, "must be from %s to %s", show(low), show(high))
	}
}

// show writes a limit as a file would.
func show(v any) string {
	d, ok := v.(time.Duration)
	switch {
	case !ok:
		return fmt.Sprint(v)
	case d != 0 && d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
