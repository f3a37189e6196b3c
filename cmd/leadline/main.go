// Command leadline watches the answers of a RAG service through the log it writes to
// Kafka, and raises an alarm when their scores drop although nobody shipped a change.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"leadline/config"
	"leadline/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // a second signal ends at once
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, streams{os.Stdin, os.Stdout, os.Stderr}))
}

// Exit codes; docs/operations.md lists them.
const (
	exitOK            = 0
	exitFailed        = 1
	exitUsage         = 2
	exitCondition     = 3
	exitNotEnoughData = 4
	exitNotReachable  = 5
	exitInterrupted   = 130
)

// exitError ends the program with a code. A nil error says that all is said already.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// streams are the standard ones; tests put buffers there.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// getenv looks up an environment variable.
type getenv func(string) (string, bool)

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, env getenv, io streams) int {
	root := newRoot(env, io) //nolint:contextcheck // commands take it from cobra
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if ctx.Err() != nil && !isDaemon(command) {
		fmt.Fprintln(io.err, "leadline: interrupted")
		return exitInterrupted
	}
	tell(io.err, err)
	return exitCode(err)
}

// isDaemon says whether a command is meant to be ended by a signal.
func isDaemon(c *cobra.Command) bool {
	return slices.Contains([]string{"run", "standin", "demo"}, c.Name())
}

// tell prints an error, unless all is said already. The lines of a configuration's
// problems begin with file and line, as editors expect.
func tell(w io.Writer, err error) {
	var e exitError
	var problems config.Problems
	switch {
	case err == nil, errors.As(err, &e) && e.err == nil:
	case errors.As(err, &problems):
		fmt.Fprintln(w, problems)
	case errors.Is(err, syscall.ENOSPC):
		fmt.Fprintln(w, "leadline: "+err.Error()+"\nThe disk is full. Free some space and start again: what was stored is whole, and nothing was lost.")
	default:
		fmt.Fprintln(w, "leadline: "+err.Error())
	}
}

func exitCode(err error) int {
	var e exitError
	var problems config.Problems
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &problems), errors.Is(err, server.ErrInvalid):
		return exitUsage
	case errors.Is(err, server.ErrUnreachable):
		return exitNotReachable
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitFailed
	}
}

// newRoot is the command line.
func newRoot(env getenv, io streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "leadline",
		Short:         "Tells when the answers of a RAG service get worse although nobody shipped a change",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	onlyCommands(root)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(usageError)
	path := root.PersistentFlags().String("config", "", "the configuration file (default: $LEADLINE_CONFIG, else leadline.yaml)")
	app := &app{env: env, io: io, path: path}
	root.AddCommand(app.runCommand(), app.demoCommand(), app.checkCommand(), app.statusCommand(), app.samplesCommand(), app.planCommand(),
		app.scoreCommand(), app.backtestCommand(), app.releaseCommand(), app.baselineCommand(), app.judgeCommand(), app.reviewCommand(), app.reportCommand(), app.standinCommand(),
		app.healthCommand(), app.versionCommand())
	usageErrors(root)
	root.SetHelpCommand(helpCommand())
	return root
}

// helpCommand is cobra's but for a command that is not there, which is a mistake.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Tell what a command does",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = found.Args(found, rest)
			}
			if err != nil {
				return err
			}
			return found.Help()
		},
	}
}

// takes checks the arguments of a command against their names. One in brackets may be left
// out.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		write := strings.TrimSuffix(c.UseLine(), " [flags]")
		switch n := len(args); {
		case n > len(names):
			return fmt.Errorf("%q is one argument too many; write: %s", args[len(names)], write)
		case n < len(names) && !strings.HasPrefix(names[n], "["):
			return fmt.Errorf("%s is missing; write: %s", names[n], write)
		}
		return nil
	}
}

// group is a command that only holds others.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short}
	onlyCommands(c)
	c.AddCommand(commands...)
	return c
}

// onlyCommands makes a command that does nothing but hold others: it prints its help, and
// says so when it does not know one.
func onlyCommands(c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			return fmt.Errorf("there is no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
		}
		return fmt.Errorf("there is no command %q", args[0])
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// usageError says where the usage is told.
func usageError(c *cobra.Command, err error) error {
	return exitError{exitUsage, fmt.Errorf("%w (see %s --help)", err, c.CommandPath())}
}

// usageErrors gives wrong arguments their exit code.
func usageErrors(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError(c, err)
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		usageErrors(sub)
	}
}

// app is what all commands share.
type app struct {
	env  getenv
	io   streams
	path *string

	saying sync.Mutex // held while progress is written
}

// config loads the configuration file for those who ask the daemon.
func (a *app) config() (config.Config, error) { return a.load(config.Load) }

// ownConfig loads it for the daemon itself: its secrets are read, too.
func (a *app) ownConfig() (config.Config, error) { return a.load(config.LoadWithSecrets) }

func (a *app) load(load func(string, config.Getenv) (config.Config, error)) (config.Config, error) {
	cfg, err := load(a.configPath(), a.env)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		err = exitError{exitUsage, fmt.Errorf("%w; name the file with --config or $LEADLINE_CONFIG", err)}
	}
	return cfg, err
}

func (a *app) configPath() string {
	if *a.path != "" {
		return *a.path
	}
	if path, ok := a.env("LEADLINE_CONFIG"); ok && path != "" {
		return path
	}
	return "leadline.yaml"
}

// printf writes to standard output.
func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.io.out, format, args...)
	return err
}
