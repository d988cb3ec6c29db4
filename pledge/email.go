package pledge

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxEmail is the maximum length of an address in bytes.
const MaxEmail = 254

// domains converts internationalized domain names as browsers do before a lookup (UTS 46,
// nontransitional).
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true),
	idna.StrictDomainName(true), idna.Transitional(false))

// ParseEmail returns an address in the form in which it is stored and compared:
// trimmed, in lower case, in Unicode's composed form (NFC), with the domain in ASCII
// (xn--), which every mail server accepts. It fails with code Invalid.
func ParseEmail(s string) (string, error) {
	local, domain, ok := strings.Cut(fold(s), "@")
	if ok && !isASCII(domain) {
		var err error
		domain, err = domains.ToASCII(domain)
		ok = err == nil
	}
	s = local + "@" + domain
	if !ok || len(s) > MaxEmail || !isLocalPart(local) || !isDomain(domain) {
		return "", fault.New(fault.Invalid, "Invalid email format").In("email")
	}
	return s, nil
}

// fold composes letters before and after converting them to lower case, because the lower case of
// a composed letter may be decomposed.
func fold(s string) string {
	return norm.NFC.String(strings.ToLower(norm.NFC.String(strings.TrimSpace(s))))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// DeliveryEmail returns a stored address in the form of ParseEmail, which mail servers
// accept. Text that is not an address is returned unchanged.
func DeliveryEmail(stored string) string {
	if email, err := ParseEmail(stored); err == nil {
		return email
	}
	return stored
}

// EmailSpellings returns all forms in which an address may be stored: first the form of
// ParseEmail, then those that version 0.1 stored as typed, with a Unicode domain or
// decomposed letters. Most addresses have only one. It returns nil for text that is not
// an address.
func EmailSpellings(s string) []string {
	email, err := ParseEmail(s)
	if err != nil {
		return nil
	}
	local, domain, _ := strings.Cut(email, "@")
	locals, hosts := []string{local, norm.NFD.String(local)}, []string{domain}
	if shown, err := domains.ToUnicode(domain); err == nil {
		hosts = append(hosts, shown, norm.NFD.String(shown))
	}
	var all []string
	for _, h := range hosts {
		for _, l := range locals {
			if spelling := l + "@" + h; !slices.Contains(all, spelling) {
				all = append(all, spelling)
			}
		}
	}
	return all
}

// isLocalPart reports whether s is a dot-atom of RFC 5322, with the non-ASCII characters of RFC
// 6531, of at most 64 bytes.
func isLocalPart(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.IndexFunc(atom, notAtom) >= 0 {
			return false
		}
	}
	return true
}

func notAtom(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', isPrintableBeyondASCII(r):
		return false
	default:
		return !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
	}
}

// isDomain reports whether s has two or more ASCII labels, the last of which is not a number.
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
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-')
}

// isPrintableBeyondASCII reports whether r is a printable character that is not ASCII. Spaces,
// controls and direction marks are invisible and would make different addresses look the same.
func isPrintableBeyondASCII(r rune) bool {
	return r > unicode.MaxASCII && unicode.IsPrint(r) && r != unicode.ReplacementChar
}

// EmailHash identifies a supporter without the address: the first 32 hexadecimal digits
// of the SHA-256 of the stored address. Different spellings have different hashes, so
// that records of earlier versions are still found.
func EmailHash(email string) string {
	sum := sha256.Sum256([]byte(email))
	return hex.EncodeToString(sum[:16])
}
