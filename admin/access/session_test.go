package access_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

func TestSession_IdleTimeout(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, cookie := o.signIn(ada)
	lasts := func(cookie string) bool {
		_, err := o.Check(ctx, cookie)
		if err != nil {
			o.wantCode(fault.Unauthorized, err)
		}
		return err == nil
	}
	began := o.now
	o.now = began.Add(access.IdleLife - time.Second)
	if !lasts(cookie) {
		t.Fatal("the session ended early")
	}
	c, _ := o.Check(ctx, cookie)
	o.now = began.Add(access.IdleLife)
	if lasts(cookie) {
		t.Error("an idle session is still active")
	}
	if c.Cookie == "" || !lasts(c.Cookie) {
		t.Fatal("a session in use ended")
	}
}

// A session ends after twelve hours even if it is in constant use.
func TestSession_MaximumLifetime(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, cookie := o.signIn(ada)
	began, renewed := o.now, 0
	for o.now.Before(began.Add(2 * access.SessionLife)) {
		c, err := o.Check(ctx, cookie)
		if err != nil {
			o.wantCode(fault.Unauthorized, err)
			break
		}
		if c.Cookie != "" {
			cookie = c.Cookie
			renewed++
		}
		o.now = o.now.Add(7 * time.Minute)
	}
	if lasted := o.now.Sub(began); lasted < access.SessionLife || lasted >= access.SessionLife+7*time.Minute {
		t.Errorf("the session lasted %s", lasted)
	}
	if renewed < 12 || renewed > 30 {
		t.Errorf("its cookie was renewed %d times", renewed)
	}
}

func TestCheck_InvalidCookie(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, cookie := o.signIn(ada)
	mine, _ := (token.Signer{Secret: []byte("another secret of thirty-two byte")}).
		Sign(token.Claims{Scope: "admin-session", Topic: "x", Expires: o.now.Add(time.Hour)})
	manage, _ := o.Signer.Sign(token.Claims{Scope: token.Manage, Topic: "x", Expires: o.now.Add(time.Hour)})
	unknown, _ := o.Signer.Sign(token.Claims{Scope: "admin-session", Topic: "x", Expires: o.now.Add(time.Hour)})
	for _, c := range []string{"", "x", cookie + "x", cookie[:len(cookie)-1], mine, manage, unknown} {
		if _, err := o.Check(ctx, c); fault.CodeOf(err) != fault.Unauthorized {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// Proves AAU-16, AAU-17, AAU-18, AAU-19, AAU-21, AAU-22.
func TestSessions_ListAndRevoke(t *testing.T) {
	o := newFixtureWithUsers(t)
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0 Sneaky/9"
	var ids []string
	for _, network := range []string{"192.0.2.7", "192.0.2.7", "198.51.100.9"} {
		link, _ := o.proof(o.requestLink(ben))
		link.UserAgent, link.Network = agent, network
		c, _ := o.exchange(link)
		ids = append(ids, c.Session.ID)
		o.now = o.now.Add(time.Minute)
	}
	boss, cookie := o.signIn(ada)
	all, err := o.Sessions(ctx)
	if err != nil || len(all) != 4 || all[0].ID != boss.Session.ID || all[3].ID != ids[0] {
		t.Fatalf("sessions %+v, %v", all, err)
	}
	if want := (access.Client{Browser: "Firefox", System: "Linux", Device: "computer"}); all[3].Client != want {
		t.Errorf("client %+v", all[3].Client)
	}
	if all[3].Network != all[2].Network || all[3].Network == all[1].Network || all[3].Network == "" {
		t.Errorf("networks %q, %q, %q", all[3].Network, all[2].Network, all[1].Network)
	}
	fingerprint := all[3].Network
	b, _ := json.Marshal(all)
	for _, secret := range []string{boss.Session.CSRF, "Sneaky", "192.0.2", "198.51"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("the list contains %q: %s", secret, b)
		}
		if secret != boss.Session.CSRF && strings.Contains(o.dumpStore(), secret) {
			t.Errorf("%q is stored", secret)
		}
	}
	_, err = o.Revoke(ctx, ada, boss.Session.ID, boss.Session.ID, "")
	o.wantCode(fault.Conflict, err)
	_, err = o.Revoke(ctx, ada, boss.Session.ID, "unknown", "")
	o.wantCode(fault.NotFound, err)
	_, err = o.Revoke(ctx, ada, boss.Session.ID, ids[0], ben)
	o.wantCode(fault.Invalid, err)
	_, err = o.Revoke(ctx, ada, boss.Session.ID, "", "")
	o.wantCode(fault.Invalid, err)
	if n, err := o.Revoke(ctx, ada, boss.Session.ID, ids[1], ""); n != 1 || err != nil {
		t.Errorf("%d revoked, %v", n, err)
	}
	if n, err := o.Revoke(ctx, ada, boss.Session.ID, "", ben); n != 2 || err != nil {
		t.Errorf("%d revoked, %v", n, err)
	}
	if n, err := o.Revoke(ctx, ada, boss.Session.ID, "", ada); n != 0 || err != nil {
		t.Errorf("%d own sessions revoked, %v", n, err)
	}
	if _, err := o.Check(ctx, cookie); err != nil {
		t.Errorf("the current session ended: %v", err)
	}
	all, _ = o.Sessions(ctx)
	for _, s := range all[1:] {
		if s.EndedAt == nil || s.EndedBy != ada || s.Active(o.now) {
			t.Errorf("revoked: %+v", s)
		}
	}
	if strings.Count(o.dumpStore(), "admin-session:") != 1 {
		t.Error("copies of revoked sessions are left")
	}
	o.now = o.now.Add(30*24*time.Hour - 5*time.Minute)
	if all, _ = o.Sessions(ctx); len(all) != 4 {
		t.Errorf("%d sessions are listed after a month", len(all))
	}
	o.now = o.now.Add(10 * time.Minute)
	if all, _ = o.Sessions(ctx); len(all) != 0 {
		t.Errorf("%d sessions are listed after more than a month", len(all))
	}
	if err := o.Sweep(ctx); err != nil || strings.Contains(o.dumpStore(), "access/session/") ||
		strings.Contains(o.dumpStore(), "access/login/") {
		t.Errorf("old sessions and logins are kept, %v", err)
	}
	o.Key = []byte("another key")
	link, _ := o.proof(o.requestLink(ben))
	link.Network = "192.0.2.7"
	if c, _ := o.exchange(link); c.Session.Network == "" || c.Session.Network == fingerprint {
		t.Errorf("under another key the network is %q too", c.Session.Network)
	}
}

func TestSignOut_ThenSignInAgain(t *testing.T) {
	o := newFixtureWithUsers(t)
	c, cookie := o.signIn(ada)
	if err := o.SignOut(ctx, c, cookie); err != nil {
		t.Fatal(err)
	}
	_, err := o.Check(ctx, cookie)
	o.wantCode(fault.Unauthorized, err)
	if strings.Contains(o.dumpStore(), c.Session.CSRF) {
		t.Error("the CSRF token is still stored")
	}
	_, cookie = o.signIn(ada)
	link, _ := o.proof(o.requestLink(ada))
	link.Former = cookie
	_, next := o.exchange(link)
	_, err = o.Check(ctx, cookie)
	o.wantCode(fault.Unauthorized, err)
	if _, err := o.Check(ctx, next); err != nil || next == cookie {
		t.Errorf("signed in again: %v", err)
	}
}

func TestFresh_Expires(t *testing.T) {
	o := newFixtureWithUsers(t)
	c, _ := o.signIn(ada)
	if !c.Session.Fresh(o.now.Add(access.FreshLife-time.Second)) || c.Session.Fresh(o.now.Add(access.FreshLife)) {
		t.Error("a sign-in is not fresh for ten minutes")
	}
}

// Proves AAU-16.
func TestClientOf(t *testing.T) {
	for agent, want := range map[string]access.Client{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0": {
			Browser: "Edge", System: "Windows", Device: "computer"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15": {
			Browser: "Safari", System: "macOS", Device: "computer"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.0.0 Mobile/15E148 Safari/604.1": {
			Browser: "Chrome", System: "iOS", Device: "phone"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36": {
			Browser: "Samsung Internet", System: "Android", Device: "phone"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36": {
			Browser: "Chrome", System: "Android", Device: "tablet"},
		"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1": {
			Browser: "Safari", System: "iOS", Device: "tablet"},
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/120.0.0.0": {
			Browser: "Opera", System: "ChromeOS", Device: "computer"},
		"curl/8.5.0": {Browser: "other", System: "other", Device: "computer"},
		"":           {Browser: "other", System: "other", Device: "computer"},
	} {
		if got := access.ClientOf(agent); got != want {
			t.Errorf("%s: %+v", agent, got)
		}
	}
}
