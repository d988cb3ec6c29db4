package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
)

func (a *API) passkeyRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/passkeys", Tag: operators,
			Summary: "The caller's passkeys, and a single-use challenge that is valid for five minutes",
			Rules:   Rules{Operator: access.SignedIn, Partial: true},
			Out:     "Passkeys", Errors: []int{503},
			handle: a.passkeys,
		},
		{
			Method: "POST", Pattern: "/admin/auth/passkey", Tag: operators,
			Personal: []Whose{Own},
			Summary:  "Authenticate with a passkey: after the sign-in email, or for actions that require a recent sign-in",
			Rules: Rules{Operator: access.SignedIn, Partial: true, Action: "session.confirm",
				Limits: limits(perMinute("admin-passkey", 20))},
			In: "PasskeyAnswer", Out: "SessionView", Errors: []int{404, 409, 503},
			handle: a.usePasskey,
		},
		{
			Method: "POST", Pattern: "/admin/auth/recovery", Tag: operators,
			Personal: []Whose{Own},
			Summary:  "Authenticate with a single-use recovery code instead of a lost passkey",
			Rules: Rules{Operator: access.SignedIn, Partial: true, Action: "session.recover",
				Limits: limits(perMinute("admin-recovery", 5))},
			In: "RecoveryCode", Out: "SessionView", Errors: []int{503},
			handle: a.useCode,
		},
		{
			Method: "POST", Pattern: "/admin/passkeys", Tag: operators,
			Summary: "Add a passkey; the response to the first one contains recovery codes, which are shown only once",
			Rules:   Rules{Operator: access.SignedIn, Partial: true, Fresh: true, Action: "passkey.add"},
			In:      "NewPasskey", Out: "RecoveryCodes", Errors: []int{409, 503},
			handle: a.addPasskey,
		},
		{
			Method: "POST", Pattern: "/admin/passkeys/remove", Tag: operators,
			Summary: "Remove a passkey",
			Rules:   Rules{Operator: access.SignedIn, Fresh: true, Action: "passkey.remove"},
			In:      "PasskeyRemoval", Out: "Deleted", Errors: []int{404, 409, 503},
			handle: a.removePasskey,
		},
		{
			Method: "POST", Pattern: "/admin/passkeys/codes", Tag: operators,
			Summary: "Create new recovery codes, which replace the old ones",
			Rules:   Rules{NoBody: true, Operator: access.SignedIn, Fresh: true, Action: "passkey.codes"},
			Out:     "RecoveryCodes", Errors: []int{409, 503},
			handle: a.newCodes,
		},
		{
			Method: "POST", Pattern: "/admin/users/reset-passkeys", Tag: operators,
			Summary: "Remove all passkeys and recovery codes of a user who has lost them, and end their sessions",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true, Action: "user.reset_passkeys"},
			In:      "UserDeletion", Out: "Deleted", Errors: []int{404, 409, 503},
			handle: a.resetPasskeys,
		},
	}
}

// PasskeyView is one of the caller's passkeys.
type PasskeyView struct {
	ID        passkey.Bytes `json:"id"`
	Name      string        `json:"name"`
	Synced    bool          `json:"synced"` // whether it is, or can be, synced between devices
	CreatedAt time.Time     `json:"createdAt"`
	UsedAt    *time.Time    `json:"usedAt,omitempty"`
}

// PasskeyList is the response of GET /admin/passkeys.
type PasskeyList struct {
	Passkeys  []PasskeyView `json:"passkeys"`
	CodesLeft int           `json:"codesLeft"`
	Challenge string        `json:"challenge"` // its UTF-8 bytes are the WebAuthn challenge
	Site      string        `json:"rpId"`      // the site's host name
	UserID    passkey.Bytes `json:"userId"`
}

func (a *API) passkeys(ctx context.Context, x *exchange) (any, error) {
	p, err := a.services.Access.Passkeys(ctx, *x.caller)
	if err != nil {
		return nil, err
	}
	out := PasskeyList{Passkeys: []PasskeyView{}, CodesLeft: p.Codes, Challenge: p.Challenge,
		Site: p.Site, UserID: passkey.Bytes(p.UserID)}
	for _, k := range p.Passkeys {
		view := PasskeyView{ID: k.ID, Name: k.Name, Synced: k.Synced, CreatedAt: k.CreatedAt}
		if !k.UsedAt.IsZero() {
			view.UsedAt = &k.UsedAt
		}
		out.Passkeys = append(out.Passkeys, view)
	}
	return out, nil
}

func (a *API) usePasskey(ctx context.Context, x *exchange) (any, error) {
	var in passkey.Assertion
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	c, err := a.services.Access.UsePasskey(ctx, *x.caller, in)
	if err != nil {
		return nil, err
	}
	return a.viewOf(c), nil
}

// RecoveryCode is the request body of POST /admin/auth/recovery.
type RecoveryCode struct {
	Code string `json:"code"`
}

func (a *API) useCode(ctx context.Context, x *exchange) (any, error) {
	var in RecoveryCode
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	c, err := a.services.Access.UseCode(ctx, *x.caller, in.Code)
	if err != nil {
		return nil, err
	}
	return a.viewOf(c), nil
}

// NewPasskey is the request body of POST /admin/passkeys.
type NewPasskey struct {
	Name string `json:"name"`
	passkey.Registration
}

// RecoveryCodes are new codes; empty if the existing ones remain valid.
type RecoveryCodes struct {
	Codes []string `json:"codes"`
}

func (a *API) addPasskey(ctx context.Context, x *exchange) (any, error) {
	var in NewPasskey
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	codes, err := a.services.Access.AddPasskey(ctx, *x.caller, in.Name, in.Registration)
	return RecoveryCodes{codes}, err
}

// PasskeyRemoval is the request body of POST /admin/passkeys/remove.
type PasskeyRemoval struct {
	ID passkey.Bytes `json:"id"`
}

func (a *API) removePasskey(ctx context.Context, x *exchange) (any, error) {
	var in PasskeyRemoval
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	return Deleted{true}, a.services.Access.RemovePasskey(ctx, *x.caller, in.ID)
}

func (a *API) newCodes(ctx context.Context, x *exchange) (any, error) {
	codes, err := a.services.Access.NewCodes(ctx, *x.caller)
	return RecoveryCodes{codes}, err
}

func (a *API) resetPasskeys(ctx context.Context, x *exchange) (any, error) {
	var in UserDeletion
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	return Deleted{true}, a.services.Access.ResetPasskeys(ctx, x.operator, in.Email)
}
