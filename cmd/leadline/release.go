package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"leadline/sampler"
	"leadline/server"
)

func (a *app) releaseCommand() *cobra.Command {
	return group("release", "Tell about releases that the log does not show", a.releaseAddCommand(), a.releaseNoneCommand())
}

func (a *app) releaseAddCommand() *cobra.Command {
	var at, channel string
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Note that a release was made",
		Args:  takes("NAME"),
	}
	c.Flags().StringVar(&at, "at", "", "when, as 2026-11-30T09:00:00Z (default: now)")
	c.Flags().StringVar(&channel, "channel", string(sampler.ChannelRelease), "what changed: release, prompt, model, retriever or embedding")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !slices.Contains(codeChannels(), sampler.Channel(channel)) {
			return exitError{exitUsage, fmt.Errorf("--channel %s: must be release, prompt, model, retriever or embedding", channel)}
		}
		when, err := parseTime("--at", at)
		if err != nil {
			return err
		}
		if when.After(time.Now()) {
			return exitError{exitUsage, fmt.Errorf("--at %s is still to come: note a release when it was made", at)}
		}
		return a.addRelease(c, server.ReleaseRequest{Channel: sampler.Channel(channel), Value: args[0], At: when, Source: "cli"})
	}
	return c
}

func (a *app) releaseNoneCommand() *cobra.Command {
	var through string
	c := &cobra.Command{
		Use:   "none --through TIME",
		Short: "Note that no release was made until a time, so that a drop until then may be called silent",
		Args:  takes(),
	}
	c.Flags().StringVar(&through, "through", "", "until when, as 2026-11-30T09:00:00Z")
	c.RunE = func(c *cobra.Command, _ []string) error {
		when, err := parseTime("--through", through)
		if err != nil {
			return err
		}
		if when.IsZero() {
			return exitError{exitUsage, errors.New("--through is missing: it says until when there was no release")}
		}
		if when.After(time.Now()) {
			return exitError{exitUsage, fmt.Errorf("--through %s is still to come: nobody knows yet that there will be no release", through)}
		}
		return a.addRelease(c, server.ReleaseRequest{Channel: sampler.ChannelRelease, Through: when, Source: "cli"})
	}
	return c
}

// codeChannels are what a team changes on purpose.
func codeChannels() []sampler.Channel {
	return []sampler.Channel{sampler.ChannelRelease, sampler.ChannelPrompt, sampler.ChannelModel, sampler.ChannelRetriever, sampler.ChannelEmbedding}
}

func parseTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, exitError{exitUsage, fmt.Errorf("%s %q: write it as 2026-11-30T09:00:00Z or with a zone as +09:00", flag, text)}
	}
	return t, nil
}

func (a *app) addRelease(c *cobra.Command, q server.ReleaseRequest) error {
	client, err := a.connect(c.Context())
	if err != nil {
		return err
	}
	defer client.close()
	created, err := client.AddRelease(c.Context(), q)
	if err != nil {
		return err
	}
	if !created {
		return a.printf("known already\n")
	}
	return a.printf("noted; open incidents were looked at again\n")
}
