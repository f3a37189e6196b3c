package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"leadline/scorer"
)

const (
	// verdictsPerCall bounds a call: more verdicts would be cut off, and would sway each other.
	verdictsPerCall = 25
	// maxParts bounds the calls for one sample's contexts.
	maxParts = 8
)

// Verdicts judges the statements, by one call for every 25 of them. Contexts that are too long
// for one call are judged in parts: a statement is supported where one part supports it, and is
// not shown to the parts after that.
func (j *Judge) Verdicts(ctx context.Context, contexts, statements []string) ([]scorer.Verdict, scorer.Call, error) {
	var call scorer.Call
	limit := cmp.Or(j.cfg.MaxContextTokens, maxContextTokens)
	parts := split(contexts, limit)
	if len(parts) > maxParts {
		return nil, call, &scorer.UnscorableError{Reason: scorer.ReasonTooLong,
			Detail: fmt.Sprintf("contexts of %d parts of about %d tokens, limit %d", len(parts), limit, maxParts)}
	}
	if len(parts) == 1 {
		rows, err := j.verdicts(ctx, parts[0], statements, &call)
		return rows, call, err
	}
	call.Extended = true
	found := newFindings(len(statements))
	for _, part := range parts {
		open := found.open()
		rows, err := j.verdicts(ctx, part, pick(statements, open), &call)
		if err != nil {
			return nil, call, err
		}
		found.add(open, rows)
	}
	return found.rows(), call, nil
}

// verdicts judges the statements by contexts of one part. The rows are as the judge gave them.
func (j *Judge) verdicts(ctx context.Context, contexts, statements []string, call *scorer.Call) ([]scorer.Verdict, error) {
	var rows []scorer.Verdict
	for start := 0; start < len(statements); start += verdictsPerCall {
		chunk := statements[start:min(start+verdictsPerCall, len(statements))]
		got, err := j.judge(ctx, contexts, chunk, call)
		if err != nil {
			return nil, err
		}
		for _, row := range got {
			row.Index = shift(row.Index, start, len(chunk), len(statements))
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// shift numbers a row through all calls; a row that names no statement of its own call
// must not hit one of another.
func shift(i, start, part, all int) int {
	if i < 0 || i >= part {
		return all
	}
	return start + i
}

func pick(texts []string, indices []int) []string {
	out := make([]string, len(indices))
	for i, at := range indices {
		out[i] = texts[at]
	}
	return out
}

// judge makes one call, and a second one with other canaries where the judge failed those of
// the first: a judge errs now and then, but obeys a text both times.
func (j *Judge) judge(ctx context.Context, contexts, statements []string, call *scorer.Call) ([]scorer.Verdict, error) {
	for attempt := range 2 {
		var guard canaries
		if j.guarded() {
			guard = newCanaries(j.secret, contexts, statements, attempt)
		}
		shown := guard.hide(statements)
		r, err := newRequest(j.tasks.verdicts, verdictsInputOf(contexts, shown), 256+100*len(shown))
		if err != nil {
			return nil, err
		}
		asking := ctx
		if attempt > 0 {
			asking = secondTime(ctx)
		}
		rows, err := ask(asking, j, r, call, func(text string) ([]scorer.Verdict, error) { return parseVerdicts(text, len(shown)) })
		if err != nil {
			return nil, err
		}
		rows, err = guard.check(rows)
		if err == nil || scorer.IsUnguarded(ctx) {
			return rows, nil
		}
		if !errors.Is(err, errCanary) {
			return nil, err
		}
	}
	return nil, &scorer.UnscorableError{Reason: scorer.ReasonInjection, Detail: errCanary.Error() + ", twice"}
}
