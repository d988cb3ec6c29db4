package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) campaignFileRoutes() []Route {
	return []Route{
		{
			Method: "POST", Pattern: "/admin/campaigns/create", Tag: operators,
			Personal: []Whose{Operators},
			Summary:  "Create a hidden campaign and give users access, and email an invitation to new users",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform, Action: "campaign.create", Resumed: true},
			In:       "CampaignRequest", Out: "CampaignCreated", Errors: []int{409, 503},
			handle: a.createCampaign,
		},
		{
			Method: "POST", Pattern: "/admin/campaigns/duplicate", Tag: "content",
			Personal: []Whose{Operators},
			Summary:  "Create a hidden campaign as a copy of another one",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform, Action: "campaign.duplicate"},
			In:       "CampaignCopy", Out: "CampaignCreated", Errors: []int{404, 409, 503},
			handle: a.duplicateCampaign,
		},
		{
			Method: "POST", Pattern: "/admin/campaigns/archive", Tag: "content",
			Summary: "Move an ended campaign and its files to the archive",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true, Action: "campaign.archive"},
			In:      "CampaignArchival", Out: "ArchiveManifest", Errors: []int{404, 409, 503},
			handle: a.archiveCampaign,
		},
	}
}

// CampaignRequest is the request body of POST /admin/campaigns/create.
type CampaignRequest struct {
	Title    string         `json:"title"`
	Slug     string         `json:"slug,omitempty"` // the last part of the page's address; derived from the title if empty
	Users    []CampaignUser `json:"users,omitempty"`
	ChangeID string         `json:"changeId,omitempty"`
}

// CampaignUser gets access to the new campaign. Name is required for a new user.
type CampaignUser struct {
	Email string `json:"email"`
	Name  string `json:"name,omitempty"`
}

// CampaignCreated is a new campaign with the addresses of the requested users, who can edit it.
type CampaignCreated struct {
	content.Created
	Users []string `json:"users"`
}

// maxCampaignUsers limits the users in one request.
const maxCampaignUsers = 20

func (a *API) createCampaign(ctx context.Context, x *exchange) (any, error) {
	var in CampaignRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	users, err := a.campaignUsers(ctx, in)
	if err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	made, err := a.services.Content.Create(ctx, by, in.Title, in.Slug)
	if err != nil {
		return nil, err
	}
	out := CampaignCreated{made, []string{}}
	for _, u := range users {
		if u.changed {
			if err := a.grantAccess(ctx, x.operator, u.User, made.Slug, in.Title); err != nil {
				return nil, err
			}
		}
		out.Users = append(out.Users, u.Email)
	}
	return out, nil
}

// grantAccess saves a user who has been given access to a campaign. An existing user is notified; a
// new user gets an invitation when the record is saved.
func (a *API) grantAccess(ctx context.Context, by string, u access.User, slug, title string) error {
	if u.Revision > 0 {
		if err := a.services.Access.NotifyAccess(ctx, u, slug, title); err != nil {
			return err
		}
	}
	_, err := a.services.Access.Save(ctx, by, u)
	return err
}

// editor is a user with access to the new campaign. changed is set if the record must be saved.
type editor struct {
	access.User
	changed bool
}

// campaignUsers returns the request's users with access to the new campaign. It saves nothing, so
// that an invalid user is reported before the campaign is created.
func (a *API) campaignUsers(ctx context.Context, in CampaignRequest) ([]editor, error) {
	if len(in.Users) > maxCampaignUsers {
		return nil, fault.New(fault.Invalid, "At most %d users can be added at once", maxCampaignUsers).In("users")
	}
	all, err := a.services.Access.Users(ctx)
	if err != nil {
		return nil, err
	}
	slug, err := campaignfile.NewSlug(in.Title, in.Slug)
	if err != nil {
		return nil, err
	}
	var editors []editor
	for i, n := range in.Users {
		u := access.User{Email: n.Email, Name: n.Name, Role: access.CampaignUser}
		email := strings.TrimSpace(n.Email)
		at := slices.IndexFunc(all, func(u access.User) bool { return strings.EqualFold(u.Email, email) })
		if at >= 0 {
			u = all[at]
		}
		e := editor{u, !u.HasAccess(slug)}
		if e.changed {
			e.Campaigns = append(slices.Clone(u.Campaigns), slug)
		}
		if err := e.Check(); err != nil {
			return nil, fault.Of(err).In(fmt.Sprintf("users[%d].%s", i, fault.Of(err).Field))
		}
		editors = append(editors, e)
	}
	return editors, nil
}

// CampaignCopy is the request body of POST /admin/campaigns/duplicate.
type CampaignCopy struct {
	CampaignSlug string `json:"campaignSlug"` // of the original
	Title        string `json:"title"`
	Slug         string `json:"slug,omitempty"` // of the copy; derived from the title if empty
	ChangeID     string `json:"changeId,omitempty"`
}

func (a *API) duplicateCampaign(ctx context.Context, x *exchange) (any, error) {
	var in CampaignCopy
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	made, err := a.services.Content.Duplicate(ctx, by, in.CampaignSlug, in.Title, in.Slug)
	return CampaignCreated{made, []string{}}, err
}

// CampaignArchival is the request body of POST /admin/campaigns/archive.
type CampaignArchival struct {
	CampaignSlug string `json:"campaignSlug"`
	ChangeID     string `json:"changeId,omitempty"`
}

func (a *API) archiveCampaign(ctx context.Context, x *exchange) (any, error) {
	var in CampaignArchival
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	return a.services.Content.Archive(ctx, by, in.CampaignSlug)
}
