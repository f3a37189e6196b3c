package openai

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
)

// parserVersion changes when the reading of replies changes what a reply means.
const parserVersion = "1"

//go:embed prompts
var prompts embed.FS

// task is one versioned prompt and the shape of its reply.
type task struct {
	id     string // "statements/v1": first line of the prompt
	schema string // "statements_v1": name of the response format
	key    string // the field by which a reply is known
	prompt string
	shape  []byte // JSON Schema of the reply
	hash   string // of prompt, schema and parser
}

type tasks struct {
	version                        string
	statements, verdicts, question task
}

// newestPrompts is the version that is asked with where the configuration names none.
const newestPrompts = "v2"

func loadTasks(version string) (t tasks, err error) {
	t.version = cmp.Or(version, newestPrompts)
	for key, into := range map[string]*task{"statements": &t.statements, "verdicts": &t.verdicts, "question": &t.question} {
		if *into, err = loadTask(key+"/"+t.version, key); err != nil {
			return t, err
		}
	}
	return t, nil
}

func loadTask(id, key string) (task, error) {
	name := "prompts/" + strings.Replace(id, "/", ".", 1)
	prompt, err := prompts.ReadFile(name + ".txt")
	if err != nil {
		return task{}, fmt.Errorf("prompt %s: %w", id, err)
	}
	shape, err := prompts.ReadFile(name + ".schema.json")
	if err != nil {
		return task{}, fmt.Errorf("schema of prompt %s: %w", id, err)
	}
	t := task{id: id, schema: strings.Replace(id, "/", "_", 1), key: key, prompt: string(prompt), shape: shape}
	sum := sha256.Sum256([]byte(t.prompt + "\x00" + string(shape) + "\x00" + parserVersion))
	t.hash = hex.EncodeToString(sum[:6])
	return t, nil
}

// versionOf names prompts for a person and pins them for a comparison.
func versionOf(ts ...task) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.id + ":" + t.hash
	}
	return strings.Join(names, " ")
}
