package server_test

import (
	"net/http"
	"strings"
	"testing"

	"leadline/report"
)

func TestStartPageShowsWhatNeedsNoBaseline(t *testing.T) {
	for lang, words := range map[string][]string{
		"en": {"Without a baseline", "31\u00a0% of the answers contain an unsupported statement (95\u00a0% interval 27\u00a0% to 36\u00a0%, 412 answers scored)", "not of what is correct", `<a href="#lowest">`, `<h2 id="lowest">`, "<td>department=経理</td>"},
		"ja": {"基準なしで分かること", "回答の31%に裏付けのない文が含まれ（95%区間 27%〜36%、採点412件）", "回答の正しさではありません", `<a href="#lowest">`, "<td>department=経理</td>"},
	} {
		s := rich(lang)
		some := report.Portion{N: 412, Share: 0.31, Low: 0.27, High: 0.36}
		s.status.Glance = report.Glance{From: now.AddDate(0, 0, -7), To: now, Unsupported: some, Nothing: report.Portion{N: 412, Share: 0.04},
			Segments: []report.SegmentGlance{{Segment: "department=経理", Unsupported: some}}}
		body := ask(handler(s, nil), http.MethodGet, "/", "").Body.String()
		for _, want := range words {
			if !strings.Contains(body, want) {
				t.Errorf("the %s start page lacks %q", lang, want)
			}
		}
	}
}
