package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// signInLink matches the link in a sign-in mail.
var signInLink = regexp.MustCompile(`/admin/#sign-in=([\w-]+)`)

// manageUser adds a user with the fulfilment permission, checks what they may do, and removes them.
func (s *scriptRun) manageUser(ctx context.Context) error {
	const email = "packer@example.com"
	admin := s.admin()
	packer := httpapi.UserRequest{
		Email: email, Name: "Packer", Role: access.CampaignUser, Campaigns: []string{game},
		Permissions: []access.Permission{access.Fulfilment},
	}
	if err := s.post(ctx, "/admin/users", packer, nil, admin...); err != nil {
		return err
	}
	cookie, view, err := s.signIn(ctx, email)
	if err != nil {
		return err
	}
	if view.Email != email || len(view.Permissions) != 1 {
		return fmt.Errorf("signed in as %+v", view)
	}
	csrf := "X-Svc-Admin-Csrf"
	for path, want := range map[string]int{"/admin/session": http.StatusOK, "/admin/users": http.StatusForbidden,
		"/admin/reconciliation/" + game: http.StatusForbidden} {
		if err := s.want(ctx, want, "GET", path, nil, nil, "Cookie", cookie); err != nil {
			return err
		}
	}
	if err := s.want(ctx, http.StatusForbidden, "POST", "/admin/auth/sign-out", nil, nil, "Cookie", cookie); err != nil {
		return err
	}
	if cookie, view, err = s.addPasskeys(ctx, email, cookie, view); err != nil {
		return err
	}
	if err := s.post(ctx, "/admin/users/delete", httpapi.UserDeletion{Email: email}, nil, admin...); err != nil {
		return err
	}
	if err := s.want(ctx, http.StatusUnauthorized, "POST", "/admin/auth/sign-out", nil, nil,
		"Cookie", cookie, csrf, view.CSRFToken); err != nil {
		return err
	}
	s.printStep("a fulfilment user signs in by mail, sees no amounts, confirms with a passkey, and loses access once deleted")
	return nil
}

// signIn signs in with the link in a mail and returns the session cookie.
func (s *scriptRun) signIn(ctx context.Context, email string) (cookie string, view httpapi.SessionView, err error) {
	asked, err := s.call(ctx, "POST", "/admin/auth/start", httpapi.SignInRequest{Email: email})
	if err != nil || asked.Status != http.StatusOK {
		return "", view,
			errors.Join(err, fmt.Errorf("requesting a sign-in email returned %d (%s)", asked.Status, asked.reason()))
	}
	var link []string
	err = waitUntil(ctx, "the sign-in mail", func() (bool, error) {
		var mails []app.Mail
		if err := s.get(ctx, "/demo/mail", &mails, "Accept", "application/json"); err != nil {
			return false, err
		}
		for _, m := range mails {
			if found := signInLink.FindStringSubmatch(m.Text); m.To == email && found != nil &&
				!slices.Contains(s.opened, found[1]) {
				link = found
			}
		}
		return link != nil, nil
	})
	if err != nil {
		return "", view, err
	}
	s.opened = append(s.opened, link[1])
	in, err := s.call(ctx, "POST", "/admin/auth/sign-in", httpapi.SignInProof{Token: link[1]}, "Cookie", asked.cookies())
	if err != nil || in.Status != http.StatusOK {
		return "", view, errors.Join(err, fmt.Errorf("signing in returned %d (%s)", in.Status, in.reason()))
	}
	err = in.into(&view)
	return in.cookies(), view, err
}

// cookies returns the cookies set by a response in the format of a request.
func (a answer) cookies() string {
	var all []string
	for _, line := range a.Header.Values("Set-Cookie") {
		if pair, _, _ := strings.Cut(line, ";"); !strings.HasSuffix(pair, "=") {
			all = append(all, pair)
		}
	}
	return strings.Join(all, "; ")
}
