package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// decoder carries a file's nodes into a Config and remembers where each setting stands.
type decoder struct {
	file       string
	folder     string // where relative paths begin
	secrets    bool   // files with secrets are read
	getenv     Getenv
	set        map[string]setting // by path: what the file sets
	problems   Problems
	unreadable bool
}

// setting is where and how a setting is written. Text is empty for secrets, sections
// and lists.
type setting struct {
	line int
	text string
}

func (d *decoder) problem(line int, path, format string, args ...any) {
	d.problems = append(d.problems, Problem{File: d.file, Line: line, Path: path, Text: fmt.Sprintf(format, args...)})
}

func (d *decoder) decode(node *yaml.Node, path string, target reflect.Value) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	d.set[path] = setting{line: node.Line}
	empty := node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
	switch target.Kind() {
	case reflect.Pointer:
		if empty {
			target.SetZero()
			return
		}
		target.Set(reflect.New(target.Type().Elem()))
		d.decode(node, path, target.Elem())
	case reflect.Struct:
		if !empty && d.isA(node, yaml.MappingNode, path, "a section of settings, one `name: value` a line") {
			d.section(node, path, target)
		}
	case reflect.Slice:
		if !empty && d.isA(node, yaml.SequenceNode, path, "a list, one `- value` a line") {
			d.list(node, path, target)
		}
	case reflect.Map:
		if !empty && d.isA(node, yaml.MappingNode, path, "a section, one `name: value` a line") {
			d.table(node, path, target)
		}
	default:
		if empty {
			d.problem(node.Line, path, "has no value; give it one, or remove the line")
			return
		}
		if d.isA(node, yaml.ScalarNode, path, "one value") {
			d.scalar(node, path, target)
		}
	}
}

func (d *decoder) isA(node *yaml.Node, kind yaml.Kind, path, what string) bool {
	if node.Kind != kind {
		d.problem(node.Line, path, "must be %s", what)
	}
	return node.Kind == kind
}

// entries yields the pairs of a mapping whose key is a name and stands there for the
// first time, with the path of each.
func (d *decoder) entries(node *yaml.Node, path string, each func(key, value *yaml.Node, at string)) {
	first := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		at := join(path, key.Value)
		switch line, twice := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			d.problem(key.Line, path, "has a key that is not a name; write `name: value`")
		case twice:
			d.problem(key.Line, at, "is set twice, first in line %d; keep one", line)
		default:
			first[key.Value] = key.Line
			each(key, node.Content[i+1], at)
		}
	}
}

func (d *decoder) section(node *yaml.Node, path string, target reflect.Value) {
	fields := fieldsOf(target.Type())
	d.entries(node, path, func(key, value *yaml.Node, at string) {
		field, known := fields[key.Value]
		if !known {
			d.problem(key.Line, at, "is not a setting%s", suggest(path, key.Value, fields))
			return
		}
		got := target.FieldByIndex(field.Index)
		d.decode(value, at, got)
		if allowed := choices(field); allowed != nil && !slices.Contains(allowed, got.String()) {
			d.not(at, "must be %s", orList(allowed))
		}
	})
}

func (d *decoder) list(node *yaml.Node, path string, target reflect.Value) {
	target.Set(reflect.MakeSlice(target.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		d.decode(item, fmt.Sprintf("%s[%d]", path, i), target.Index(i))
	}
}

func (d *decoder) table(node *yaml.Node, path string, target reflect.Value) {
	target.Set(reflect.MakeMap(target.Type()))
	d.entries(node, path, func(key, value *yaml.Node, at string) {
		item := reflect.New(target.Type().Elem()).Elem()
		d.decode(value, at, item)
		target.SetMapIndex(reflect.ValueOf(key.Value), item)
	})
}

func (d *decoder) scalar(node *yaml.Node, path string, target reflect.Value) {
	if strings.HasPrefix(node.Tag, "!") && !strings.HasPrefix(node.Tag, "!!") {
		d.problem(node.Line, path, "has a tag, which means nothing here; remove it")
		return
	}
	_, secret := reflect.TypeAssert[Secret](target)
	if !secret {
		d.set[path] = setting{line: node.Line, text: node.Value}
	}
	text, err := expand(node.Value, d.getenv)
	if err != nil {
		d.problem(node.Line, path, "%s", err)
		return
	}
	if secret && text == "" && strings.Contains(node.Value, "${") && !strings.Contains(node.Value, ":-") {
		d.problem(node.Line, path, "is empty, because its variable is; set the variable, or remove the line")
		return
	}
	if want := assign(target, text); want != "" {
		d.not(path, "must be %s", want)
	}
}

// assign writes text into target, or returns what it should have been.
func assign(target reflect.Value, text string) (want string) {
	if _, ok := reflect.TypeAssert[time.Duration](target); ok {
		v, ok := parseDuration(text)
		if !ok {
			return "a duration such as 30s, 24h, 7d or 1w"
		}
		target.SetInt(int64(v))
		return ""
	}
	switch target.Kind() {
	case reflect.Int, reflect.Int64:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "a whole number"
		}
		target.SetInt(v)
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "a number"
		}
		target.SetFloat(v)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return "true or false"
		}
		target.SetBool(text == "true")
	default:
		target.SetString(text)
	}
	return ""
}

// parseDuration reads what time.ParseDuration reads without sign and fraction, and d
// and w.
func parseDuration(text string) (time.Duration, bool) {
	units := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": day, "w": 7 * day}
	var sum time.Duration
	rest := text
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		letters := len(rest[digits:]) - len(strings.TrimLeft(rest[digits:], "mshdw"))
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		unit := units[rest[digits:digits+letters]]
		if err != nil || unit == 0 || n > int64((math.MaxInt64-sum)/unit) {
			return 0, false
		}
		sum += time.Duration(n) * unit
		rest = rest[digits+letters:]
	}
	return sum, text != ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
