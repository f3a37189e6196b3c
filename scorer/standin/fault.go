package standin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxFaults = 64

// Fault makes the stand-in misbehave. Which requests it hits depends on the seed, the
// request's body and how often that body has come, so a run can be repeated.
type Fault struct {
	Mode string `json:"mode"` // one of Modes
	// Task limits it to statements, verdicts, question, embeddings or models; empty: all.
	Task string `json:"task,omitempty"`
	// Rate is the share of attempts hit, 0–1; with First, of requests. For verdict_strict
	// and verdict_lenient it is the share of verdicts.
	Rate float64 `json:"rate"`
	// First, if above 0, hits only the first attempts of a request; later ones succeed.
	First int `json:"first,omitempty"`
	// Since is when it begins; zero: at once.
	Since time.Time `json:"since,omitzero"`
	// Value is the wait of rate_limit_* in whole seconds (milliseconds for
	// rate_limit_ms), or the name that model_swapped reports.
	Value string `json:"value,omitempty"`
}

// validate says what is wrong with f.
func (f Fault) validate() error {
	if _, ok := findMode(f.Mode); !ok {
		return fmt.Errorf("mode: %q is not one of %s", f.Mode, strings.Join(Modes(), ", "))
	}
	if f.Rate <= 0 || f.Rate > 1 || math.IsNaN(f.Rate) {
		return fmt.Errorf("%s: rate: must be above 0 and at most 1, not %v", f.Mode, f.Rate)
	}
	if strings.HasPrefix(f.Mode, "rate_limit") && f.Value != "" {
		if _, err := strconv.ParseUint(f.Value, 10, 31); err != nil {
			return fmt.Errorf("%s: value: must be a whole number, not %q", f.Mode, f.Value)
		}
	}
	tasks := []string{"", taskStatements, taskVerdicts, taskQuestion, taskEmbeddings, taskModels}
	if !slices.Contains(tasks, f.Task) {
		return fmt.Errorf("%s: task: %q is not one of %s", f.Mode, f.Task, strings.Join(tasks[1:], ", "))
	}
	return nil
}

// hits decides about one attempt.
func (f Fault) hits(seed, request uint64, attempt int) bool {
	if m, _ := findMode(f.Mode); m.perVerdict {
		return f.First == 0 || attempt < f.First
	}
	if f.First > 0 {
		return attempt < f.First && roll(seed, request, f.Mode, 0) < f.Rate
	}
	return roll(seed, request, f.Mode, attempt) < f.Rate
}

// roll is a number in [0,1) that depends on its arguments alone.
func roll(seed, request uint64, mode string, k int) float64 {
	z := mix(mix(seed^hashBytes([]byte(mode)))^request) + uint64(k)
	return float64(mix(z)>>11) / (1 << 53)
}

// SetFaults replaces the faults in force, or returns what is wrong with the new ones and
// changes nothing.
func (s *Server) SetFaults(faults []Fault) error {
	if len(faults) > maxFaults {
		return fmt.Errorf("%d faults: must be at most %d", len(faults), maxFaults)
	}
	var problems []error
	for i, f := range faults {
		if err := f.validate(); err != nil {
			problems = append(problems, fmt.Errorf("fault %d: %w", i+1, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = slices.Clone(faults)
	return nil
}

// inForce returns the faults that hit an attempt, in the order they were given.
func (s *Server) inForce(task string, request uint64, attempt int) []Fault {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Fault
	for _, f := range s.faults {
		if f.Task != "" && f.Task != task {
			continue
		}
		if !f.Since.IsZero() && s.now().Before(f.Since) {
			continue
		}
		if f.hits(s.seed, request, attempt) {
			out = append(out, f)
		}
	}
	return out
}

func (s *Server) getFaults(w http.ResponseWriter, _ *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	writeJSON(w, http.StatusOK, append([]Fault{}, s.faults...))
}

// postFaults takes a list of faults from this machine only. Asking for the JSON type
// keeps pages in a browser from posting here.
func (s *Server) postFaults(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		(&apiError{status: http.StatusForbidden, kind: "invalid_request_error", text: "faults are set from this machine only"}).write(w)
		return
	}
	if r.Header.Get("Content-Type") != "application/json" {
		badRequest("", "Content-Type: must be application/json").write(w)
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	faults, err := decodeFaults(body)
	if err == nil {
		err = s.SetFaults(faults)
	}
	if err != nil {
		badRequest("", "%v", err).write(w)
		return
	}
	s.getFaults(w, r)
}

func decodeFaults(body []byte) ([]Fault, error) {
	var faults []Fault
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(&faults)
	if err == nil {
		return faults, nil
	}
	const form = `read the list of faults: must be JSON such as [{"mode":"error_503","rate":0.3}]`
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return nil, fmt.Errorf("%s; %s must not be a %s", form, wrong.Field, wrong.Value)
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return nil, fmt.Errorf("%s; no fault has %s", form, key)
	}
	return nil, errors.New(form)
}
