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

// minRSA is the minimum length of an RSA key, in bits (RFC 8301).
const minRSA = 1024

// DKIM signs mails for the sender's domain (RFC 6376), for mail servers that do not.
type DKIM struct {
	selector string
	key      crypto.Signer
}

// selectorText matches valid selectors: one or more DNS labels.
var selectorText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// NewDKIM returns a DKIM for a private key in PEM format, RSA or Ed25519. The public key must be
// published at selector._domainkey of every sender's domain. Line breaks in the PEM text may be
// written as \n, as in environment variables. It fails with code Invalid, and the parameter's
// name, for an invalid parameter.
func NewDKIM(selector, key string) (*DKIM, error) {
	if !selectorText.MatchString(selector) {
		return nil, fault.New(fault.Invalid, "A selector must be a DNS name such as mail2026").In("selector")
	}
	wrong := fault.New(fault.Invalid,
		"A key must be an RSA key of at least %d bits or an Ed25519 key, in PEM format", minRSA).In("key")
	signer, err := mail.PrivKeyFromPEM([]byte(strings.ReplaceAll(key, `\n`, "\n")))
	if err != nil {
		return nil, wrong // err might contain the key
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

// signedFields lists the header fields that a signature covers, even if a mail does not have
// them, so that they cannot be added later. RFC 8058 requires the unsubscribe fields to be
// covered.
var signedFields = []string{
	"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	"List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted",
}

// sign adds a signature to a complete mail. The mail is rendered twice, for the signature and
// for sending, with the same MIME boundaries. go-mail's own DKIM support is not used: its
// signatures are invalid with this many fields, because it breaks field names across lines.
func (d *DKIM) sign(msg *mail.Msg, from string) error {
	s, err := dkim.NewSigner(&dkim.SignOptions{
		Domain: domain(from), Selector: d.selector, Signer: d.key, HeaderKeys: signedFields,
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

// domain returns the domain of a sender's address.
func domain(from string) string {
	return strings.ToLower(strings.TrimSuffix(from[strings.LastIndexByte(from, '@')+1:], ">"))
}
