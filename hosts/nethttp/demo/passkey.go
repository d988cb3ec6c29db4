package demo

import (
	"context"
	"fmt"
	"net/http"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/passkey/passkeytest"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// addPasskeys adds a passkey of each kind, so that the mail alone is no longer sufficient, and returns
// a session authenticated with one.
func (s *scriptRun) addPasskeys(ctx context.Context, email, cookie string,
	view httpapi.SessionView) (string, httpapi.SessionView, error) {
	var all []*passkeytest.Authenticator
	for _, algorithm := range []int{passkey.ES256, passkey.RS256} {
		a, err := passkeytest.New(s.base, algorithm)
		if err != nil {
			return "", view, err
		}
		if err := s.addPasskey(ctx, a, cookie, view.CSRFToken); err != nil {
			return "", view, err
		}
		all = append(all, a)
	}
	cookie, view, err := s.signIn(ctx, email)
	if err != nil {
		return "", view, err
	}
	if view.Lacks != access.PasskeyNotUsed {
		return "", view, fmt.Errorf("after the mail a session lacks %q", view.Lacks)
	}
	forged, err := passkeytest.New(s.base, passkey.ES256)
	if err != nil {
		return "", view, err
	}
	forged.ID = all[0].ID
	if err := s.usePasskey(ctx, forged, http.StatusBadRequest, cookie, &view); err != nil {
		return "", view, err
	}
	for _, a := range all {
		if err := s.usePasskey(ctx, a, http.StatusOK, cookie, &view); err != nil {
			return "", view, err
		}
	}
	if view.Lacks != "" {
		return "", view, fmt.Errorf("after the passkey a session lacks %q", view.Lacks)
	}
	return cookie, view, nil
}

func (s *scriptRun) addPasskey(ctx context.Context, a *passkeytest.Authenticator, cookie, csrf string) error {
	challenge, err := s.challenge(ctx, cookie)
	if err != nil {
		return err
	}
	made, err := a.Register(challenge)
	if err != nil {
		return err
	}
	return s.post(ctx, "/admin/passkeys", httpapi.NewPasskey{Name: "Scanner", Registration: made},
		nil, "Cookie", cookie, "X-Svc-Admin-Csrf", csrf)
}

func (s *scriptRun) usePasskey(ctx context.Context, a *passkeytest.Authenticator, status int,
	cookie string, view *httpapi.SessionView) error {
	challenge, err := s.challenge(ctx, cookie)
	if err != nil {
		return err
	}
	assertion, err := a.Assert(challenge)
	if err != nil {
		return err
	}
	var out any = view
	if status != http.StatusOK {
		out = nil
	}
	return s.want(ctx, status, "POST", "/admin/auth/passkey", assertion, out, "Cookie", cookie,
		"X-Svc-Admin-Csrf", view.CSRFToken)
}

func (s *scriptRun) challenge(ctx context.Context, cookie string) (string, error) {
	var list httpapi.PasskeyList
	err := s.get(ctx, "/admin/passkeys", &list, "Cookie", cookie)
	return list.Challenge, err
}
