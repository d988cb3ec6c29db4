package httpapi

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

// TokenRequest is the body of what the page about a reader's mails asks for.
type TokenRequest struct {
	Token string `json:"token"`
}

// Subscription says whether somebody gets more mails like the one that a token is of.
type Subscription struct {
	Topic        suppression.Topic `json:"topic"`
	CampaignSlug string            `json:"campaignSlug,omitempty"`
	// CampaignTitle is "" where the campaign is none any more, or the mails are about several.
	CampaignTitle string `json:"campaignTitle,omitempty"`
	Subscribed    bool   `json:"subscribed"`
}

// elsewhere is where a GET leads.
type elsewhere struct {
	Location string `json:"location"`
}

func (a *API) mailRoutes() []Route {
	once := limits(perToken("unsubscribe", 30))
	stop := func(pattern string) []Route {
		return []Route{
			{
				Method: "POST", Pattern: pattern, Tag: "mails",
				Summary: "Stop mails: one click in a mailbox (RFC 8058, the token in the query, any body that is not JSON), or the button of the page",
				Rules:   Rules{RawBody: true, Limits: once}, Query: []Param{{mailToken.Name, "The token, where it is not in the body", false}},
				In: "TokenRequest", Out: "Subscription", Errors: []int{401},
				handle: a.unsubscribe,
			},
			{
				Method: "GET", Pattern: pattern, Tag: "mails",
				Summary: "Lead to the page that asks whether mails should stop; changes nothing",
				Query:   []Param{{mailToken.Name, "The token, where it is not in the fragment", false}, {"lang", "Of the page", false}},
				Out:     "Elsewhere", Status: 303,
				handle: a.askToUnsubscribe,
			},
		}
	}
	return slices.Concat(stop("/unsubscribe"), stop("/launch-reminders/unsubscribe"), []Route{
		{
			Method: "GET", Pattern: "/subscription", Tag: "mails",
			Summary: "Which mails a token stops, and whether they come",
			Rules:   Rules{Limits: limits(readLimit)}, Bearers: []Bearer{mailToken},
			Out: "Subscription", Errors: []int{401},
			handle: a.readSubscription,
		},
		{
			Method: "POST", Pattern: "/resubscribe", Tag: "mails",
			Summary: "Have mails again that the reader has stopped",
			Rules:   Rules{SameOrigin: true, Limits: once},
			In:      "TokenRequest", Out: "Subscription", Errors: []int{401},
			handle: a.resubscribe,
		},
		{
			Method: "POST", Pattern: "/webhooks/email", Tag: "mails",
			Summary: "What the mail provider reports; signed, and each event applied once",
			Rules:   Rules{RawBody: true, Cap: MaxWebhookBody},
			In:      "Event", Out: "MailReports", Errors: []int{401, 404, 503},
			handle: a.mailReports,
		},
	})
}

// askToUnsubscribe changes nothing: scanners open every link of a mail, and some run what
// they find there. The page gets the token in its fragment: from the query, or from the
// address' own fragment, which browsers keep on a redirect to an address without one.
func (a *API) askToUnsubscribe(_ context.Context, x *exchange) (any, error) {
	q := x.query()
	page := "/mails/"
	if q.Get("lang") == "es" {
		page = "/es/mails/"
	}
	to := elsewhere{a.site + page}
	if t := q.Get(mailToken.Name); t != "" {
		to.Location += "#" + url.Values{"t": {t}}.Encode()
	}
	r, err := encode(303, to)
	r.Header = Header{"Location": {to.Location}}
	return r, err
}

// unsubscribe answers the same however often it is asked, and writes once.
func (a *API) unsubscribe(ctx context.Context, x *exchange) (any, error) {
	s, email, err := a.opened(x)
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
	s, email, err := a.opened(x)
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

// opened is what the token of a POST stops, and for whom.
func (a *API) opened(x *exchange) (suppression.Scope, string, error) {
	t, err := x.mailToken()
	if err != nil {
		return suppression.Scope{}, "", err
	}
	return a.services.Unsubscribing.Open(t, a.now())
}

// countedToken is which mail's token a request shows. Only a token that holds is counted, so
// that nobody makes counters of what they invent.
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

// mailToken returns the token of a POST: the one in a JSON body, as the page sends it, or
// else the one in the query. RFC 8058 asks mail clients for the body
// List-Unsubscribe=One-Click, but some send it as text, without a type, or leave it out.
// Link scanners send GET, so any POST to the signed address is a click.
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
