package main

import "leadline/bench/goal"

func goalsOf(r report) []goal.Goal {
	n := float64(r.Records)
	var goals []goal.Goal
	if c := r.Parity; c != nil {
		t := c.Leadline.Traffic
		goals = append(goals,
			goal.AtMost("parity_faithfulness", "records whose faithfulness differs from Ragas's without a named reason", 0, float64(c.Parity.Faithfulness[different])),
			goal.AtMost("parity_relevancy", "records whose relevancy differs by more than 1e-6 without a named reason", 0, float64(c.Parity.Relevancy[different])),
			goal.AtMost("chat_requests", "chat requests per sample, second calls aside", 3, float64(t.ChatRequests-c.Leadline.Usage.Repairs)/n),
			goal.AtMost("embedding_requests", "embedding requests per sample", 0.05, float64(t.EmbeddingRequests)/n))
	}
	if s := r.Speed; s != nil {
		goals = append(goals,
			goal.AtLeast("speed", "samples per second, as a multiple of Ragas's", 2.2, s.Ragas.Usage.Wall/s.Leadline.Usage.Wall),
			goal.AtMost("cpu", "processor time per sample, as a share of Ragas's", 1.0/20, s.Leadline.Usage.CPU/s.Ragas.Usage.CPU),
			goal.AtMost("memory", "largest resident memory, as a share of Ragas's", 1.0/5, float64(s.Leadline.Usage.MaxRSS)/float64(s.Ragas.Usage.MaxRSS)))
	}
	return goals
}
