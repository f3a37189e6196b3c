package server_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	href := regexp.MustCompile(`href="([^"]*)"`)
	for _, lang := range []string{"en", "ja"} {
		s := rich(lang)
		s.status.Reports = []string{"2026-W48"}
		h := handler(s, nil)
		seen, todo := map[string]bool{}, []string{"/"}
		for len(todo) > 0 {
			path := todo[0]
			if todo = todo[1:]; seen[path] {
				continue
			}
			seen[path] = true
			w := ask(h, http.MethodGet, path, "")
			if w.Code != http.StatusOK {
				t.Errorf("%s %s: %d", lang, path, w.Code)
			}
			for _, m := range href.FindAllStringSubmatch(w.Body.String(), -1) {
				todo = append(todo, html.UnescapeString(m[1]))
			}
		}
		for _, want := range []string{"/status", "/reports/2026-W48", "/samples/req%2F100", "/incidents/inc_blind_20261101", "/api/v1/status", "/samples?incident=inc_silent_20261122"} {
			if !seen[want] {
				t.Errorf("%s: nothing leads to %s", lang, want)
			}
		}
	}
}

func TestPooledSeriesIsNotSteadyWhileAPartIsDown(t *testing.T) {
	s := rich("en")
	s.status.Series[1].Status = "ok" // faithfulness of all: it leaves out the part that is down
	for _, path := range []string{"/", "/status"} {
		if body := ask(handler(s, nil), http.MethodGet, path, "").Body.String(); !strings.Contains(body, "down in department=経理") {
			t.Errorf("%s does not say that a part is down", path)
		}
	}
	s.status.Series = append(s.status.Series, line(series(scorer.Faithfulness, "department", "legal"), 0.9, 0.3, "down"))
	if body := ask(handler(s, nil), http.MethodGet, "/", "").Body.String(); !strings.Contains(body, "down in 2 segments") {
		t.Error("start page does not count the parts that are down")
	}
}

func TestIncidentSaysWhatToDo(t *testing.T) {
	s := rich("en")
	const path = "/incidents/inc_silent_20261122"
	body := ask(handler(s, nil), http.MethodGet, path, "").Body.String()
	for _, want := range []string{"What to do", "leadline baseline accept inc_silent_20261122", "<code>inc_silent_20261122</code>", "96 samples from change to alarm"} {
		if !strings.Contains(body, want) {
			t.Errorf("page of an open incident lacks %q", want)
		}
	}
	s.status.Incidents[0].Resolved = now
	if body := ask(handler(s, nil), http.MethodGet, path, "").Body.String(); strings.Contains(body, "What to do") {
		t.Error("an incident that is over still asks for something")
	}
}

func TestHangingReadIsNotReading(t *testing.T) {
	s := rich("en")
	for age, want := range map[time.Duration]string{time.Second: `state ok">reading`, time.Hour: "no fetch since"} {
		s.status.Kafka.LastFetch = now.Add(-age)
		if body := ask(handler(s, nil), http.MethodGet, "/", "").Body.String(); !strings.Contains(body, want) {
			t.Errorf("last fetch %s ago: page lacks %q", age, want)
		}
	}
}

func TestSamplesCanBeNarrowed(t *testing.T) {
	body := ask(handler(rich("en"), nil), http.MethodGet, "/samples?segment=department%3Dhr&limit=4", "").Body.String()
	for _, want := range []string{`aria-current="true">department=hr`, `segment=department%3Dit"`, "4 shown", "limit=16"} {
		if !strings.Contains(body, want) {
			t.Errorf("list of samples lacks %q", want)
		}
	}
}

func TestShareIsShownInPercent(t *testing.T) {
	s := rich("en")
	for i := range s.status.Series {
		if x := &s.status.Series[i]; x.Series.Metric == drift.ShareRefusal {
			x.Floor = 0.0123
		}
	}
	if body := ask(handler(s, nil), http.MethodGet, "/status", "").Body.String(); !strings.Contains(body, "1.2\u00a0%") {
		t.Error("smallest visible change of a share is not in percent")
	}
}

func TestPageSaysSinceWhenKafkaCannotBeRead(t *testing.T) {
	for lang, want := range map[string]string{"en": "since ", "ja": "から"} {
		s := rich(lang)
		s.status.Kafka = server.KafkaStatus{Lag: -1, Error: "connection", Since: now.Add(-time.Hour)}
		_, after, found := strings.Cut(ask(handler(s, nil), http.MethodGet, "/", "").Body.String(), ">connection</span>")
		shown, _, _ := strings.Cut(after, "</b>")
		if !found || !strings.Contains(shown, want) {
			t.Errorf("%s: the page says %q of Kafka", lang, shown)
		}
	}
}
