package httpapi_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/passkey/passkeytest"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// newEdgeWithPasskey returns a super admin who has authenticated with a passkey, and their recovery
// codes.
func newEdgeWithPasskey(t *testing.T, o memory.Options) (*edge, *browser, *passkeytest.Authenticator, []string) {
	e := newEdge(t, o)
	b := e.super()
	a, codes := b.addPasskey()
	return e, b, a, codes
}

var ben = access.User{Email: "ben@example.com", Name: "Ben", Role: access.CampaignUser, Campaigns: []string{game}}

var peopleMutations = map[string]mutation{
	"user.save": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/users",
			httpapi.UserRequest{Email: ben.Email, Name: ben.Name, Role: ben.Role, Campaigns: ben.Campaigns})
	},
	"user.delete": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.signedIn(ben.Email, ben.Role, game)
		return e, e.super().does("/admin/users/delete", httpapi.UserDeletion{Email: ben.Email})
	},
	"report_reader.confirm": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does(readersPath+"/confirm", readerAt("books@example.net"))
	},
	"report_reader.revoke": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.confirmListed()
		return e, e.super().does(readersPath+"/revoke",
			httpapi.ReportReaderRequest{CampaignSlug: film, Email: "production@harborlantern.example"})
	},
	"user.reset_passkeys": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.signedIn(ben.Email, ben.Role, game).addPasskey()
		return e, e.super().does("/admin/users/reset-passkeys", httpapi.UserDeletion{Email: ben.Email})
	},
	"session.end": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		header := b.headers()
		return e, func() httpapi.Response { return e.from(b.ip, "POST", "/admin/auth/sign-out", nil, header...) }
	},
	"session.revoke": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.signedIn(ben.Email, ben.Role, game)
		return e, e.super().does("/admin/sessions/revoke", httpapi.RevokeRequest{Email: ben.Email})
	},
	"session.confirm": func(t *testing.T, o memory.Options) (*edge, act) {
		e, b, a, _ := newEdgeWithPasskey(t, o)
		b.signIn("super@example.com")
		said, err := a.Assert(b.passkeys().Challenge)
		if err != nil {
			t.Fatal(err)
		}
		return e, b.does("/admin/auth/passkey", said)
	},
	"session.recover": func(t *testing.T, o memory.Options) (*edge, act) {
		e, b, _, codes := newEdgeWithPasskey(t, o)
		b.signIn("super@example.com")
		return e, b.does("/admin/auth/recovery", httpapi.RecoveryCode{Code: codes[0]})
	},
	"passkey.add": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		a, err := passkeytest.New(string(e.Config.Site.Base), passkey.ES256)
		if err != nil {
			t.Fatal(err)
		}
		made, err := a.Register(b.passkeys().Challenge)
		if err != nil {
			t.Fatal(err)
		}
		return e, b.does("/admin/passkeys", httpapi.NewPasskey{Name: "Laptop", Registration: made})
	},
	"passkey.remove": func(t *testing.T, o memory.Options) (*edge, act) {
		e, b, a, _ := newEdgeWithPasskey(t, o)
		return e, b.does("/admin/passkeys/remove", httpapi.PasskeyRemoval{ID: a.ID})
	},
	"passkey.codes": func(t *testing.T, o memory.Options) (*edge, act) {
		e, b, _, _ := newEdgeWithPasskey(t, o)
		return e, b.does("/admin/passkeys/codes", nil)
	},
}
