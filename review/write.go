package review

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The columns of a CSV file; what stands in parentheses is for people.
var columns = []string{"review", "sample", "no", "language", "question", "answer", "contexts", "statement",
	"mark (supported / not supported / cannot tell)", "answered (yes / no / cannot tell)"}

// bom tells Excel that a file is UTF-8.
const bom = "\ufeff"

// WriteCSV writes a line per statement. The passages stand in the first line of each answer.
// Formulas in users' texts are made harmless. With forExcel it begins with a byte order mark.
func WriteCSV(out io.Writer, f Form, forExcel bool) error {
	if forExcel {
		if _, err := io.WriteString(out, bom); err != nil {
			return err
		}
	}
	w := csv.NewWriter(out)
	w.UseCRLF = true
	if err := w.Write(columns); err != nil {
		return err
	}
	for _, p := range f.Papers {
		for i, st := range p.Statements {
			contexts := ""
			if i == 0 {
				contexts = numbered(p.Contexts)
			}
			row := []string{p.Review, cell(p.Sample), strconv.Itoa(st.No), cell(p.Language), cell(p.Question), cell(p.Answer), cell(contexts), cell(st.Text), string(st.Mark), string(p.Answered)}
			if err := w.Write(row); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

func numbered(contexts []string) string {
	var b strings.Builder
	for i, c := range contexts {
		fmt.Fprintf(&b, "[%d] %s\n", i+1, c)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// WriteJSONL writes a line per answer.
func WriteJSONL(out io.Writer, f Form) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, p := range f.Papers {
		if err := e.Encode(p); err != nil {
			return err
		}
	}
	return nil
}
