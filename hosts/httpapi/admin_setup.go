package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// SetupView is the response of GET /admin/auth/setup.
type SetupView struct {
	// Needed is set while the platform has no users.
	Needed bool `json:"needed"`
}

// needsSetup reports whether the platform has no users. It reads at most one record.
func (a *API) needsSetup(ctx context.Context, _ *exchange) (any, error) {
	needed, err := a.services.Access.NeedsSetup(ctx)
	return SetupView{needed}, err
}

// SetupRequest is the request body of POST /admin/auth/setup.
type SetupRequest struct {
	Token         string `json:"token"` // of the setup link
	Email         string `json:"email"`
	Name          string `json:"name"`
	PreferredLang string `json:"preferredLang,omitempty"`
}

// setUp creates the first super admin. Attempts without a valid token are not in the audit log,
// so that strangers cannot fill it.
func (a *API) setUp(ctx context.Context, x *exchange) (any, error) {
	var in SetupRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if err := a.services.Access.CheckSetup(ctx, in.Token); err != nil {
		return nil, err
	}
	email, err := pledge.ParseEmail(in.Email)
	if err != nil {
		return nil, err
	}
	u := access.User{Email: email, Name: in.Name, Role: access.SuperAdmin, Lang: in.PreferredLang}
	if err := u.Check(); err != nil {
		return nil, err
	}
	var c access.Caller
	var cookie string
	act := audit.Act{Action: "user.setup", AdminEmail: email, AdminRole: string(access.SuperAdmin),
		Source: "api", Target: email}
	err = a.services.Audit.Do(ctx, act, func() (err error) {
		c, cookie, err = a.services.Access.SetUp(ctx, in.Token, u,
			access.Proof{UserAgent: x.header("User-Agent"), Network: Client(x.ClientIP)})
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.startSession(ctx, x, c, cookie)
}
