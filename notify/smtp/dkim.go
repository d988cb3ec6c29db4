package smtp

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"regexp"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/wneessen/go-mail"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// minRSA is how long an RSA key is at least, in bits (RFC 8301).
const minRSA = 1024

// DKIM signs mails in the name of their sender's domain (RFC 6376), for servers that do not.
type DKIM struct {
	selector string
	key      crypto.Signer
}

// selectorText is what a selector is written as: labels of a domain's name.
var selectorText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// NewDKIM returns a DKIM for a private key in PEM, RSA or Ed25519, whose public half stands
// at selector._domainkey of each domain that mails are from. Line ends may be written as \n,
// as environments hold them. It fails with code Invalid, and the name of what does not do.
func NewDKIM(selector, key string) (*DKIM, error) {
	if !selectorText.MatchString(selector) {
		return nil, fault.New(fault.Invalid, "A selector is a name such as mail2026").In("selector")
	}
	wrong := fault.New(fault.Invalid, "A key is an RSA key of %d bits or more, or an Ed25519 key, in PEM", minRSA).In("key")
	signer, err := mail.PrivKeyFromPEM([]byte(strings.ReplaceAll(key, `\n`, "\n")))
	if err != nil {
		return nil, wrong // the error could show the key
	}
	switch k := signer.(type) {
	case *rsa.PrivateKey:
		if k.N.BitLen() < minRSA {
			return nil, wrong
		}
	case ed25519.PrivateKey:
	default:
		return nil, wrong
	}
	return &DKIM{selector, signer}, nil
}

// signed are the fields that a signature covers, also where a mail has none of them, so that
// nobody adds one. Those by which readers unsubscribe have to be among them (RFC 8058).
var signed = []string{
	"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	"List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted",
}

// sign puts a signature onto a mail that is ready. It is written as it was for that again,
// with the same boundaries between its parts. go-mail's own signatures do not hold where they
// cover as many fields: it breaks their names at the end of a line.
func (d *DKIM) sign(msg *mail.Msg, from string) error {
	s, err := dkim.NewSigner(&dkim.SignOptions{
		Domain: domain(from), Selector: d.selector, Signer: d.key, HeaderKeys: signed,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	})
	if err != nil {
		return err
	}
	if _, err := msg.WriteTo(s); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	_, signature, _ := strings.Cut(s.Signature(), ": ")
	msg.SetGenHeaderPreformatted("DKIM-Signature", strings.TrimSuffix(signature, "\r\n"))
	return nil
}

// domain is that of a sender.
func domain(from string) string {
	return strings.ToLower(strings.TrimSuffix(from[strings.LastIndexByte(from, '@')+1:], ">"))
}
