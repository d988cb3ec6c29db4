package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxSearch is the maximum length of a search text in bytes.
const maxSearch = 100

// auditFilters lists the query parameters that filter events.
var auditFilters = []Param{
	{"action", "Action, such as settlement.stop", false},
	{"adminEmail", "Email address of the operator, exact match", false},
	{"campaignSlug", "The campaign", false}, {"from", "First day in the platform's time zone, such as 2026-01-31", false},
	{"to", "Last day in the platform's time zone", false}, {"q", "Text contained in any field, at most 100 bytes", false},
}

func (a *API) auditRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/audit", Tag: "operations",
			Personal: []Whose{Operators},
			Summary:  "Audit log of operator actions, newest first",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform, Listing: audit.DefaultPage},
			Query: append(slices.Clone(auditFilters),
				Param{"limit", fmt.Sprintf("Events per page, 1 to %d", audit.MaxPage), false},
				Param{"cursor", "The next value of the previous page", false}, langQuery[0]),
			Out: "AuditPage", Errors: []int{400, 503},
			handle: a.auditPage,
		},
		{
			Method: "GET", Pattern: "/admin/audit.csv", Tag: "operations",
			Personal: []Whose{Operators},
			Summary:  "All matching events as CSV",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true},
			Query:    auditFilters,
			Type:     csvType, Errors: []int{400, 503},
			handle: a.auditFile,
		},
		{
			// The filters may contain an email address, which must not be in a URL (ASVS 14.2.1).
			Method: "POST", Pattern: "/admin/audit", Tag: "operations",
			Personal: []Whose{Operators},
			Summary:  "Audit log filtered also by operator or text, newest first; read-only",
			Rules:    Rules{Reads: true, Secret: AdminSecret, Operator: access.Platform, Fresh: true},
			In:       "AuditQuery", Out: "AuditPage", Errors: []int{503},
			handle: decoded(a.searchAudit),
		},
		{
			Method: "POST", Pattern: "/admin/audit.csv", Tag: "operations",
			Personal: []Whose{Operators},
			Summary:  "All events that match filters also by operator or text, as CSV; read-only",
			Rules:    Rules{Reads: true, Secret: AdminSecret, Operator: access.Platform, Fresh: true},
			In:       "AuditQuery", Type: csvType, Errors: []int{503},
			handle: decoded(a.auditCSV),
		},
	}
}

// AuditQuery is the body of POST /admin/audit and /admin/audit.csv. Its fields are those of the
// query of GET /admin/audit.
type AuditQuery struct {
	Action       string `json:"action"`
	AdminEmail   string `json:"adminEmail"`
	CampaignSlug string `json:"campaignSlug"`
	From         string `json:"from"`
	To           string `json:"to"`
	Text         string `json:"q"`
	Limit        *int   `json:"limit"` // nil means audit.DefaultPage; ignored for CSV
	Cursor       int    `json:"cursor"`
	Lang         string `json:"lang"`
}

// AuditEvent is an audit event with a summary of the action.
type AuditEvent struct {
	audit.Event
	Summary string `json:"summary"`                 // in the requested language
	Title   string `json:"campaignTitle,omitempty"` // "" without a campaign, or if it no longer exists
}

// AuditPage is the response of GET and POST /admin/audit.
type AuditPage struct {
	Events  []AuditEvent   `json:"events"`
	Next    int            `json:"next"`
	Actions []audit.Action `json:"actions"` // valid values of the action filter
}

func (a *API) auditPage(ctx context.Context, x *exchange) (any, error) {
	in := auditQueryOf(x.query())
	limit, err := number(x, "limit", audit.DefaultPage)
	if err != nil {
		return nil, err
	}
	if in.Cursor, err = number(x, "cursor", 0); err != nil {
		return nil, err
	}
	in.Limit = &limit
	return a.searchAudit(ctx, in)
}

func (a *API) searchAudit(ctx context.Context, in AuditQuery) (AuditPage, error) {
	f, err := a.auditFilter(in)
	if err != nil {
		return AuditPage{}, err
	}
	lang, err := supportedLang(in.Lang)
	if err != nil {
		return AuditPage{}, err
	}
	limit := audit.DefaultPage
	if in.Limit != nil {
		limit = *in.Limit
	}
	page, err := a.services.Audit.Search(ctx, f, in.Cursor, limit)
	out := AuditPage{Events: []AuditEvent{}, Next: page.Next, Actions: audit.Actions(lang)}
	for _, e := range page.Events {
		event := AuditEvent{Event: e, Summary: e.Summary(lang)}
		if c, err := a.services.Campaigns().Campaign(e.CampaignSlug); err == nil {
			event.Title = c.Title
		}
		out.Events = append(out.Events, event)
	}
	return out, err
}

func (a *API) auditFile(ctx context.Context, x *exchange) (any, error) {
	return a.auditCSV(ctx, auditQueryOf(x.query()))
}

func (a *API) auditCSV(ctx context.Context, in AuditQuery) (any, error) {
	f, err := a.auditFilter(in)
	if err != nil {
		return nil, err
	}
	return file("audit.csv", csvType, a.services.Audit.All(ctx, f), audit.WriteCSV)
}

// auditQueryOf returns the filters and the language in a URL's query.
func auditQueryOf(q url.Values) AuditQuery {
	return AuditQuery{
		Action: q.Get("action"), AdminEmail: q.Get("adminEmail"), CampaignSlug: q.Get("campaignSlug"),
		From: q.Get("from"), To: q.Get("to"), Text: q.Get("q"), Lang: q.Get("lang"),
	}
}

func (a *API) auditFilter(in AuditQuery) (audit.Filter, error) {
	f := audit.Filter{Action: in.Action, AdminEmail: in.AdminEmail, CampaignSlug: in.CampaignSlug, Text: in.Text}
	if len(f.Text) > maxSearch {
		return f, fault.New(fault.Invalid, "A search text can have at most %d bytes", maxSearch).In("q")
	}
	var err error
	if f.From, err = a.day("from", in.From); err != nil {
		return f, err
	}
	if f.To, err = a.day("to", in.To); err == nil && !f.To.IsZero() {
		f.To = f.To.AddDate(0, 0, 1)
	}
	return f, err
}

// day parses a date and returns the start of that day in the platform's time zone, or the zero time
// if the text is empty. It fails with code Invalid and the given field if the date is invalid.
func (a *API) day(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, text, a.services.Config.Site.Timezone.Location())
	if err != nil {
		return t, fault.New(fault.Invalid, "Use a date such as 2026-01-31").In(field)
	}
	return t, nil
}

func number(x *exchange, name string, fallback int) (int, error) {
	text := x.query().Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fault.New(fault.Invalid, "%s must be a whole number", name).In(name)
	}
	return n, nil
}

// perform runs a route's handler and records operator actions in the audit log. Dry runs are not
// recorded.
func (a *API) perform(ctx context.Context, x *exchange) (v any, err error) {
	if x.route.Action == "" {
		return x.route.handle(ctx, x)
	}
	act, dryRun := a.describeAct(x)
	if dryRun {
		return x.route.handle(ctx, x)
	}
	run := func(id string) error {
		x.act = id
		v, err = x.route.handle(ctx, x)
		return err
	}
	if !x.route.Resumed {
		err = a.services.Audit.Do(ctx, act, func() error { return run("") })
		return v, err
	}
	request, err := x.resumableRequest()
	if err != nil {
		return nil, err
	}
	err = a.services.Audit.DoResumable(ctx, act, request, run)
	return v, err
}

// describeAct describes an operator's request for the audit log. It records the names of all fields
// in the body, but the values only of the campaign, the order and the reason, because other values
// may be personal. Routes about dashboard users also record the user or session concerned, and
// ByQuery routes the file name. dryRun reports whether the request is a dry run.
func (a *API) describeAct(x *exchange) (act audit.Act, dryRun bool) {
	var body struct {
		CampaignSlug, OrderID, Reason, Anyway, Email, SessionID string
	}
	_ = json.Unmarshal(x.Body, &body) // invalid JSON is rejected by the handler
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(x.Body, &fields)
	act = audit.Act{
		Action: x.route.actionFor(fields), AdminEmail: x.operator, AdminRole: a.credentialRole(x), Source: "api",
		CampaignSlug: body.CampaignSlug, OrderID: body.OrderID, Reason: body.Reason + body.Anyway,
		ChangedFields: slices.Sorted(maps.Keys(fields)),
	}
	if x.route.Tag == operators { // the log names operators, but no other people
		act.Target = body.Email + body.SessionID
	}
	if x.route.ByQuery {
		act.CampaignSlug, act.Target = x.query().Get("campaignSlug"), x.query().Get("filename")
	}
	if x.param != "" {
		act.CampaignSlug = x.param
	}
	return act, x.dryRun()
}

// actionFor returns the action of a request with the fields.
func (r *Rules) actionFor(fields map[string]json.RawMessage) string {
	var value string
	if json.Unmarshal(fields[r.ActionField], &value) != nil {
		return r.Action
	}
	return cmp.Or(r.Actions[value], r.Action)
}

// credentialRole returns the signed-in user's role, or the kind of key or secret that the request
// used.
func (a *API) credentialRole(x *exchange) string {
	c := x.route.Secret
	switch {
	case x.caller != nil:
		return string(x.caller.User.Role)
	case c == OperatorKey:
		return "operator"
	case c == SettlementSecret && a.secrets.AdminSettlement.IsSet():
		return "settlement secret"
	case c == BroadcastSecret && a.secrets.AdminBroadcast.IsSet():
		return "broadcast secret"
	}
	return "admin secret"
}
