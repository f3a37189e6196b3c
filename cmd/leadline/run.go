package main

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"leadline/config"
)

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the daemon",
		Long: "Run reads the log, samples it, scores the sample on schedule and tells receivers when scores drop.\n" +
			"It waits for brokers, topics and the judge, and ends on SIGTERM with nothing lost.",
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			cfg, err := a.ownConfig()
			if err != nil {
				return err
			}
			d, err := newDaemon(cfg, newLog(cfg.Log, a.io.err), time.Now)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			return d.run(c.Context())
		},
	}
}

// newLog makes the daemon's log: JSON unless a person looks at it.
func newLog(cfg config.Log, w io.Writer) zerolog.Logger {
	level, err := zerolog.ParseLevel(cfg.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	if cfg.Format == "console" || cfg.Format == "auto" && isTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.RFC3339}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
