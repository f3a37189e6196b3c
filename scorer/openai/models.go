package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// listed is a model as a server lists it. Servers name the end of a model in several ways,
// as a date or in seconds.
type listed struct {
	ID         string `json:"id"`
	Shutdown   any    `json:"shutdown_date"`
	Deprecated any    `json:"deprecation_date"`
	Until      any    `json:"deprecation"`
}

var errNoList = errors.New("the server lists no models")

// models asks for the list of models. errNoList: the server has none; other errors say why it is
// not known whether it has one.
func (j *Judge) models(ctx context.Context) ([]listed, error) {
	ctx, cancel := context.WithTimeout(ctx, j.chat.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, j.chat.endpoint+"/models", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("unknown: %w", err)
	}
	resp, err := j.chat.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("unknown: %s", classify(err).detail)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return nil, errNoList
	default:
		return nil, fmt.Errorf("unknown: %v", status{http: resp.StatusCode})
	}
	var list struct {
		Data []listed `json:"data"`
	}
	if json.NewDecoder(resp.Body).Decode(&list) != nil || len(list.Data) == 0 {
		return nil, errNoList
	}
	return list.Data, nil
}

// lookUp says what is known of the model without asking it: whether the server has it, and
// until when.
func (j *Judge) lookUp(ctx context.Context, now time.Time) []Finding {
	f := Finding{Step: "models"}
	var out []Finding
	all, err := j.models(ctx)
	own := slices.IndexFunc(all, func(m listed) bool { return strings.TrimPrefix(m.ID, "models/") == j.cfg.Model })
	switch {
	case err != nil:
		out = append(out, f.note("%v; whether it has %s is seen in the next step", err, j.cfg.Model))
	case own < 0:
		out = append(out, f.warn("%s is not on the server's list of %d: check judge.model%s", shortName(j.cfg.Model), len(all), near(all)))
	default:
		out = append(out, f.ok("%s is on the server's list of %d", shortName(j.cfg.Model), len(all)))
	}
	end, known := ShutdownOf(j.cfg.Model, now)
	if own >= 0 {
		if at, ok := all[own].end(); ok {
			end, known = Shutdown{Model: j.cfg.Model, Date: at, Source: "the server's list"}, at.Sub(now) <= shutdownNotice
		}
	}
	if known {
		out = append(out, Finding{Step: "shutdown"}.warn("%s", end.Text(now)))
	}
	return out
}

// near names a few models for somebody who mistyped one.
func near(all []listed) string {
	const most = 5
	var names []string
	for _, m := range all[:min(len(all), most)] {
		names = append(names, shortName(m.ID))
	}
	more := ""
	if len(all) > most {
		more = " and others"
	}
	return fmt.Sprintf("; it has %s%s", strings.Join(names, ", "), more)
}

// end reads when a model ends.
func (m listed) end() (time.Time, bool) {
	for _, v := range []any{m.Shutdown, m.Deprecated, m.Until} {
		switch v := v.(type) {
		case float64:
			if v > 0 {
				return time.Unix(int64(v), 0).UTC(), true
			}
		case string:
			for _, layout := range []string{time.DateOnly, time.RFC3339} {
				if at, err := time.Parse(layout, v); err == nil {
					return at, true
				}
			}
		}
	}
	return time.Time{}, false
}
