package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "labeled.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOwnDataIsReadOrRefusedByItsLine(t *testing.T) {
	got, err := load([]string{file(t, `{"question":"いつ開きますか","answer":"9時です。","contexts":["9時に開きます。"],"label":"supported"}`, "",
		`{"id":"b","lang":"en","question":"Q","answer":"A","contexts":["C"],"label":"unfaithful","label_kind":"human"}`)}, 0, false)
	if err != nil || len(got) != 2 {
		t.Fatalf("%d answers, %v", len(got), err)
	}
	for _, r := range got {
		if r.ID == "b" && (!r.unfaithful() || !r.byPerson()) || r.ID == "line-1" && (r.unfaithful() || r.Lang != "ja") || r.ID != "b" && r.ID != "line-1" {
			t.Errorf("read as %+v", r)
		}
	}
	for line, want := range map[string]string{
		`{"question":"Q","answer":"A","contexts":["C"],"label":"good"}`:  ":1: label must be faithful or unfaithful",
		`{"question":"Q","answer":"A","contexts":[],"label":"faithful"}`: ":1: question, answer and contexts must be there",
		`nothing`: ":1: ",
		``:        "no labeled answer in",
	} {
		if _, err := load([]string{file(t, line)}, 0, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestMoreAnswersBeginWithFewer(t *testing.T) {
	var lines []string
	for id := range strings.SplitSeq("abcdefghij", "") {
		lines = append(lines, `{"id":"`+id+`","question":"Q","answer":"A","contexts":["C"],"label":"faithful"}`)
	}
	path := file(t, lines...)
	few, err := load([]string{path}, 3, false)
	if err != nil {
		t.Fatal(err)
	}
	more, err := load([]string{path}, 6, false)
	if err != nil || len(few) != 3 || len(more) != 6 {
		t.Fatalf("%d and %d answers, %v", len(few), len(more), err)
	}
	for i := range few {
		if few[i].ID != more[i].ID {
			t.Errorf("answer %d is %s of 3 and %s of 6", i, few[i].ID, more[i].ID)
		}
	}
}

// Two answers that the contexts support word for word and two of other words: the stand-in
// tells them apart, and the tables say so.
func TestStandinIsMeasured(t *testing.T) {
	path := file(t,
		`{"id":"1","question":"When does it open?","answer":"It opens at nine.","contexts":["It opens at nine."],"label":"faithful"}`,
		`{"id":"2","question":"いつ開きますか","answer":"9時に開きます。","contexts":["9時に開きます。"],"label":"faithful"}`,
		`{"id":"3","question":"When does it open?","answer":"Parking costs seven euros.","contexts":["It opens at nine."],"label":"unfaithful"}`,
		`{"id":"4","question":"いつ開きますか","answer":"駐車場は七百円です。","contexts":["9時に開きます。"],"label":"unfaithful"}`)
	var out, progress bytes.Buffer
	if err := run(t.Context(), []string{"-standin", "-json", "-data", path}, &out, &progress); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	all := r.Rows[0]
	if all.AUROC == nil || all.AUROC.Value != 1 || all.Any.Table.BothUnsupported != 2 || all.Any.Table.BothSupported != 2 || *all.Any.Kappa != 1 {
		t.Errorf("all: %+v", all)
	}
	if r.Usage.ChatRequests == 0 || r.Usage.PromptTokens == 0 || !r.Standin || len(r.Rows) != 3 {
		t.Errorf("%d rows, usage %+v", len(r.Rows), r.Usage)
	}
	out.Reset()
	if err := run(t.Context(), []string{"-standin", "-data", path}, &out, &progress); err != nil || !strings.Contains(out.String(), "only compares words") {
		t.Errorf("%v; the tables do not say that the stand-in only compares words:\n%s", err, out.String())
	}
}
