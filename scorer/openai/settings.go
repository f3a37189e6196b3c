package openai

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"leadline/config"
)

// settings name what decides how an endpoint is asked, so that a message says where to mend
// it. Model and url show the value, too.
type settings struct {
	key, model, url string
	noPath          string // what is said, and to be done, where there is no such endpoint; empty: the advice noPath
}

// fill puts the settings into a piece of advice.
func (s settings) fill(advice string) string {
	if advice == "" {
		return ""
	}
	return "; " + strings.NewReplacer("{key}", s.key, "{model}", s.model, "{url}", s.url).Replace(advice)
}

// settingsOf names the settings of the judge's section, or of the one for embeddings.
func settingsOf(section string, k key) settings {
	return settings{key: k.setting(section), model: section + ".model", url: section + ".base_url"}
}

// key is a secret that is read anew for each request, so that it can change without a restart.
type key struct {
	inline config.Secret
	file   string
}

func (k key) isSet() bool { return k.inline.IsSet() || k.file != "" }

func (k key) setting(section string) string {
	switch {
	case k.file != "":
		return section + ".api_key_file"
	case k.inline.IsSet():
		return section + ".api_key"
	}
	return section + ".api_key_file, which is not set"
}

var errKey = errors.New("the key cannot be read from its file")

// read returns the key, empty where none is set. The error does not show the path: somebody
// may have put the key in its place.
func (k key) read() (string, error) {
	secret, err := config.ReadSecret(k.inline, k.file)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return "", fmt.Errorf("%w: %w", errKey, e.Err)
	}
	if err != nil {
		return "", errKey
	}
	return strings.TrimSpace(secret.Reveal()), nil
}
