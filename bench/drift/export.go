package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// manifest says what is in the exported files, so that anyone can check them and work with
// them without this program.
type manifest struct {
	Laws  map[string]law `json:"laws"` // probabilities of the scores 0, 0.01, …, 1
	Files []file         `json:"files"`
	Note  string         `json:"note"`
}

// file describes one file of streams: reference runs, healthy runs, changed runs.
type file struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Scenario string `json:"scenario"` // as in the lines
	Name     string `json:"name"`
	Law      string `json:"law"`
	Seed     uint64 `json:"seed"`
	Reps     int    `json:"reps"`
	M        int    `json:"m"` // reference scores
	N        int    `json:"n"` // scores a run
	Quiet    int    `json:"quiet_runs"`
	Changed  int    `json:"changed_runs"`
	// ChangeIndex is i of the first changed score, ChangeRun its run; both -1 without one.
	ChangeIndex int `json:"change_index"`
	ChangeRun   int `json:"change_run"`
	// After is the law when the change is complete; KL its divergence from the law
	// before, KLInf that from any law with at least the mean before, in nats per score.
	After *law    `json:"after,omitempty"`
	KL    *figure `json:"kl,omitempty"`
	KLInf *figure `json:"kl_inf,omitempty"`
}

const exportNote = `one line per score, in order; i counts the scores of a replicate from 0, run its runs from 0, reference included`

// export writes the streams of the main comparison below a folder.
func export(folder string, reps int, progress io.Writer) error {
	if err := os.MkdirAll(filepath.Join(folder, "streams"), 0o755); err != nil {
		return err
	}
	m := manifest{Laws: map[string]law{}, Note: exportNote}
	for i, s := range scenarios() {
		m.Laws[s.healthy.name] = s.healthy.law
		f := changingFile(i, s, reps)
		before, after := s.healthy.law.source(), s.sources()
		err := m.add(folder, f, func(rep int) stream {
			return changing(generator(f.Seed, rep), before, after, young(), f.Quiet, f.Changed)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(progress, "%s: %s\n", f.Path, s.name)
	}
	for _, s := range []scenario{scenarios()[0], scenarios()[8]} {
		from := s.healthy.law.source()
		f := healthyFile(s.healthy.name, reps)
		err := m.add(folder, f, func(rep int) stream { return healthy(generator(f.Seed, rep), from, young(), f.Quiet) })
		if err != nil {
			return err
		}
		fmt.Fprintf(progress, "%s\n", f.Path)
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "manifest.json"), append(data, '\n'), 0o644)
}

func changingFile(i int, s scenario, reps int) file {
	kl, klInf := figure(s.final.divergence(s.healthy.law)), figure(s.final.meanDivergence(s.healthy.law.mean()))
	id := fmt.Sprintf("s%02d", i)
	f := file{Path: "streams/" + id + ".jsonl", Scenario: id, Name: s.name, Law: s.healthy.name, Seed: seedChange + uint64(i),
		Reps: reps, M: young().reference * young().size, N: young().size, Quiet: quietRuns, Changed: s.cap,
		ChangeRun: young().reference + quietRuns, After: &s.final, KL: &kl, KLInf: &klInf}
	f.ChangeIndex = f.ChangeRun * f.N
	return f
}

func healthyFile(of string, reps int) file {
	return file{Path: "streams/c_" + of + ".jsonl", Scenario: "c_" + of, Name: "healthy " + of, Law: of, Seed: seedHealthy, Reps: reps,
		M: young().reference * young().size, N: young().size, Quiet: watched, ChangeIndex: -1, ChangeRun: -1}
}

func (m *manifest) add(folder string, f file, draw func(rep int) stream) error {
	out, err := os.Create(filepath.Join(folder, f.Path))
	if err != nil {
		return err
	}
	defer out.Close()
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<20)
	for rep := range f.Reps {
		if err := f.write(w, rep, draw(rep)); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	m.Files = append(m.Files, f)
	return out.Close()
}

func (f file) write(w io.Writer, rep int, s stream) error {
	var line []byte
	i := 0
	for run, xs := range append(s.reference, s.runs...) {
		phase := f.phase(run - len(s.reference))
		for _, x := range xs {
			line = fmt.Appendf(line[:0], `{"scenario":%q,"rep":%d,"i":%d,"run":%d,"phase":%q,"x":`, f.Scenario, rep, i, run, phase)
			line = append(strconv.AppendFloat(line, x, 'g', -1, 64), '}', '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// phase of a run, counted from the end of the reference.
func (f file) phase(run int) string {
	switch {
	case run < 0:
		return "reference"
	case run < f.Quiet:
		return "in_control"
	}
	return "changed"
}
