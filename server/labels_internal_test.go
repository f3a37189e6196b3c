package server

import (
	"io/fs"
	"path"
	"regexp"
	"testing"
	"time"

	"leadline/report"
)

func TestEveryTextOfThePagesStandsInBothLanguages(t *testing.T) {
	asked := regexp.MustCompile(`\bt "([^"]+)"`)
	files, err := fs.Glob(pageFiles, "page/*.tmpl")
	if err != nil || len(files) == 0 {
		t.Fatalf("pages: %v, %v", files, err)
	}
	words := report.NewWords("ja", time.UTC).With(labels)
	used := map[string]bool{}
	for _, file := range files {
		b, err := fs.ReadFile(pageFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = true
			if words.T(m[1]) == m[1] {
				t.Errorf("%s asks for %q", path.Base(file), m[1])
			}
		}
	}
	for key, l := range labels {
		if l.En == "" || l.Ja == "" {
			t.Errorf("%s is empty in a language", key)
		}
		if !used[key] {
			t.Errorf("%s is not used", key)
		}
	}
}
