package httpapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/notify"
)

// browser is a user's browser with cookies.
type browser struct {
	e       *edge
	ip      string
	cookies map[string]string
	view    httpapi.SessionView
}

func (e *edge) browser() *browser {
	e.browsers++
	return &browser{e: e, ip: fmt.Sprintf("198.51.%d.%d", e.browsers/200, e.browsers%200+1), cookies: map[string]string{}}
}

// headers returns the headers that the dashboard sends.
func (b *browser) headers(more ...string) []string {
	var cookies []string
	for name, value := range b.cookies {
		cookies = append(cookies, name+"="+value)
	}
	return append([]string{"Cookie", strings.Join(cookies, "; "), "X-Svc-Admin-Csrf", b.view.CSRFToken}, more...)
}

// ask sends a request and stores the cookies of the response.
func (b *browser) ask(method, path string, body any, more ...string) httpapi.Response {
	b.e.t.Helper()
	r := b.e.from(b.ip, method, path, asBody(b.e.t, body), b.headers(more...)...)
	for _, c := range r.Header["Set-Cookie"] {
		pair, rest, _ := strings.Cut(c, "; ")
		if rest != "Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict" &&
			!regexp.MustCompile(`^Path=/; Max-Age=[1-9]\d*; Secure; HttpOnly; SameSite=Strict$`).MatchString(rest) {
			b.e.t.Errorf("cookie = %s", c)
		}
		name, value, _ := strings.Cut(pair, "=")
		if b.cookies[name] = value; value == "" {
			delete(b.cookies, name)
		}
	}
	return r
}

func asBody(t testing.TB, v any) []byte {
	t.Helper()
	if b, ok := v.([]byte); ok || v == nil {
		return b
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// signIn requests a sign-in mail and uses its link.
func (b *browser) signIn(email string) {
	b.e.t.Helper()
	b.e.wantStatus(b.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: email}), 200)
	b.enter(httpapi.SignInProof{Token: tokenOf(b.e.signInMail(email))})
}

func (b *browser) enter(p httpapi.SignInProof) {
	b.e.t.Helper()
	r := b.ask("POST", "/admin/auth/sign-in", p)
	b.e.wantStatus(r, 200)
	if err := json.Unmarshal(r.Body, &b.view); err != nil {
		b.e.t.Fatal(err)
	}
}

var tokenIn = regexp.MustCompile(`/admin/#sign-in=([\w-]+)`)

func tokenOf(m notify.Mail) string { return tokenIn.FindStringSubmatch(m.Text)[1] }

// signInMail returns the last sign-in mail to an address.
func (e *edge) signInMail(email string) (last notify.Mail) {
	e.t.Helper()
	all, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, m := range all {
		if m.Kind == notify.AdminSignIn && m.To == email {
			last = m
		}
	}
	if last.To == "" {
		e.t.Fatalf("no mail to %s", email)
	}
	return last
}

// user creates a user as the command line does.
func (e *edge) user(u access.User) access.User {
	e.t.Helper()
	if u.Name == "" {
		u.Name = "Somebody"
	}
	saved, err := e.Services.Access.Save(e.t.Context(), "", u)
	if err != nil {
		e.t.Fatal(err)
	}
	return saved
}

// signedIn returns a new user's browser with a new session.
func (e *edge) signedIn(email string, role access.Role, campaigns ...string) *browser {
	e.t.Helper()
	e.user(access.User{Email: email, Role: role, Campaigns: campaigns})
	b := e.browser()
	b.signIn(email)
	return b
}

func (e *edge) signInMails(email string) (out []notify.Mail) {
	e.t.Helper()
	all, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, m := range all {
		if m.Kind == notify.AdminSignIn && m.To == email {
			out = append(out, m)
		}
	}
	return out
}
