package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"
)

func checkJudge(j Judge, d *decoder) {
	d.require("judge.base_url", j.BaseURL != "", "says where the judge is, such as https://api.openai.com/v1")
	checkEndpoint(d, "judge.base_url", j.BaseURL)
	d.require("judge.model", j.Model != "", "names the model that scores")
	checkInlineKey(d, "judge.api_key", j.APIKey, j.APIKeyFile)
	if t := j.Temperature; t != nil {
		between(d, "judge.temperature", *t, 0, 2)
	}
	between(d, "judge.timeout", j.Timeout, time.Second, time.Hour)
	between(d, "judge.concurrency", j.Concurrency, 1, 256)
	checkPace(d, "judge", j.RequestsPerMinute, j.TokensPerMinute)
	between(d, "judge.tokens_per_day", j.TokensPerDay, 0, 1e12)
	between(d, "judge.max_context_tokens", j.MaxContextTokens, 1000, 1_000_000)
	between(d, "judge.strictness", j.Strictness, 1, 10)
	checkCost(j, d)
	e := j.Embeddings
	checkEndpoint(d, "judge.embeddings.base_url", e.BaseURL)
	checkInlineKey(d, "judge.embeddings.api_key", e.APIKey, e.APIKeyFile)
	between(d, "judge.embeddings.dimensions", e.Dimensions, 0, 100_000)
	checkPace(d, "judge.embeddings", e.RequestsPerMinute, e.TokensPerMinute)
	if e.Model == "" && e != (Embeddings{}) {
		d.bad("judge.embeddings.model", "is required when judge.embeddings is set; name the model, or remove the section")
	}
}

func checkPace(d *decoder, section string, requests, tokens int) {
	between(d, section+".requests_per_minute", requests, 0, 1_000_000)
	between(d, section+".tokens_per_minute", tokens, 0, 1_000_000_000)
}

// askGently asks a judge on this machine one call at a time, unless the file says otherwise:
// it is one model on one computer, and calls that wait in its queue run into their timeout.
func askGently(j *Judge, d *decoder) {
	u, err := url.Parse(j.BaseURL)
	if _, said := d.set["judge.concurrency"]; !said && err == nil && isLoopback(u.Hostname()) {
		j.Concurrency = 1
	}
}

func checkInlineKey(d *decoder, path string, inline Secret, file string) {
	d.pair(path, inline, file)
	if err := checkKey(inline); err != nil {
		d.bad(path, "%s", err)
	}
}

// checkEndpoint checks a URL that paths are added to and that may be shown.
func checkEndpoint(d *decoder, path, raw string) {
	if raw == "" {
		return
	}
	if err := CheckURL(raw); err != nil {
		d.bad(path, "%s", err)
	} else if !isWebAddress(raw) {
		d.bad(path, "must have no user, query or fragment; keys go to api_key_file")
	}
}

func checkAlert(a Alert, d *decoder) {
	between(d, "alert.expire_after", a.ExpireAfter, time.Minute, 30*day)
	first := map[string]int{}
	for i, r := range a.Receivers {
		path := fmt.Sprintf("alert.receivers[%d]", i)
		d.require(path+".name", r.Name != "", "tells receivers apart")
		if j, twice := first[r.Name]; twice && r.Name != "" {
			d.bad(path+".name", "is the name of alert.receivers[%d] too; give each its own", j)
		} else {
			first[r.Name] = i
		}
		if (r.Slack == nil) == (r.Webhook == nil) {
			d.bad(path, "must have exactly one of slack and webhook")
			continue
		}
		checkReceiver(r, path, d)
	}
}

func checkReceiver(r Receiver, path string, d *decoder) {
	if s := r.Slack; s != nil {
		checkHook(d, path+".slack.api_url", s.APIURL, s.APIURLFile)
		return
	}
	checkHook(d, path+".webhook.url", r.Webhook.URL, r.Webhook.URLFile)
	d.pair(path+".webhook.secret", r.Webhook.Secret, r.Webhook.SecretFile)
	if s := r.Webhook.Secret; s.IsSet() {
		if err := checkSigningSecret(s); err != nil {
			d.bad(path+".webhook.secret", "%s", err)
		}
	}
}

func checkHook(d *decoder, path string, inline Secret, file string) {
	d.pair(path, inline, file)
	d.require(path, inline.IsSet() || file != "", "says where to post; better still, "+lastName(path)+"_file does")
	if inline.IsSet() {
		if err := CheckURL(inline.Reveal()); err != nil {
			d.bad(path, "%s", err)
		}
	}
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func isSigningSecret(s string) bool {
	encoded, marked := strings.CutPrefix(s, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	return marked && err == nil && len(key) >= 24 && len(key) <= 64
}
