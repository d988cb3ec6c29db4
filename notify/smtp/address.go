package smtp

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/pledgeworks/pledgeworks/notify"
)

// withASCIIAddresses returns a mail whose address domains are converted to ASCII (xn--), which
// all servers accept. It fails if an address or its domain is not valid.
func withASCIIAddresses(m notify.Mail) (notify.Mail, error) {
	for _, address := range []*string{&m.From, &m.ReplyTo, &m.To} {
		var err error
		if *address, err = withASCIIDomain(*address); err != nil {
			return m, err
		}
	}
	return m, nil
}

// withASCIIDomain returns an address, which may have a display name, with its domain converted to
// ASCII. It fails if the address or its domain is not valid.
func withASCIIDomain(address string) (string, error) {
	if isASCII(address[strings.LastIndexByte(address, '@')+1:]) {
		return address, nil
	}
	a, err := mail.ParseAddress(address)
	if err != nil {
		return "", err
	}
	at := strings.LastIndexByte(a.Address, '@') + 1
	domain, err := idna.Lookup.ToASCII(a.Address[at:])
	if err != nil {
		return "", err
	}
	a.Address = a.Address[:at] + domain
	return a.String(), nil
}

// needsUTF8 reports whether a mail requires a server with SMTPUTF8 (RFC 6531), because the part
// before an @ is not ASCII. Display names do not matter: they are encoded.
func needsUTF8(m notify.Mail) bool {
	for _, address := range []string{m.From, m.ReplyTo, m.To} {
		if a, err := mail.ParseAddress(address); err == nil && !isASCII(a.Address) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
