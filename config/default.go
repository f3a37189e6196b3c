package config

import "time"

const day = 24 * time.Hour

// Default returns what holds where a file says nothing. It is not a valid configuration:
// names, brokers, topics and a judge have no default.
func Default() Config {
	temperature := 0.01
	return Config{
		Service: Service{Environment: "production", Language: "en", Timezone: "UTC"},
		Kafka: Kafka{ClientID: "leadline", InitialOffset: "latest", IsolationLevel: "read_committed",
			OnOffsetOutOfRange: "earliest", MaxFetchSize: 1 << 20, MaxFetchWait: 500 * time.Millisecond,
			DialTimeout: 10 * time.Second},
		Record: Record{Format: "auto", MaxSize: 4 << 20, MaxAge: 30 * day},
		Sample: Sample{Rate: 0.1, Salt: "leadline", By: "record", PerRun: 60, Floor: 5, WatchFactor: 2, SecondLook: 0.05},
		Judge:  Judge{Prompts: "auto", Temperature: &temperature, Timeout: time.Minute, Concurrency: 4, Strictness: 3, Canaries: true, MaxContextTokens: 24_000, PromptCache: "auto"},
		Score:  Score{Schedule: "0 */6 * * *", Lateness: 10 * time.Minute},
		Drift: Drift{FalseAlarms: 0.10, Period: 180 * day, MinDrop: 0.02, MinTail: 0.03, Tolerance: 0,
			ReleaseFalseAlarms: 0.02, MinBaseline: 100, LengthStrata: true, NoDataAfter: day,
			CodeChannels: []string{"prompt", "model", "retriever", "embedding"}},
		Alert:  Alert{Samples: "ids", ExpireAfter: day},
		Report: Report{Schedule: "0 9 * * 1", Samples: 10},
		Store:  Store{Path: "leadline.db", TextRetention: 30 * day, RowRetention: 400 * day, MemoRetention: 7 * day},
		Server: Server{Listen: "127.0.0.1:8480", OpsListen: ":9480"},
		Log:    Log{Level: "info", Format: "auto"},
	}
}
