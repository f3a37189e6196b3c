package config

import (
	"reflect"
	"strings"
	"time"
)

// ParseDuration reads a length of time as files write it: 24h, 7d, 8w. ok is false for
// anything else.
func ParseDuration(text string) (d time.Duration, ok bool) { return parseDuration(text) }

// Flat returns the settings of a section by their path, as a file would write them, so that
// two files can be held against each other. Secrets are left out, and the credentials of
// addresses.
func Flat(path string, section any) map[string]string {
	out := map[string]string{}
	flatten(path, reflect.ValueOf(section), out)
	return out
}

func flatten(path string, v reflect.Value, out map[string]string) {
	switch v.Kind() {
	case reflect.Struct:
		for name, field := range fieldsOf(v.Type()) {
			flatten(join(path, name), v.FieldByIndex(field.Index), out)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			flatten(path, v.Elem(), out)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			flatten(join(path, key.String()), v.MapIndex(key), out)
		}
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = show(v.Index(i).Interface())
		}
		out[path] = "[" + strings.Join(items, ", ") + "]"
	default:
		if _, secret := reflect.TypeAssert[Secret](v); !secret {
			out[path] = show(v.Interface())
		}
	}
}
