package access

import (
	"crypto/hmac"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// KnownLife is how long a browser is recognized after a sign-in. Recognition grants no access:
// the browser only gets a separate quota of sign-in mails, which others cannot use up.
const KnownLife = 90 * 24 * time.Hour

const knownScope = "admin-known"

// QuotaError is returned to a browser that has signed in before, and has asked for too many
// mails.
type QuotaError struct {
	Max   int
	Retry time.Time
}

// Error implements error.
func (QuotaError) Error() string { return "Too many sign-in mails were sent to this address" }

// KnownBrowser returns the value of a cookie by which a browser is recognized as one in which
// the user has signed in. It names the user by a keyed fingerprint alone.
func (s *Service) KnownBrowser(email string) (string, error) {
	made, err := s.secrets(1)
	if err != nil {
		return "", err
	}
	return s.Signer.Sign(token.Claims{Scope: knownScope, Topic: s.userMark(email) + "." + made[0], Expires: s.Now().Add(KnownLife)})
}

// knownBrowser returns the ID of a browser that has signed in as the user, "" for others.
func (s *Service) knownBrowser(cookie, email string) string {
	claims, err := s.Signer.Verify(cookie, knownScope, s.Now())
	if err != nil {
		return ""
	}
	mark, id, ok := strings.Cut(claims.Topic, ".")
	if !ok || !hmac.Equal([]byte(mark), []byte(s.userMark(email))) {
		return ""
	}
	return id
}

func (s *Service) userMark(email string) string { return s.fingerprint("user:"+email, 16) }

// Fingerprint returns the keyed fingerprint of a client's network, as sessions have it.
func (s *Service) Fingerprint(network string) string { return s.network(network) }
