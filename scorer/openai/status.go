package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	goopenai "github.com/sashabaranov/go-openai"

	"leadline/scorer"
)

// status is an HTTP error as the server explained it. Code and text serve to classify.
type status struct {
	http int
	code string // the server's error code or type
	text string // lower case, for matching alone: it may quote what was sent
	// param is the part of the request that the server names, for matching alone.
	param string
}

// statusOf looks for the request error first: where the server's error object could not be
// read, it wraps an empty API error.
func statusOf(err error) (status, bool) {
	if e, ok := errors.AsType[*goopenai.RequestError](err); ok {
		return status{http: e.HTTPStatusCode, text: strings.ToLower(string(e.Body))}, true
	}
	if e, ok := errors.AsType[*goopenai.APIError](err); ok {
		code := ""
		if e.Code != nil && e.Code != 0 { // null becomes 0
			code = fmt.Sprint(e.Code)
		}
		text := strings.ToLower(strings.Join([]string{code, e.Type, e.Message}, " "))
		if e.InnerError != nil {
			text += " " + strings.ToLower(e.InnerError.Code)
		}
		param := ""
		if e.Param != nil {
			param = strings.ToLower(*e.Param)
		}
		return status{http: e.HTTPStatusCode, code: plainCode(code, e.Type), text: text, param: param}, true
	}
	return status{}, false
}

// plainCode returns the first of the codes that is a mere name, not a text.
func plainCode(codes ...string) string {
	for _, code := range codes {
		isName := !strings.ContainsFunc(code, func(r rune) bool {
			return r != '_' && r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		})
		if code != "" && len(code) <= 40 && isName {
			return code
		}
	}
	return ""
}

// String names the status and the code; a code that only repeats the status is left out.
func (s status) String() string {
	if s.code == strconv.Itoa(s.http) {
		return "status " + s.code
	}
	return strings.TrimSpace("status " + strconv.Itoa(s.http) + " " + s.code)
}

func (s status) has(words ...string) bool {
	for _, w := range words {
		if strings.Contains(s.text, w) {
			return true
		}
	}
	return false
}

func (s status) classify() failure {
	switch {
	case s.http == http.StatusPaymentRequired,
		s.http == http.StatusTooManyRequests && s.has("insufficient_quota", "billing_hard_limit"):
		return paused("quota", s.String(), "the quota of the key is used up: raise it, or change {key}")
	case s.http == http.StatusUnauthorized:
		return paused("auth", s.String(), "the server does not take the key: check {key}")
	case s.http == http.StatusForbidden:
		return paused("auth", s.String(), "the key may not do this: check {key} and what it may use, such as {model}")
	case s.code == "model_not_found", s.code == "invalid_model", s.http == http.StatusNotFound && s.saysNoModel():
		return paused("not_found", s.String(), "the server does not know the model: check {model}")
	case s.http == http.StatusNotFound, s.http == http.StatusMethodNotAllowed:
		return paused("not_found", s.String(), noPath)
	case s.http == http.StatusTooManyRequests:
		return busy("rate_limited", s.String(), "the server limits the rate")
	case s.http == http.StatusInternalServerError && s.has("only one completion choice"):
		return hopeless(scorer.ReasonBadRequest, s.String()+": n is not supported")
	case s.http == http.StatusServiceUnavailable, s.http == 529, s.http == 498: // Anthropic's word, and Groq's for a busy flex tier
		return busy("server_error", s.String(), "the server is overloaded")
	case s.http >= 500, s.http == http.StatusRequestTimeout, s.http == http.StatusConflict,
		s.http == http.StatusTooEarly:
		return transient("server_error", s.String())
	}
	return s.classifyRejected()
}

// classifyRejected knows why a server takes no request of this form.
func (s status) classifyRejected() failure {
	switch {
	case s.http == http.StatusRequestEntityTooLarge,
		s.has("context_length_exceeded", "maximum context length", "too many tokens", "prompt is too long"):
		return hopeless(scorer.ReasonTooLong, s.String())
	case s.has("content_filter", "responsibleaipolicyviolation", "content management policy"):
		return hopeless(scorer.ReasonContentFilter, s.String())
	case s.http == 0:
		return transient("server_error", "error without a status")
	case s.saysNoModel():
		return unknownModel(s.String())
	}
	return s.refusal()
}

// refusal is that of a request which no sample of this form would pass with.
func (s status) refusal() failure {
	f := hopeless(scorer.ReasonBadRequest, s.String())
	if named := s.named(); named != fieldNone {
		f.err = fmt.Errorf("%w: %w", f.err, &fieldError{named})
	}
	return f
}

// noModel is how servers word that they do not have a model, in lower case.
var noModel = regexp.MustCompile(`model.{0,100}(not found|not exist|doesn't exist|not a valid model|is invalid)|` +
	`(invalid|unknown|no such) model|deploymentnotfound|model_not_found`)

func (s status) saysNoModel() bool { return noModel.MatchString(s.text) }

// refusedByLibrary knows the errors with which the client library refuses parameters
// before any request, and returns the known one: its text is constant.
func refusedByLibrary(err error) error {
	for _, known := range []error{
		goopenai.ErrReasoningEffortUnsupported, goopenai.ErrReasoningSamplingUnsupported,
		goopenai.ErrReasoningModelMaxTokensDeprecated, goopenai.ErrReasoningModelLimitationsLogprobs,
		goopenai.ErrReasoningModelLimitationsOther, goopenai.ErrO1BetaLimitationsMessageTypes,
		goopenai.ErrO1BetaLimitationsOther, goopenai.ErrChatCompletionInvalidModel,
	} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}

// networkDetail names the kind of a network error without the address.
func networkDetail(err error) string {
	_, dns := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	timeout, timed := errors.AsType[net.Error](err)
	switch {
	case dns:
		return "host not found"
	case untrusted:
		return "the server's certificate is not trusted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case errors.Is(err, context.DeadlineExceeded), timed && timeout.Timeout():
		return "timeout"
	}
	return "network error"
}
