package access

import (
	"crypto/hmac"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// KnownLife is how long a browser is recognized after a sign-in. Recognition grants no access: the
// browser only gets a separate quota of sign-in mails, which other browsers' requests cannot use
// up.
const KnownLife = 90 * 24 * time.Hour

const knownScope = "admin-known"

// QuotaError reports that a recognized browser has requested more sign-in mails than its quota
// allows. Max is the quota per 15 minutes, and Retry is when the next mail may be sent.
type QuotaError struct {
	Max   int
	Retry time.Time
}

// Error implements error.
func (QuotaError) Error() string { return "Too many sign-in emails were sent to this address" }

// KnownBrowser returns the value of a new cookie by which a browser is recognized later. Set it
// after the user has signed in. It identifies the user only by a keyed fingerprint.
func (s *Service) KnownBrowser(email string) (string, error) {
	made, err := s.newSecrets(1)
	if err != nil {
		return "", err
	}
	return s.Signer.Sign(token.Claims{Scope: knownScope, Topic: s.userMark(email) + "." + made[0],
		Expires: s.Now().Add(KnownLife)})
}

// knownBrowser returns the browser ID in a cookie of KnownBrowser for the user with the given
// address. It returns "" for any other cookie.
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

// Fingerprint returns the keyed fingerprint of a client's network, as stored in sessions.
func (s *Service) Fingerprint(network string) string { return s.networkFingerprint(network) }
