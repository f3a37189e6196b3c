package alert

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

// rememberRung is how long a Slack that did not take a message's form is spared it.
const rememberRung = 24 * time.Hour

// Slack sends to a Slack incoming webhook, or to what understands one. A form that is
// not taken is followed at once by a plainer one: blocks, attachment, text.
type Slack struct {
	poster

	mu    sync.Mutex // guards rung and since
	rung  int
	since time.Time
}

var ladder = []func(Text, string) slack.WebhookMessage{slackBlocks, slackAttachment, slackText}

// Send posts the message. It is delivered when the answer is 200 with the word ok.
func (s *Slack) Send(ctx context.Context, d Delivery) error {
	text := Render(d.Message)
	failure := &SendError{Class: ClassRejected}
	for rung := s.firstRung(); rung < len(ladder) && failure.Class == ClassRejected; rung++ {
		body, err := json.Marshal(ladder[rung](text, d.ID))
		if err != nil {
			return fmt.Errorf("encode message %s: %w", d.ID, err)
		}
		r, err := s.post(ctx, http.Header{}, body)
		if err != nil {
			return err
		}
		if failure = slackError(r, time.Now()); failure == nil {
			s.remember(rung)
			return nil
		}
	}
	return failure
}

func (s *Slack) firstRung() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.since) > rememberRung {
		s.rung = 0
	}
	return s.rung
}

func (s *Slack) remember(rung int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rung != s.rung {
		s.rung, s.since = rung, time.Now()
	}
}

// slackError classes an answer by Slack's word where there is one, else by its status.
func slackError(r reply, now time.Time) *SendError {
	word, ok := slackWord(r.body)
	if r.status == http.StatusOK && ok {
		return nil
	}
	failure := statusError(r, now)
	if failure == nil {
		failure = &SendError{Class: ClassBadAnswer, Status: r.status}
	}
	if class := slackClass(word); class != "" {
		failure.Class = class
	}
	return failure
}

// slackWord returns the word of an answer, and whether it says delivered.
func slackWord(body string) (word string, ok bool) {
	var answer struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(body), &answer) == nil {
		return answer.Error, answer.OK
	}
	word = strings.TrimSpace(body)
	return word, word == "ok"
}

func slackClass(word string) Class {
	switch word {
	case "invalid_payload", "invalid_blocks", "invalid_blocks_format", "no_text", "too_many_attachments",
		"invalid_attachments", "msg_blocks_too_long", "msg_too_long":
		return ClassRejected
	case "user_not_found", "channel_not_found", "no_service", "no_team", "channel_is_archived", "is_archived",
		"not_in_channel":
		return ClassGone
	case "action_prohibited", "invalid_token", "posting_to_general_channel_denied", "invalid_auth",
		"token_revoked", "missing_scope", "account_inactive":
		return ClassAuth
	case "rate_limited", "ratelimited":
		return ClassRateLimited
	case "rollup_error", "internal_error", "fatal_error", "service_unavailable":
		return ClassServerError
	}
	return ""
}
