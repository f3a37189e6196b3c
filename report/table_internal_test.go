package report

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

var verb = regexp.MustCompile(`%(\[\d\])?[sd]`)

func TestEveryTextStandsInBothLanguages(t *testing.T) {
	for key, l := range table {
		if l.En == "" || l.Ja == "" {
			t.Errorf("%s is empty in a language", key)
		}
		if en, ja := len(verb.FindAllString(l.En, -1)), len(verb.FindAllString(l.Ja, -1)); en != ja {
			t.Errorf("%s takes %d values in English and %d in Japanese", key, en, ja)
		}
		for _, text := range []string{l.En, l.Ja} {
			if percent := strings.Contains(text, "%%"); percent && !verb.MatchString(text) {
				t.Errorf("%s takes no value, so its %%%% is shown as it is", key)
			}
		}
	}
}

func TestEveryTextThatPagesAskForIsThere(t *testing.T) {
	asked := regexp.MustCompile(`\bt "([^"]+)"`)
	err := fs.WalkDir(page, "page", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tmpl") {
			return err
		}
		b, err := fs.ReadFile(page, path)
		for _, m := range asked.FindAllStringSubmatch(string(b), -1) {
			if _, ok := table[m[1]]; !ok {
				t.Errorf("%s asks for %q", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryValueHasItsName(t *testing.T) {
	var keys []string
	for _, m := range append(scorer.Metrics, drift.Shares...) {
		keys = append(keys, "metric."+string(m))
	}
	for _, s := range sampler.OffsetStates {
		keys = append(keys, "offset."+string(s))
	}
	for _, s := range sampler.RecordStates {
		keys = append(keys, "record."+string(s))
	}
	for _, k := range []drift.Kind{drift.KindSilent, drift.KindRegression, drift.KindUndecided, drift.KindDrop, drift.KindJudge, drift.KindBlind, drift.KindDelivery} {
		keys = append(keys, "kind."+string(k))
	}
	for _, r := range scorer.Reasons {
		keys = append(keys, "reason."+string(r))
	}
	for _, c := range []sampler.Channel{sampler.ChannelRelease, sampler.ChannelPrompt, sampler.ChannelModel, sampler.ChannelRetriever,
		sampler.ChannelEmbedding, sampler.ChannelResponseModel, sampler.ChannelIndex} {
		keys = append(keys, "channel."+string(c))
	}
	for _, k := range keys {
		if _, ok := table[k]; !ok {
			t.Errorf("%s has no name", k)
		}
	}
}
