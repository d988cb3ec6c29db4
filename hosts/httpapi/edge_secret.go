package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Credential is the kind of secret that a route requires.
type Credential int

// Kinds of credentials. Routes for a scoped secret accept only that secret if it is configured, and
// otherwise the admin secret.
const (
	noSecret Credential = iota
	AdminSecret
	SettlementSecret
	BroadcastSecret
	// OperatorKey belongs to one person, whose name is passed to the handler.
	OperatorKey
)

// secret returns the request's bearer token or admin key.
func (x *exchange) secret() string {
	scheme, token, ok := strings.Cut(x.header("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return x.header("X-Admin-Key")
}

func (a *API) checkSecret(x *exchange) error {
	want := a.secretFor(x.route.Secret)
	if !want.IsSet() {
		return fault.New(adminNotConfigured, "Admin not configured")
	}
	if !equal(x.secret(), want.Reveal()) {
		return fault.New(fault.Unauthorized, "Unauthorized")
	}
	return nil
}

func (a *API) secretFor(c Credential) config.Secret {
	switch {
	case c == SettlementSecret && a.secrets.AdminSettlement.IsSet():
		return a.secrets.AdminSettlement
	case c == BroadcastSecret && a.secrets.AdminBroadcast.IsSet():
		return a.secrets.AdminBroadcast
	}
	return a.secrets.Admin
}

// equal compares texts in constant time, independent of their lengths.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
