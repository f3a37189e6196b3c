package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"leadline/config"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// instruction is one of a Dockerfile; stage counts its FROMs from 1.
type instruction struct {
	stage      int
	name, args string
}

func dockerfile(t *testing.T) []instruction {
	t.Helper()
	text := strings.ReplaceAll(read(t, "../Dockerfile"), "\\\n", "")
	var all []instruction
	stage := 0
	for line := range strings.Lines(text) {
		name, args, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if name == "FROM" {
			stage++
		}
		all = append(all, instruction{stage, name, strings.Join(strings.Fields(args), " ")})
	}
	return all
}

func TestImageIsStaticSmallAndNotRoot(t *testing.T) {
	all := dockerfile(t)
	for _, want := range []instruction{
		{1, "FROM", "golang:1.26 AS build"},
		{2, "FROM", "gcr.io/distroless/static:nonroot"},
		{2, "COPY", "--from=build /out/leadline /leadline"},
		{2, "COPY", "--from=build --chown=65532:65532 /out/data /data"},
		{2, "USER", "65532:65532"},
		{2, "ENTRYPOINT", `["/leadline"]`},
		{2, "CMD", `["run"]`},
	} {
		if !slices.Contains(all, want) {
			t.Errorf("the Dockerfile lacks %s %s in stage %d", want.name, want.args, want.stage)
		}
	}
	health := false
	for _, i := range all {
		switch {
		case i.stage > 2:
			t.Errorf("stage %d: %s %s", i.stage, i.name, i.args)
		case i.stage == 2 && (i.name == "RUN" || i.name == "SHELL" || i.name == "ADD"):
			t.Errorf("the last stage has no shell to %s %s", i.name, i.args)
		case i.name == "HEALTHCHECK":
			health = strings.HasSuffix(i.args, `CMD ["/leadline", "health"]`)
		case i.name == "RUN" && strings.Contains(i.args, "go build"):
			if !strings.Contains(i.args, "CGO_ENABLED=0 go build -trimpath") {
				t.Errorf("the build is not static: %s", i.args)
			}
		}
	}
	if !health {
		t.Error("the image has no health check, or one that needs a shell")
	}
}

func TestImageBuildsWithTheModulesGo(t *testing.T) {
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))
	if version == nil || !strings.Contains(read(t, "../Dockerfile"), "FROM golang:"+version[1]+" ") {
		t.Errorf("go.mod says %v, the Dockerfile another", version)
	}
}

type compose struct {
	Services map[string]struct {
		Image       string
		Build       string
		Command     []string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		ReadOnly    bool                                  `yaml:"read_only"`
		NetworkMode string                                `yaml:"network_mode"`
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	}
	Volumes map[string]any
}

func TestComposeIsOneMachineWithKafka(t *testing.T) {
	var c compose
	if err := yaml.Unmarshal([]byte(read(t, "../compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	if image := c.Services["kafka"].Image; !strings.HasPrefix(image, "apache/kafka:4.") {
		t.Errorf("kafka runs %q", image)
	}
	if !c.Services["leadline"].ReadOnly {
		t.Error("leadline can write outside its volume")
	}
	for name, s := range c.Services {
		for other := range s.DependsOn {
			if _, ok := c.Services[other]; !ok {
				t.Errorf("%s depends on %s, which is not there", name, other)
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s to the network", name, port)
			}
		}
		for _, volume := range s.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, named := c.Volumes[source]; named {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", source)); err != nil {
				t.Errorf("%s mounts %s: %v", name, source, err)
			}
		}
	}
}

func TestComposeConfigurationLoads(t *testing.T) {
	getenv := func(name string) (string, bool) {
		vars := map[string]string{"LEADLINE_TOKEN": "t", "JUDGE_BASE_URL": "", "JUDGE_MODEL": "", "JUDGE_KEY": ""}
		v, ok := vars[name]
		return v, ok
	}
	cfg, err := config.Load("compose/leadline.yaml", getenv)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Service.Environment == "production" || !strings.HasPrefix(cfg.Judge.BaseURL, "http://127.0.0.1:") {
		t.Errorf("without a judge of your own: environment %s, judge %s", cfg.Service.Environment, cfg.Judge.BaseURL)
	}
	if cfg.Store.Path != "/data/leadline.db" {
		t.Errorf("the store is at %s, outside the volume", cfg.Store.Path)
	}
}

func TestKubernetesRunsOneUnprivileged(t *testing.T) {
	text := read(t, "kubernetes/leadline.yaml")
	kinds := map[string]string{}
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var object struct {
			Kind string
			Data map[string]string
		}
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			t.Fatal(err)
		}
		kinds[object.Kind] = doc
		for name, file := range object.Data {
			if _, err := config.Decode(name, []byte(file), os.LookupEnv); err != nil {
				t.Error(err)
			}
		}
	}
	for _, want := range []string{"replicas: 1\n", "runAsNonRoot: true", "readOnlyRootFilesystem: true", "drop: [ALL]",
		"path: /-/healthy", "path: /-/ready", "runAsUser: 65532"} {
		if !strings.Contains(kinds["StatefulSet"], want) {
			t.Errorf("the StatefulSet lacks %s", want)
		}
	}
	if kinds["ConfigMap"] == "" || kinds["Service"] == "" {
		t.Error("a ConfigMap or a Service is missing")
	}
}

func TestDashboardAndRulesUseMetricsThatAreDocumented(t *testing.T) {
	documented := read(t, "../docs/metrics.md")
	for _, file := range []string{"grafana/leadline.json", "prometheus/leadline.rules.yml"} {
		names := regexp.MustCompile(`\bleadline_[a-z_]+`).FindAllString(read(t, file), -1)
		if len(names) < 8 {
			t.Errorf("%s uses %d metrics", file, len(names))
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			name = strings.TrimSuffix(name, "_bucket")
			if !regexp.MustCompile("`" + name + "[`{]").MatchString(documented) {
				t.Errorf("%s uses %s, which docs/metrics.md does not list", file, name)
			}
		}
	}
}
