package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/review"
	"leadline/server"
)

func (a *app) reviewCommand() *cobra.Command {
	return group("review", "Have people judge stored answers, and see how well the judge agrees with them",
		a.reviewExportCommand(), a.reviewImportCommand(), a.reviewShowCommand())
}

// exportFlags are those of `leadline review export`.
type exportFlags struct {
	server.DrawRequest
	since, form string
	bom         bool
}

func (a *app) reviewExportCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export [--n 24] [--since 7d] [--format csv|jsonl|html] > FILE",
		Short: "Draw stored answers for a person to mark, with the judge's verdicts hidden",
		Long: "Export draws stored answers, half of them from the lowest quarter by faithfulness, and prints them without verdicts and\n" +
			"scores. A person marks each statement (supported, not supported, cannot tell) and whether the question was answered.\n" +
			"For a second person, export the same review again with --review.",
		Args: takes(),
	}
	c.Flags().IntVar(&f.N, "n", review.Usual, "how many answers")
	c.Flags().StringVar(&f.since, "since", "", "only answers of runs since then: 2026-11-30, or 7d for the last seven days")
	c.Flags().StringVar(&f.form, "format", "csv", "csv for spreadsheets, jsonl for programs, html for a browser")
	c.Flags().StringVar(&f.Review, "review", "", "print this review again instead of drawing a new one")
	c.Flags().BoolVar(&f.bom, "bom", false, "begin a CSV file with a byte order mark: Excel needs it for Japanese")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := f.check(c.Flags().Changed("n") || f.since != ""); err != nil {
			return err
		}
		return a.reviewExport(c.Context(), f)
	}
	return c
}

func (f *exportFlags) check(drawing bool) error {
	at, before, err := parseSince(f.since)
	if before > 0 {
		at = time.Now().Add(-before).UTC()
	}
	f.Since = at
	switch {
	case err != nil:
		return err
	case f.N < 1 || f.N > review.Most:
		return exitError{exitUsage, fmt.Errorf("--n %d: must be 1 to %d", f.N, review.Most)}
	case !slices.Contains([]string{"csv", "jsonl", "html"}, f.form):
		return exitError{exitUsage, fmt.Errorf("--format %s: must be csv, jsonl or html", f.form)}
	case f.bom && f.form != "csv":
		return exitError{exitUsage, errors.New("--bom is for --format csv")}
	case f.Review != "" && drawing:
		return exitError{exitUsage, errors.New("--review prints a review as it was drawn: leave out --n and --since")}
	}
	return nil
}

func (a *app) reviewExport(ctx context.Context, f exportFlags) error {
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.close()
	drawn, err := client.Draw(ctx, f.DrawRequest)
	if err != nil {
		return notEnough(err)
	}
	st, err := client.Status(ctx)
	if err != nil {
		return err
	}
	form := drawn.Form
	gone := len(form.Papers)
	form.Papers = slices.DeleteFunc(slices.Clone(form.Papers), review.Paper.Gone)
	gone -= len(form.Papers)
	switch f.form {
	case "jsonl":
		err = review.WriteJSONL(a.io.out, form)
	case "html":
		err = review.WriteHTML(a.io.out, form, st.Language)
	default:
		err = review.WriteCSV(a.io.out, form, f.bom)
	}
	if err != nil {
		return err
	}
	a.progress("review %s: %d of %d stored answers, %d of them from the lowest quarter by faithfulness (%d); weights in the store undo that",
		form.Review, len(drawn.Form.Papers), drawn.Answers, drawn.LowDrawn, drawn.Low)
	if gone > 0 {
		a.progress("%d of them are left out: their text is no longer kept (store.text_retention)", gone)
	}
	a.progress("mark it, all or in part, then: leadline review import FILE --rater NAME; for a second person: leadline review export --review %s", form.Review)
	return nil
}

// notEnough gives a review of nothing its exit code.
func notEnough(err error) error {
	if errors.Is(err, server.ErrInvalid) || errors.Is(err, server.ErrNotFound) {
		text := strings.TrimPrefix(err.Error(), server.ErrInvalid.Error()+": ")
		return exitError{exitNotEnoughData, errors.New(strings.TrimPrefix(text, server.ErrNotFound.Error()+": "))}
	}
	return err
}

func (a *app) reviewImportCommand() *cobra.Command {
	var rater, form string
	c := &cobra.Command{
		Use:   "import FILE... --rater NAME",
		Short: "Read back what a person marked, and print how well the judge agrees",
		Args:  takes("FILE"),
	}
	c.Args = nil // one or more
	c.Flags().StringVar(&rater, "rater", "", "who marked it (kept with the marks)")
	c.Flags().StringVarP(&form, "output", "o", "table", "table or json")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return exitError{exitUsage, errors.New("FILE is missing; write: leadline review import FILE... --rater NAME (- is standard input)")}
		case strings.TrimSpace(rater) == "":
			return exitError{exitUsage, errors.New("--rater is missing: it is kept who marked what")}
		}
		if err := checkForm(form); err != nil {
			return err
		}
		return a.reviewImport(c.Context(), args, rater, form)
	}
	return c
}

func checkForm(form string) error {
	if form != "table" && form != "json" {
		return exitError{exitUsage, fmt.Errorf("-o %s: must be table or json", form)}
	}
	return nil
}

// reviewImport reads all files before it keeps anything.
func (a *app) reviewImport(ctx context.Context, paths []string, rater, form string) error {
	var requests []server.MarkRequest
	for _, path := range paths {
		q, err := a.readReview(path, rater)
		if err != nil {
			return exitError{exitUsage, fmt.Errorf("%s: %w", path, err)}
		}
		requests = append(requests, q)
	}
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.close()
	last := ""
	for i, q := range requests {
		err := markAll(ctx, client, q)
		if errors.Is(err, server.ErrNotFound) {
			return exitError{exitUsage, fmt.Errorf("%s: review %s was not drawn from this store; import it with the configuration that it was exported with", paths[i], q.Review)}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", paths[i], err)
		}
		last = q.Review
	}
	return a.printReview(ctx, client, last, rater, form)
}

// marksPerRequest keeps a request well below what the daemon takes, however many statements
// an answer has.
const marksPerRequest = 20

func markAll(ctx context.Context, client server.Reviewer, q server.MarkRequest) error {
	for part := range slices.Chunk(q.Labels, marksPerRequest) {
		q.Labels = part
		if err := client.Mark(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// mostReviewBytes is how large an imported file may be.
const mostReviewBytes = 64 << 20

func (a *app) readReview(path, rater string) (q server.MarkRequest, err error) {
	in := a.io.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return q, errors.Unwrap(err)
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, mostReviewBytes+1))
	if err != nil {
		return q, err
	}
	if len(data) > mostReviewBytes {
		return q, fmt.Errorf("it is larger than %d MiB, and so no exported review", mostReviewBytes>>20)
	}
	f, err := review.Read(data)
	if err != nil {
		return q, err
	}
	labels := slices.DeleteFunc(f.Labels, review.Label.Blank)
	if len(labels) == 0 {
		return q, errors.New("nothing is marked in it")
	}
	sum := sha256.Sum256(data)
	return server.MarkRequest{Review: f.Review, Rater: rater, Via: "file", File: hex.EncodeToString(sum[:]), Labels: labels}, nil
}

func (a *app) reviewShowCommand() *cobra.Command {
	var form string
	c := &cobra.Command{
		Use:   "show [REVIEW]",
		Short: "Print how well the judge agrees with people: the newest review, or one",
		Args:  takes("[REVIEW]"),
	}
	c.Flags().StringVarP(&form, "output", "o", "table", "table or json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkForm(form); err != nil {
			return err
		}
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		return a.printReview(c.Context(), client, strings.Join(args, ""), "", form)
	}
	return c
}

// printReview prints a review: of one rater, or of all for an empty name.
func (a *app) printReview(ctx context.Context, client *connection, id, rater, form string) error {
	reply, err := client.Review(ctx, id)
	if err != nil {
		return notEnough(err)
	}
	if form == "json" {
		return writeJSON(a.io.out, reply.Result)
	}
	if len(reply.Result.Raters) == 0 {
		return exitError{exitNotEnoughData, fmt.Errorf("nobody has marked anything of review %s yet; mark the exported file, then leadline review import FILE --rater NAME", reply.Result.Review)}
	}
	return a.printf("%s", reviewText(reply, rater))
}
