package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/sampler"
	"leadline/sampler/format"
	"leadline/scorer"
	"leadline/server"
)

func (a *app) controlsCommand() *cobra.Command {
	return group("controls", "See and add to the items that tell a moved judge from a moved service",
		a.controlsListCommand(), a.controlsAddCommand(), a.controlsRemoveCommand())
}

func (a *app) controlsListCommand() *cobra.Command {
	var changes bool
	c := &cobra.Command{Use: "list", Short: "List the control items and what the judge made of each last", Args: takes()}
	c.Flags().BoolVar(&changes, "changes", false, "list who added and removed own items instead")
	form := outputFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.show(c.Context(), *form, func(client *connection) error {
			all, err := client.Controls(c.Context())
			switch {
			case err != nil:
				return err
			case *form == "json":
				return writeJSON(a.io.out, all)
			case changes:
				return render(a.io.out, *form, controlChangeTable(all.Changes))
			}
			if err := render(a.io.out, *form, controlTable(all.Items)); err != nil || *form != "table" {
				return err
			}
			return a.printf("%s\n", controlSum(all))
		})
	}
	return c
}

func controlSum(all server.ControlsReply) string {
	own := 0
	for _, i := range all.Items {
		if i.Own {
			own++
		}
	}
	line := fmt.Sprintf("%d frozen items of version %s, %d own", len(all.Items)-own, all.Version, own)
	if all.Share >= 0 {
		line += shareText(all.Share, all.ShareRuns)
	}
	return line
}

func controlTable(all []server.ControlItem) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"item", "language", "expected", "runs", "last", "faithfulness", "relevancy", ""})
	for _, i := range all {
		note := ""
		if i.Outside {
			note = "outside its band"
		}
		t.AppendRow(table.Row{i.ID, i.Language, cmp.Or(i.Expected, "–"), i.Runs, shortTime(i.Last), orDash(i.Faithfulness), orDash(i.Relevancy), note})
	}
	return t
}

func orDash(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *x)
}

func controlChangeTable(all []server.ControlChange) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"when", "what", "item", "from", "by", "why"})
	for _, c := range all {
		what := "removed"
		if c.Added {
			what = "added"
		}
		t.AppendRow(table.Row{shortTime(c.At), what, c.Item, c.From, c.By, c.Note})
	}
	return t
}

func (a *app) controlsAddCommand() *cobra.Command {
	var q server.ControlRequest
	c := &cobra.Command{
		Use:   "add (FILE | - | --sample ID) --by NAME",
		Short: "Add own control items, from JSON lines or from a stored sample",
		Long: "Add reads records as record.format says, one JSON line each; - is standard input. A line may say what its answer is, in\n" +
			"\"expected\": supported, partial, unsupported or noncommittal. Nothing is added unless every line can be. The same texts\n" +
			"twice are one item. The text of an item is kept until it is removed, whatever store.text_retention says.",
		Args: takes("[FILE]"),
	}
	c.Flags().StringVar(&q.Sample, "sample", "", "take a stored sample; leadline samples lists them")
	c.Flags().StringVar(&q.Expected, "expect", "", "what the answers are, where a line does not say: "+strings.Join(scorer.Expectations, ", "))
	c.Flags().StringVar(&q.By, "by", "", "who decides this (controls list --changes shows it)")
	c.Flags().StringVar(&q.Note, "note", "", "why")
	c.RunE = func(c *cobra.Command, args []string) error {
		file := strings.Join(args, "")
		switch {
		case q.By == "":
			return exitError{exitUsage, errors.New("--by is missing: it is kept who decided this")}
		case (file == "") == (q.Sample == ""):
			return exitError{exitUsage, errors.New("say what to add: a FILE of JSON lines, - for standard input, or --sample ID")}
		case q.Expected != "" && !slices.Contains(scorer.Expectations, q.Expected):
			return exitError{exitUsage, fmt.Errorf("--expect %s: must be %s", q.Expected, strings.Join(scorer.Expectations, ", "))}
		}
		all := []server.ControlRequest{q}
		if file != "" {
			var err error
			if all, err = a.readControls(c.Context(), file, q); err != nil {
				return err
			}
		}
		return a.addControls(c.Context(), all)
	}
	return c
}

func (a *app) addControls(ctx context.Context, all []server.ControlRequest) error {
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.close()
	for n, q := range all {
		reply, err := client.AddControl(ctx, q)
		if err != nil {
			return fmt.Errorf("%d of %d items are added: %w", n, len(all), err)
		}
		word := "added"
		if !reply.Added {
			word = "there already:"
		}
		if err := a.printf("%s %s\n", word, reply.Item); err != nil {
			return err
		}
	}
	return nil
}

// readControls reads every line before anything is added.
func (a *app) readControls(ctx context.Context, file string, with server.ControlRequest) (all []server.ControlRequest, err error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	decoder, err := format.New(cfg.Record)
	if err != nil {
		return nil, err
	}
	in := a.io.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	var bad []error
	err = eachLine(ctx, in, func(n int, line []byte) error {
		more, err := controlsOf(decoder, n, line, with)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s:%d: %w", file, n, err))
		}
		all = append(all, more...)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(bad) > 0:
		return nil, exitError{exitUsage, fmt.Errorf("nothing was added: %w", errors.Join(bad...))}
	case len(all) == 0:
		return nil, exitError{exitUsage, fmt.Errorf("%s: holds no record, so there is nothing to add", file)}
	}
	return all, nil
}

// controlsOf reads one line.
func controlsOf(decoder *format.Decoder, n int, line []byte, with server.ControlRequest) ([]server.ControlRequest, error) {
	records, err := decoder.Decode(sampler.Message{Topic: "controls", Offset: int64(n), Time: time.Now().UTC(), Value: line})
	if err != nil {
		return nil, err
	}
	var says struct {
		Expected string `json:"expected"`
	}
	_ = json.Unmarshal(line, &says) // a line that is no object has no word on it
	var out []server.ControlRequest
	for _, r := range records {
		q := with
		q.Name, q.Language, q.Question, q.Answer, q.Contexts = r.ID, r.Language, r.Question, r.Answer, r.Contexts
		q.Expected = cmp.Or(says.Expected, with.Expected)
		if _, err := scorer.OwnControl(q.Name, q.Language, q.Question, q.Answer, q.Contexts, q.Expected); err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

func (a *app) controlsRemoveCommand() *cobra.Command {
	var q server.ControlRequest
	c := &cobra.Command{Use: "remove ITEM --by NAME", Short: "Take an own control item out; what it scored stays in the history", Args: takes("ITEM")}
	c.Flags().StringVar(&q.By, "by", "", "who decides this (controls list --changes shows it)")
	c.Flags().StringVar(&q.Note, "note", "", "why")
	c.RunE = func(c *cobra.Command, args []string) error {
		if q.By == "" {
			return exitError{exitUsage, errors.New("--by is missing: it is kept who decided this")}
		}
		q.Item = args[0]
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		reply, err := client.RemoveControl(c.Context(), q)
		if err != nil {
			return err
		}
		return a.printf("removed %s\n", reply.Item)
	}
	return c
}
