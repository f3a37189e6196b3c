package main

import (
	"cmp"
	"fmt"
	"strings"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
)

// promptsLine says what the version of the prompts means for a store that exists.
func promptsLine(cfg config.Judge) string {
	return fmt.Sprintf("prompts   %s; scores of two versions are never compared, so a store begun with another one goes on with that (judge.prompts), or learns anew", openai.PromptsOf(cfg))
}

// warnOfOtherPrompts says so when the store knows this judge with other prompts only: then
// every series begins anew, and nothing is watched until it has a baseline.
func (d *daemon) warnOfOtherPrompts(configured map[scorer.Metric]scorer.JudgeID) error {
	known, err := d.store.Judges()
	if err != nil {
		return err
	}
	if older := otherPrompts(known, configured); older != "" {
		d.log.Warn().Str("prompts", openai.PromptsOf(d.cfg.Judge)).Str("stored", older).
			Msg("series were scored with other prompts and learn anew; judge.prompts goes on with the stored ones, leadline judge bridge carries a baseline over")
	}
	return nil
}

// otherPrompts returns the version of the prompts with which a store's series were scored
// where that is the only thing that differs; "" where it has series of the configured one,
// or none.
func otherPrompts(known map[string]scorer.JudgeID, configured map[scorer.Metric]scorer.JudgeID) string {
	found := ""
	for m, id := range configured {
		if _, same := known[id.Key()]; same {
			return ""
		}
		for _, old := range known {
			version := versionOfPrompt(old.Prompt)
			differs := old.Prompt != id.Prompt
			old.Prompt = id.Prompt
			if old.Metric == m && old == id && differs {
				found = cmp.Or(found, version)
			}
		}
	}
	return found
}

// versionOfPrompt reads "v1" out of "statements/v1:d0b7 verdicts/v1:ca32".
func versionOfPrompt(prompt string) string {
	_, version, _ := strings.Cut(prompt, "/")
	version, _, _ = strings.Cut(version, ":")
	return version
}
