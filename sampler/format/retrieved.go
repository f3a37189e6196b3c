package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"leadline/sampler"
)

// piece is one element of a list of contexts or documents.
type piece struct {
	text    string
	hasText bool
	doc     sampler.Document
}

// retrieved returns the contexts, and the documents where they are logged: from lists of
// IDs, versions and dates, else from a list of documents, else from the contexts.
func (d document) retrieved() ([]string, []sampler.Document, error) {
	found, err := d.pieces(fieldContexts)
	if err != nil {
		return nil, nil, err
	}
	docs, err := d.pieces(fieldDocuments)
	if err != nil {
		return nil, nil, err
	}
	if found == nil && !slices.ContainsFunc(docs, func(p piece) bool { return !p.hasText }) {
		found = docs
	}
	var contexts []string
	for i, p := range found {
		if !p.hasText {
			return nil, nil, fmt.Errorf("%s.%d: an object without text", fieldContexts, i)
		}
		contexts = append(contexts, p.text)
	}
	if docs == nil {
		docs = found
	}
	if listed, err := d.listed(); err != nil || listed != nil {
		return contexts, listed, err
	}
	return contexts, documentsOf(docs), nil
}

// pieces reads a list whose elements are texts or objects.
func (d document) pieces(field string) ([]piece, error) {
	list, err := d.list(field)
	if err != nil {
		return nil, err
	}
	var found []piece
	for _, r := range list {
		p := piece{text: valid(r.String()), hasText: true}
		switch {
		case r.IsObject():
			p = pieceOf(r)
		case field == fieldDocuments:
			p = piece{doc: sampler.Document{ID: clean(p.text)}}
		}
		found = append(found, p)
	}
	return found, nil
}

func pieceOf(r gjson.Result) piece {
	p := piece{doc: sampler.Document{
		ID:      clean(scalarAt(r, "id")),
		Version: label(r.Get("version")),
		Date:    dateOf(r.Get("date")),
	}}
	for _, name := range []string{"text", "content", "page_content"} {
		if t := r.Get(name); t.Type == gjson.String {
			p.text, p.hasText = valid(t.Str), true
			break
		}
	}
	return p
}

// documentsOf returns one document per piece; nil when none of them names any.
func documentsOf(pieces []piece) []sampler.Document {
	docs := make([]sampler.Document, len(pieces))
	named := false
	for i, p := range pieces {
		docs[i] = p.doc
		named = named || p.doc != sampler.Document{}
	}
	if !named {
		return nil
	}
	return docs
}

// listed returns the documents of the lists of IDs, versions and dates. A list of
// versions or dates that has another length than the IDs cannot be matched and is left out.
func (d document) listed() ([]sampler.Document, error) {
	ids, err := d.list(fieldDocIDs)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	versions, err := d.list(fieldDocVersions)
	if err != nil {
		return nil, err
	}
	dates, err := d.list(fieldDocDates)
	if err != nil {
		return nil, err
	}
	docs := make([]sampler.Document, len(ids))
	for i, id := range ids {
		docs[i].ID = clean(id.String())
		if len(versions) == len(ids) {
			docs[i].Version = label(versions[i])
		}
		if len(dates) == len(ids) {
			docs[i].Date = dateOf(dates[i])
		}
	}
	return docs, nil
}

// list returns a field that is a list, a list as JSON in a string, or a single value.
func (d document) list(field string) ([]gjson.Result, error) {
	r := d.get(field)
	if r.Type == gjson.String {
		text := strings.TrimSpace(r.Str)
		switch {
		case text == "":
			return nil, nil
		case text[0] == '[' && gjson.Valid(text):
			r = gjson.Parse(text)
		case strings.HasPrefix(text, `["`), strings.HasPrefix(text, `['`), strings.HasPrefix(text, `[{`):
			return nil, fmt.Errorf("%s: begins like a list but is not JSON", field)
		}
	}
	switch {
	case !r.Exists():
		return nil, nil
	case r.IsObject():
		return nil, fmt.Errorf("%s: an object, not a list", field)
	}
	return r.Array(), nil
}
