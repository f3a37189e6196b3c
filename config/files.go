package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// secretFile is a setting that names a file with a secret in it.
type secretFile struct {
	path  string // of the setting
	name  *string
	check func(Secret) error // of the content; the error does not show it
}

// secretFiles lists them, those that are not set too.
func (c *Config) secretFiles() []secretFile {
	files := []secretFile{
		{"judge.api_key_file", &c.Judge.APIKeyFile, checkKey},
		{"judge.embeddings.api_key_file", &c.Judge.Embeddings.APIKeyFile, checkKey},
		{"server.token_file", &c.Server.TokenFile, checkKey},
	}
	for i, r := range c.Alert.Receivers {
		path := fmt.Sprintf("alert.receivers[%d]", i)
		if s := r.Slack; s != nil {
			files = append(files, secretFile{path + ".slack.api_url_file", &s.APIURLFile, checkSecretURL})
		}
		if w := r.Webhook; w != nil {
			files = append(files, secretFile{path + ".webhook.url_file", &w.URLFile, checkSecretURL},
				secretFile{path + ".webhook.secret_file", &w.SecretFile, checkSigningSecret})
		}
	}
	return files
}

// folderOf is where the relative paths in a configuration file begin: at its folder, and at
// the working directory for what is no file of its own, such as /dev/stdin.
func folderOf(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return filepath.Dir(path)
}

// resolve makes all paths begin where they are meant to.
func (c *Config) resolve(folder string) {
	names := []*string{&c.Store.Path, &c.Report.Dir}
	for _, f := range c.secretFiles() {
		names = append(names, f.name)
	}
	for _, name := range names {
		if *name != "" && !filepath.IsAbs(*name) {
			*name = filepath.Join(folder, *name)
		}
	}
}

// readSecrets adds a problem for each secret that cannot be had from its file.
func (d *decoder) readSecrets(c *Config) {
	for _, f := range c.secretFiles() {
		if *f.name == "" {
			continue
		}
		secret, err := ReadSecret("", *f.name)
		if err != nil {
			d.bad(f.path, "names %s: %s", d.shownName(f.path), unusable(err))
		} else if err := f.check(secret); err != nil {
			d.bad(f.path, "names %s: its content %s", d.shownName(f.path), err)
		}
	}
}

// shownName shows a path as it is written, but only where it cannot be anything else: who put
// the secret itself in place of its file must not find it in a log.
func (d *decoder) shownName(path string) string {
	text := d.set[path].text
	if filepath.IsAbs(text) || strings.HasPrefix(text, "${") {
		return quote(text)
	}
	folder := cmp.Or(d.folder, ".")
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	if fileName.MatchString(text) {
		return quote(text) + " relative to " + folder
	}
	return "a file relative to " + folder
}

// fileName is what names a file beyond doubt: no key, address or base64 ends like that.
var fileName = regexp.MustCompile(`^[\w./-]{1,100}\.(txt|key|token|secret|url|pem)$`)

// unusable says why a secret cannot be read, and what to do.
func unusable(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist; make it, or name another"
	case errors.Is(err, fs.ErrPermission):
		return "this user may not read it; change its owner or mode"
	case errors.Is(err, errNoSecret):
		return "it is empty; put the secret in it"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // without the path
	}
	return "it cannot be read: " + err.Error()
}

// checkKey checks what is sent in a header.
func checkKey(s Secret) error {
	if strings.ContainsFunc(strings.TrimSpace(s.Reveal()), unicode.IsControl) {
		return errors.New("must be one line and nothing else")
	}
	return nil
}

func checkSecretURL(s Secret) error { return CheckURL(s.Reveal()) }

func checkSigningSecret(s Secret) error {
	if !isSigningSecret(s.Reveal()) {
		return errors.New("must be whsec_ and then 24 to 64 bytes in base64")
	}
	return nil
}
