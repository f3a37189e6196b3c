package main

// goal is what scoring was built for, and what was measured. One that is missed stays in the
// list with its value.
type goal struct {
	ID    string  `json:"id"`
	What  string  `json:"what"`
	Limit float64 `json:"limit"`
	Value float64 `json:"value"`
	Pass  bool    `json:"pass"`
}

func atMost(id, what string, limit, value float64) goal {
	return goal{id, "at most: " + what, limit, value, value <= limit}
}

func atLeast(id, what string, limit, value float64) goal {
	return goal{id, "at least: " + what, limit, value, value >= limit}
}

func goalsOf(r report) []goal {
	n := float64(r.Records)
	var goals []goal
	if c := r.Parity; c != nil {
		t := c.Leadline.Traffic
		goals = append(goals,
			atMost("parity_faithfulness", "records whose faithfulness differs from Ragas's without a named reason", 0, float64(c.Parity.Faithfulness[different])),
			atMost("parity_relevancy", "records whose relevancy differs by more than 1e-6 without a named reason", 0, float64(c.Parity.Relevancy[different])),
			atMost("chat_requests", "chat requests per sample, second calls aside", 3, float64(t.ChatRequests-c.Leadline.Usage.Repairs)/n),
			atMost("embedding_requests", "embedding requests per sample", 0.05, float64(t.EmbeddingRequests)/n))
	}
	if s := r.Speed; s != nil {
		goals = append(goals,
			atLeast("speed", "samples per second, as a multiple of Ragas's", 2.2, s.Ragas.Usage.Wall/s.Leadline.Usage.Wall),
			atMost("cpu", "processor time per sample, as a share of Ragas's", 1.0/20, s.Leadline.Usage.CPU/s.Ragas.Usage.CPU),
			atMost("memory", "largest resident memory, as a share of Ragas's", 1.0/5, float64(s.Leadline.Usage.MaxRSS)/float64(s.Ragas.Usage.MaxRSS)))
	}
	return goals
}
