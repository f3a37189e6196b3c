package openai

import (
	"context"
	"errors"
	"fmt"

	goopenai "github.com/sashabaranov/go-openai"

	"leadline/scorer"
)

// Capabilities are those in force.
func (j *Judge) Capabilities() Capabilities { return *j.caps.Load() }

// Use puts capabilities in force that an earlier Probe found out. Call it before scoring,
// not during.
func (j *Judge) Use(caps Capabilities) { j.caps.Store(&caps) }

// Probe finds out by a few small calls what the servers can do, and uses it from then on.
// It goes down the ladder only where a call was rejected or its reply could not be read.
// Call it before scoring, not during.
func (j *Judge) Probe(ctx context.Context) (Capabilities, error) {
	caps, _, err := j.probe(ctx, nil)
	return caps, err
}

// ProbeAgain is Probe for a server that was probed before: it is asked as before for as long
// as it takes that. Where it does not, why says what it said.
func (j *Judge) ProbeAgain(ctx context.Context, prior Capabilities) (caps Capabilities, why string, err error) {
	caps, p, err := j.probe(ctx, &prior)
	if len(p.refusals) > 0 {
		why = reasonOf(p.refusals[0])
	}
	return caps, why, err
}

// reasonOf says why a rung was left, in few words.
func reasonOf(err error) string {
	if e, ok := errors.AsType[*fieldError](err); ok {
		return detailOf(err) + ": " + e.Error()
	}
	return detailOf(err)
}

// probed is what a probe learned on its way.
type probed struct {
	refusals []error // of the rungs above
	model    string  // that answered
	choices  string  // why there is no more than one choice; empty: there are several
}

func (j *Judge) probe(ctx context.Context, prior *Capabilities) (Capabilities, probed, error) {
	ctx = scorer.Fresh(ctx)
	p, err := j.probeChat(ctx, prior)
	if err != nil {
		return j.Capabilities(), p, err
	}
	return j.Capabilities(), p, j.probeEmbeddings(ctx)
}

// probeChat finds the first rung of which a reply can be read.
func (j *Judge) probeChat(ctx context.Context, prior *Capabilities) (p probed, err error) {
	before := j.Capabilities()
	open := ladder(j.cfg, prior)
	for len(open) > 0 {
		caps := open[0]
		thought, err := j.basicCall(ctx, caps, &p)
		if err != nil && thought && !caps.Thinks && mayFit(err) {
			caps.Thinks = true // it may only have lacked room
			thought, err = j.basicCall(ctx, caps, &p)
		}
		if err == nil {
			j.stopThinking(ctx, caps, thought, &p)
			return p, j.probeGenerations(ctx, &p)
		}
		if !mayFit(err) {
			j.Use(before)
			return p, err
		}
		p.refusals = append(p.refusals, err)
		open = left(open, open[0], err)
	}
	j.Use(before)
	last := p.refusals[len(p.refusals)-1]
	if errors.Is(last, errUnknownModel) {
		return p, fmt.Errorf("%w: %w", scorer.ErrJudgePaused, last)
	}
	return p, fmt.Errorf("%w: no usable reply, neither as json_schema nor as json_object nor as plain text: %w; check %s, judge.reasoning_effort and judge.service_tier",
		scorer.ErrJudgePaused, last, j.chat.settings.model)
}

// basicCall splits a small answer with the capabilities, and says whether the model thought.
func (j *Judge) basicCall(ctx context.Context, caps Capabilities, p *probed) (thought bool, err error) {
	j.Use(caps)
	text := "The desk opens at nine. It closes at five."
	r, err := newRequest(j.tasks.statements, j.tasks.statementsInput("When does the desk open?", text, nil), 512+3*tokens(text))
	if err != nil {
		return false, err
	}
	a, err := j.call(ctx, r, &scorer.Call{})
	if err != nil {
		return false, err
	}
	p.model = a.Model
	_, err = read(ctx, j, r, &scorer.Call{}, a.Choices[0], func(text string) ([]string, error) { return parseStatements(text, 400) })
	return a.Thought, err
}

// stopThinking tries the other way to say that the model should not think, where it was told
// to and does. The first way stays where the other is no better.
func (j *Judge) stopThinking(ctx context.Context, caps Capabilities, thought bool, p *probed) {
	if thought && j.cfg.ReasoningEffort == goopenai.ReasoningEffortNone && caps.Effort == effortField {
		other := caps
		other.Effort, other.Thinks = effortThinking, false
		if again, err := j.basicCall(ctx, other, p); err == nil && !again {
			return
		}
	}
	caps.Thinks = caps.Thinks || thought
	j.Use(caps)
}

func (j *Judge) probeGenerations(ctx context.Context, p *probed) error {
	caps := j.Capabilities()
	r, err := newRequest(j.tasks.question, questionInput{"The desk opens at nine.", "en"}, 256)
	if err != nil {
		return err
	}
	r.n = 2
	a, err := j.call(ctx, r, &scorer.Call{})
	if err != nil && !mayFit(err) {
		return fmt.Errorf("ask for several choices: %w", err)
	}
	switch u, _ := errors.AsType[*scorer.UnscorableError](err); {
	case u != nil:
		p.choices = "the server refuses n (" + u.Detail + ")"
	case err != nil:
		p.choices = "n is refused for this model"
	case len(a.Choices) != r.n:
		p.choices = fmt.Sprintf("the server ignores n=%d (returned %d choice)", r.n, len(a.Choices))
	}
	caps.Generations = p.choices == ""
	j.Use(caps)
	return nil
}

// probeEmbeddings finds out whether the server gives vectors as they are configured: a
// mistake there would only show as answers without a relevancy.
func (j *Judge) probeEmbeddings(ctx context.Context) error {
	if j.embedder == nil {
		return nil
	}
	_, _, err := j.embedder.Embed(ctx, []string{"When does the desk open?"})
	return j.aboutEmbeddings(err)
}

func (j *Judge) aboutEmbeddings(err error) error {
	if _, unscorable := errors.AsType[*scorer.UnscorableError](err); unscorable {
		return fmt.Errorf("%w: %w; check %s and judge.embeddings.dimensions", scorer.ErrJudgePaused, err, j.embedder.client.settings.model)
	}
	return err
}

// mayFit says whether the same server may take another form of the request.
func mayFit(err error) bool {
	_, unscorable := errors.AsType[*scorer.UnscorableError](err)
	return unscorable || refusedByLibrary(err) != nil
}
