package postmark

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxReport limits a webhook's body, in bytes. Webhooks that include the content of mails may
// exceed it.
const maxReport = 256 << 10

// minPassword is the minimum length of a webhook's password, in bytes.
const minPassword = 16

// Listener implements notify.Listener. It is safe for concurrent use if its clock is.
//
// Postmark does not sign webhooks: the password is the only authentication. Requests have no
// timestamp either, so replays are recognized only by the event's ID.
type Listener struct {
	want [sha256.Size]byte // of "user:password"
	now  func() time.Time
}

// NewListener returns a Listener for webhooks with the given user and password (basic
// authentication, RFC 7617). It fails with code Invalid, and the parameter's name, for an
// invalid parameter.
func NewListener(user, password string, now func() time.Time) (*Listener, error) {
	switch {
	case user == "" || strings.Contains(user, ":"):
		return nil, fault.New(fault.Invalid, "A user name is required and must not contain a colon").In("user")
	case len(password) < minPassword:
		return nil, fault.New(fault.Invalid, "A password must have at least %d bytes", minPassword).In("password")
	case now == nil:
		return nil, fault.New(fault.Invalid, "A clock is required").In("now")
	}
	return &Listener{sha256.Sum256([]byte(user + ":" + password)), now}, nil
}

// authorized reports whether an Authorization header has the webhook's user and password. It
// compares hashes in constant time, so that timing reveals nothing about the password.
func (l *Listener) authorized(authorization string) bool {
	scheme, text, _ := strings.Cut(authorization, " ")
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	got := sha256.Sum256(given)
	return subtle.ConstantTimeCompare(got[:], l.want[:]) == 1 && err == nil && strings.EqualFold(scheme, "Basic")
}

// Events implements notify.Listener.
func (l *Listener) Events(_ context.Context, header func(string) string, body []byte) ([]notify.Event, error) {
	if len(body) > maxReport {
		return nil, fault.New(fault.Invalid, "A report must not exceed %d bytes", maxReport)
	}
	if !l.authorized(header("authorization")) {
		return nil, fault.New(fault.Unauthorized, "Invalid user or password")
	}
	var r report
	if err := json.Unmarshal(body, &r); err != nil || !r.validID() {
		return nil, fault.New(fault.Invalid, "Not a valid Postmark webhook")
	}
	kind, why := r.event()
	if kind == "" || r.MessageID == "" {
		return nil, nil
	}
	return []notify.Event{{ID: r.eventID(kind), Key: r.Metadata.Key, Kind: kind, At: r.time(l.now()), Reason: why}}, nil
}
