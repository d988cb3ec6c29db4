package pledge

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxEmail is the longest address, in bytes.
const MaxEmail = 254

// ParseEmail returns an address in the one form in which the service stores and
// compares it: trimmed and in lower case. It fails with code Invalid.
func ParseEmail(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, ok := strings.Cut(s, "@")
	if !ok || len(s) > MaxEmail || !isLocalPart(local) || !isDomain(domain) {
		return "", fault.New(fault.Invalid, "Invalid email format").In("email")
	}
	return s, nil
}

// isLocalPart accepts a dot-atom of RFC 5322, and the letters beyond ASCII
// that RFC 6531 adds.
func isLocalPart(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, atom := range strings.Split(s, ".") {
		if atom == "" || strings.IndexFunc(atom, notAtom) >= 0 {
			return false
		}
	}
	return true
}

func notAtom(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', isLetterBeyondASCII(r):
		return false
	default:
		return !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
	}
}

// isDomain accepts two or more labels, the last of which is no number.
func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	if len(labels) < 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' || strings.IndexFunc(l, notLabel) >= 0 {
			return false
		}
	}
	return true
}

func notLabel(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || isLetterBeyondASCII(r))
}

// isLetterBeyondASCII leaves out what cannot be seen: spaces, controls and
// direction marks would make two addresses of one that looks the same.
func isLetterBeyondASCII(r rune) bool {
	return r > unicode.MaxASCII && unicode.IsPrint(r) && r != unicode.ReplacementChar
}

// EmailHash names a supporter without naming the address: 32 hexadecimal
// digits of the SHA-256 of the parsed address.
func EmailHash(email string) string {
	sum := sha256.Sum256([]byte(email))
	return hex.EncodeToString(sum[:16])
}
