package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fieldsOf returns the fields of a section by the name that a file uses.
func fieldsOf(section reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(section) {
		fields[f.Tag.Get("yaml")] = f
	}
	return fields
}

// choices returns the values that a field's jsonschema tag allows; nil means any.
func choices(field reflect.StructField) []string {
	var values []string
	for option := range strings.SplitSeq(field.Tag.Get("jsonschema"), ",") {
		if value, ok := strings.CutPrefix(option, "enum="); ok {
			values = append(values, value)
		}
	}
	return values
}

// suggest names the setting that was probably meant, or those that there are.
func suggest(section, name string, fields map[string]reflect.StructField) string {
	names := slices.Sorted(maps.Keys(fields))
	best, distance := "", 1+len(name)/3
	for _, n := range names {
		if d := edits(name, n); d <= distance && (best == "" || d < distance) {
			best, distance = n, d
		}
	}
	if best != "" {
		return "; did you mean " + join(section, best) + "?"
	}
	if elsewhere := find(name, reflect.TypeFor[Config]()); elsewhere != "" {
		return "; did you mean " + elsewhere + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}

// find returns the path of the first setting of that name, one section deep.
func find(name string, root reflect.Type) string {
	for _, section := range reflect.VisibleFields(root) {
		if _, ok := fieldsOf(section.Type)[name]; ok {
			return join(section.Tag.Get("yaml"), name)
		}
	}
	return ""
}

// edits is the Levenshtein distance of two names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// orList writes values as "a, b or c".
func orList(values []string) string {
	last := len(values) - 1
	if last <= 0 {
		return strings.Join(values, "")
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}
