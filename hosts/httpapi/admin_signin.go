package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// operators is the OpenAPI tag of routes about dashboard users.
const operators = "operators"

func (a *API) signInRoutes() []Route {
	return []Route{
		{
			Method: "POST", Pattern: "/admin/auth/start", Tag: operators,
			Summary: "Request a sign-in email; the response is the same for every address",
			Rules:   Rules{SameOrigin: true, Challenge: "admin-sign-in", Limits: limits(perMinute("admin-sign-in", 5))},
			In:      "SignInRequest", Out: "SignInAsked", Errors: []int{503},
			handle: a.requestSignIn,
		},
		{
			Method: "POST", Pattern: "/admin/auth/sign-in", Tag: operators,
			Personal: []Whose{Own},
			Summary:  "Sign in with the single-use link or code from the email, in the browser that requested it",
			Rules:    Rules{SameOrigin: true, Limits: limits(perMinute("admin-enter", 10))},
			In:       "SignInProof", Out: "SessionView", Errors: []int{401, 503},
			handle: a.signIn,
		},
		{
			Method: "GET", Pattern: "/admin/auth/setup", Tag: operators,
			Summary: "Whether the platform has no user yet, so that its first super admin can be created with the setup link",
			Out:     "SetupView", Errors: []int{503},
			handle: a.needsSetup,
		},
		{
			Method: "POST", Pattern: "/admin/auth/setup", Tag: operators,
			Personal: []Whose{Own},
			Summary:  "Create the first super admin with the single-use setup link that the server prints, and sign in",
			Rules:    Rules{SameOrigin: true, Limits: limits(perMinute("admin-setup", 10))},
			In:       "SetupRequest", Out: "SessionView", Errors: []int{401, 410, 503},
			handle: a.setUp,
		},
		{
			Method: "POST", Pattern: "/admin/auth/sign-out", Tag: operators,
			Summary: "End the session",
			Rules:   Rules{NoBody: true, Operator: access.SignedIn, Partial: true, Action: "session.end"},
			Out:     "SignedOut", Errors: []int{503},
			handle: a.signOut,
		},
		{
			Method: "GET", Pattern: "/admin/session", Tag: operators,
			Personal: []Whose{Own},
			Summary:  "The signed-in user with permissions and CSRF token",
			Rules:    Rules{Operator: access.SignedIn, Partial: true},
			Out:      "SessionView",
			handle:   a.session,
		},
		{
			Method: "GET", Pattern: "/admin/sessions", Tag: operators,
			Personal: []Whose{Operators},
			Summary:  "Active sessions and those of the last 30 days",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:      "SessionList",
			handle:   a.sessions,
		},
		{
			Method: "POST", Pattern: "/admin/sessions/revoke", Tag: operators,
			Summary: "End a session or all sessions of a user, except the caller's",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "session.revoke"},
			In:      "RevokeRequest", Out: "Revoked", Errors: []int{404, 409},
			handle: a.revoke,
		},
	}
}

// SignInRequest is the request body of POST /admin/auth/start.
type SignInRequest struct {
	Email         string `json:"email"`
	Challenge     string `json:"challenge,omitempty"`
	PreferredLang string `json:"preferredLang,omitempty"`
}

// SignInAsked is the response of POST /admin/auth/start, which is the same for every address. The
// exception is a browser in which the user has signed in before: it gets a 429 after using up its
// quota of mails.
type SignInAsked struct {
	Sent bool `json:"sent"`
	// Link is the link in the mail. It is set in developer setups only: see
	// config.Config.ShowsSignInLink.
	Link string `json:"link,omitempty"`
}

func (a *API) requestSignIn(ctx context.Context, x *exchange) (any, error) {
	var in SignInRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	asked, err := a.services.Access.RequestLink(ctx, in.Email, in.PreferredLang,
		access.Origin{Network: Client(x.ClientIP), BrowserCookie: x.cookie(knownCookie)})
	if quota, ok := errors.AsType[access.QuotaError](err); ok {
		return nil, limited{max: quota.Max, reset: quota.Retry, now: a.now()}
	}
	if err != nil {
		return nil, err
	}
	out := SignInAsked{Sent: true}
	if a.services.Config.ShowsSignInLink() {
		out.Link = asked.Link
	}
	r, err := encode(200, out)
	r.Header = Header{"Set-Cookie": {cookie(browserCookie, asked.Browser, access.LoginLife)}}
	return r, err
}

// SignInProof is the request body of POST /admin/auth/sign-in: either Token or Code.
type SignInProof struct {
	Token string `json:"token,omitempty"`
	Code  string `json:"code,omitempty"`
}

func (a *API) signIn(ctx context.Context, x *exchange) (any, error) {
	var in SignInProof
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if (in.Token == "") == (in.Code == "") {
		return nil, fault.New(fault.Invalid, "Send either the token or the code").In("token")
	}
	c, value, err := a.services.Access.SignIn(ctx, access.Proof{
		Browser: x.cookie(browserCookie), Link: in.Token, Code: in.Code, Former: x.cookie(SessionCookie),
		UserAgent: x.header("User-Agent"), Network: Client(x.ClientIP),
	})
	if err != nil {
		return nil, err
	}
	return a.startSession(ctx, x, c, value)
}

// startSession returns the response that starts a session, with its cookies.
func (a *API) startSession(ctx context.Context, x *exchange, c access.Caller, value string) (any, error) {
	a.log.InfoContext(ctx, "signed in", "request", x.ID, "session", c.Session.ID, "role", string(c.User.Role))
	known, err := a.services.Access.KnownBrowser(c.User.Email)
	if err != nil {
		return nil, err
	}
	r, err := encode(200, a.viewOf(c))
	r.Header = Header{"Set-Cookie": {SessionCookieHeader(value), cookie(browserCookie, "", 0),
		cookie(knownCookie, known, access.KnownLife)}}
	return r, err
}

// SignedOut is the response of POST /admin/auth/sign-out.
type SignedOut struct {
	SignedOut bool `json:"signedOut"`
}

func (a *API) signOut(ctx context.Context, x *exchange) (any, error) {
	if err := a.services.Access.SignOut(ctx, *x.caller, x.cookie(SessionCookie)); err != nil {
		return nil, err
	}
	x.caller.Cookie = ""
	r, err := encode(200, SignedOut{true})
	r.Header = Header{"Set-Cookie": {cookie(SessionCookie, "", 0)}}
	return r, err
}

// SessionView is the signed-in user with their session.
type SessionView struct {
	Email       string              `json:"email"`
	Name        string              `json:"name"`
	Role        access.Role         `json:"role"`
	Campaigns   []string            `json:"campaigns"`
	Permissions []access.Permission `json:"permissions"`
	SessionID   string              `json:"sessionId"`
	CSRFToken   string              `json:"csrfToken"` // the x-svc-admin-csrf header of requests that change something
	EndsAt      time.Time           `json:"endsAt"`
	FreshUntil  time.Time           `json:"freshUntil"` // until when the sign-in counts as recent
	// Lacks is the missing step of the sign-in: "passkey" to authenticate with one, "enrolment" to
	// add one, or "" if there is none.
	Lacks access.MissingFactor `json:"lacks"`
	Now   time.Time            `json:"now"` // the server's time
}

func (a *API) viewOf(c access.Caller) SessionView {
	return SessionView{
		Email: c.User.Email, Name: c.User.Name, Role: c.User.Role, Campaigns: c.User.Campaigns,
		Permissions: c.User.Permissions,
		SessionID:   c.Session.ID, CSRFToken: c.Session.CSRF, EndsAt: c.Session.EndsAt,
		FreshUntil: c.Session.ConfirmedAt.Add(access.FreshLife), Lacks: c.Missing, Now: a.services.Now(),
	}
}

func (a *API) session(_ context.Context, x *exchange) (any, error) { return a.viewOf(*x.caller), nil }

// SessionRow is one session in the list.
type SessionRow struct {
	access.Session
	Active  bool `json:"active"`
	Current bool `json:"current"` // the caller's session, which cannot be revoked
}

// SessionList is the response of GET /admin/sessions, newest first.
type SessionList struct {
	Sessions []SessionRow `json:"sessions"`
}

func (a *API) sessions(ctx context.Context, x *exchange) (any, error) {
	all, err := a.services.Access.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	out := SessionList{Sessions: []SessionRow{}}
	for _, s := range all {
		out.Sessions = append(out.Sessions, SessionRow{s, s.Active(a.now()), s.ID == x.session()})
	}
	return out, nil
}

// RevokeRequest is the request body of POST /admin/sessions/revoke: either SessionID or Email.
type RevokeRequest struct {
	SessionID string `json:"sessionId,omitempty"`
	Email     string `json:"email,omitempty"`
}

// Revoked is the response of POST /admin/sessions/revoke.
type Revoked struct {
	Ended int `json:"ended"`
}

func (a *API) revoke(ctx context.Context, x *exchange) (any, error) {
	var in RevokeRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	ended, err := a.services.Access.Revoke(ctx, x.operator, x.session(), in.SessionID, in.Email)
	return Revoked{ended}, err
}

// SessionCookieHeader returns the Set-Cookie header that starts a session, for hosts that sign
// users in themselves. value is the result of access.Service.SignIn or Extend.
func SessionCookieHeader(value string) string {
	return cookie(SessionCookie, value, access.SessionLife)
}

// cookie formats a Set-Cookie header for a cookie that scripts cannot read and that browsers do not
// send across sites. A life of 0 deletes the cookie.
func cookie(name, value string, life time.Duration) string {
	return fmt.Sprintf("%s=%s; Path=/; Max-Age=%d; Secure; HttpOnly; SameSite=Strict", name, value, int(life.Seconds()))
}
