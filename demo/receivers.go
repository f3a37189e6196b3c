package demo

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	slackPath   = "/slack"
	webhookPath = "/webhook"
	maxBody     = 1 << 20
)

// receivers answers as Slack's incoming webhooks and as a generic webhook do, and keeps
// what it was told.
type receivers struct {
	url    string
	secret string
	server *http.Server
	verify *standardwebhooks.Webhook

	mu     sync.Mutex
	bodies map[string][][]byte // by path, guarded by mu
}

func startReceivers(ctx context.Context) (*receivers, error) {
	secret := "whsec_bGVhZGxpbmUtZGVtby1vbi1sb29wYmFjaw==" // guards nothing: it never leaves loopback
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("read webhook secret: %w", err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	r := &receivers{url: "http://" + l.Addr().String(), secret: secret, verify: verify, bodies: map[string][][]byte{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+slackPath, r.slack)
	mux.HandleFunc("POST "+webhookPath, r.webhook)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(l) }() // ends with close
	return r, nil
}

func (r *receivers) slack(w http.ResponseWriter, req *http.Request) {
	if r.keep(w, req, slackPath, func([]byte) error { return nil }) {
		_, _ = io.WriteString(w, "ok")
	}
}

func (r *receivers) webhook(w http.ResponseWriter, req *http.Request) {
	r.keep(w, req, webhookPath, func(body []byte) error { return r.verify.Verify(body, req.Header) })
}

func (r *receivers) keep(w http.ResponseWriter, req *http.Request, path string, check func([]byte) error) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return false
	}
	if err := check(body); err != nil {
		http.Error(w, "bad signature", http.StatusUnauthorized)
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies[path] = append(r.bodies[path], body)
	return true
}

func (r *receivers) received() (slack, webhook [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bodies[slackPath]), slices.Clone(r.bodies[webhookPath])
}

func (r *receivers) close() { _ = r.server.Close() }
