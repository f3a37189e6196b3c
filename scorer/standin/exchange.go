package standin

import (
	"net/http"
	"time"
)

// exchange is one request on its way to a reply, and the faults that hit it.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	hash    uint64
	faults  []Fault
	request chatRequest // of chat only
	used    usage
	touched uint64 // a bit per fault that changed the reply
	spoiled bool   // no client can use it
}

// arrive counts a request and finds the faults that hit it.
func (s *Server) arrive(w http.ResponseWriter, r *http.Request, task string, body []byte) *exchange {
	x := &exchange{server: s, w: w, r: r, hash: bodyHash(task, body)}
	x.faults = s.inForce(task, x.hash, s.ledger.arrived(task, x.hash))
	return x
}

// takenOver lets the first fault that answers in place of a reply do so.
func (x *exchange) takenOver() bool {
	for _, f := range x.faults {
		m, _ := findMode(f.Mode)
		if m.answer == nil || m.applies != nil && !m.applies(x.request) {
			continue
		}
		x.server.ledger.faulted(f.Mode)
		m.answer(x, f)
		return true
	}
	return false
}

// spoil offers a reply to the faults in force; visit says whether the mode had a hook
// for it.
func (x *exchange) spoil(visit func(mode, Fault) bool) {
	for i, f := range x.faults {
		m, _ := findMode(f.Mode)
		if visit(m, f) {
			x.touched |= 1 << i
			x.spoiled = x.spoiled || m.spoils
		}
	}
}

// finish sends the reply and counts it, and the faults that changed it.
func (x *exchange) finish(reply []byte) {
	for i, f := range x.faults {
		if x.touched>>i&1 == 1 {
			x.server.ledger.faulted(f.Mode)
		}
	}
	x.think()
	x.server.ledger.answered(x.hash, x.used, !x.spoiled)
	writeBytes(x.w, http.StatusOK, reply)
}

// think takes the time that a reply takes, or what is left of it when nobody waits any more.
func (x *exchange) think() {
	if x.server.delay == 0 {
		return
	}
	timer := time.NewTimer(x.server.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
	}
}
