package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"leadline/config"
)

//go:generate go test . -run TestSchemaIsUpToDate -update

var update = flag.Bool("update", false, "rewrite leadline.schema.json")

func TestSchemaIsUpToDate(t *testing.T) {
	const file = "leadline.schema.json"
	want, err := json.MarshalIndent(schema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the settings say; run go generate ./config (%v)", file, err)
	}
}

// schema describes the file for editors.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	r := jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, ExpandedStruct: true, Anonymous: true}
	if err := r.AddGoComments("leadline/config", "./", jsonschema.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	r.Mapper = describe
	s := r.Reflect(config.Config{})
	s.Title = "Leadline configuration"
	return s
}

// describe says how a value is written where its Go type does not. A variable may stand
// for any value.
func describe(v reflect.Type) *jsonschema.Schema {
	variable := &jsonschema.Schema{Type: "string", Pattern: `\$\{`}
	switch {
	case v == reflect.TypeFor[time.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^(\d+(ms|s|m|h|d|w))+$|\$\{`}
	case v == reflect.TypeFor[config.Secret]():
		return &jsonschema.Schema{Type: "string"}
	case v == reflect.TypeFor[*float64]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}, variable}}
	case v.Kind() == reflect.Int, v.Kind() == reflect.Int64:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer"}, variable}}
	case v.Kind() == reflect.Float64:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number"}, variable}}
	}
	return nil
}

// paths lists every setting as the documentation names it.
func paths() []string {
	var all []string
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		switch {
		case t.Kind() == reflect.Pointer:
			walk(t.Elem(), path)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			walk(t.Elem(), path+"[]")
		case t.Kind() == reflect.Struct:
			for _, f := range reflect.VisibleFields(t) {
				sub := f.Tag.Get("yaml")
				if path != "" {
					sub = path + "." + sub
				}
				walk(f.Type, sub)
			}
		default:
			all = append(all, path)
		}
	}
	walk(reflect.TypeFor[config.Config](), "")
	slices.Sort(all)
	return all
}
