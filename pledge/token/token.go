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

// Scopes of tokens.
const (
	Manage      = "manage"      // one order, for its supporter
	Checkout    = "checkout"    // one unfinished checkout
	Unsubscribe = "unsubscribe" // emails about a topic to one address
	Reminder    = "reminder"    // a reminder about one campaign's launch
	Cart        = "cart"        // the cart of an abandoned checkout
	Join        = "join"        // the pledges of one address to one campaign
	Preview     = "preview"     // an unpublished campaign, for one reviewer
)

// ManageLife is how long a pledge link is valid. A checkout token is valid as long as
// its checkout.
const ManageLife = 90 * 24 * time.Hour

// UnsubscribeLife is how long an unsubscribe link is valid: ten years.
const UnsubscribeLife = 3650 * 24 * time.Hour

// ReminderLife is how long a reminder can be confirmed, and CartLife how long an
// abandoned cart can be resumed.
const (
	ReminderLife = 7 * 24 * time.Hour
	CartLife     = 14 * 24 * time.Hour
)

const (
	// MinSecret is the minimum length of a Signer's secret in bytes.
	MinSecret = 32
	// MaxLength is the maximum length of a token in bytes.
	MaxLength = 2048
)

// Claims are the content of a token.
type Claims struct {
	Scope        string
	OrderID      string
	Email        string
	CampaignSlug string
	Topic        string    // of Unsubscribe: the kind of emails
	Expires      time.Time // with a precision of one second
}

// payload is the encoded form of Claims. Its names are short because they are part of
// links, and must not change because links outlive releases.
type payload struct {
	Scope   string `json:"s"`
	Order   string `json:"o,omitempty"`
	Email   string `json:"e,omitempty"`
	Slug    string `json:"c,omitempty"`
	Topic   string `json:"k,omitempty"`
	Expires int64  `json:"x"` // Unix seconds
}

// Signer signs and verifies tokens with a secret.
type Signer struct{ Secret []byte }

// encoding rejects non-zero padding bits, so that every token has exactly one valid form.
var encoding = base64.RawURLEncoding.Strict()

// Sign returns a token. It fails with code Internal if the secret is too short, or if the claims
// have no scope or expiry or are too long.
func (s Signer) Sign(c Claims) (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	if c.Scope == "" || c.Expires.Unix() <= 0 {
		return "", fault.New(fault.Internal, "A token must have a scope and an expiry")
	}
	b, err := json.Marshal(payload{c.Scope, c.OrderID, c.Email, c.CampaignSlug, c.Topic, c.Expires.Unix()})
	if err != nil {
		return "", fmt.Errorf("token: encoding the claims: %w", err)
	}
	body := encoding.EncodeToString(b)
	tok := body + "." + encoding.EncodeToString(s.sum(body))
	if len(tok) > MaxLength {
		return "", fault.New(fault.Internal, "A token can have at most %d bytes", MaxLength)
	}
	return tok, nil
}

// Verify returns the claims of a token that was signed with the secret for the scope and has not
// expired at now. It fails with code Unauthorized for any other token. The message is the same for
// all reasons except a missing token. It fails with code Internal if the secret is too short.
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

// open verifies a token's signature and returns its decoded first part. ok is false for an invalid
// token.
func (s Signer) open(tok string) (claims []byte, ok bool) {
	if len(tok) > MaxLength || strings.ContainsAny(tok, "\r\n") { // the decoder ignores line breaks
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
		return fault.New(fault.Internal, "A token secret must have at least %d bytes", MinSecret)
	}
	return nil
}

func invalid() error { return fault.New(fault.Unauthorized, "Invalid or expired token") }
