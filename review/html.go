package review

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"leadline/report"
)

//go:embed page
var page embed.FS

// words are the texts of the page that is sent to people as a file.
var words = map[string]report.Label{
	"form.title":       {En: "Review of answers", Ja: "回答の確認"},
	"form.ask":         {En: "Does the retrieved text support each statement? What you know from elsewhere does not count.", Ja: "検索された文書は、それぞれの文を裏付けていますか。ほかで知っていることは考慮しないでください。"},
	"form.save_how":    {En: "Save at the end, also when not all is marked, and send the saved file back.", Ja: "最後に、途中でも保存し、保存したファイルを送り返してください。"},
	"form.noscript":    {En: "Saving needs JavaScript. Without it, ask for the review as CSV.", Ja: "保存にはJavaScriptが必要です。使えない場合はCSV形式で受け取ってください。"},
	"form.nth":         {En: "Answer %d of %d", Ja: "回答 %d / %d"},
	"form.unsupported": {En: "not supported", Ja: "裏付けなし"},
	"form.unclear":     {En: "cannot tell", Ja: "判断できない"},
	"form.answered":    {En: "Was the question answered?", Ja: "質問に答えていますか。"},
	"form.yes":         {En: "yes", Ja: "はい"},
	"form.no":          {En: "no", Ja: "いいえ"},
	"form.save":        {En: "Save", Ja: "保存"},
}

// WriteHTML writes a page that needs nothing but itself. What is marked in it is saved as a
// file that Read reads; that alone needs a script.
func WriteHTML(out io.Writer, f Form, language string) error {
	w := report.NewWords(language, nil).With(words)
	funcs := template.FuncMap{
		"t":     w.T,
		"plus":  func(i int) int { return i + 1 },
		"style": func() template.CSS { return template.CSS(report.Style()) }, //nolint:gosec // our own file
	}
	t, err := template.New("form.html.tmpl").Funcs(funcs).ParseFS(page, "page/form.html.tmpl")
	if err == nil {
		err = t.Execute(out, struct {
			Language string
			Form     Form
		}{w.Language(), f})
	}
	if err != nil {
		return fmt.Errorf("write the page of a review: %w", err)
	}
	return nil
}
