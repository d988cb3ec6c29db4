package config

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"regexp"
	"strings"
)

// Operators is a list of people for actions that require two of them, such as "ada:9f86d0…,
// ben:60303a…": each a name and the SHA-256 of a key that only this person has. The server stores
// the hashes, not the keys.
type Operators string

const maxOperatorName = 40

var operator = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*:[0-9a-f]{64}$`)

// UnmarshalText parses a comma-separated list. It rejects duplicate names and keys, with which one
// person could act as two operators.
func (o *Operators) UnmarshalText(b []byte) error {
	list, seen := Operators(b), map[string]bool{}
	for _, one := range list.list() {
		name, sum, _ := strings.Cut(one, ":")
		if len(name) > maxOperatorName || !operator.MatchString(one) {
			return problem("is not a list of names and SHA-256 sums such as ada:9f86…, ben:60303…")
		}
		if seen[name] || seen[sum] {
			return problem("contains a name or a key twice")
		}
		seen[name], seen[sum] = true, true
	}
	*o = list
	return nil
}

func (o Operators) list() []string {
	return strings.FieldsFunc(string(o), func(r rune) bool { return r == ',' || r == ' ' })
}

// Enough reports whether there are at least two operators.
func (o Operators) Enough() bool { return len(o.list()) >= 2 }

// Name returns the name of the operator with the key, or "" if there is none. It compares in
// constant time.
func (o Operators) Name(key string) string {
	sum, name := []byte(KeySum(key)), ""
	for _, one := range o.list() {
		who, theirs, _ := strings.Cut(one, ":")
		if subtle.ConstantTimeCompare(sum, []byte(theirs)) == 1 {
			name = who
		}
	}
	return name
}

// KeySum returns the SHA-256 of an operator's key in hexadecimal, as ADMIN_OPERATORS contains it.
func KeySum(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
