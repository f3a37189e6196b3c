package alert

import (
	"strings"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackutilsx"
)

// slackBlocks puts all text that may come from users into plain_text and rich_text,
// where Slack reads no mark-up, mentions or links.
func slackBlocks(t Text, id string) slack.WebhookMessage {
	blocks := []slack.Block{slack.NewHeaderBlock(plain(heading(t)))}
	if t.Banner != "" {
		blocks = append(blocks, slack.NewContextBlock("", plain("⚠️ "+t.Banner)))
	}
	blocks = append(blocks, slack.NewRichTextBlock("", richSection(richText(t.Verdict, false))))
	for _, p := range t.Parts {
		blocks = append(blocks, slack.NewRichTextBlock("", richPart(p)...))
	}
	if len(t.Links) > 0 {
		blocks = append(blocks, slack.NewRichTextBlock("", richLinks(t.Links)))
	}
	foot := strings.Join(nonEmpty(t.Scope, t.Footer+" · "+id), "\n")
	blocks = append(blocks, slack.NewContextBlock("", plain(foot)))
	m := slackText(t, id)
	m.Text = mrkdwn(heading(t) + "\n" + t.Verdict)
	m.Blocks = &slack.Blocks{BlockSet: blocks}
	return m
}

// slackAttachment is the form that Slack knew before blocks, and its imitators know.
func slackAttachment(t Text, id string) slack.WebhookMessage {
	a := slack.Attachment{
		Color: t.Color(), Fallback: mrkdwn(heading(t)), Text: mrkdwn(plainBody(t)),
		Footer: mrkdwn(t.Footer + " · " + id),
	}
	if len(t.Links) > 0 {
		a.Title, a.TitleLink = mrkdwn(t.Links[0].Text), t.Links[0].URL
	}
	m := slackText(t, id)
	m.Text = mrkdwn(heading(t))
	m.Attachments = []slack.Attachment{a}
	return m
}

// slackText is one text. Nothing in it is parsed for names, and no address is fetched.
func slackText(t Text, id string) slack.WebhookMessage {
	lines := []string{mrkdwn(heading(t)), mrkdwn(plainBody(t)), mrkdwn(t.Footer + " · " + id)}
	for _, l := range t.Links {
		lines = append(lines, "<"+slackutilsx.EscapeMessage(l.URL)+"|"+mrkdwn(l.Text)+">")
	}
	no := false
	return slack.WebhookMessage{Text: strings.Join(lines, "\n"), Parse: "none", UnfurlLinks: &no, UnfurlMedia: &no}
}

func heading(t Text) string { return cut(t.Icon+" "+t.Title, maxTitle) }

func plain(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

func richText(text string, bold bool) slack.RichTextSectionElement {
	if !bold {
		return slack.NewRichTextSectionTextElement(text, nil)
	}
	return slack.NewRichTextSectionTextElement(text, &slack.RichTextSectionTextStyle{Bold: true})
}

func richSection(elements ...slack.RichTextSectionElement) *slack.RichTextSection {
	return slack.NewRichTextSection(elements...)
}

func richPart(p Part) []slack.RichTextElement {
	var out []slack.RichTextElement
	if p.Heading != "" {
		out = append(out, richSection(richText(p.Heading, true)))
	}
	if p.Quote {
		return append(out, &slack.RichTextQuote{Type: slack.RTEQuote,
			Elements: []slack.RichTextSectionElement{richText(joinLines(p.Lines), false)}})
	}
	items := make([]slack.RichTextElement, len(p.Lines))
	for n, l := range p.Lines {
		items[n] = richSection(richText(l.Text, false))
		if l.Label != "" {
			items[n] = richSection(richText(l.Label+": ", true), richText(l.Text, false))
		}
	}
	return append(out, slack.NewRichTextList(slack.RTEListBullet, 0, items...))
}

func richLinks(links []Link) *slack.RichTextSection {
	var elements []slack.RichTextSectionElement
	for n, l := range links {
		if n > 0 {
			elements = append(elements, richText(" · ", false))
		}
		elements = append(elements, slack.NewRichTextSectionLinkElement(l.URL, l.Text, nil))
	}
	return richSection(elements...)
}

func joinLines(lines []Line) string {
	out := make([]string, len(lines))
	for n, l := range lines {
		out[n] = l.String()
	}
	return strings.Join(out, "\n")
}

// String is the line as one text.
func (l Line) String() string {
	if l.Label == "" {
		return l.Text
	}
	return l.Label + ": " + l.Text
}

// plainBody is the message below its title, without links.
func plainBody(t Text) string {
	parts := nonEmpty(t.Banner, t.Verdict)
	for _, p := range t.Parts {
		parts = append(parts, strings.Join(nonEmpty(p.Heading, joinLines(p.Lines)), "\n"))
	}
	return strings.Join(append(parts, nonEmpty(t.Scope)...), "\n\n")
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// mrkdwn makes text inert where Slack, or an imitator, parses it: no mentions, links or
// code. A zero-width space breaks what cannot be escaped.
func mrkdwn(text string) string {
	const zw = "\u200B"
	inert := strings.NewReplacer("@", "@"+zw, "://", ":"+zw+"//", "](", "]"+zw+"(", "`", "'").Replace(text)
	return slackutilsx.EscapeMessage(inert)
}
