package main

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"leadline/store"
)

// TestCommandLine runs the scripts in testdata: the program as a person at a terminal sees it.
// Besides the usual commands of a script there are
//
//	leadline ARGS... [< FILE]          it must end with exit code 0
//	exits CODE leadline ARGS... [< FILE]
//	store FILE                         makes a store that a daemon has not written to
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
	env := func(name string) (string, bool) {
		value := ts.Getenv(name)
		return value, value != ""
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), args, env, streams{strings.NewReader(in), &out, &errs})
	_, err := ts.Stdout().Write(out.Bytes())
	ts.Check(err)
	_, err = ts.Stderr().Write(errs.Bytes())
	ts.Check(err)
	ts.Logf("[exit %d]", code)
	if code != want {
		ts.Fatalf("exit %d, want %d", code, want)
	}
}
