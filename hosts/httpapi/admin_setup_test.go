package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// setupToken returns the token of a new setup link, or "" if none was created.
func (e *edge) setupToken() string {
	e.t.Helper()
	link, err := e.Services.Access.SetupLink(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "/admin/#setup=")
	return token
}

// The setup link creates one super admin, who is signed in. It cannot be used again.
func TestSetup_FirstSuperAdmin(t *testing.T) {
	e := newEdge(t, memory.Options{})
	needed := func() bool { return decode[httpapi.SetupView](t, e.get("/admin/auth/setup", "")).Needed }
	if !needed() {
		t.Error("Needed is false on a new platform")
	}
	old, b := e.setupToken(), e.browser()
	in := httpapi.SetupRequest{Token: e.setupToken(), Email: "Ada@Example.com", Name: "Ada"}
	for name, wrong := range map[string]httpapi.SetupRequest{
		"an earlier link": {Token: old, Email: in.Email, Name: in.Name},
		"no token":        {Email: in.Email, Name: in.Name},
		"a guess":         {Token: strings.Repeat("A", len(old)), Email: in.Email, Name: in.Name},
	} {
		if r := b.ask("POST", "/admin/auth/setup", wrong); r.Status != 401 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	e.wantStatus(b.ask("POST", "/admin/auth/setup", httpapi.SetupRequest{Token: in.Token, Email: "ada", Name: "Ada"}), 400)
	e.wantStatus(b.ask("POST", "/admin/auth/setup", httpapi.SetupRequest{Token: in.Token, Email: in.Email}), 400)
	e.wantStatus(e.from(b.ip, "POST", "/admin/auth/setup", asBody(t, in), "Origin", "https://elsewhere.example"), 403)
	r := b.ask("POST", "/admin/auth/setup", in)
	e.wantStatus(r, 200)
	if err := json.Unmarshal(r.Body, &b.view); err != nil || b.view.Email != "ada@example.com" ||
		b.view.Role != access.SuperAdmin {
		t.Fatalf("signed in as %+v, %v", b.view, err)
	}
	e.wantStatus(b.get("/admin/users", ""), 200)
	if needed() || e.setupToken() != "" {
		t.Error("Needed is still true")
	}
	e.wantStatus(e.browser().ask("POST", "/admin/auth/setup", in), 410)
	if got := e.events("action=user.setup").Events; len(got) != 1 || got[0].Target != "ada@example.com" ||
		got[0].AdminEmail != "ada@example.com" {
		t.Errorf("audit log = %+v", got)
	}
}

// A setup link expires after a day, or when the first user is created.
func TestSetup_LinkEnds(t *testing.T) {
	t.Run("after a day", func(t *testing.T) {
		e := newEdge(t, memory.Options{})
		token := e.setupToken()
		e.Advance(access.SetupLife - time.Second)
		if err := e.Services.Access.CheckSetup(t.Context(), token); err != nil {
			t.Error(err)
		}
		e.Advance(time.Second)
		e.wantStatus(e.browser().ask("POST", "/admin/auth/setup",
			httpapi.SetupRequest{Token: token, Email: "ada@example.com", Name: "Ada"}), 401)
	})
	t.Run("with a user", func(t *testing.T) {
		e := newEdge(t, memory.Options{})
		token := e.setupToken()
		e.user(access.User{Email: "ben@example.com", Role: access.CampaignUser, Campaigns: []string{game}})
		e.wantStatus(e.browser().ask("POST", "/admin/auth/setup",
			httpapi.SetupRequest{Token: token, Email: "ada@example.com", Name: "Ada"}), 410)
	})
	t.Run("guessing", func(t *testing.T) {
		e := newEdge(t, memory.Options{})
		b := e.browser()
		for range 10 {
			e.wantStatus(b.ask("POST", "/admin/auth/setup",
				httpapi.SetupRequest{Token: "x", Email: "ada@example.com", Name: "Ada"}), 401)
		}
		e.wantStatus(b.ask("POST", "/admin/auth/setup",
			httpapi.SetupRequest{Token: "x", Email: "ada@example.com", Name: "Ada"}), 429)
	})
}
