// Package format turns one of the known log shapes into a record. What the log does not
// say stays empty: nothing is guessed. Errors name the field at fault and never contain
// text of the log.
package format

import (
	"fmt"
	"maps"
	"slices"

	"leadline/config"
	"leadline/sampler"
)

// The fields of a record, by the names that record.fields uses.
const (
	fieldID           = "id"
	fieldTime         = "time"
	fieldQuestion     = "question"
	fieldAnswer       = "answer"
	fieldContexts     = "contexts"
	fieldDocIDs       = "document_ids"
	fieldDocVersions  = "document_versions"
	fieldDocDates     = "document_dates"
	fieldError        = "error"
	fieldFinishReason = "finish_reason"
	fieldSession      = "session"
	fieldLanguage     = "language"
	fieldTurn         = "turn"
	fieldHistory      = "history"
	fieldRewritten    = "rewritten_question"
	fieldDocuments    = "documents" // of the plain format only
)

// paths are the gjson paths of a field, the first that is there wins.
type paths map[string][]string

var (
	channels = []sampler.Channel{sampler.ChannelRelease, sampler.ChannelPrompt, sampler.ChannelModel, sampler.ChannelRetriever,
		sampler.ChannelEmbedding, sampler.ChannelResponseModel, sampler.ChannelIndex}

	common = paths{
		fieldID:           {"id"},
		fieldTime:         {"time", "timestamp"},
		fieldError:        {"error"},
		fieldFinishReason: {"finish_reason"},
		fieldSession:      {"session", "session_id"},
		fieldLanguage:     {"language", "lang"},
	}
	plain = paths{
		fieldQuestion:  {"question"},
		fieldAnswer:    {"answer"},
		fieldContexts:  {"contexts"},
		fieldDocuments: {"documents"},
	}
	ragas = paths{
		fieldQuestion: {"user_input", "question"},
		fieldAnswer:   {"response", "answer"},
		fieldContexts: {"retrieved_contexts", "contexts"},
		fieldDocIDs:   {"retrieved_context_ids"},
	}
)

// Decoder reads one configured format. It is a sampler.Decoder, safe for concurrent use.
type Decoder struct {
	fields   paths
	channels []pair // name, path
	segments []pair // dimension, path
	filter   []pair // path, wanted value
}

// pair is one entry of a configured map.
type pair struct{ key, value string }

// New returns the decoder of a record section. It trusts names and paths, which config
// has checked.
func New(cfg config.Record) (*Decoder, error) {
	known, ok := knownPaths(cfg.Format)
	if !ok {
		return nil, fmt.Errorf("record.format: must be auto, plain, ragas or custom, not %q", cfg.Format)
	}
	d := &Decoder{
		fields: paths{}, channels: channelPaths(cfg.Channels, len(known) > 0),
		segments: sorted(cfg.Segments), filter: sorted(cfg.Filter),
	}
	for _, table := range known {
		for field, at := range table {
			d.fields[field] = append(d.fields[field], at...)
		}
	}
	for field, path := range cfg.Fields {
		d.fields[field] = []string{path}
	}
	for _, field := range []string{fieldQuestion, fieldAnswer} {
		if len(d.fields[field]) == 0 {
			return nil, fmt.Errorf("record.fields.%s: the custom format needs its gjson path", field)
		}
	}
	return d, nil
}

// knownPaths returns the tables of a format, in the order in which they are looked up.
func knownPaths(format string) ([]paths, bool) {
	switch format {
	case "", "auto":
		return []paths{common, plain, ragas}, true
	case "plain":
		return []paths{common, plain}, true
	case "ragas":
		return []paths{common, ragas}, true
	}
	return nil, format == "custom"
}

// channelPaths returns the path of each channel. Known formats carry a channel under its
// own name.
func channelPaths(configured map[string]string, known bool) []pair {
	at := map[string]string{}
	if known {
		for _, c := range channels {
			at[string(c)] = string(c)
		}
	}
	maps.Copy(at, configured)
	return sorted(at)
}

// sorted lists a map by key.
func sorted(m map[string]string) []pair {
	list := make([]pair, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, pair{key, m[key]})
	}
	return list
}
