package main

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"leadline/config"
	"leadline/store"
)

// TestCommandLine runs the scripts in testdata: the program as a person at a terminal sees it.
// Besides the usual commands of a script there are
//
//	leadline ARGS... [< FILE]          it must end with exit code 0
//	exits CODE leadline ARGS... [< FILE]
//	store FILE                         makes a store that a daemon has not written to
//	decided RUNS CONFIG                makes the store of a daemon that has decided so many runs
//	judged FILE DAYS                   makes one with scores of a judge at $OLD_JUDGE; another is at $NEW_JUDGE
//	weeks FILE DAYS [sick]             makes one in which days are decided: see weeks
//
// They run in this process, where the working directory is not the script's: paths are
// written with $WORK.
func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("LEADLINE_CONFIG", filepath.Join(e.WorkDir, "leadline.yaml"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"leadline": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg {
					ts.Fatalf("write which code: exits CODE leadline ...")
				}
				runScripted(t, ts, exitOK, args)
			},
			"store": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: store FILE")
				}
				s, err := store.Open(ts.MkAbs(args[0]), store.Plan{})
				ts.Check(err)
				ts.Check(s.Close())
			},
			"decided": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: decided RUNS CONFIG")
				}
				runs, err := strconv.Atoi(args[0])
				ts.Check(err)
				cfg, err := config.Load(ts.MkAbs(args[1]), config.Getenv(scriptEnv(ts)))
				ts.Check(err)
				ts.Check(makeDecided(t.Context(), cfg, runs))
			},
			"judged": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: judged FILE DAYS")
				}
				days, err := strconv.Atoi(args[1])
				ts.Check(err)
				w := newJudgedWorld(t)
				w.cfg.Store.Path = ts.MkAbs(args[0])
				w.fill(t, days)
				ts.Setenv("OLD_JUDGE", w.oldURL)
				ts.Setenv("NEW_JUDGE", w.newURL)
			},
			"weeks": weeks,
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 || args[1] != "leadline" {
					ts.Fatalf("usage: exits CODE leadline ARGS...")
				}
				code, err := strconv.Atoi(args[0])
				ts.Check(err)
				runScripted(t, ts, code, args[2:])
			},
		},
	})
}

// runScripted runs the program once, with what it prints as the script's output.
func runScripted(t *testing.T, ts *testscript.TestScript, want int, args []string) {
	var in string
	if n := len(args); n >= 2 && args[n-2] == "<" {
		in, args = ts.ReadFile(args[n-1]), args[:n-2]
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), args, scriptEnv(ts), streams{strings.NewReader(in), &out, &errs})
	_, err := ts.Stdout().Write(out.Bytes())
	ts.Check(err)
	_, err = ts.Stderr().Write(errs.Bytes())
	ts.Check(err)
	ts.Logf("[exit %d]", code)
	if code != want {
		ts.Fatalf("exit %d, want %d", code, want)
	}
}

// scriptEnv is the environment of a script.
func scriptEnv(ts *testscript.TestScript) getenv {
	return func(name string) (string, bool) {
		value := ts.Getenv(name)
		return value, value != ""
	}
}
