package httpapi

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

// TokenRequest is the request body of the mail preferences page's routes.
type TokenRequest struct {
	Token string `json:"token"`
}

// Subscription reports whether an address gets the kind of mails that its token is for.
type Subscription struct {
	Topic        suppression.Topic `json:"topic"`
	CampaignSlug string            `json:"campaignSlug,omitempty"`
	// CampaignTitle is "" if the campaign no longer exists or the mails concern several.
	CampaignTitle string `json:"campaignTitle,omitempty"`
	Subscribed    bool   `json:"subscribed"`
}

// redirect is the response of a GET that redirects.
type redirect struct {
	Location string `json:"location"`
}

func (a *API) subscriptionRoutes() []Route {
	once := limits(perToken("unsubscribe", 30))
	stop := func(pattern string) []Route {
		return []Route{
			{
				Method: "POST", Pattern: pattern, Tag: "mails",
				Summary: "Unsubscribe with one click in a mail client (RFC 8058, token in the query, any non-JSON body) or with the button on the page",
				Rules:   Rules{RawBody: true, Limits: once},
				Query:   []Param{{mailToken.Name, "The token, if it is not in the body", false}},
				In:      "TokenRequest", Out: "Subscription", Errors: []int{401},
				handle: a.unsubscribe,
			},
			{
				Method: "GET", Pattern: pattern, Tag: "mails",
				Summary: "Redirect to the unsubscribe page; changes nothing",
				Query: []Param{{mailToken.Name, "The token, if it is not in the fragment", false},
					{"lang", "Language of the page", false}},
				Out: "Elsewhere", Status: 303,
				handle: a.redirectToUnsubscribe,
			},
		}
	}
	return slices.Concat(stop("/unsubscribe"), stop("/launch-reminders/unsubscribe"), []Route{
		{
			Method: "GET", Pattern: "/subscription", Tag: "mails",
			Summary: "The emails that a token can stop, and whether the address gets them",
			Rules:   Rules{Limits: limits(readLimit)}, Bearers: []Bearer{mailToken},
			Out: "Subscription", Errors: []int{401},
			handle: a.readSubscription,
		},
		{
			Method: "POST", Pattern: "/resubscribe", Tag: "mails",
			Summary: "Undo an unsubscription by the reader",
			Rules:   Rules{SameOrigin: true, Limits: once},
			In:      "TokenRequest", Out: "Subscription", Errors: []int{401},
			handle: a.resubscribe,
		},
	})
}

// redirectToUnsubscribe only redirects, because link scanners open every link in a mail and some run
// scripts. The page gets a token from the query in its fragment. If the token is already in the
// link's fragment, the redirect has none, so that the browser keeps the link's own.
func (a *API) redirectToUnsubscribe(_ context.Context, x *exchange) (any, error) {
	q := x.query()
	page := "/mails/"
	if q.Get("lang") == "es" {
		page = "/es/mails/"
	}
	to := redirect{a.site + page}
	if t := q.Get(mailToken.Name); t != "" {
		to.Location += "#" + url.Values{"t": {t}}.Encode()
	}
	r, err := encode(303, to)
	r.Header = Header{"Location": {to.Location}}
	return r, err
}

// unsubscribe is idempotent: repeated requests write nothing.
func (a *API) unsubscribe(ctx context.Context, x *exchange) (any, error) {
	s, email, err := a.openToken(x)
	if err != nil {
		return nil, err
	}
	list := a.services.Suppressions
	reasons, err := list.Reasons(ctx, s, email)
	if err == nil && !slices.Contains(reasons, suppression.Asked) {
		err = list.Add(ctx, s, list.Address(email), suppression.Asked)
	}
	return a.subscription(s, false), err
}

func (a *API) resubscribe(ctx context.Context, x *exchange) (any, error) {
	s, email, err := a.openToken(x)
	if err != nil {
		return nil, err
	}
	if err := a.services.Suppressions.Clear(ctx, s, email, suppression.Asked); err != nil {
		return nil, err
	}
	return a.subscription(s, true), nil
}

func (a *API) readSubscription(ctx context.Context, x *exchange) (any, error) {
	s, email, err := a.services.Unsubscribing.Open(x.bearer(mailToken), a.now())
	if err != nil {
		return nil, err
	}
	reasons, err := a.services.Suppressions.Reasons(ctx, s, email)
	return a.subscription(s, !slices.Contains(reasons, suppression.Asked)), err
}

func (a *API) subscription(s suppression.Scope, subscribed bool) Subscription {
	v := Subscription{Topic: s.Topic, CampaignSlug: s.Campaign, Subscribed: subscribed}
	if c, err := a.services.Campaigns().Campaign(s.Campaign); err == nil {
		v.CampaignTitle = c.Title
	}
	return v
}

// openToken returns the scope and the address in a POST request's token.
func (a *API) openToken(x *exchange) (suppression.Scope, string, error) {
	t, err := x.mailToken()
	if err != nil {
		return suppression.Scope{}, "", err
	}
	return a.services.Unsubscribing.Open(t, a.now())
}

// countedToken returns the hash of the request's mail token. It fails if the token is invalid, so
// that clients cannot create counters for made-up tokens.
func (a *API) countedToken(x *exchange) (string, error) {
	t, err := x.mailToken()
	if err != nil {
		return "", err
	}
	if _, _, err := a.services.Unsubscribing.Open(t, a.now()); err != nil {
		return "", err
	}
	return notify.Hash(t), nil
}

// mailToken returns the token of a POST: from a JSON body, as the page sends it, otherwise from the
// query. RFC 8058 requires mail clients to send the body List-Unsubscribe=One-Click, but some send
// it as text, without a type, or not at all. Link scanners send GET, so any POST to the signed
// address counts as a click.
func (x *exchange) mailToken() (string, error) {
	kind, _, _ := strings.Cut(x.header("Content-Type"), ";")
	if len(x.Body) == 0 || !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return x.query().Get(mailToken.Name), nil
	}
	var in TokenRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return "", err
	}
	return in.Token, nil
}
