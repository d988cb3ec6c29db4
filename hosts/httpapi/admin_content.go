package httpapi

import (
	"cmp"
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxContent is the size limit in bytes of a request body that may contain a campaign file.
const MaxContent = campaign.MaxFile

// document is an editable file of the platform, or the campaign files, of which each campaign has
// one.
type document struct {
	path, name string
	about      string
	needs      access.Permission
	slug       bool // each campaign has its own file
	file       func(a *API, slug string) (string, error)
}

var editableDocuments = []document{
	{"/admin/content", "content", "a campaign's file", access.Content, true, func(a *API, slug string) (string, error) {
		return a.services.Content.CampaignFile(slug)
	}},
	{"/admin/settings", "settings", "the site's settings", access.Platform, false,
		func(*API, string) (string, error) { return content.SettingsFile, nil }},
	{"/admin/add-ons", "add_ons", "the platform's add-ons", access.Platform, false,
		func(*API, string) (string, error) { return campaign.AddOnsFile, nil }},
}

func (a *API) contentRoutes() []Route {
	routes := append(a.campaignFileRoutes(), a.launchRoutes()...)
	routes = append(routes, a.answersRoute())
	routes = append(routes, a.describedRoute(), Route{
		Method: "GET", Pattern: "/pledge/changes", Tag: "supporter",
		Summary: "Changes to the campaign that affect the token's pledge, oldest first",
		Rules:   Rules{Limits: limits(readLimit)}, Bearers: []Bearer{pledgeToken},
		Query: langQuery, Out: "Amendments", Errors: []int{401, 403, 404, 503},
		handle: func(ctx context.Context, x *exchange) (any, error) { return a.amendments(ctx, x) },
	}, Route{
		Method: "GET", Pattern: "/admin/settings/secrets", Tag: "content",
		Summary: "Which secrets are set, without their values",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Platform}, Out: "SecretStatuses",
		handle: plain(a.secretStatuses),
	})
	for _, d := range editableDocuments {
		routes = append(routes, a.documentRoutes(d)...)
	}
	return append(routes, a.readerRoutes()...)
}

// SecretStatus reports whether a secret is set.
type SecretStatus struct {
	Name       string `json:"name"`
	Configured bool   `json:"configured"`
}

// SecretStatuses is the response of GET /admin/settings/secrets.
type SecretStatuses struct {
	Secrets []SecretStatus `json:"secrets"`
}

func (a *API) secretStatuses(context.Context) (SecretStatuses, error) {
	out := SecretStatuses{[]SecretStatus{}}
	set := map[string]bool{}
	for _, e := range a.services.Config.Redacted() {
		set[e.Variable] = e.Value != ""
	}
	for _, s := range config.Settings() {
		if s.Secret {
			out.Secrets = append(out.Secrets, SecretStatus{s.Variable, set[s.Variable]})
		}
	}
	return out, nil
}

// documentRoutes returns the routes for a document.
func (a *API) documentRoutes(d document) []Route {
	query := slices.Clone(langQuery)
	if d.slug {
		query = append(query, Param{"campaignSlug", "The campaign", true})
	}
	rules := Rules{Secret: AdminSecret, Operator: d.needs, Cap: MaxContent}
	change, read := rules, rules
	read.Reads = true
	change.Action = d.name + ".publish"
	undo := Rules{Secret: AdminSecret, Operator: d.needs}
	undo.Action = d.name + ".undo"
	return []Route{
		{
			Method: "GET", Pattern: d.path, Tag: "content", Summary: "The fields of " + d.about + " with their values",
			Rules: rules, Query: query, Out: "ContentFile", Errors: []int{400, 404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				file, err := d.file(a, x.query().Get("campaignSlug"))
				if err != nil {
					return nil, err
				}
				return a.contentFor(x).Open(ctx, file)
			},
		},
		{
			Method: "GET", Pattern: d.path + "/history", Tag: "content",
			Summary:  "The latest changes to " + d.about + ", newest first",
			Personal: []Whose{Operators},
			Rules:    rules, Query: append(slices.Clone(query), Param{"limit", "1 to 100; default 20", false}),
			Out: "ContentHistory", Errors: []int{400, 404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) { return a.contentHistory(ctx, x, d) },
		},
		{
			Method: "POST", Pattern: d.path + "/preview", Tag: "content",
			Summary:  "Preview of publishing a draft of " + d.about + "; writes nothing",
			Personal: []Whose{Operators},
			Query:    langQuery,
			Rules:    read, In: "ContentDraft", Out: "ContentReview", Errors: []int{404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				in, file, err := a.draft(x, d)
				if err != nil {
					return nil, err
				}
				return a.contentFor(x).Preview(ctx, content.Draft{File: file, Edits: in.Edits, Reason: in.Reason})
			},
		},
		{
			Method: "POST", Pattern: d.path + "/publish", Tag: "content",
			Summary: "Commit a draft of " + d.about + " in one step",
			Query:   langQuery, Rules: change, In: "ContentDraft", Out: "ContentPublished", Errors: []int{404, 409, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				in, file, err := a.draft(x, d)
				if err != nil {
					return nil, err
				}
				by, err := a.author(x, in.ChangeID)
				if err != nil {
					return nil, err
				}
				return a.contentFor(x).Publish(ctx, by, content.Draft{File: file, Edits: in.Edits, Reason: in.Reason})
			},
		},
		{
			Method: "POST", Pattern: d.path + "/undo", Tag: "content", Summary: "Undo one commit's changes to " + d.about,
			Query: langQuery, Rules: undo, In: "ContentUndo", Out: "ContentPublished", Errors: []int{404, 409, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) { return a.undoContent(ctx, x, d) },
		},
	}
}

// DraftBody is the request body of previews and publications.
type DraftBody struct {
	CampaignSlug string         `json:"campaignSlug,omitempty"`
	Edits        []content.Edit `json:"edits"`
	Reason       string         `json:"reason,omitempty"`
	// ChangeID identifies the change: repeated requests with the same ID publish it once.
	ChangeID string `json:"changeId,omitempty"`
}

func (a *API) draft(x *exchange, d document) (in DraftBody, file string, err error) {
	if err := decodeJSON(x.Body, &in); err != nil {
		return in, "", err
	}
	file, err = d.file(a, in.CampaignSlug)
	return in, file, err
}

// History is the response of the history routes.
type History struct {
	Versions []content.Version `json:"versions"`
}

// defaultHistory is the default number of changes.
const defaultHistory = 20

func (a *API) contentHistory(ctx context.Context, x *exchange, d document) (any, error) {
	file, err := d.file(a, x.query().Get("campaignSlug"))
	if err != nil {
		return nil, err
	}
	limit, err := number(x, "limit", defaultHistory)
	if err != nil {
		return nil, err
	}
	versions, err := a.contentFor(x).History(ctx, file, limit)
	return History{versions}, err
}

// UndoBody is the request body of the undo routes.
type UndoBody struct {
	CampaignSlug string `json:"campaignSlug,omitempty"`
	Revision     string `json:"revision"`
	Reason       string `json:"reason,omitempty"`
	ChangeID     string `json:"changeId,omitempty"`
}

func (a *API) undoContent(ctx context.Context, x *exchange, d document) (any, error) {
	var in UndoBody
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	file, err := d.file(a, in.CampaignSlug)
	if err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	return a.contentFor(x).Undo(ctx, by, file, in.Revision, in.Reason)
}

// maxChangeID is the maximum length of a change ID in characters.
const maxChangeID = 64

// author returns the author of a change: the signed-in user, or the platform for requests with a
// secret. Without a change ID, the author gets the ID of the resumable action or a new one. author
// fails with code Invalid if the change ID is malformed.
func (a *API) author(x *exchange, changeID string) (content.Author, error) {
	if len(changeID) > maxChangeID || !plainWord(changeID) {
		return content.Author{}, fault.New(fault.Invalid, "A change ID can have at most %d letters, digits and hyphens",
			maxChangeID).In("changeId")
	}
	changeID = cmp.Or(changeID, x.act)
	if changeID == "" {
		id, err := pledge.NewOrderID(a.now(), a.services.Rand)
		if err != nil {
			return content.Author{}, err
		}
		changeID = id
	}
	site := a.services.Config.Site
	by := content.Author{ID: changeID,
		Author: repository.Author{Name: cmp.Or(site.Name, "Pledgeworks"), Email: site.SupportEmail}}
	if x.caller != nil {
		by.Name, by.Email = cmp.Or(x.caller.User.Name, x.caller.User.Email), x.caller.User.Email
	}
	if by.Email == "" {
		by.Email = "noreply@localhost"
	}
	return by, nil
}

func plainWord(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return true
}

// Amendments is the response of GET /pledge/changes.
type Amendments struct {
	Known   bool                `json:"known"`
	Changes []content.Amendment `json:"changes"`
}

func (a *API) amendments(ctx context.Context, x *exchange) (Amendments, error) {
	v, err := a.services.Checkout.View(ctx, x.bearer(pledgeToken))
	if err != nil || !v.CampaignChanged {
		return Amendments{Known: err == nil, Changes: []content.Amendment{}}, err
	}
	all, known, err := a.contentFor(x).Since(ctx, v.CampaignSlug, v.Promise.CampaignRevision)
	return Amendments{known, append([]content.Amendment{}, all...)}, err
}
