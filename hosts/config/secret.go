package config

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a string that only Reveal returns. Printed, logged or marshaled, it is a row of stars,
// or empty if it is not set.
type Secret string

const stars = "********"

// Reveal returns the secret.
func (s Secret) Reveal() string { return string(s) }

// IsSet reports whether the secret is not empty.
func (s Secret) IsSet() bool { return s != "" }

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return stars
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// Format hides the secret from every verb, including wrong ones.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' || verb == 'v' && f.Flag('#') {
		text = s.GoString()
	}
	_, _ = io.WriteString(f, text)
}

// LogValue hides the secret from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret from JSON, YAML and other text encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
