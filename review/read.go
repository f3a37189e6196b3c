package review

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// File is what was read back: the labels of one review. Labels without any mark are in it.
type File struct {
	Review string
	Labels []Label
}

// Read reads a file that was exported as CSV or JSONL and filled in, perhaps in part. Its
// errors name the line and never quote a text.
func Read(data []byte) (File, error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return File{}, errors.New("it is UTF-16: save it as \"CSV UTF-8\"")
	}
	if !utf8.Valid(data) { // Excel on a Japanese Windows saves plain CSV so
		decoded, err := japanese.ShiftJIS.NewDecoder().Bytes(data)
		if err != nil || bytes.ContainsRune(decoded, utf8.RuneError) {
			return File{}, errors.New("it is neither UTF-8 nor Shift_JIS: save it as \"CSV UTF-8\"")
		}
		data = decoded
	}
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return File{}, errors.New("it is empty")
	case text[0] == '<':
		return File{}, errors.New("it is the page itself: open it in a browser, mark the statements, press Save, and import the .jsonl file that it saves")
	case bytes.HasPrefix(text, []byte("PK")):
		return File{}, errors.New("it is a workbook: save it as \"CSV UTF-8\"")
	case text[0] == '{':
		return readJSONL(data)
	}
	return readCSV(data)
}

func readJSONL(data []byte) (f File, err error) {
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, 16<<20)
	for n := 1; scan.Scan(); n++ {
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		var p Paper
		if json.Unmarshal(scan.Bytes(), &p) != nil {
			return f, fmt.Errorf("line %d is not a line of a review", n)
		}
		if err := f.take(p); err != nil {
			return f, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return f, scan.Err()
}

func (f *File) take(p Paper) error {
	if err := f.belongs(p.Review, p.Sample); err != nil {
		return err
	}
	answered, err := readAnswered(string(p.Answered))
	if err != nil {
		return err
	}
	if err := f.set(p.Sample, 0, "", answered); err != nil {
		return err
	}
	for _, st := range p.Statements {
		mark, err := readMark(string(st.Mark))
		if err == nil {
			err = f.set(p.Sample, st.No, mark, "")
		}
		if err != nil {
			return fmt.Errorf("statement %d: %w", st.No, err)
		}
	}
	return nil
}

func readCSV(data []byte) (f File, err error) {
	r := csv.NewReader(bytes.NewReader(data))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	for _, comma := range ";\t" { // as some countries' spreadsheets save
		if bytes.ContainsRune(first, comma) && !bytes.Contains(first, []byte(",")) {
			r.Comma = comma
		}
	}
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	rows, err := r.ReadAll()
	if err != nil {
		return f, fmt.Errorf("it is no CSV file: %w", err)
	}
	at, err := header(rows[0])
	if err != nil {
		return f, err
	}
	for i, row := range rows[1:] {
		if err := f.takeRow(row, at); err != nil {
			return f, fmt.Errorf("row %d: %w", i+2, err)
		}
	}
	return f, nil
}

// needed are the columns that are read.
var needed = []string{"review", "sample", "no", "mark", "answered"}

// header says in which column stands what.
func header(row []string) (map[string]int, error) {
	at := map[string]int{}
	for i, name := range row {
		name, _, _ = strings.Cut(strings.ToLower(name), "(")
		at[strings.TrimSpace(name)] = i
	}
	for _, name := range needed {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("it is no exported review: its first line has no column %s", name)
		}
	}
	return at, nil
}

func (f *File) takeRow(row []string, at map[string]int) error {
	get := func(name string) string {
		if i := at[name]; i < len(row) {
			return strings.TrimSpace(row[i])
		}
		return ""
	}
	if !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		return nil
	}
	sample := uncell(get("sample"))
	if err := f.belongs(get("review"), sample); err != nil {
		return err
	}
	no, err := strconv.Atoi(get("no"))
	if err != nil || no < 1 {
		return errors.New("column no must be the number of the statement, from 1")
	}
	mark, err := readMark(get("mark"))
	if err != nil {
		return err
	}
	answered, err := readAnswered(get("answered"))
	if err != nil {
		return err
	}
	return f.set(sample, no, mark, answered)
}

// belongs checks that a line is of the file's one review.
func (f *File) belongs(review, sample string) error {
	switch {
	case review == "" || sample == "":
		return errors.New("it does not say which review and sample it is of: leave the columns review and sample as they were exported")
	case f.Review == "":
		f.Review = review
	case f.Review != review:
		return errors.New("it is of another review than the lines before: import each review from a file of its own")
	}
	return nil
}

// mostStatements is far above what an answer has.
const mostStatements = 10000

// set puts a mark in its place. Statement 0 is the answer itself.
func (f *File) set(sample string, no int, mark, answered Mark) error {
	at := slices.IndexFunc(f.Labels, func(l Label) bool { return l.Sample == sample })
	if at < 0 {
		at = len(f.Labels)
		f.Labels = append(f.Labels, Label{Sample: sample})
	}
	l := &f.Labels[at]
	if answered != "" && l.Answered != "" && l.Answered != answered {
		return errors.New("answered differs between the lines of one sample")
	}
	if answered != "" {
		l.Answered = answered
	}
	if no == 0 {
		return nil
	}
	if no < 0 || no > mostStatements {
		return errors.New("there is no statement of that number")
	}
	for len(l.Statements) < no {
		l.Statements = append(l.Statements, "")
	}
	if old := l.Statements[no-1]; old != "" && mark != "" && old != mark {
		return fmt.Errorf("statement %d of this sample is marked twice, differently", no)
	}
	if mark != "" {
		l.Statements[no-1] = mark
	}
	return nil
}

// Check says whether labels fit a sheet: its samples, and their numbers of statements.
func (s Sheet) Check(labels []Label) error {
	for _, l := range labels {
		item, ok := s.item(l.Sample)
		if !ok {
			return fmt.Errorf("review %s has no sample that is labeled here: leave the column sample as it was exported", s.ID)
		}
		if len(l.Statements) > len(item.Verdicts) {
			return fmt.Errorf("sample %s of review %s has %d statements, not %d: leave the column no as it was exported", l.Sample, s.ID, len(item.Verdicts), len(l.Statements))
		}
		for _, m := range l.Statements {
			if m != "" && m != Supported && m != Unsupported && m != Unclear {
				return errors.New("a statement is marked supported, unsupported or unclear")
			}
		}
		if m := l.Answered; m != "" && m != Yes && m != No && m != Unclear {
			return errors.New("answered is yes, no or unclear")
		}
	}
	return nil
}
