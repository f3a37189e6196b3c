package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
)

func noEnv(string) (string, bool) { return "", false }

func env(vars map[string]string) config.Getenv {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

const minimal = `service: {name: helpdesk}
kafka:
  brokers: [kafka-1:9092]
  topics: [rag-logs]
judge:
  base_url: https://llm.example.com/v1
  model: judge-1
`

func decode(t *testing.T, text string, getenv config.Getenv) config.Config {
	t.Helper()
	cfg, err := config.Decode("leadline.yaml", []byte(text), getenv)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return cfg
}

func TestMinimalFileIsTheDefaultsAndItsOwn(t *testing.T) {
	want := config.Default()
	want.Service.Name = "helpdesk"
	want.Kafka.Brokers, want.Kafka.Topics = []string{"kafka-1:9092"}, []string{"rag-logs"}
	want.Judge.BaseURL, want.Judge.Model = "https://llm.example.com/v1", "judge-1"
	if d := cmp.Diff(want, decode(t, minimal, noEnv)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if lines := strings.Count(minimal, "\n"); lines >= 15 {
		t.Errorf("a minimal file has %d lines", lines)
	}
}

// Each file of testdata/bad has one mistake and starts with what it should be told.
func TestEachMistakeIsTold(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 60 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(data), "\n")
			want := "leadline.yaml:" + strings.TrimPrefix(first, "# ")
			_, err = config.Decode("leadline.yaml", data, env(map[string]string{"EMPTY": ""}))
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Error("a secret is in the message")
			}
		})
	}
}

func TestEveryProblemIsToldAtOnceByLine(t *testing.T) {
	_, err := config.Decode("leadline.yaml", []byte(`service: {language: de}
log: {level: loud}
sample:
  rate: 2
  rat: 1
kafka: {topics: [a]}
drift: {period: soon}
`), noEnv)
	problems, ok := errors.AsType[config.Problems](err)
	if !ok {
		t.Fatalf("got %v, want Problems", err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Path))
	}
	want := []string{"1 judge.base_url", "1 judge.model", "1 service.language", "1 service.name", "2 log.level", "4 sample.rate",
		"5 sample.rat", "6 kafka.brokers", "7 drift.period"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestEmptyFileAsksForWhatHasNoDefault(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "---\n", "service:\nkafka:\n"} {
		_, err := config.Decode("leadline.yaml", []byte(text), noEnv)
		problems, _ := errors.AsType[config.Problems](err)
		if len(problems) != 5 {
			t.Errorf("%q: got %v, want the five required settings", text, err)
		}
	}
}

func TestVariablesAreExpandedAfterParsing(t *testing.T) {
	getenv := env(map[string]string{"KEY": "a: {b} # c", "RATE": "0.25", "EMPTY": ""})
	for text, want := range map[string]string{
		`${env:KEY}`:              "a: {b} # c",
		`<${env:KEY}>`:            "<a: {b} # c>",
		`${env:NONE:-else}`:       "else",
		`${env:NONE:-}`:           "",
		`${env:EMPTY:-else}`:      "else",
		`${env:EMPTY}x`:           "x",
		`$ConnectionString`:       "$ConnectionString",
		`$$ and $${env:KEY} at $`: "$ and ${env:KEY} at $",
	} {
		cfg := decode(t, strings.Replace(minimal, "model: judge-1", "model: judge-1\n  api_key: '"+text+"'", 1), getenv)
		if got := cfg.Judge.APIKey.Reveal(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if got := decode(t, minimal+"sample: {rate: '${env:RATE}'}", getenv).Sample.Rate; got != 0.25 {
		t.Errorf("a number from a variable: got %v", got)
	}
}

func TestValueOfAVariableIsNotTold(t *testing.T) {
	_, err := config.Decode("leadline.yaml", []byte(minimal+"sample: {rate: '${env:KEY}'}\nlog: {level: '${env:KEY}'}"),
		env(map[string]string{"KEY": "hunter2"}))
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Count(err.Error(), "${env:KEY}") != 2 {
		t.Errorf("got %v", err)
	}
}

func TestDurationsAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "36h": 36 * time.Hour, "7d": 168 * time.Hour,
		"1w": 168 * time.Hour, "1w1d12h": 204 * time.Hour} {
		if got := decode(t, minimal+"drift: {no_data_after: "+text+"}", noEnv).Drift.NoDataAfter; got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"7", "d", "1.5h", "7D", "1y", "9999999999999w", "5 m", "''"} {
		if _, err := config.Decode("f", []byte(minimal+"drift: {no_data_after: "+text+"}"), noEnv); err == nil {
			t.Errorf("%s is taken for a duration", text)
		}
	}
}

func TestNullTemperatureIsNotSent(t *testing.T) {
	cfg := decode(t, minimal+"  temperature: null\n", noEnv)
	if cfg.Judge.Temperature != nil {
		t.Errorf("got %v", *cfg.Judge.Temperature)
	}
}

func TestAnchorsMayBeUsed(t *testing.T) {
	cfg := decode(t, minimal+`alert:
  receivers:
    - {name: a, slack: &hook {api_url_file: /run/slack}}
    - {name: b, slack: *hook}
`, noEnv)
	if got := cfg.Alert.Receivers[1].Slack.APIURLFile; got != "/run/slack" {
		t.Errorf("got %q", got)
	}
}

func TestHTTPIsForNamesInsideANetwork(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://localhost:11434/v1": true, "http://127.0.0.1/v1": true, "http://[::1]:8000/v1": true, "http://10.1.2.3": true,
		"http://vllm:8000/v1": true, "http://vllm.ml.svc.cluster.local/v1": true, "http://[fd12::1]/v1": true,
		"https://llm.example.com": true, "https://8.8.8.8": true,
		"http://8.8.8.8": false, "http://llm.example.com": false, "http://169.254.169.254": false,
		"https://[fe80::1%25eth0]/": false, "http://[::ffff:169.254.169.254]/": false, "https://metadata.google.internal./": false,
		"https://100.100.100.200": false, "http://0x7f000001/": false, "file:///etc/passwd": false, "https://": false,
		"gopher://localhost": false, "http://localhost.example.com": false,
	} {
		if err := config.CheckURL(url); (err == nil) != ok {
			t.Errorf("%s: got %v", url, err)
		}
	}
}

func TestContentNeedsATokenOffLoopback(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:8480", "localhost:8480", "'[::1]:8480'", "''", "0.0.0.0:8480, token: hunter2",
		"':8480', token_file: /run/token"} {
		decode(t, minimal+"server: {listen: "+listen+"}", noEnv)
	}
}

func TestLoadNamesTheFileItCannotRead(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "absent.yaml"), noEnv)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "absent.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestExampleLoadsAndShowsEveryDefault(t *testing.T) {
	cfg, err := config.Load("../leadline.example.yaml", noEnv)
	if err != nil {
		t.Fatal(err)
	}
	want, got := config.Default(), cfg
	want.Store.Path = "../leadline.db" // beside the file
	got.Service.Name, got.Kafka.Brokers, got.Kafka.Topics = "", nil, nil
	got.Record.Fields, got.Record.Channels, got.Record.Segments, got.Record.Filter = nil, nil, nil, nil
	got.Judge.BaseURL, got.Judge.Model, got.Judge.APIKeyFile, got.Judge.ResponseModels = "", "", "", nil
	got.Judge.Embeddings, got.Alert.Receivers = config.Embeddings{}, nil
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the example differs from the defaults (-default +example):\n%s", d)
	}
	text, err := os.ReadFile("../leadline.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths() {
		key := path[strings.LastIndex(path, ".")+1:]
		if !strings.Contains(string(text), key+":") {
			t.Errorf("the example lacks %s", path)
		}
	}
}

func TestDocumentationListsEverySetting(t *testing.T) {
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths() {
		if !strings.Contains(string(text), "`"+path+"`") {
			t.Errorf("docs/configuration.md lacks %s", path)
		}
	}
}

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range slices.Concat(files, []string{"../leadline.example.yaml"}) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := config.Decode("f", []byte(text), noEnv)
		if problems, ok := errors.AsType[config.Problems](err); err != nil && (!ok || len(problems) == 0) {
			t.Errorf("got %v, want Problems", err)
		}
		for _, p := range mustProblems(err) {
			if p.Line < 1 || p.Line > 1+strings.Count(text, "\n") || p.Text == "" || strings.Contains(p.Text, "reflect") {
				t.Errorf("got %s", p)
			}
		}
		if err == nil && (cfg.Judge.Model == "" || len(cfg.Kafka.Brokers) == 0) {
			t.Error("a file without a judge or brokers is valid")
		}
	})
}

func mustProblems(err error) config.Problems {
	problems, _ := errors.AsType[config.Problems](err)
	return problems
}
