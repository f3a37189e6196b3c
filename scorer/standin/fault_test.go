package standin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"leadline/scorer/standin"
)

var now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func status(code int, parts ...string) func(*testing.T, reply) {
	return func(t *testing.T, r reply) {
		t.Helper()
		if r.Status != code {
			t.Errorf("status %d, want %d", r.Status, code)
		}
		for _, part := range parts {
			if !strings.Contains(r.Body, part) {
				t.Errorf("body %s, want %s in it", r.Body, part)
			}
		}
	}
}

func header(key, want string) func(*testing.T, reply) {
	return func(t *testing.T, r reply) {
		t.Helper()
		status(http.StatusTooManyRequests, `"rate_limit_exceeded"`)(t, r)
		if got := r.Header.Get(key); got != want {
			t.Errorf("%s %q, want %q", key, got, want)
		}
	}
}

func contains(want string) func(*testing.T, reply) {
	return func(t *testing.T, r reply) {
		t.Helper()
		if got := r.content(t); !strings.Contains(got, want) {
			t.Errorf("content %q, want %q in it", got, want)
		}
	}
}

// verdicts checks the indexes and values of a reply to two statements, the first of
// which is supported.
func verdicts(want string) func(*testing.T, reply) {
	return func(t *testing.T, r reply) {
		t.Helper()
		var got []string
		for _, v := range readVerdicts(t, r.content(t)) {
			b, err := json.Marshal(v.Verdict)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d:%s", v.I, b))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("verdicts %s, want %s", s, want)
		}
	}
}

func vectors(check func(t *testing.T, indexes []int, first []float64)) func(*testing.T, reply) {
	return func(t *testing.T, r reply) {
		t.Helper()
		var indexes []int
		for _, d := range r.Parsed.Data {
			indexes = append(indexes, d.Index)
		}
		check(t, indexes, r.Parsed.Data[0].Embedding)
	}
}

type faultCase struct {
	value  string // of the fault
	schema string // verdicts_v1 unless set
	more   map[string]any
	check  func(*testing.T, reply)
}

var faultCases = map[string]faultCase{
	"rate_limit":         {check: header("Retry-After", "")},
	"rate_limit_seconds": {value: "7", check: header("Retry-After", "7")},
	"rate_limit_ms":      {value: "250", check: header("Retry-After-Ms", "250")},
	"rate_limit_date":    {value: "90", check: header("Retry-After", "Mon, 30 Nov 2026 09:01:30 GMT")},
	"insufficient_quota": {check: status(429, `"code":"insufficient_quota"`)},
	"unauthorized":       {check: status(401, `"code":"invalid_api_key"`)},
	"model_not_found":    {check: status(404, `"code":"model_not_found"`)},
	"content_filter":     {check: status(400, `"code":"content_filter"`)},
	"context_length":     {check: status(400, `"code":"context_length_exceeded"`)},
	"error_500_html":     {check: status(500, "<html>")},
	"error_502_empty":    {check: status(502)},
	"error_503":          {check: status(503, `"type":"server_error"`)},
	"redirect": {check: func(t *testing.T, r reply) {
		status(307)(t, r)
		if to := r.Header.Get("Location"); to != "http://elsewhere.invalid/v1/chat/completions" {
			t.Errorf("sent to %q, want another host", to)
		}
	}},
	"huge": {check: func(t *testing.T, r reply) {
		if r.Status != 200 || len(r.Body) != 2<<20 {
			t.Errorf("status %d with %d bytes, want 200 with 2 MiB", r.Status, len(r.Body))
		}
	}},
	"busy_498":  {check: status(498, `"type":"capacity_exceeded"`)},
	"error_200": {check: status(200, `{"error":`)},

	"temperature_rejected": {more: map[string]any{"temperature": 0.01}, check: status(400, `"param":"temperature"`)},
	"json_schema_rejected": {check: status(400, `"param":"response_format"`)},
	"json_object_rejected": {more: map[string]any{"response_format": map[string]string{"type": "json_object"}}, check: status(400, `{"error":"'response_format.type'`)},
	"n_rejected":           {more: map[string]any{"n": 3}, check: status(400, `"param":"n"`)},

	"n_ignored": {more: map[string]any{"n": 3}, check: func(t *testing.T, r reply) {
		if len(r.Parsed.Choices) != 1 {
			t.Errorf("%d choices, want 1", len(r.Parsed.Choices))
		}
	}},
	"no_choices": {check: status(200, `"choices":[]`)},
	"truncated": {check: func(t *testing.T, r reply) {
		if json.Valid([]byte(r.content(t))) || r.Parsed.Choices[0].FinishReason != "length" {
			t.Errorf("finish reason %s, content %s", r.Parsed.Choices[0].FinishReason, r.content(t))
		}
	}},
	"refusal": {check: func(t *testing.T, r reply) {
		if r.content(t) != "" || r.Parsed.Choices[0].Message.Refusal == nil {
			t.Errorf("message %+v, want a refusal only", r.Parsed.Choices[0].Message)
		}
	}},
	"model_swapped": {value: "other-model", check: status(200, `"model":"other-model"`)},
	"usage_capped": {check: func(t *testing.T, r reply) {
		if r.Parsed.Usage.Prompt > 205 {
			t.Errorf("%d prompt tokens, want at most 205", r.Parsed.Usage.Prompt)
		}
	}},

	"empty":          {check: status(200, `"content":""`)},
	"fence":          {check: contains("```json\n{")},
	"prose":          {check: contains("you asked for:\n\n{")},
	"think_closed":   {check: contains("</think>\n{")},
	"think_unclosed": {check: contains("<think>")},
	"think_end_only": {check: contains("first.\n</think>\n{")},
	"trailing_comma": {check: contains("],}")},
	"single_quotes":  {check: contains("{'verdicts':[{'i':1,")},
	"encoded_twice":  {check: contains(`"{\"verdicts\":[{\"i\":1,`)},
	"two_objects":    {check: contains("}\n{")},
	"wrong_key":      {check: contains(`{"result":{"verdicts"`)},
	"blank":          {check: contains(" \n\n ")},
	"refusal_text":   {check: contains("I'm sorry")},
	"cut_no_reason": {check: func(t *testing.T, r reply) {
		if json.Valid([]byte(r.content(t))) || r.Parsed.Choices[0].FinishReason != "stop" {
			t.Errorf("finish reason %s, content %s, want a cut one that stopped", r.Parsed.Choices[0].FinishReason, r.content(t))
		}
	}},
	"filtered": {check: func(t *testing.T, r reply) {
		if r.content(t) != "" || r.Parsed.Choices[0].FinishReason != "content_filter" {
			t.Errorf("finish reason %s, content %q, want none for a filter", r.Parsed.Choices[0].FinishReason, r.content(t))
		}
	}},
	"runaway_statements": {schema: "statements_v1", check: contains(`"Claim 60."]}`)},
	"wrong_language":     {schema: "question_v1", check: contains("Τι")},
	"no_question":        {schema: "question_v1", check: contains(`{"question":"",`)},
	"no_statements":      {schema: "statements_v1", check: contains(`{"statements":[]}`)},

	"verdict_text":        {check: verdicts(`1:"1" 2:"0"`)},
	"verdict_bool":        {check: verdicts("1:true 2:false")},
	"verdict_null":        {check: verdicts("1:null 2:null")},
	"verdict_half":        {check: verdicts("1:0.5 2:0.5")},
	"verdict_missing":     {check: verdicts("1:1")},
	"verdict_extra":       {check: verdicts("1:1 2:0 3:1")},
	"verdict_duplicate":   {check: verdicts("1:1 2:0 1:1 2:0")},
	"verdict_conflicting": {check: verdicts("1:1 2:0 1:0")},
	"verdict_reordered":   {check: verdicts("2:0 1:1")},
	"verdict_strict":      {check: verdicts("1:0 2:0")},
	"verdict_lenient":     {check: verdicts("1:1 2:1")},

	"embeddings_shuffled": {schema: "embeddings", check: vectors(func(t *testing.T, indexes []int, _ []float64) {
		if !slices.Equal(indexes, []int{1, 0}) {
			t.Errorf("indexes %v, want 1 before 0", indexes)
		}
	})},
	"embeddings_missing": {schema: "embeddings", check: vectors(func(t *testing.T, indexes []int, _ []float64) {
		if len(indexes) != 1 {
			t.Errorf("%d vectors, want 1 of 2", len(indexes))
		}
	})},
	"embeddings_dimensions": {schema: "embeddings", check: vectors(func(t *testing.T, _ []int, first []float64) {
		if len(first) != standin.Dimensions/2 {
			t.Errorf("%d dimensions, want %d", len(first), standin.Dimensions/2)
		}
	})},
	"embeddings_moved": {schema: "embeddings", check: vectors(func(t *testing.T, _ []int, first []float64) {
		if len(first) != standin.Dimensions || dot(first, first) == 0 || math.Abs(dot(first, first)-1) < 0.01 {
			t.Errorf("%d dimensions of length² %.3f, want another vector than the usual one of length 1", len(first), dot(first, first))
		}
	})},
	"embeddings_null": {schema: "embeddings", check: func(t *testing.T, r reply) {
		if !strings.Contains(r.Body, "[null,") {
			t.Errorf("no null in %.120s", r.Body)
		}
	}},
	"embeddings_zero": {schema: "embeddings", check: vectors(func(t *testing.T, _ []int, first []float64) {
		if dot(first, first) != 0 {
			t.Error("the vector is not zero")
		}
	})},
}

func TestEveryFault(t *testing.T) {
	elsewhere := []string{"hang", "drip", "reset", "wrong_length"}
	for _, mode := range standin.Modes() {
		tt, ok := faultCases[mode]
		if !ok {
			if !slices.Contains(elsewhere, mode) {
				t.Errorf("%s is not tested", mode)
			}
			continue
		}
		t.Run(mode, func(t *testing.T) {
			h := newServer(t, standin.Options{Now: clock, Faults: []standin.Fault{{Mode: mode, Rate: 1, Value: tt.value}}})
			r := sendFor(t, h, tt)
			tt.check(t, r)
			if r.Header.Get(standin.Header) != "1" {
				t.Errorf("a reply without %s", standin.Header)
			}
			if got := h.Stats().Faults[mode]; got != 1 {
				t.Errorf("counted %d faults, want 1", got)
			}
			if err := h.SetFaults(nil); err != nil {
				t.Fatal(err)
			}
			if sendFor(t, h, tt).Status != http.StatusOK {
				t.Error("it still misbehaves without faults")
			}
		})
	}
}

func sendFor(t *testing.T, h http.Handler, tt faultCase) reply {
	t.Helper()
	switch tt.schema {
	case "embeddings":
		return send(t, h, "/v1/embeddings", []byte(`{"model":"standin-lexical-v1","input":["one text","another one"]}`))
	case "statements_v1", "question_v1":
		return chat(t, h, tt.schema, map[string]any{"answer": remote})
	}
	payload := verdictPayload([]string{remote}, []string{"在宅勤務は週3日までです。", "在宅勤務は週5日までです。"})
	user, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	more := map[string]any{"messages": []map[string]string{
		{"role": "system", "content": "Task id: verdicts/v1\n" + strings.Repeat("Compare. ", 100)},
		{"role": "user", "content": string(user)},
	}}
	maps.Copy(more, tt.more)
	return send(t, h, "/v1/chat/completions", chatBody(t, "verdicts_v1", payload, more))
}

func TestHangAndDripLastUntilTheClientGivesUp(t *testing.T) {
	for _, mode := range []string{"hang", "drip"} {
		t.Run(mode, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testEndless(t, mode) }) })
	}
}

func testEndless(t *testing.T, mode string) {
	h := newServer(t, standin.Options{Faults: []standin.Fault{{Mode: mode, Rate: 1}}})
	ctx, giveUp := context.WithCancel(t.Context())
	done := false
	go func() {
		r := httptest.NewRequest(http.MethodGet, "/v1/models", nil).WithContext(ctx)
		h.ServeHTTP(httptest.NewRecorder(), r)
		done = true
	}()
	time.Sleep(time.Hour)
	synctest.Wait()
	if done {
		t.Error("it answered")
	}
	giveUp()
	synctest.Wait()
	if !done {
		t.Error("it hangs on without a client")
	}
}

func TestResetAndWrongLengthBreakTheBody(t *testing.T) {
	for _, mode := range []string{"reset", "wrong_length"} {
		t.Run(mode, func(t *testing.T) { testBrokenBody(t, mode) })
	}
}

func testBrokenBody(t *testing.T, mode string) {
	srv := httptest.NewServer(newServer(t, standin.Options{Faults: []standin.Fault{{Mode: mode, Rate: 1}}}))
	defer srv.Close()
	res, err := srv.Client().Get(srv.URL + "/v1/models")
	if err == nil {
		defer res.Body.Close()
		_, err = io.ReadAll(res.Body)
	}
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want a reset in the body", err)
	}
}

func TestFaultsHitTheSameRequestsAgain(t *testing.T) {
	outcomes := func(seed uint64) (failed []bool, share float64) {
		h := newServer(t, standin.Options{Seed: seed, Faults: []standin.Fault{{Mode: "error_503", Rate: 0.3}}})
		for i := range 400 {
			bad := chat(t, h, "statements_v1", map[string]any{"answer": fmt.Sprint("Answer ", i)}).Status != http.StatusOK
			failed = append(failed, bad)
			if bad {
				share += 1. / 400
			}
		}
		return failed, share
	}
	first, share := outcomes(1)
	again, _ := outcomes(1)
	other, _ := outcomes(2)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Error("the seed does not decide alone which requests are hit")
	}
	// Four standard deviations of a share of 0.3 in 400.
	if math.Abs(share-0.3) > 0.092 {
		t.Errorf("hit %.3f of the requests, want about 0.3", share)
	}
}

func TestFirstAttemptsFailThenSucceed(t *testing.T) {
	h := newServer(t, standin.Options{Faults: []standin.Fault{{Mode: "error_503", Rate: 1, First: 2, Task: "question"}}})
	var got []int
	for range 4 {
		got = append(got, chat(t, h, "question_v1", map[string]any{"answer": "Badges are free."}).Status)
	}
	if want := []int{503, 503, 200, 200}; !slices.Equal(got, want) {
		t.Errorf("status %v, want %v", got, want)
	}
	if r := chat(t, h, "statements_v1", map[string]any{"answer": "Badges are free."}); r.Status != http.StatusOK {
		t.Errorf("another task: status %d", r.Status)
	}
}

func TestBiasBeginsAtItsTime(t *testing.T) {
	at := now
	h := newServer(t, standin.Options{
		Now:    func() time.Time { return at },
		Faults: []standin.Fault{{Mode: "verdict_strict", Rate: 0.25, Since: now.Add(time.Hour)}},
	})
	turned := func() float64 {
		n := 0
		for i := range 400 {
			fact := fmt.Sprintf("Room %d is on the second floor.", i)
			if askVerdicts(t, h, []string{fact}, []string{fact})[0].Verdict == 0.0 {
				n++
			}
		}
		return float64(n) / 400
	}
	if got := turned(); got != 0 {
		t.Errorf("%.3f of the verdicts turned before its time", got)
	}
	at = at.Add(time.Hour)
	if got := turned(); math.Abs(got-0.25) > 0.087 {
		t.Errorf("%.3f of the verdicts turned, want about 0.25", got)
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	h := newServer(t, standin.Options{})
	post := func(from, contentType, body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "/standin/faults", strings.NewReader(body))
		r.RemoteAddr = from
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const local, fault = "127.0.0.1:5000", `[{"mode":"error_503","rate":1}]`
	for name, tt := range map[string]struct {
		from, contentType, body, want string
		status                        int
	}{
		"another machine": {"192.0.2.9:5000", "application/json", fault, "this machine only", 403},
		"a form":          {local, "text/plain", fault, "application/json", 400},
		"an unknown mode": {local, "application/json", `[{"mode":"explode","rate":1}]`, "fault 1: mode:", 400},
		"a wrong rate":    {local, "application/json", `[{"mode":"hang","rate":2}]`, "at most 1", 400},
		"a wrong task":    {local, "application/json", `[{"mode":"hang","rate":1,"task":"poem"}]`, "task:", 400},
		"a wrong wait":    {local, "application/json", `[{"mode":"rate_limit_ms","rate":1,"value":"soon"}]`, "whole number", 400},
		"an unknown key":  {local, "application/json", `[{"mode":"hang","rate":1,"label":false}]`, "label", 400},
		"not a list":      {local, "application/json", `{}`, "read the list of faults: must be JSON such as [{", 400},
		"a text as rate":  {local, "application/json", `[{"mode":"hang","rate":"all"}]`, "rate must not be a string", 400},
	} {
		if code, body := post(tt.from, tt.contentType, tt.body); code != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: status %d, %s, want %d with %q", name, code, body, tt.status, tt.want)
		} else if strings.Contains(body, "Go value") || strings.Contains(body, "standin.") {
			t.Errorf("%s: %s names what only the program knows", name, body)
		}
	}
	if r := chat(t, h, "statements_v1", map[string]any{"answer": "x"}); r.Status != http.StatusOK {
		t.Error("a refused fault is in force")
	}
	if code, body := post(local, "application/json", fault); code != http.StatusOK || !strings.Contains(body, "error_503") {
		t.Errorf("status %d, %s", code, body)
	}
	if r := chat(t, h, "statements_v1", map[string]any{"answer": "x"}); r.Status != http.StatusServiceUnavailable {
		t.Errorf("status %d, want 503", r.Status)
	}
}
