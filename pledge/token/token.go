package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The scopes of the service's own tokens.
const (
	Manage      = "manage"      // one order, by its supporter
	Checkout    = "checkout"    // one checkout that is under way
	Unsubscribe = "unsubscribe" // mails about a topic to one address, by its reader
	Reminder    = "reminder"    // a reminder of one campaign's launch, by its reader
	Cart        = "cart"        // what was chosen in one checkout that was not finished
	Join        = "join"        // the pledges of one address to one campaign, by its holder
	Preview     = "preview"     // a campaign before everybody sees it, by one reviewer
)

// ManageLife is how long a link to a pledge works. A checkout's token lives as
// long as its checkout.
const ManageLife = 90 * 24 * time.Hour

// UnsubscribeLife is how long a mail can be used to stop more like it: as good as ever.
const UnsubscribeLife = 3650 * 24 * time.Hour

// ReminderLife is how long a reminder that was asked for can be confirmed, and CartLife how
// long a cart that was left can be taken up again.
const (
	ReminderLife = 7 * 24 * time.Hour
	CartLife     = 14 * 24 * time.Hour
)

const (
	// MinSecret is the least length of a Signer's secret, in bytes.
	MinSecret = 32
	// MaxLength is the greatest length of a token, in bytes.
	MaxLength = 2048
)

// Claims is what a token says about its holder.
type Claims struct {
	Scope        string
	OrderID      string
	Email        string
	CampaignSlug string
	Topic        string    // of an Unsubscribe: which mails
	Expires      time.Time // kept to the second
}

// payload is how claims travel. Its names are short because links carry them,
// and are never changed because links outlive releases.
type payload struct {
	Scope   string `json:"s"`
	Order   string `json:"o,omitempty"`
	Email   string `json:"e,omitempty"`
	Slug    string `json:"c,omitempty"`
	Topic   string `json:"k,omitempty"`
	Expires int64  `json:"x"` // Unix seconds
}

// Signer makes tokens and checks them. Two signers with different secrets do
// not know each other's tokens.
type Signer struct{ Secret []byte }

// encoding is strict, so that one token has one spelling.
var encoding = base64.RawURLEncoding.Strict()

// Sign returns a token. It fails with code Internal when the secret is too
// short, or the claims have no scope, no expiry or more than a token can hold.
func (s Signer) Sign(c Claims) (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	if c.Scope == "" || c.Expires.Unix() <= 0 {
		return "", fault.New(fault.Internal, "A token has a scope and an expiry")
	}
	b, err := json.Marshal(payload{c.Scope, c.OrderID, c.Email, c.CampaignSlug, c.Topic, c.Expires.Unix()})
	if err != nil {
		return "", fmt.Errorf("token: encoding the claims: %w", err)
	}
	body := encoding.EncodeToString(b)
	tok := body + "." + encoding.EncodeToString(s.sum(body))
	if len(tok) > MaxLength {
		return "", fault.New(fault.Internal, "A token has at most %d bytes", MaxLength)
	}
	return tok, nil
}

// Verify returns what a token says, when it was signed with the secret for the
// scope and has not expired at now. Anything else fails with code Unauthorized;
// why is not told apart, except that there was no token at all.
func (s Signer) Verify(tok, scope string, now time.Time) (Claims, error) {
	if err := s.check(); err != nil {
		return Claims{}, err
	}
	if tok == "" {
		return Claims{}, fault.New(fault.Unauthorized, "Missing token")
	}
	b, ok := s.open(tok)
	if !ok {
		return Claims{}, invalid()
	}
	var p payload
	if err := json.Unmarshal(b, &p); err != nil {
		return Claims{}, invalid()
	}
	c := Claims{p.Scope, p.Order, p.Email, p.Slug, p.Topic, time.Unix(p.Expires, 0).UTC()}
	if c.Scope != scope || !now.Before(c.Expires) {
		return Claims{}, invalid()
	}
	return c, nil
}

// open returns the signed part of a token.
func (s Signer) open(tok string) ([]byte, bool) {
	if len(tok) > MaxLength || strings.ContainsAny(tok, "\r\n") { // the decoder skips line breaks
		return nil, false
	}
	body, mac, _ := strings.Cut(tok, ".")
	sum, err := encoding.DecodeString(mac)
	if err != nil || !hmac.Equal(sum, s.sum(body)) {
		return nil, false
	}
	b, err := encoding.DecodeString(body)
	return b, err == nil
}

func (s Signer) sum(body string) []byte {
	h := hmac.New(sha256.New, s.Secret)
	h.Write([]byte(body))
	return h.Sum(nil)
}

func (s Signer) check() error {
	if len(s.Secret) < MinSecret {
		return fault.New(fault.Internal, "A token's secret has at least %d bytes", MinSecret)
	}
	return nil
}

func invalid() error { return fault.New(fault.Unauthorized, "Invalid or expired token") }
