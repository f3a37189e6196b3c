package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rs/zerolog"
)

// Secret is a string that does not print. Reveal gives it to the one place that sends it.
type Secret string

const hidden = "<secret>"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// IsSet says whether there is one.
func (s Secret) IsSet() bool { return s != "" }

// String hides the secret.
func (s Secret) String() string { return s.mask() }

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.mask() }

// MarshalText hides the secret from JSON, YAML and text encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.mask()), nil }

// MarshalZerologObject hides the secret from the log.
func (s Secret) MarshalZerologObject(e *zerolog.Event) { e.Str("secret", s.mask()) }

func (s Secret) mask() string {
	if s == "" {
		return ""
	}
	return hidden
}

// maxSecret is the most bytes that a secret may have.
const maxSecret = 64 << 10

var (
	errNoSecret = errors.New("the file is empty")
	errTooLarge = fmt.Errorf("the file has more than %d bytes", maxSecret)
)

// ReadSecret returns inline, or the content of file without its final line break. It
// reads the file each time, so that a secret can change without a restart. With neither
// it returns an empty Secret. The error is an *fs.PathError and never shows content.
func ReadSecret(inline Secret, file string) (Secret, error) {
	if file == "" {
		return inline, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(data), "\r\n")
	switch {
	case strings.TrimSpace(secret) == "":
		return "", &fs.PathError{Op: "read secret", Path: file, Err: errNoSecret}
	case len(data) > maxSecret:
		return "", &fs.PathError{Op: "read secret", Path: file, Err: errTooLarge}
	}
	return Secret(secret), nil
}
