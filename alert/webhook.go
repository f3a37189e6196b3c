package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/config"
)

// Webhook sends the body of Alertmanager's webhook, version 4, signed as Standard
// Webhooks when it has a secret. Any 2xx is delivered.
type Webhook struct {
	poster

	secret     config.Secret
	secretFile string
}

// Send posts the message, signed for this try under the delivery's own ID.
func (w *Webhook) Send(ctx context.Context, d Delivery) error {
	body, err := encode(webhookBodyOf(d))
	if err != nil {
		return fmt.Errorf("encode message %s: %w", d.ID, err)
	}
	now := time.Now()
	header, err := w.sign(d.ID, now, body)
	if err != nil {
		return err
	}
	r, err := w.post(ctx, header, body)
	if err != nil && r.status == 0 {
		return err
	}
	// The status is the answer; a body that breaks off changes nothing.
	failure := statusError(r, now)
	if failure == nil {
		return nil
	}
	return failure
}

func (w *Webhook) sign(id string, now time.Time, body []byte) (http.Header, error) {
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	secret, err := config.ReadSecret(w.secret, w.secretFile)
	if err != nil {
		return nil, &SendError{Class: ClassSecret}
	}
	if !secret.IsSet() {
		return header, nil
	}
	signer, err := standardwebhooks.NewWebhook(secret.Reveal())
	if err != nil {
		return nil, &SendError{Class: ClassConfig}
	}
	signature, err := signer.Sign(id, now, body)
	if err != nil {
		return nil, &SendError{Class: ClassConfig}
	}
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return header, nil
}

// encode leaves UTF-8 and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
