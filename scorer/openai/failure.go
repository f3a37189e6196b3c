package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"

	"leadline/scorer"
)

// failure is what a failed try means. A nil err says: try again.
type failure struct {
	outcome string // label of the metric
	detail  string // status and code; never the server's text
	err     error
	advice  string // what to do, with {key}, {model} and {url} for the settings; may be empty
	away    bool   // there is no connection to the server
	busy    string // what the server has too much of; empty: it is not known to
}

func transient(outcome, detail string) failure { return failure{outcome: outcome, detail: detail} }

// busy is a try that the server turned away since it has too much to do.
func busy(outcome, detail, what string) failure {
	return failure{outcome: outcome, detail: detail, busy: what, advice: "wait, or lower judge.concurrency"}
}

// wordedError is an error of a class that says better in its own words what is wrong: "not
// reachable" would be wrong of a server that turns calls away.
type wordedError struct {
	text  string
	class error
}

func (w *wordedError) Error() string { return w.text }
func (w *wordedError) Unwrap() error { return w.class }

// noPath is the advice where a server has no such endpoint; settings.noPath is a better one
// for embeddings that are asked of the judge's server.
const noPath = "no such path or model: check {url} and {model}"

func paused(outcome, detail, advice string) failure {
	return failure{outcome: outcome, detail: detail, advice: advice, err: fmt.Errorf("%w: %s", scorer.ErrJudgePaused, detail)}
}

func hopeless(reason scorer.Reason, detail string) failure {
	return failure{outcome: "rejected", detail: detail, err: &scorer.UnscorableError{Reason: reason, Detail: detail}}
}

// errUnknownModel marks a request that was rejected for its model, as far as one can tell
// from a text that servers word as they like.
var errUnknownModel = errors.New("the server may not know the model")

func unknownModel(detail string) failure {
	f := hopeless(scorer.ReasonBadRequest, detail)
	f.err, f.advice = fmt.Errorf("%w: %w", f.err, errUnknownModel), "check {model}"
	return f
}

var (
	errNoChoices = errors.New("response without choices")
	errNoVectors = errors.New("response without vectors")
)

func classify(err error) failure {
	if s, ok := statusOf(err); ok {
		return s.classify()
	}
	if u, ok := errors.AsType[*scorer.UnscorableError](err); ok {
		return failure{outcome: "bad_reply", detail: u.Detail, err: err}
	}
	switch {
	case errors.Is(err, errRedirect):
		return paused("rejected", errRedirect.Error(), "set {url} to where it leads")
	case errors.Is(err, errKey):
		return paused("auth", errKey.Error(), "check {key}")
	case errors.Is(err, errRequestTooLarge):
		return hopeless(scorer.ReasonTooLong, errRequestTooLarge.Error())
	case errors.Is(err, errResponseTooLarge):
		return hopeless(scorer.ReasonBadReply, errResponseTooLarge.Error())
	case errors.Is(err, errNoChoices):
		return transient("empty", errNoChoices.Error())
	case errors.Is(err, errNoVectors):
		return transient("empty", errNoVectors.Error())
	}
	if known := refusedByLibrary(err); known != nil {
		return failure{outcome: "rejected", detail: known.Error(), err: fmt.Errorf("%w: %w", scorer.ErrJudgePaused, known),
			advice: "check judge.temperature and judge.reasoning_effort for {model}"}
	}
	if f, ok := network(err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return transient("timeout", "timeout")
	}
	return transient("unreadable", "unreadable response")
}

// network knows the errors of a connection.
func network(err error) (failure, bool) {
	u, ok := errors.AsType[*url.Error](err)
	if !ok {
		return failure{}, false
	}
	f := transient("network", networkDetail(u.Err))
	if f.detail == "timeout" {
		f.outcome = "timeout"
	}
	op, isOp := errors.AsType[*net.OpError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if isOp && (op.Op == "dial" || op.Op == "proxyconnect") || untrusted {
		f.away, f.advice = true, "check {url}"
	}
	return f, true
}
