package httpapi

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) userRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/users", Tag: operators,
			Personal: []Whose{Operators},
			Summary:  "Users with their roles and permissions",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:      "UserList",
			handle:   plain(a.users),
		},
		{
			Method: "POST", Pattern: "/admin/users", Tag: operators,
			Personal: []Whose{Operators},
			Summary:  "Create a user and email them an invitation, or change one with the given revision",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true, Action: "user.save"},
			In:       "UserRequest", Out: "User", Errors: []int{404, 409, 503},
			handle: a.saveUser,
		},
		{
			Method: "POST", Pattern: "/admin/users/delete", Tag: operators,
			Summary: "Delete a user and end their sessions",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true, Action: "user.delete"},
			In:      "UserDeletion", Out: "Deleted", Errors: []int{404, 409, 503},
			handle: a.deleteUser,
		},
	}
}

// UserList is the response of GET /admin/users, sorted by address.
type UserList struct {
	Users []access.User `json:"users"`
}

func (a *API) users(ctx context.Context) (UserList, error) {
	all, err := a.services.Access.Users(ctx)
	return UserList{all}, err
}

// UserRequest is the request body of POST /admin/users. Revision 0 creates the user.
type UserRequest struct {
	Email         string              `json:"email"`
	Name          string              `json:"name"`
	Role          access.Role         `json:"role"`
	Campaigns     []string            `json:"campaigns,omitempty"`
	Permissions   []access.Permission `json:"permissions,omitempty"`
	PreferredLang string              `json:"preferredLang,omitempty"`
	Revision      int                 `json:"revision,omitempty"`
}

func (a *API) saveUser(ctx context.Context, x *exchange) (any, error) {
	var in UserRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	for _, slug := range in.Campaigns {
		if _, err := a.services.Campaigns().Campaign(slug); err != nil {
			return nil, fault.New(fault.Invalid, "Campaign not found").In("campaigns")
		}
	}
	if !slices.Contains([]string{"", "en", "es"}, in.PreferredLang) {
		return nil, fault.New(fault.Invalid, "The language must be en or es").In("preferredLang")
	}
	return a.services.Access.Save(ctx, x.operator, access.User{
		Email: in.Email, Name: in.Name, Role: in.Role, Campaigns: in.Campaigns, Permissions: in.Permissions,
		Lang: in.PreferredLang, Revision: in.Revision,
	})
}

// UserDeletion is the request body of POST /admin/users/delete and /admin/users/reset-passkeys.
type UserDeletion struct {
	Email string `json:"email"`
}

// Deleted is the response of routes that delete a user, passkeys or a referral code.
type Deleted struct {
	Deleted bool `json:"deleted"`
}

func (a *API) deleteUser(ctx context.Context, x *exchange) (any, error) {
	var in UserDeletion
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	return Deleted{true}, a.services.Access.Remove(ctx, x.operator, in.Email)
}
