package scorer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Judge answers the three questions behind the two metrics. Each method returns its Call
// even with an error, because failed attempts cost too. An error is one of the Err…
// classes (the sample stays pending), an *UnscorableError (the metric of this sample gets a
// reason), or anything else (scoring stops).
type Judge interface {
	// Statements splits an answer into its claims, in the order of the answer. An empty
	// list means that the judge found none and said so again when asked twice.
	// The history, oldest turn first, and the question only tell what is meant.
	Statements(ctx context.Context, question, answer string, history ...string) ([]string, Call, error)
	// Verdicts says of each statement whether the contexts support it. The rows are as
	// the judge gave them: the caller compares them with what it asked.
	Verdicts(ctx context.Context, contexts, statements []string) ([]Verdict, Call, error)
	// Questions returns n questions that the answer would fit, in a language given by
	// its code.
	Questions(ctx context.Context, answer, language string, n int) ([]Guess, Call, error)
}

// Embedder turns texts into vectors, one per text and in their order. It normalises the
// texts itself, so that both sides of a cosine are treated alike.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float64, Call, error)
}

// Verdict is one row of a verdict reply.
type Verdict struct {
	Index  int    // of the statement, from 0; negative or too large when the judge invented one
	Value  int    // 1 supported, 0 not; anything else is not a verdict
	Reason string // in the judge's words
}

// Guess is one generated question.
type Guess struct {
	Text         string // "" when the judge gave none
	Noncommittal int    // 1 evasive, 0 not; anything else is not a flag
}

// Call is what came with a reply.
type Call struct {
	Usage       Usage
	Model       string // as the server named it
	Fingerprint string
	Standin     bool // the server said that it only compares words
	Extended    bool // the contexts were too long for one call and were judged in parts
}

// Add takes the usage of a later call in, and what it says about the server.
func (c *Call) Add(b Call) {
	c.Usage.Add(b.Usage)
	c.Standin = c.Standin || b.Standin
	c.Extended = c.Extended || b.Extended
	if b.Model != "" {
		c.Model = b.Model
	}
	if b.Fingerprint != "" {
		c.Fingerprint = b.Fingerprint
	}
}

// The classes of errors that stop scoring and leave samples pending.
var (
	// ErrJudgeDown: no usable reply for now; the same call may work later.
	ErrJudgeDown = errors.New("judge is not reachable")
	// ErrJudgePaused: key, quota, model or request was refused; somebody must act.
	ErrJudgePaused = errors.New("judge refuses")
	// ErrJudgeChanged: another model answered than the configured ones.
	ErrJudgeChanged = errors.New("judge changed")
	// ErrOverBudget: what the day or the month allows is spent.
	ErrOverBudget = errors.New("the judge's budget is spent")
)

// UnscorableError is the error of a call that cannot give this sample a score, now or later.
type UnscorableError struct {
	Reason Reason
	Detail string // what was wrong with the reply; never its text
}

// Error names the reason and the detail.
func (u *UnscorableError) Error() string { return fmt.Sprintf("%s: %s", u.Reason, u.Detail) }

// WaitError is an ErrJudgeDown of a server that said for how long it wants no calls.
type WaitError struct {
	Wait  time.Duration
	Cause string // status and code; may be empty
}

// Error names the wait.
func (w *WaitError) Error() string {
	text := fmt.Sprintf("%v: the server asks to wait %v", ErrJudgeDown, w.Wait)
	if w.Cause != "" {
		text += " (" + w.Cause + ")"
	}
	return text
}

// Unwrap is ErrJudgeDown.
func (w *WaitError) Unwrap() error { return ErrJudgeDown }

type freshKey struct{}

// Fresh marks calls that must reach the judge: a remembered reply would hide that the
// judge has changed.
func Fresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

// IsFresh says whether ctx was marked by Fresh.
func IsFresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }

type nameKey struct{}

// Anew marks calls that ask anew what may have been asked before. Their replies are
// remembered under a name of their own, so that none is paid twice after a crash.
func Anew(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, name)
}

// MemoName is under what the replies to the calls of a context are remembered, besides what
// was asked; "" for a first look.
func MemoName(ctx context.Context) string {
	name, _ := ctx.Value(nameKey{}).(string)
	return name
}

// IsRemembered says whether replies are looked for, and kept.
func IsRemembered(ctx context.Context) bool { return !IsFresh(ctx) || MemoName(ctx) != "" }

type unguardedKey struct{}

// Unguarded marks calls whose reply counts even where the judge obeyed the texts that it was
// shown: for control items, which are there to find out what the judge does.
func Unguarded(ctx context.Context) context.Context {
	return context.WithValue(ctx, unguardedKey{}, true)
}

// IsUnguarded says whether ctx was marked by Unguarded.
func IsUnguarded(ctx context.Context) bool { return ctx.Value(unguardedKey{}) != nil }
