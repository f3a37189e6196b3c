package config

import "github.com/rs/zerolog"

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
