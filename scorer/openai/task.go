package openai

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"

	"leadline/config"
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
	version                        string // of the files: "v1" or "v2"
	statements, verdicts, question task
}

// PromptsOf resolves judge.prompts. Where a server is told what to keep in its cache, more
// examples make the prompts long enough to be kept, and then cost less than the shorter ones do;
// elsewhere they would be paid for in full, call by call.
func PromptsOf(cfg config.Judge) string {
	switch {
	case cfg.Prompts != "" && cfg.Prompts != "auto":
		return cfg.Prompts
	case cfg.PromptCache == "explicit", cfg.PromptCache == "auto" && knowsCache(cfg.Model):
		return "v2-long"
	}
	return "v2"
}

func loadTasks(cfg config.Judge) (t tasks, err error) {
	version, long := strings.CutSuffix(PromptsOf(cfg), "-long")
	t.version = version
	for key, into := range map[string]*task{"statements": &t.statements, "verdicts": &t.verdicts, "question": &t.question} {
		if *into, err = loadTask(key+"/"+version, key, long); err != nil {
			return t, err
		}
	}
	return t, nil
}

func loadTask(id, key string, long bool) (task, error) {
	name := "prompts/" + strings.Replace(id, "/", ".", 1)
	prompt, err := prompts.ReadFile(name + ".txt")
	if err != nil {
		return task{}, fmt.Errorf("prompt %s: %w", id, err)
	}
	if long {
		more, err := prompts.ReadFile(name + ".more.txt")
		if err != nil {
			return task{}, fmt.Errorf("more examples of prompt %s: %w", id, err)
		}
		prompt = append(prompt, more...)
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
