package config_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
)

func TestFlatNamesSettingsAsAFileDoesAndNoSecret(t *testing.T) {
	warm := 0.5
	got := config.Flat("judge", config.Judge{BaseURL: "http://judge/v1", APIKey: "sk-planted", Model: "m", Temperature: &warm,
		Timeout: 90 * time.Second, ResponseModels: []string{"a", "b"}, Embeddings: config.Embeddings{APIKey: "sk-planted", Model: "e"}})
	for path, want := range map[string]string{
		"judge.base_url": "http://judge/v1", "judge.temperature": "0.5", "judge.timeout": "1m30s",
		"judge.response_models": "[a, b]", "judge.embeddings.model": "e",
	} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
	for path, text := range got {
		if text == "sk-planted" || path == "judge.api_key" {
			t.Errorf("%s shows a secret", path)
		}
	}
	record := config.Flat("record", config.Record{Channels: map[string]string{"release": "app.version"}})
	if diff := cmp.Diff("app.version", record["record.channels.release"]); diff != "" {
		t.Error(diff)
	}
}

func TestParseDurationKnowsDaysAndWeeks(t *testing.T) {
	for text, want := range map[string]time.Duration{"56d": 56 * 24 * time.Hour, "8w": 56 * 24 * time.Hour, "90m": 90 * time.Minute} {
		if got, ok := config.ParseDuration(text); !ok || got != want {
			t.Errorf("%s is %s, %t", text, got, ok)
		}
	}
	if _, ok := config.ParseDuration("2026-11-30"); ok {
		t.Error("a date is no length of time")
	}
}
