package main

import (
	"fmt"
	"net/url"
	"strings"

	"leadline/config"
)

// destination is a host that data leaves for.
type destination struct{ host, who, what string }

// destinations lists every host that the daemon connects to, and what it sends there.
func destinations(cfg config.Config) []destination {
	all := judgeDestinations(cfg.Judge, cfg.Record.Fields)
	for _, r := range cfg.Alert.Receivers {
		all = append(all, destination{receiverHost(r), "receiver " + r.Name, told(cfg.Alert.Samples)})
	}
	for _, broker := range cfg.Kafka.Brokers {
		all = append(all, destination{broker, "kafka", "requests to read as client " + cfg.Kafka.ClientID + "; no data"})
	}
	return all
}

func judgeDestinations(cfg config.Judge, fields map[string]string) []destination {
	pairs := "question, answer and contexts of each sample"
	if fields["history"] != "" {
		pairs += ", and the turns before its question"
	}
	judge := destination{hostOf(cfg.BaseURL), "judge, model " + cfg.Model, pairs}
	e := cfg.Embeddings
	embeddings := destination{hostOf(e.BaseURL), "embeddings, model " + e.Model, "question of each sample, and questions that the judge makes of its answer"}
	switch {
	case e.Model == "":
		return []destination{judge}
	case embeddings.host == "" || embeddings.host == judge.host:
		judge.who += "; " + embeddings.who
		return []destination{judge}
	}
	return []destination{judge, embeddings}
}

// told is what a message says.
func told(samples string) string {
	text := "incidents and weekly verdicts: service, segments, releases, document ids and figures"
	switch samples {
	case "ids":
		text += ", ids of samples"
	case "excerpt":
		text += ", ids of samples and how their questions begin"
	}
	return text
}

// receiverHost shows of a receiver's address, which is a secret, the host alone.
func receiverHost(r config.Receiver) string {
	inline, file := config.Secret(""), ""
	if r.Slack != nil {
		inline, file = r.Slack.APIURL, r.Slack.APIURLFile
	} else if r.Webhook != nil {
		inline, file = r.Webhook.URL, r.Webhook.URLFile
	}
	address, err := config.ReadSecret(inline, file)
	if err != nil {
		return "?"
	}
	return hostOf(address.Reveal())
}

// hostOf is the host of a URL, with the port where there is one, and nothing else of it.
func hostOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	return u.Host
}

func (d destination) String() string {
	return fmt.Sprintf("sends     %s (%s): %s", d.host, d.who, d.what)
}
