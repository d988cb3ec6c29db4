package config

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"regexp"
	"strings"
)

// Operators are people who may do what takes two of them: a list such as
// "ada:9f86d0…, ben:60303a…", each a name and the SHA-256 of a key that nobody else has,
// the machine with this configuration neither.
type Operators string

const maxOperatorName = 40

var operator = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*:[0-9a-f]{64}$`)

// UnmarshalText reads a list with commas. A name or a key that comes twice would make two
// operators of one person.
func (o *Operators) UnmarshalText(b []byte) error {
	list, seen := Operators(b), map[string]bool{}
	for _, one := range list.list() {
		name, sum, _ := strings.Cut(one, ":")
		if len(name) > maxOperatorName || !operator.MatchString(one) {
			return problem("is not a list of names and SHA-256 sums such as ada:9f86…, ben:60303…")
		}
		if seen[name] || seen[sum] {
			return problem("names an operator or a key twice")
		}
		seen[name], seen[sum] = true, true
	}
	*o = list
	return nil
}

func (o Operators) list() []string {
	return strings.FieldsFunc(string(o), func(r rune) bool { return r == ',' || r == ' ' })
}

// Enough reports whether there are two.
func (o Operators) Enough() bool { return len(o.list()) >= 2 }

// Name returns who has the key, "" for nobody. It takes as long for each of them.
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

// KeySum is what the configuration holds of an operator's key.
func KeySum(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
