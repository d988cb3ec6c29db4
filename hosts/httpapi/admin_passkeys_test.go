package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/passkey/passkeytest"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// passkeys returns the user's passkeys and a challenge.
func (b *browser) passkeys() (p httpapi.PasskeyList) {
	b.e.t.Helper()
	r := b.ask("GET", "/admin/passkeys", nil)
	b.e.wantStatus(r, 200)
	if err := json.Unmarshal(r.Body, &p); err != nil {
		b.e.t.Fatal(err)
	}
	return p
}

// addPasskey adds a passkey and returns it with the recovery codes.
func (b *browser) addPasskey() (*passkeytest.Authenticator, []string) {
	b.e.t.Helper()
	a, err := passkeytest.New(string(b.e.Config.Site.Base), passkey.ES256)
	if err != nil {
		b.e.t.Fatal(err)
	}
	made, err := a.Register(b.passkeys().Challenge)
	if err != nil {
		b.e.t.Fatal(err)
	}
	r := b.ask("POST", "/admin/passkeys", httpapi.NewPasskey{Name: "Laptop", Registration: made})
	b.e.wantStatus(r, 200)
	var out httpapi.RecoveryCodes
	if err := json.Unmarshal(r.Body, &out); err != nil {
		b.e.t.Fatal(err)
	}
	return a, out.Codes
}

func (b *browser) usePasskey(a *passkeytest.Authenticator) httpapi.Response {
	b.e.t.Helper()
	said, err := a.Assert(b.passkeys().Challenge)
	if err != nil {
		b.e.t.Fatal(err)
	}
	return b.ask("POST", "/admin/auth/passkey", said)
}

func (b *browser) wantCode(r httpapi.Response, code string) {
	b.e.t.Helper()
	var f failure
	if err := json.Unmarshal(r.Body, &f); err != nil || r.Status != 403 || f.Code != code {
		b.e.t.Errorf("%d %s, want 403 with %s", r.Status, r.Body, code)
	}
}

func TestPasskeys(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	a, codes := b.addPasskey()
	if p := b.passkeys(); len(codes) != 10 || p.CodesLeft != 10 || len(p.Passkeys) != 1 ||
		p.Passkeys[0].Name != "Laptop" || p.Site != "127.0.0.1" {
		t.Errorf("%d codes, %+v", len(codes), p)
	}
	b.signIn("ada@example.com")
	if b.view.Lacks != access.PasskeyNotUsed {
		t.Errorf("response lacks %q", b.view.Lacks)
	}
	b.wantCode(b.ask("GET", "/admin/users", nil), "passkey_missing")
	stranger, err := passkeytest.New(string(e.Config.Site.Base), passkey.ES256)
	if err != nil {
		t.Fatal(err)
	}
	stranger.ID = a.ID
	e.wantField(b.usePasskey(stranger), "signature")
	r := b.usePasskey(a)
	e.wantStatus(r, 200)
	if err := json.Unmarshal(r.Body, &b.view); err != nil || b.view.Lacks != "" {
		t.Errorf("%s, %v", r.Body, err)
	}
	e.wantStatus(b.ask("GET", "/admin/users", nil), 200)
	e.Advance(access.FreshLife)
	b.wantCode(b.ask("POST", "/admin/passkeys/codes", nil), "sign_in_again")
	e.wantStatus(b.usePasskey(a), 200)
	r = b.ask("POST", "/admin/passkeys/codes", nil)
	e.wantStatus(r, 200)
	var renewed httpapi.RecoveryCodes
	if err := json.Unmarshal(r.Body, &renewed); err != nil {
		t.Fatal(err)
	}
	b.signIn("ada@example.com")
	e.wantField(b.ask("POST", "/admin/auth/recovery", httpapi.RecoveryCode{Code: codes[0]}), "code")
	e.wantStatus(b.ask("POST", "/admin/auth/recovery", httpapi.RecoveryCode{Code: renewed.Codes[0]}), 200)
	if p := b.passkeys(); p.CodesLeft != 9 {
		t.Errorf("%d codes left", p.CodesLeft)
	}
	e.wantStatus(b.ask("POST", "/admin/passkeys/remove", httpapi.PasskeyRemoval{ID: a.ID}), 200)
	e.wantStatus(b.ask("POST", "/admin/passkeys/remove", httpapi.PasskeyRemoval{ID: a.ID}), 404)
	wantActs(t, e, "passkey.add", "session.confirm", "session.confirm", "passkey.codes",
		"session.recover", "passkey.remove")
}

// wantActs compares the audited passkey actions, in order.
func wantActs(t *testing.T, e *edge, want ...string) {
	t.Helper()
	page, err := e.Services.Audit.Search(t.Context(), audit.Filter{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, event := range page.Events {
		if strings.HasPrefix(event.Action, "passkey.") || event.Action == "session.confirm" ||
			event.Action == "session.recover" {
			got = append([]string{event.Action}, got...)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

func TestPasskeys_Required(t *testing.T) {
	e := newEdge(t,
		memory.Options{Env: map[string]string{"ADMIN_PASSKEYS_REQUIRED": "true", "SITE_BASE": "https://site.example"}})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	if b.view.Lacks != access.NoPasskey {
		t.Errorf("response lacks %q", b.view.Lacks)
	}
	b.wantCode(b.ask("GET", "/admin/users", nil), "passkey_missing")
	a, _ := b.addPasskey()
	e.wantStatus(b.ask("GET", "/admin/users", nil), 200)
	e.wantStatus(b.ask("POST", "/admin/passkeys/remove", httpapi.PasskeyRemoval{ID: a.ID}), 409)
}

func TestPasskeys_Reset(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b, boss := e.signedIn("ada@example.com", access.SuperAdmin), e.signedIn("boss@example.com", access.SuperAdmin)
	b.addPasskey()
	e.wantStatus(b.ask("POST", "/admin/users/reset-passkeys", httpapi.UserDeletion{Email: "ada@example.com"}), 409)
	e.wantStatus(boss.ask("POST", "/admin/users/reset-passkeys", httpapi.UserDeletion{Email: "ada@example.com"}), 200)
	e.wantStatus(b.ask("GET", "/admin/session", nil), 401)
	b.signIn("ada@example.com")
	if b.view.Lacks != "" {
		t.Errorf("response lacks %q", b.view.Lacks)
	}
}
