package alert

import (
	"fmt"
	"net/http"

	"leadline/config"
)

// NewReceiver returns the receiver that cfg describes. A client gives its transport, for
// proxies and tests; nil means one that refuses link-local addresses. Redirects are
// never followed. Addresses and keys are read at each message, so that a changed file
// needs no restart.
func NewReceiver(cfg config.Receiver, client *http.Client) (Receiver, error) {
	switch {
	case cfg.Slack != nil && cfg.Webhook == nil:
		return &Slack{poster: newPoster(client, cfg.Slack.APIURL, cfg.Slack.APIURLFile)}, nil
	case cfg.Webhook != nil && cfg.Slack == nil:
		w := cfg.Webhook
		return &Webhook{poster: newPoster(client, w.URL, w.URLFile), secret: w.Secret, secretFile: w.SecretFile}, nil
	}
	return nil, fmt.Errorf("receiver %s: set one of slack and webhook", cfg.Name)
}
