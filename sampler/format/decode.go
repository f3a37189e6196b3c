package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"leadline/sampler"
)

// ID returns the logical ID that the message carries; "" if it carries none. It scans up
// to the ID and validates nothing.
func (d *Decoder) ID(m sampler.Message) string { return d.first(m, fieldID) }

// Session returns the ID of the conversation that the message belongs to; "" if it names
// none. Like ID it validates nothing.
func (d *Decoder) Session(m sampler.Message) string { return d.first(m, fieldSession) }

func (d *Decoder) first(m sampler.Message, field string) string {
	body := unwrap(m.Value)
	for _, path := range d.fields[field] {
		if r := gjson.GetBytes(body, path); isScalar(r) {
			if id := clean(r.String()); id != "" {
				return id
			}
		}
	}
	return ""
}

// Decode returns the message's record. With sampler.ErrFiltered the record has an ID and
// a time only.
func (d *Decoder) Decode(m sampler.Message) ([]sampler.Record, error) {
	body := unwrap(m.Value)
	if err := check(body); err != nil {
		return nil, err
	}
	doc := document{root: gjson.ParseBytes(body), fields: d.fields}
	made, err := doc.time()
	if err != nil {
		return nil, err
	}
	r := sampler.Record{ID: d.ID(m), Time: made}
	if !d.passes(doc.root) {
		return []sampler.Record{r}, sampler.ErrFiltered
	}
	if err := doc.texts(&r); err != nil {
		return nil, err
	}
	r.Segments, r.Channels = d.segmentsOf(doc.root), d.channelsOf(doc.root)
	r.Session, r.Language = clean(doc.scalar(fieldSession)), primaryTag(doc.scalar(fieldLanguage))
	r.Error, r.Truncated = doc.failure(), doc.isTruncated()
	return []sampler.Record{r}, nil
}

// unwrap takes a JSON object out of a JSON string, once.
func unwrap(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if len(value) > 0 && value[0] == '"' && gjson.ValidBytes(value) {
		return bytes.TrimSpace([]byte(gjson.ParseBytes(value).Str))
	}
	return value
}

func check(body []byte) error {
	switch {
	case len(body) == 0:
		return errors.New("message: empty")
	case body[0] != '{':
		return errors.New("message: not a JSON object")
	case gjson.ValidBytes(body):
		return nil
	case body[len(body)-1] != '}':
		return errors.New("message: JSON that ends too early; was it cut off on its way?")
	}
	return errors.New("message: not valid JSON")
}

// passes says whether all values of the filter are as wanted.
func (d *Decoder) passes(root gjson.Result) bool {
	for _, f := range d.filter {
		if r := root.Get(f.key); !r.Exists() || r.String() != f.value {
			return false
		}
	}
	return true
}

func (d *Decoder) segmentsOf(root gjson.Result) map[string]string {
	if len(d.segments) == 0 && len(d.fields[fieldTurn]) == 0 {
		return nil
	}
	values := make(map[string]string, len(d.segments)+1)
	d.addTurn(root, values)
	for _, s := range d.segments {
		values[s.key] = sampler.Unknown
		if v := label(root.Get(s.value)); v != "" {
			values[s.key] = v
		}
	}
	return values
}

func (d *Decoder) channelsOf(root gjson.Result) map[sampler.Channel]string {
	var values map[sampler.Channel]string
	for _, c := range d.channels {
		v := label(root.Get(c.value))
		if v == "" {
			continue
		}
		if values == nil {
			values = map[sampler.Channel]string{}
		}
		values[sampler.Channel(c.key)] = v
	}
	return values
}

// document is one message, looked at through the paths of its format.
type document struct {
	root   gjson.Result
	fields paths
}

// get returns the first of a field's paths that is there and not null.
func (d document) get(field string) gjson.Result {
	for _, path := range d.fields[field] {
		if r := d.root.Get(path); r.Exists() && r.Type != gjson.Null {
			return r
		}
	}
	return gjson.Result{}
}

func (d document) scalar(field string) string {
	if r := d.get(field); isScalar(r) {
		return r.String()
	}
	return ""
}

// text returns a field that must be text where it is there.
func (d document) text(field string) (string, error) {
	r := d.get(field)
	if r.IsArray() || r.IsObject() {
		return "", fmt.Errorf("%s: a list or an object, not text", field)
	}
	return valid(r.String()), nil
}

// texts fills in question, answer, contexts, documents and what came before.
func (d document) texts(r *sampler.Record) (err error) {
	if r.Question, err = d.text(fieldQuestion); err != nil {
		return err
	}
	if r.Answer, err = d.text(fieldAnswer); err != nil {
		return err
	}
	if r.Contexts, r.Docs, err = d.retrieved(); err != nil {
		return err
	}
	return d.asked(r)
}

// failure returns what the log says went wrong; "" if nothing.
func (d document) failure() string {
	switch r := d.get(fieldError); {
	case r.Type == gjson.False, r.IsArray() && len(r.Array()) == 0, r.IsObject() && len(r.Map()) == 0:
		return ""
	case r.Type == gjson.Number && r.Num == 0:
		return ""
	default:
		return strings.TrimSpace(valid(r.String()))
	}
}

// isTruncated knows how the model APIs say that the model ran out of tokens.
func (d document) isTruncated() bool {
	reasons := []gjson.Result{d.get(fieldFinishReason)}
	if reasons[0].IsArray() {
		reasons = reasons[0].Array()
	}
	return slices.ContainsFunc(reasons, func(r gjson.Result) bool {
		switch strings.ToLower(r.String()) {
		case "length", "max_tokens", "max_output_tokens", "model_length":
			return true
		}
		return false
	})
}
