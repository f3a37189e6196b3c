package leadline_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// order is the pipeline: a package imports only what stands before it.
func order() []string {
	return []string{"schedule", "price", "config", "sampler", "sampler/format", "sampler/trace", "sampler/kafka", "scorer",
		"scorer/openai", "scorer/standin", "drift", "alert", "report", "agreement", "review", "backtest", "store", "server", "demo", "cmd/leadline"}
}

// homes says which packages alone import a dependency. What is not listed here, such as
// the logger and the metrics client, may be used anywhere.
func homes() map[string][]string {
	return map[string][]string{
		"github.com/segmentio/kafka-go":      {"sampler/kafka"},
		"github.com/sashabaranov/go-openai":  {"scorer/openai"},
		"go.etcd.io/bbolt":                   {"store"},
		"github.com/robfig/cron/v3":          {"schedule"},
		"go.yaml.in/yaml":                    {"config"},
		"github.com/slack-go/slack":          {"alert"},
		"github.com/twmb/franz-go/pkg/kfake": {"demo"},
		"github.com/spf13/cobra":             {"cmd/leadline"},
		"github.com/tiktoken-go/tokenizer":   {"bench"},
	}
}

// source is one Go file of the module: its folder from the root, its imports, and
// whether it carries the package comment.
type source struct {
	file, folder string
	imports      []string
	documented   bool
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		s, err := read(path)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(path string) (source, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return source{}, err
	}
	s := source{file: filepath.ToSlash(path), folder: filepath.ToSlash(filepath.Dir(path)), documented: file.Doc != nil}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, err
		}
		s.imports = append(s.imports, name)
	}
	return s, nil
}

func (s source) isTest() bool { return strings.HasSuffix(s.file, "_test.go") }

func TestImportsGoOnlyToTheLeft(t *testing.T) {
	for _, s := range sources(t) {
		for _, name := range s.imports {
			if fault := misplaced(s, name); fault != "" {
				t.Error(fault)
			}
		}
	}
}

// misplaced says why a file must not import a package of ours; empty if it may. Tests
// and benchmarks may import anything.
func misplaced(s source, name string) string {
	other, ours := strings.CutPrefix(name, "leadline/")
	if !ours || s.isTest() || strings.HasPrefix(s.folder, "bench") {
		return ""
	}
	from, to := slices.Index(order(), stage(s.folder)), slices.Index(order(), stage(other))
	switch {
	case from < 0:
		return fmt.Sprintf("%s is in no stage of the pipeline; give %s a place in the order", s.file, s.folder)
	case to < 0:
		return fmt.Sprintf("%s imports %s, which has no place in the order", s.file, other)
	case to > from:
		return fmt.Sprintf("%s imports %s, but data flows from %s to %s; let the type live with the stage that makes it", s.file, other, s.folder, other)
	}
	return ""
}

// stage returns the stage that a folder belongs to: itself or a folder above it.
func stage(folder string) string {
	for !slices.Contains(order(), folder) && strings.Contains(folder, "/") {
		folder = folder[:strings.LastIndexByte(folder, '/')]
	}
	return folder
}

func TestEachDependencyHasOneHome(t *testing.T) {
	for _, s := range sources(t) {
		for _, name := range s.imports {
			for dependency, at := range homes() {
				inside := name == dependency || strings.HasPrefix(name, dependency+"/")
				if inside && !s.isTest() && !slices.Contains(at, stage(s.folder)) {
					t.Errorf("%s imports %s, whose home is %s; ask that package instead", s.file, name, strings.Join(at, " and "))
				}
			}
		}
	}
}

func TestEachPackageSaysWhatItIsFor(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if !s.isTest() {
			documented[s.folder] = documented[s.folder] || s.documented
		}
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("package %s lacks a comment that says what it is for", folder)
		}
	}
}

func TestModuleReplacesNothing(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "replace") {
			t.Errorf("go.mod has %q; a replaced module cannot be installed by others", strings.TrimSpace(line))
		}
	}
}

// The rules are only worth something if they can be broken.
func TestRulesCanBeBroken(t *testing.T) {
	for _, c := range []struct {
		folder, name string
		fault        bool
	}{
		{"drift", "leadline/alert", true},
		{"alert", "leadline/drift", false},
		{"sampler", "leadline/sampler/kafka", true},
		{"scorer/openai/wire", "leadline/scorer", false},
		{"misc", "leadline/drift", true},
		{"drift", "leadline/misc", true},
	} {
		if got := misplaced(source{file: c.folder + "/x.go", folder: c.folder}, c.name); (got != "") != c.fault {
			t.Errorf("%s imports %s: got %q", c.folder, c.name, got)
		}
	}
}
