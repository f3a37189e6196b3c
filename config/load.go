package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Getenv looks up an environment variable, as os.LookupEnv does.
type Getenv = func(name string) (string, bool)

// Load reads the file at path and decodes it. Relative paths in it begin at its folder.
// The error is Problems when the file could be read. Files with secrets are not looked at:
// not everyone who asks the daemon may read them.
func Load(path string, getenv Getenv) (Config, error) {
	return load(path, getenv, false)
}

// LoadWithSecrets is Load for those who will use the secrets: one that is missing, empty or
// not what it should be is a problem like the others. The Config still names the files,
// which are read again at each use.
func LoadWithSecrets(path string, getenv Getenv) (Config, error) {
	return load(path, getenv, true)
}

func load(path string, getenv Getenv, secrets bool) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the configuration: %w", err)
	}
	d := &decoder{file: path, folder: folderOf(path), secrets: secrets, getenv: getenv, set: map[string]setting{}}
	return d.config(data)
}

// Decode reads a configuration over Default. Relative paths stay as they are. The Config is
// valid, or the error is Problems: everything that is wrong with it, with name as the file's.
func Decode(name string, data []byte, getenv Getenv) (Config, error) {
	d := &decoder{file: name, getenv: getenv, set: map[string]setting{}}
	return d.config(data)
}

func (d *decoder) config(data []byte) (Config, error) {
	cfg := Default()
	if root := d.parse(data); root != nil {
		d.decode(root, "", reflect.ValueOf(&cfg).Elem())
	}
	cfg.resolve(d.folder)
	if !d.unreadable {
		check(&cfg, d)
	}
	if len(d.problems) == 0 {
		return cfg, nil
	}
	d.problems.sort()
	return Config{}, d.problems
}

// parse returns the file's one document, or nil where there is none.
func (d *decoder) parse(data []byte) *yaml.Node {
	var doc, second yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	err := in.Decode(&doc)
	if err == nil {
		err = in.Decode(&second)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		d.unreadable = true
		line, text := syntax(err)
		lastLine := 1 + bytes.Count(data, []byte("\n"))
		d.problem(min(line, lastLine), "", "is not YAML: %s", text)
		return nil
	case second.Line > 0:
		d.problem(second.Line, "", "starts a second document; keep one")
	}
	if len(doc.Content) == 0 {
		return nil
	}
	return doc.Content[0]
}

// syntax returns the YAML library's line and message, without what a file's author
// wrote: a password may start with an asterisk.
func syntax(err error) (line int, text string) {
	e, ok := errors.AsType[*yaml.LoadError](err)
	switch {
	case !ok:
		return 1, "the document cannot be read"
	case strings.Contains(e.Message, "unknown anchor"):
		return max(e.Mark.Line, 1), "a value names an anchor that is not there; quote a value that starts with *"
	}
	return max(e.Mark.Line, 1), e.Message
}
