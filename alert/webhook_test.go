package alert_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/alert"
	"leadline/config"
)

const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func hookTo(t *testing.T, hook config.GenericHook, client *http.Client) alert.Receiver {
	t.Helper()
	r, err := alert.NewReceiver(config.Receiver{Name: "hook", Webhook: &hook}, client)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWebhookBodies(t *testing.T) {
	for _, name := range []string{"silent", "resolved", "blind", "digest"} {
		for _, language := range []string{"en", "ja"} {
			f := newFake(t, answer{status: 204})
			d := delivery(t, name, language)
			d.Receiver = "hook"
			if err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, nil).Send(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			golden(t, "webhook-"+name+"."+language+".json", pretty(t, f.got()[0].body))
		}
	}
}

// captured holds the field names of a body that Alertmanager 0.31.1 sent, and what it
// puts into them.
const captured = `{"receiver":"sink","status":"firing","alerts":[{"status":"firing",
"labels":{"alertname":"RAGFaithfulnessDrift","metric":"faithfulness","service":"checkout-bot","severity":"warning"},
"annotations":{"summary":"忠実度が基準から 0.11 低下"},"startsAt":"2026-11-30T20:06:27Z","endsAt":"0001-01-01T00:00:00Z",
"generatorURL":"http://leadline.local/alerts/abc","fingerprint":"3f61a080a67238af"}],
"groupLabels":{"alertname":"RAGFaithfulnessDrift","service":"checkout-bot"},"commonLabels":{},"commonAnnotations":{},
"externalURL":"http://vm:19093","version":"4","groupKey":"{}:{alertname=\"RAGFaithfulnessDrift\", service=\"checkout-bot\"}","truncatedAlerts":0}`

func TestWebhookHasTheFieldsOfAlertmanager(t *testing.T) {
	f := newFake(t, answer{status: 200})
	if err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, nil).Send(t.Context(), delivery(t, "silent", "ja")); err != nil {
		t.Fatal(err)
	}
	type body map[string]json.RawMessage
	var want, got body
	var wantAlerts, gotAlerts []body
	for _, x := range []struct {
		data   []byte
		body   *body
		alerts *[]body
	}{{[]byte(captured), &want, &wantAlerts}, {f.got()[0].body, &got, &gotAlerts}} {
		if err := json.Unmarshal(x.data, x.body); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal((*x.body)["alerts"], x.alerts); err != nil {
			t.Fatal(err)
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("the body has no %s", name)
		}
	}
	for name := range wantAlerts[0] {
		if _, ok := gotAlerts[0][name]; !ok {
			t.Errorf("an alert has no %s", name)
		}
	}
	for _, same := range []string{"version", "status", "truncatedAlerts"} {
		if string(got[same]) != string(want[same]) {
			t.Errorf("%s is %s, want %s", same, got[same], want[same])
		}
	}
	if string(gotAlerts[0]["endsAt"]) != string(wantAlerts[0]["endsAt"]) {
		t.Errorf("a firing alert ends at %s, want the zero time", gotAlerts[0]["endsAt"])
	}
	if !strings.Contains(string(f.got()[0].body), "忠実度") {
		t.Error("UTF-8 is not raw")
	}
	if key := string(got["groupKey"]); !regexp.MustCompile(`^"\{\}:\{alertname=\\"RAGQualityDrift\\", incident=\\"inc_[^"]+\\", service=\\"helpdesk\\"\}"$`).MatchString(key) {
		t.Errorf("groupKey is %s", key)
	}
}

func TestFingerprintsAreAlertmanagers(t *testing.T) {
	labels := model.LabelSet{"alertname": "RAGFaithfulnessDrift", "metric": "faithfulness", "service": "checkout-bot", "severity": "warning"}
	if got := labels.Fingerprint().String(); got != "3f61a080a67238af" {
		t.Errorf("the library's fingerprint is %s, want Alertmanager's 3f61a080a67238af", got)
	}
	f := newFake(t, answer{status: 200})
	if err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, nil).Send(t.Context(), delivery(t, "silent", "en")); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Alerts []struct {
			Labels      model.LabelSet
			Fingerprint string
		}
	}
	if err := json.Unmarshal(f.got()[0].body, &body); err != nil {
		t.Fatal(err)
	}
	for _, a := range body.Alerts {
		if a.Fingerprint != a.Labels.Fingerprint().String() {
			t.Errorf("fingerprint %s is not that of the labels %s", a.Fingerprint, a.Labels)
		}
	}
}

func TestAMovingKindKeepsLabelsAndGroup(t *testing.T) {
	send := func(kind string) map[string]any {
		f := newFake(t, answer{status: 200})
		d := delivery(t, kind, "en")
		d.Message.Incident.ID = "inc_silent_1"
		if err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, nil).Send(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal(f.got()[0].body, &body); err != nil {
			t.Fatal(err)
		}
		return body
	}
	a, b := send("drop"), send("regression")
	fingerprint := func(body map[string]any) any { return body["alerts"].([]any)[0].(map[string]any)["fingerprint"] }
	if a["groupKey"] != b["groupKey"] || fingerprint(a) != fingerprint(b) {
		t.Error("an incident whose kind moved is another alert to its receiver")
	}
}

func TestSignatureVerifiesAndTheSecretMayChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFake(t, answer{status: 500}, answer{status: 200})
	r := hookTo(t, config.GenericHook{URL: config.Secret(f.URL), SecretFile: file}, nil)
	d := delivery(t, "silent", "en")
	if err := r.Send(t.Context(), d); err == nil {
		t.Fatal("a 500 was delivered")
	}
	other := "whsec_" + strings.Repeat("QUJD", 8)
	if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for n, secret := range []string{key, other} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		got := f.got()[n]
		if err := verifier.Verify(got.body, got.header); err != nil {
			t.Errorf("try %d: %v", n, err)
		}
		if id := got.header.Get("webhook-id"); id != d.ID {
			t.Errorf("try %d has the ID %s, want %s", n, id, d.ID)
		}
	}
}

func TestWebhookAnswersAreClassed(t *testing.T) {
	for status, want := range map[int]alert.Class{
		301: alert.ClassRedirect, 307: alert.ClassRedirect, 400: alert.ClassRejected, 401: alert.ClassAuth, 404: alert.ClassGone,
		408: alert.ClassTimeout, 410: alert.ClassGone, 413: alert.ClassRejected, 425: alert.ClassServerError,
		429: alert.ClassRateLimited, 500: alert.ClassServerError, 502: alert.ClassServerError, 504: alert.ClassServerError,
	} {
		f := newFake(t, answer{status: status, body: "no"})
		err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, nil).Send(t.Context(), delivery(t, "blind", "en"))
		if failure, ok := errors.AsType[*alert.SendError](err); !ok || failure.Class != want || failure.Status != status {
			t.Errorf("%d: got %v, want %s", status, err, want)
		}
		if len(f.got()) != 1 {
			t.Errorf("%d: %d requests, want 1", status, len(f.got()))
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := newFake(t, answer{status: 200})
	f := newFake(t, answer{status: 307, location: elsewhere.URL})
	err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, &http.Client{}).Send(t.Context(), delivery(t, "blind", "en"))
	if failure, ok := errors.AsType[*alert.SendError](err); !ok || failure.Class != alert.ClassRedirect || len(elsewhere.got()) != 0 {
		t.Errorf("got %v and %d requests elsewhere, want a redirect that is not followed", err, len(elsewhere.got()))
	}
}

func TestADeliveredWebhookMayTearItsAnswer(t *testing.T) {
	f := newFake(t, answer{status: 200, body: strings.Repeat("x", 10), torn: true})
	if err := hookTo(t, config.GenericHook{URL: config.Secret(f.URL)}, nil).Send(t.Context(), delivery(t, "blind", "en")); err != nil {
		t.Errorf("got %v, want delivered", err)
	}
}

func TestForbiddenAndImpossibleAddresses(t *testing.T) {
	for address, want := range map[string]alert.Class{
		"http://169.254.169.254/latest/meta-data": alert.ClassForbidden, "http://[fe80::1%25eth0]/": alert.ClassForbidden,
		"http://[::ffff:169.254.1.1]/": alert.ClassForbidden, "http://[fd00:ec2::254]/": alert.ClassForbidden,
		"file:///etc/passwd": alert.ClassConfig, "hooks.example/x": alert.ClassConfig, "http://": alert.ClassConfig,
		"http://127.0.0.1:1/": alert.ClassUnreachable,
	} {
		err := hookTo(t, config.GenericHook{URL: config.Secret(address)}, nil).Send(t.Context(), delivery(t, "blind", "en"))
		if failure, ok := errors.AsType[*alert.SendError](err); !ok || failure.Class != want {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
}

func TestReceiverNeedsExactlyOneOfSlackAndWebhook(t *testing.T) {
	for _, cfg := range []config.Receiver{{Name: "x"}, {Name: "x", Slack: &config.SlackHook{}, Webhook: &config.GenericHook{}}} {
		if _, err := alert.NewReceiver(cfg, nil); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
}

func TestSecretsReachNoError(t *testing.T) {
	const canary = "CANARY7f3a"
	gone := filepath.Join(t.TempDir(), "no-such-file")
	receivers := map[string]alert.Receiver{
		"refused":     slackTo(t, "http://127.0.0.1:1/services/"+canary, nil),
		"no host":     slackTo(t, "https://"+canary+".invalid/"+canary, nil),
		"no URL":      slackTo(t, "ht\ttp://"+canary, nil),
		"bad escape":  slackTo(t, "https://hooks.example/%zz"+canary, nil),
		"bad port":    slackTo(t, "https://hooks.example:"+canary+"/", nil),
		"user info":   slackTo(t, "http://u:"+canary+"@127.0.0.1:1/", nil),
		"bad key":     hookTo(t, config.GenericHook{URL: "http://127.0.0.1:1/", Secret: "whsec_*" + canary}, nil),
		"no key file": hookTo(t, config.GenericHook{URL: "http://127.0.0.1:1/" + canary, SecretFile: gone}, nil),
	}
	f := newFake(t, answer{status: 403, body: "invalid_token " + canary})
	receivers["echo"] = slackTo(t, f.URL+"/"+canary, nil)
	for name, r := range receivers {
		err := r.Send(t.Context(), delivery(t, "silent", "en"))
		if err == nil {
			t.Errorf("%s: delivered", name)
			continue
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), canary) {
				t.Errorf("%s: the error shows the secret", name)
			}
		}
	}
}
