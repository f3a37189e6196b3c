package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"leadline/config"
	"leadline/scorer"
	"leadline/store"
)

// floorName names what is remembered of an embedding model: where its cosines lie.
func floorName(cfg config.Judge) string {
	e := cfg.Embeddings
	return strings.Join([]string{"floor", scorer.FloorVersion, cmp.Or(e.BaseURL, cfg.BaseURL), e.Model, strconv.Itoa(e.Dimensions), e.Prefix}, " ")
}

// rememberedFloors are nil while they were not measured.
func rememberedFloors(s *store.Store, cfg config.Judge) (floors []scorer.Floor, err error) {
	_, err = s.Remembered(floorName(cfg), &floors)
	return floors, err
}

// measureFloors finds out once where the cosines of the embedding model lie. Scores do not
// depend on it, so a failure is no reason to wait: the next start tries again.
func (d *daemon) measureFloors(ctx context.Context, s *scorer.Scorer) {
	if d.floored.Swap(true) {
		return
	}
	floors, err := rememberedFloors(d.store, d.cfg.Judge)
	if err == nil && floors == nil {
		if floors, err = s.Floors(ctx); err == nil && floors != nil {
			err = d.store.Remember(floorName(d.cfg.Judge), floors)
		}
	}
	if err != nil {
		d.log.Warn().Err(err).Msg("floor of relevancy not measured")
	}
}

// printFloors measures where the cosines of the embedding model lie, and says what that means.
func (a *app) printFloors(ctx context.Context, s *scorer.Scorer) error {
	floors, err := s.Floors(ctx)
	if err != nil {
		return err
	}
	for _, f := range floors {
		if err := a.printf("relevancy %s: unrelated %.2f, paraphrase %.2f; %s\n", f.Language, f.Unrelated, f.Paraphrase, meaning(f)); err != nil {
			return err
		}
	}
	return nil
}

// leastSpread is what paraphrases must lie above unrelated questions for a relevancy to tell
// anything: the judge's own questions differ by about a tenth.
const leastSpread = 0.1

func meaning(f scorer.Floor) string {
	if f.Paraphrase-f.Unrelated < leastSpread {
		return "WARNING: this embedding model hardly tells them apart, so relevancy says little in this language; use another"
	}
	return fmt.Sprintf("an answer beside the question scores about %.2f: compare relevancy with this and its own past, never with another model's", f.Unrelated)
}
