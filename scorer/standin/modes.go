package standin

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// mode is one way to misbehave. Each sets the one hook it needs.
type mode struct {
	// applies limits answer to some requests; nil: all.
	applies func(chatRequest) bool
	// answer replies in place of the stand-in.
	answer func(*exchange, Fault)

	statements func([]string) []string
	question   func(string) string
	verdicts   func(*exchange, Fault, []verdict) []verdict
	content    func(string) string
	reply      func(Fault, *completion)
	vectors    func([]embedding) []embedding

	spoils     bool // no client can use the reply
	perVerdict bool // the rate is that of verdicts
}

// Modes lists the names of all ways to misbehave, sorted.
func Modes() []string { return slices.Sorted(maps.Keys(modes)) }

func findMode(name string) (mode, bool) {
	m, ok := modes[name]
	return m, ok
}

// modes is the table. Names beginning alike are kinds of the same failure.
var modes = map[string]mode{
	"rate_limit":         {answer: rateLimit(func(http.Header, string) {})},
	"rate_limit_seconds": {answer: rateLimit(func(h http.Header, v string) { h.Set("Retry-After", v) })},
	"rate_limit_ms":      {answer: rateLimit(func(h http.Header, v string) { h.Set("Retry-After-Ms", v) })},
	"rate_limit_date":    {answer: rateLimitDate},
	"insufficient_quota": {answer: refuse(http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", "you exceeded your current quota")},
	"unauthorized":       {answer: refuse(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "incorrect API key")},
	"model_not_found":    {answer: refuse(http.StatusNotFound, "invalid_request_error", "model_not_found", "the model does not exist")},
	"content_filter":     {answer: refuse(http.StatusBadRequest, "invalid_request_error", "content_filter", "the prompt was filtered")},
	"context_length":     {answer: refuse(http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", "the prompt is too long")},
	"error_500_html":     {answer: raw(http.StatusInternalServerError, "text/html", "<html><body><h1>Internal Server Error</h1></body></html>")},
	"error_502_empty":    {answer: raw(http.StatusBadGateway, "", "")},
	"error_503":          {answer: refuse(http.StatusServiceUnavailable, "server_error", "", "the server is overloaded")},
	"busy_498":           {answer: refuse(498, "capacity_exceeded", "capacity_exceeded", "flex tier is at capacity")},
	"error_200":          {answer: raw(http.StatusOK, "application/json", `{"error":{"message":"upstream failed","type":"server_error","code":null}}`)},
	"hang":               {answer: hang},
	"drip":               {answer: drip},
	"reset":              {answer: reset},
	"wrong_length":       {answer: wrongLength},
	"redirect":           {answer: redirect},
	"huge":               {applies: isChat, answer: huge},

	"temperature_rejected": {
		applies: func(q chatRequest) bool { return q.temperature },
		answer:  refuseParam("temperature", "temperature is not supported with this model"),
	},
	"json_schema_rejected": {
		applies: func(q chatRequest) bool { return q.format == "json_schema" },
		answer:  refuseParam("response_format", "response_format of type json_schema is not supported with this model"),
	},
	"json_object_rejected": {
		applies: func(q chatRequest) bool { return q.format == "json_object" },
		answer:  raw(http.StatusBadRequest, "application/json", `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`),
	},
	"n_rejected": {
		applies: func(q chatRequest) bool { return q.n > 1 },
		answer:  refuseParam("n", "n must be 1"),
	},

	"n_ignored":     {reply: func(_ Fault, c *completion) { c.Choices = c.Choices[:1] }},
	"no_choices":    {reply: func(_ Fault, c *completion) { c.Choices = []choice{} }, spoils: true},
	"truncated":     {reply: eachChoice(truncate), spoils: true},
	"filtered":      {reply: eachChoice(filter), spoils: true},
	"refusal":       {reply: eachChoice(declineToAnswer), spoils: true},
	"model_swapped": {reply: swapModel, spoils: true},
	"usage_capped":  {reply: func(_ Fault, c *completion) { c.Usage.Prompt = min(c.Usage.Prompt, 205) }},

	"empty":          {content: func(string) string { return "" }, spoils: true},
	"fence":          {content: wrap("```json\n", "\n```")},
	"prose":          {content: wrap("Here is the result you asked for:\n\n", "\n\nLet me know if you need more.")},
	"think_closed":   {content: wrap("<think>\nCounting {words} first.\n</think>\n", "")},
	"think_unclosed": {content: wrap("<think>\nCounting {words} first. ", ""), spoils: true},
	"think_end_only": {content: wrap("Counting {words} first.\n</think>\n", "")},
	"trailing_comma": {content: trailingComma},
	"single_quotes":  {content: singleQuotes},
	"encoded_twice":  {content: encodeTwice},
	"two_objects":    {content: contradict, spoils: true},
	"wrong_key":      {content: func(content string) string { return `{"result":` + content + `}` }, spoils: true},
	"blank":          {content: func(string) string { return " \n\n " }, spoils: true},
	"refusal_text":   {content: func(string) string { return "I'm sorry, but I can't help with that request." }, spoils: true},
	"cut_no_reason":  {content: half, spoils: true},

	"no_statements":      {statements: func([]string) []string { return []string{} }, spoils: true},
	"runaway_statements": {statements: repeatStatements, spoils: true},
	"wrong_language":     {question: inAnotherScript, spoils: true},
	"no_question":        {question: func(string) string { return "" }, spoils: true},

	"verdict_text":        {verdicts: eachVerdict(func(v any) any { return strconv.Itoa(v.(int)) })},
	"verdict_bool":        {verdicts: eachVerdict(func(v any) any { return v == 1 })},
	"verdict_null":        {verdicts: eachVerdict(func(any) any { return nil }), spoils: true},
	"verdict_half":        {verdicts: eachVerdict(func(any) any { return 0.5 }), spoils: true},
	"verdict_missing":     {verdicts: dropLast, spoils: true},
	"verdict_extra":       {verdicts: addExtra, spoils: true},
	"verdict_duplicate":   {verdicts: func(_ *exchange, _ Fault, vs []verdict) []verdict { return append(vs, vs...) }},
	"verdict_conflicting": {verdicts: addConflict, spoils: true},
	"verdict_reordered":   {verdicts: reverse},
	"verdict_strict":      {verdicts: bias(1, 0), perVerdict: true},
	"verdict_lenient":     {verdicts: bias(0, 1), perVerdict: true},

	"embeddings_shuffled":   {vectors: func(l []embedding) []embedding { slices.Reverse(l); return l }},
	"embeddings_missing":    {vectors: func(l []embedding) []embedding { return l[:len(l)-1] }, spoils: true},
	"embeddings_dimensions": {vectors: eachVector(func(v vector) vector { return v[:Dimensions/2] }), spoils: true},
	"embeddings_moved":      {vectors: eachVector(turn)},
	"embeddings_null":       {vectors: eachVector(withNull), spoils: true},
	"embeddings_zero":       {vectors: eachVector(func(vector) vector { return make(vector, Dimensions) }), spoils: true},
}

func refuse(status int, kind, code, text string) func(*exchange, Fault) {
	e := &apiError{status: status, kind: kind, code: code, text: text}
	return func(x *exchange, _ Fault) { e.write(x.w) }
}

func refuseParam(param, text string) func(*exchange, Fault) {
	e := &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", code: "unsupported_value", param: param, text: text}
	return func(x *exchange, _ Fault) { e.write(x.w) }
}

func raw(status int, contentType, body string) func(*exchange, Fault) {
	return func(x *exchange, _ Fault) {
		if contentType != "" {
			x.w.Header().Set("Content-Type", contentType)
		}
		x.w.WriteHeader(status)
		_, _ = x.w.Write([]byte(body))
	}
}

// rateLimit refuses with the wait that set puts into the header; 1 unless the fault says.
func rateLimit(set func(h http.Header, wait string)) func(*exchange, Fault) {
	answer := refuse(http.StatusTooManyRequests, "requests", "rate_limit_exceeded", "rate limit reached")
	return func(x *exchange, f Fault) {
		wait := f.Value
		if wait == "" {
			wait = "1"
		}
		set(x.w.Header(), wait)
		answer(x, f)
	}
}

func rateLimitDate(x *exchange, f Fault) {
	rateLimit(func(h http.Header, wait string) {
		// SetFaults lets only numbers through.
		seconds, _ := strconv.Atoi(wait)
		at := x.server.now().Add(time.Duration(seconds) * time.Second)
		h.Set("Retry-After", at.UTC().Format(http.TimeFormat))
	})(x, f)
}

// hang keeps the client waiting until it gives up or the server stops.
func hang(x *exchange, _ Fault) { <-x.r.Context().Done() }
