package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/rs/zerolog"
)

// maxBody is how large a request may be.
const maxBody = 64 << 10

// Options are what the pages and the API stand on.
type Options struct {
	Source   Source
	Operator Operator // nil: nothing can be changed
	Archive  Archive  // nil: there is no history
	Bridger  Bridger  // nil: judges are not compared here
	// Keeper keeps the control items; nil where nobody does.
	Keeper Keeper
	// Baselines is nil where they cannot be asked for.
	Baselines Baselines
	Reviewer  Reviewer // nil: people do not review answers here
	// Token returns the bearer token that a POST over TCP needs, and everything on an
	// address that is not loopback; nil or empty: none is accepted there. The unix
	// socket needs none.
	Token func() string
	// ExternalHost is the host under which a proxy serves the pages, empty without one.
	ExternalHost string
	Log          zerolog.Logger
}

type handler struct{ Options }

// NewHandler returns the pages and the API.
func NewHandler(o Options) http.Handler {
	h := &handler{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.start)
	mux.HandleFunc("GET /incidents/{id}", h.incident)
	mux.HandleFunc("GET /samples", h.samples)
	mux.HandleFunc("GET /samples/{id}", h.sample)
	mux.HandleFunc("GET /reports", h.reports)
	mux.HandleFunc("GET /reports/{week}", h.report)
	mux.HandleFunc("GET /status", h.status)
	mux.HandleFunc("GET /style.css", h.style)
	mux.HandleFunc("GET /api/v1/status", h.apiStatus)
	mux.HandleFunc("GET /api/v1/samples", h.apiSamples)
	mux.HandleFunc("GET /api/v1/reports/{week}", h.apiReport)
	mux.HandleFunc("GET /api/v1/history", h.apiHistory)
	mux.HandleFunc("POST /api/v1/releases", h.apiRelease)
	mux.HandleFunc("POST /api/v1/baseline/accept", h.apiAccept)
	mux.HandleFunc("GET /api/v1/judges", h.apiJudges)
	mux.HandleFunc("POST /api/v1/judges/bridge", h.apiBridge)
	mux.HandleFunc("GET /api/v1/judges/controls", h.apiControls)
	mux.HandleFunc("POST /api/v1/judges/controls/add", h.apiControlAdd)
	mux.HandleFunc("POST /api/v1/judges/controls/remove", h.apiControlRemove)
	mux.HandleFunc("GET /api/v1/baseline", h.apiBaselines)
	mux.HandleFunc("POST /api/v1/baseline/reset", h.apiReset)
	mux.HandleFunc("GET /review", h.reviews)
	mux.HandleFunc("POST /review", h.drawReview)
	mux.HandleFunc("GET /review/{id}", h.review)
	mux.HandleFunc("POST /review/{id}", h.markReview)
	mux.HandleFunc("GET /review/{id}/agreement", h.agreement)
	mux.HandleFunc("GET /api/v1/reviews", h.apiReview)
	mux.HandleFunc("GET /api/v1/reviews/{id}", h.apiReview)
	mux.HandleFunc("POST /api/v1/reviews", h.apiDraw)
	mux.HandleFunc("POST /api/v1/reviews/{id}/labels", h.apiMark)
	return h.guard(http.NewCrossOriginProtection().Handler(mux))
}

// guard sets what every answer carries, and turns away who must not come in.
func (h *handler) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		switch {
		case trusted(r.Context()):
		case h.foreignHost(r):
			fail(w, http.StatusMisdirectedRequest, "unknown host; set server.external_url to the address that people use")
			return
		case (r.Method == http.MethodPost || !onLoopback(r)) && !h.allowed(r):
			head.Set("WWW-Authenticate", `Basic realm="leadline", charset="UTF-8"`)
			fail(w, http.StatusUnauthorized, "needs server.token as a bearer token, or as the password")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// allowed says whether a request carries the token: as bearer, or as the password of
// basic authentication, which is what browsers can do.
func (h *handler) allowed(r *http.Request) bool {
	if h.Token == nil {
		return false
	}
	want := h.Token()
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, got, ok = r.BasicAuth()
	}
	// Of hashes, so that the time says nothing about the length either.
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return ok && want != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || addr.IP.IsLoopback()
}

// foreignHost says whether a loopback address was asked for by another name: a web page
// that lets its own name point here would read the answers otherwise.
func (h *handler) foreignHost(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if !onLoopback(r) || host == "localhost" || h.ExternalHost != "" && strings.EqualFold(host, h.ExternalHost) {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}

type problem struct {
	Error string `json:"error"`
}

func fail(w http.ResponseWriter, code int, text string) { answer(w, code, problem{text}) }

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(body) // the client is gone; there is nobody to tell
}

// failed answers for an error of the source or the operator. What the client cannot
// mend is logged and not shown.
func (h *handler) failed(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrNotFound):
		fail(w, http.StatusNotFound, err.Error())
	case errors.Is(err, ErrInvalid):
		fail(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, ErrNotNow):
		fail(w, http.StatusServiceUnavailable, err.Error())
	case r.Context().Err() != nil:
	default:
		h.Log.Error().Err(err).Str("route", r.Pattern).Msg("request not served")
		fail(w, http.StatusInternalServerError, "internal error; the log says more")
	}
}
