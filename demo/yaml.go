package demo

import (
	"fmt"
	"path/filepath"
	"strings"
)

// YAML returns the configuration file of the daemon that watches the world: judgeURL is
// the stand-in's base URL, and everything that is kept goes to dir.
func YAML(w *World, judgeURL, dir string) string {
	return fmt.Sprintf(`service:
  name: helpdesk
  environment: production
kafka:
  brokers: [%s]
  topics: [%s]
  initial_offset: earliest
record:
  format: plain
  channels: {release: release, prompt: prompt, model: model}
  segments: {department: department, language: language}
  max_age: 0s
sample:
  rate: 0.4
  salt: leadline-demo
  per_run: 15
  floor: 1
judge:
  base_url: %q
  model: standin-lexical-v1
  concurrency: 16
  embeddings:
    model: standin-lexical-v1
score:
  schedule: "0 */6 * * *"
  lateness: 10m
drift:
  code_channels: [prompt, model]
alert:
  receivers:
    - name: slack
      slack:
        api_url: %q
    - name: webhook
      webhook:
        url: %q
        secret: %q
report:
  schedule: "0 6 * * 1"
  dir: %q
store:
  path: %q
server:
  listen: 127.0.0.1:0
  ops_listen: 127.0.0.1:0
`, quoted(w.Brokers()), Topic, judgeURL, w.SlackURL(), w.WebhookURL(), w.WebhookSecret(),
		filepath.Join(dir, "reports"), filepath.Join(dir, "leadline.db"))
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(all, ", ")
}
