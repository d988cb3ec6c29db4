package httpapi

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// csrfHeader contains the csrfToken from GET /admin/session in requests that change something.
const csrfHeader = "X-Svc-Admin-Csrf"

// Cookie names. Browsers accept a name with the prefix __Host- only from this host, over TLS and
// for the path / (RFC 6265bis 4.1.3).
const (
	SessionCookie = "__Host-admin-session"
	browserCookie = "__Host-admin-sign-in" // identifies a browser that has requested a sign-in mail
	knownCookie   = "__Host-admin-known"   // identifies a browser in which the user has signed in before
)

// checkCaller checks the request's secret, or its session and permission. It does not need the
// body. checkReach performs the checks that do.
func (a *API) checkCaller(ctx context.Context, x *exchange) error {
	switch {
	case x.route.Secret == noSecret && x.route.Operator == "":
		return nil
	case x.route.ByLink && x.bearer(reviewToken) != "":
		return nil
	case x.route.Operator != "" && x.secret() == "" && x.cookie(SessionCookie) != "":
		return a.checkSession(ctx, x)
	case x.route.Secret == noSecret:
		return fault.New(fault.Unauthorized, "You are not signed in")
	case x.route.Secret == OperatorKey:
		name, err := a.services.Operator(x.secret())
		x.operator = name
		return err
	}
	return a.checkSecret(x)
}

// checkSession checks the session, the CSRF token and the user's permission. It stores the session
// in x.checked for checkReach.
func (a *API) checkSession(ctx context.Context, x *exchange) error {
	c, err := a.services.Access.Check(ctx, x.cookie(SessionCookie))
	if err != nil {
		return err
	}
	if x.Method != "GET" && x.Method != "HEAD" {
		if err := a.checkForgery(x, c); err != nil {
			return err
		}
	}
	if c.Missing != "" && !x.route.Partial {
		return fault.New(passkeyMissing, "This requires a passkey in addition to the email")
	}
	if err := x.checkPermission(c.User); err != nil {
		return err
	}
	x.checked = &c
	return nil
}

// checkReach checks whether the user may make this request with this body: the campaign and
// whether a recent sign-in is required. For routes with OperatorKey, it also checks that decisions
// by two super admins are possible. It then makes the session the request's caller.
func (a *API) checkReach(ctx context.Context, x *exchange) error {
	c := x.checked
	if c == nil {
		return nil
	}
	if err := a.checkUserCampaign(ctx, x, c.User); err != nil {
		return err
	}
	if x.needsFresh() && !c.Session.Fresh(a.now()) {
		return fault.New(signInAgain, "This requires a sign-in within the last ten minutes")
	}
	if x.route.Secret == OperatorKey {
		if err := a.services.CheckTwoSuperAdmins(ctx); err != nil {
			return err
		}
	}
	x.caller, x.operator = c, c.User.Email
	return nil
}

// firstPage is the number of people in a list that users without a recent sign-in may see.
const firstPage = 50

// needsFresh reports whether the request requires a recent sign-in, either because its route does
// or because it requests more than the first page of a list of people.
func (x *exchange) needsFresh() bool {
	if x.route.Fresh {
		return !x.dryRun()
	}
	return x.route.Listing > 0 && x.beyondFirstPage()
}

// beyondFirstPage reports whether the query requests more than firstPage entries, a later page, or
// a filtered list. Filters count because repeated filtered requests could retrieve the whole list;
// only the campaign and left, which selects unsent parcels, are exempt.
func (x *exchange) beyondFirstPage() bool {
	q := x.query()
	if cursor := q.Get("cursor"); cursor != "" && cursor != "0" {
		return true
	}
	for name := range q {
		if !slices.Contains([]string{"limit", "cursor", "left", "campaignSlug", "lang"}, name) {
			return true
		}
	}
	limit, err := number(x, "limit", x.route.Listing)
	return err == nil && limit > firstPage // the handler rejects an invalid limit
}

// checkForgery fails with code Forbidden if the request does not come from the public site or lacks
// the session's CSRF token.
func (a *API) checkForgery(x *exchange, c access.Caller) error {
	if err := a.checkSite(x); err != nil {
		return err
	}
	if !equal(x.header(csrfHeader), c.Session.CSRF) {
		return fault.New(fault.Forbidden, "Missing or wrong %s", strings.ToLower(csrfHeader))
	}
	return nil
}

// coversAllCampaigns reports whether the user may use the route for every campaign.
func (x *exchange) coversAllCampaigns(u access.User) bool {
	return u.Role == access.SuperAdmin || x.route.Operator == access.SignedIn
}

// checkPermission checks that the user has the route's permissions.
func (x *exchange) checkPermission(u access.User) error {
	if x.coversAllCampaigns(u) || u.Has(x.route.Operator) && (x.route.And == "" || u.Has(x.route.And)) {
		return nil
	}
	return fault.New(fault.Forbidden, "You may not do this")
}

// checkUserCampaign checks that the user has access to the request's campaign. It reports other
// campaigns as nonexistent.
func (a *API) checkUserCampaign(ctx context.Context, x *exchange, u access.User) error {
	if x.coversAllCampaigns(u) {
		return nil
	}
	slug, err := a.campaignOf(ctx, x)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err != nil || !u.HasAccess(slug) {
		return fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
	}
	return nil
}

// campaignOf reads a request's campaign from the same place as its handler does: the path, the
// query of a GET or an upload, or the body of another POST. It fails with code Invalid if there is
// none.
func (a *API) campaignOf(ctx context.Context, x *exchange) (string, error) {
	if x.route.campaign != nil {
		return x.route.campaign(ctx, x)
	}
	slug := x.param
	switch {
	case slug != "":
	case x.Method == "GET" || x.Method == "HEAD" || x.route.Streamed:
		slug = x.query().Get("campaignSlug")
	default:
		var body struct{ CampaignSlug string }
		_ = json.Unmarshal(x.Body, &body) // invalid JSON contains no campaign
		slug = body.CampaignSlug
	}
	if slug == "" {
		return "", fault.New(fault.Invalid, "Missing campaignSlug").In("campaignSlug")
	}
	return slug, nil
}

// checkChallenge verifies the challenge response of routes that require one.
func (a *API) checkChallenge(ctx context.Context, x *exchange) error {
	if x.route.Challenge == "" || !a.services.Config.SignInChallenged() {
		return nil
	}
	var body struct{ Challenge string }
	_ = json.Unmarshal(x.Body, &body)
	return a.services.Challenge(ctx, x.route.Challenge, body.Challenge)
}

// session returns the ID of the caller's session, "" for requests with a secret.
func (x *exchange) session() string {
	if x.caller == nil {
		return ""
	}
	return x.caller.Session.ID
}

// dryRun reports whether the request is a dry run.
func (x *exchange) dryRun() bool {
	if !x.route.DryRun {
		return false
	}
	var body struct{ DryRun bool }
	_ = json.Unmarshal(x.Body, &body)
	return body.DryRun
}

// cookie returns the value of a cookie, or "" if the request does not contain it.
func (x *exchange) cookie(name string) string {
	for part := range strings.SplitSeq(x.header("Cookie"), ";") {
		if k, v, ok := strings.Cut(strings.TrimSpace(part), "="); ok && k == name {
			return v
		}
	}
	return ""
}
