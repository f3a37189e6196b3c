package scorer

import (
	"context"
	"errors"
	"fmt"
)

// embedAll gives every draft that needs vectors its relevancy, with one call for all. If
// that call is not possible because of one of the texts, each draft gets its own.
func (s *Scorer) embedAll(ctx context.Context, drafts []draft) error {
	var waiting []*draft
	for i := range drafts {
		if drafts[i].embed {
			waiting = append(waiting, &drafts[i])
		}
	}
	err := s.embed(ctx, waiting)
	if _, ok := errors.AsType[*UnscorableError](err); !ok {
		return err
	}
	for _, d := range waiting {
		err := s.embed(ctx, []*draft{d})
		if u, ok := errors.AsType[*UnscorableError](err); ok {
			d.score.Outcomes[AnswerRelevancy] = unscorable(u.Reason)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// embed makes one call for the distinct texts of the drafts.
func (s *Scorer) embed(ctx context.Context, drafts []*draft) (err error) {
	if len(drafts) == 0 {
		return nil
	}
	texts, at := distinctTexts(drafts)
	settle, err := s.reserve(ctx, s.spend(0, 0, tokensIn(texts...)))
	if err != nil {
		return err
	}
	vectors, call, err := s.embedder.Embed(ctx, texts)
	share(call, drafts)
	if err := errors.Join(err, settle(call.Usage)); err != nil {
		return fmt.Errorf("embed questions: %w", err)
	}
	if len(vectors) != len(texts) {
		return &UnscorableError{Reason: ReasonBadEmbedding, Detail: fmt.Sprintf("%d vectors for %d texts", len(vectors), len(texts))}
	}
	for _, d := range drafts {
		own := make([][]float64, len(d.score.Questions))
		for i, q := range d.score.Questions {
			own[i] = vectors[at[q.Text]]
		}
		d.score.Outcomes[AnswerRelevancy] = relevancy(vectors[at[d.user]], own, d.score.Questions)
	}
	return nil
}

func distinctTexts(drafts []*draft) (texts []string, at map[string]int) {
	at = map[string]int{}
	add := func(text string) {
		if _, seen := at[text]; !seen {
			at[text] = len(texts)
			texts = append(texts, text)
		}
	}
	for _, d := range drafts {
		add(d.user)
		for _, q := range d.score.Questions {
			add(q.Text)
		}
	}
	return texts, at
}

// share spreads the tokens of a common call over its drafts; what does not divide, and
// the requests, are the first one's, so that the sum is right.
func share(call Call, drafts []*draft) {
	n := int64(len(drafts))
	each := call.Usage.EmbeddingTokens / n
	call.Usage.EmbeddingTokens -= each * (n - 1)
	for _, d := range drafts {
		d.score.Usage.Add(call.Usage)
		d.score.Standin = d.score.Standin || call.Standin
		call.Usage = Usage{EmbeddingTokens: each}
	}
}
