package main

import (
	"testing"

	"leadline/scorer"
)

func TestAStoreOfOtherPromptsIsNoticed(t *testing.T) {
	id := func(metric scorer.Metric, model, prompt string) scorer.JudgeID {
		return scorer.JudgeID{Metric: metric, Endpoint: "https://judge.example/v1", Model: model, Prompt: prompt}
	}
	newest := map[scorer.Metric]scorer.JudgeID{
		scorer.Faithfulness:    id(scorer.Faithfulness, "judge-1", "statements/v2:aa verdicts/v2:bb"),
		scorer.AnswerRelevancy: id(scorer.AnswerRelevancy, "judge-1", "question/v2:cc"),
	}
	first := id(scorer.Faithfulness, "judge-1", "statements/v1:dd verdicts/v1:ee")
	for name, c := range map[string]struct {
		known []scorer.JudgeID
		want  string
	}{
		"nothing stored":           {nil, ""},
		"only v1":                  {[]scorer.JudgeID{first}, "v1"},
		"v1 and then v2":           {[]scorer.JudgeID{first, newest[scorer.Faithfulness]}, ""},
		"v1 of another model":      {[]scorer.JudgeID{id(scorer.Faithfulness, "judge-0", first.Prompt)}, ""},
		"v1 of the other metric":   {[]scorer.JudgeID{id(scorer.AnswerRelevancy, "judge-1", "question/v1:ff")}, "v1"},
		"the same prompts already": {[]scorer.JudgeID{newest[scorer.AnswerRelevancy]}, ""},
	} {
		known := map[string]scorer.JudgeID{}
		for _, j := range c.known {
			known[j.Key()] = j
		}
		if got := otherPrompts(known, newest); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
