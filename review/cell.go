package review

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostInCell is how many characters of a text go into a cell: spreadsheets hold 32,767.
const mostInCell = 30000

// cell makes a text safe to open in a spreadsheet: one that begins like a formula, also
// full-width or after blanks, gets an apostrophe in front, which spreadsheets take as "text".
// Carriage returns become line ends, and what no cell holds is cut.
func cell(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if utf8.RuneCountInString(text) > mostInCell {
		text = string([]rune(text)[:mostInCell]) + " […]"
	}
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// uncell takes the apostrophe back that cell put there.
func uncell(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && isFormula(rest) {
		return rest
	}
	return text
}

// isFormula says whether a spreadsheet might compute a cell. A tab, or a line end, in front
// is one of the ways.
func isFormula(text string) bool {
	if strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\n") {
		return true
	}
	// Byte order marks and other formatting characters are not seen, and blanks are skipped.
	text = strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
	})
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("=+-@|%\uff1d\uff0b\uff0d\uff20\u2212\uff5c\uff05", first)
}
