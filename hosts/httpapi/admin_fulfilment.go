package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
)

func (a *API) fulfilmentRoutes() []Route {
	return []Route{
		{
			Method: "POST", Pattern: "/admin/fulfilment/mark", Tag: "fulfilment",
			Personal: []Whose{Supporters},
			Summary:  "Mark up to 200 parcels of charged orders as packed, sent or not packed, with a result for each",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Fulfilment, Action: "fulfilment.mark", Resumed: true},
			In:       "MarkRequest", Out: "Marked", Errors: []int{404, 503},
			handle: a.markParcels,
		},
		{
			Method: "POST", Pattern: "/admin/fulfilment/import", Tag: "fulfilment",
			Personal: []Whose{Supporters},
			Summary:  "Mark parcels as sent from a carrier's CSV file, with a result for each line; a dry run only previews",
			Rules: Rules{Secret: AdminSecret, Operator: access.Fulfilment, Cap: fulfilment.MaxFile + 256<<10,
				Action: "fulfilment.import", Resumed: true, DryRun: true},
			In: "ImportRequest", Out: "Imported", Errors: []int{404, 503},
			handle: a.importParcels,
		},
		{
			Method: "POST", Pattern: "/admin/supporters/note", Tag: "supporters",
			Summary: "Add a note to an order, visible to the campaign's operators",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Supporters, Action: "supporter.note", Resumed: true},
			In:      "NoteRequest", Out: "Noted", Errors: []int{404, 409, 503},
			handle: a.addNote,
		},
		{
			Method: "POST", Pattern: "/admin/supporters/address", Tag: "supporters",
			Personal: []Whose{Supporters},
			Summary:  "Change an order's shipping address within the same country; the supporter gets an email",
			Rules: Rules{Secret: AdminSecret, Operator: access.Supporters, And: access.Fulfilment,
				Action: "supporter.address", Resumed: true},
			In: "Readdressing", Out: "Readdressed", Errors: []int{404, 409, 503},
			handle: a.readdress,
		},
		{
			Method: "POST", Pattern: "/admin/supporters/links", Tag: "supporters",
			Summary: "Email a supporter the links to their pledges again, at most once an hour",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Supporters, Action: "supporter.links"},
			In:      "LinksAgainRequest", Out: "LinksSent", Errors: []int{404, 503},
			handle: decoded(a.sendLinksAgain),
		},
	}
}

// MarkRequest is the request body of POST /admin/fulfilment/mark.
type MarkRequest struct {
	CampaignSlug string            `json:"campaignSlug"`
	ChangeID     string            `json:"changeId"`
	Marks        []fulfilment.Mark `json:"marks"`
	// Notify emails the supporters whose parcel was sent.
	Notify bool `json:"notify,omitempty"`
}

// MarkedParcels is the response of POST /admin/fulfilment/mark.
type MarkedParcels struct {
	Results []fulfilment.Result `json:"results"`
}

func (a *API) markParcels(ctx context.Context, x *exchange) (any, error) {
	return decoded(func(ctx context.Context, in MarkRequest) (MarkedParcels, error) {
		if _, err := a.services.Campaigns().Campaign(in.CampaignSlug); err != nil {
			return MarkedParcels{}, err
		}
		b := fulfilment.Batch{CampaignSlug: in.CampaignSlug, ChangeID: in.ChangeID, By: x.operator,
			NotifySupporters: in.Notify}
		results, err := a.services.Fulfilment.Mark(ctx, b, in.Marks)
		return MarkedParcels{results}, err
	})(ctx, x)
}

// ImportRequest is the request body of POST /admin/fulfilment/import.
type ImportRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	ChangeID     string `json:"changeId,omitempty"` // optional for a dry run
	CSV          string `json:"csv"`
	Notify       bool   `json:"notify,omitempty"`
	DryRun       bool   `json:"dryRun,omitempty"`
}

func (a *API) importParcels(ctx context.Context, x *exchange) (any, error) {
	return decoded(func(ctx context.Context, in ImportRequest) (fulfilment.Imported, error) {
		if _, err := a.services.Campaigns().Campaign(in.CampaignSlug); err != nil {
			return fulfilment.Imported{}, err
		}
		b := fulfilment.Batch{CampaignSlug: in.CampaignSlug, ChangeID: in.ChangeID, By: x.operator,
			NotifySupporters: in.Notify, DryRun: in.DryRun}
		return a.services.Fulfilment.Import(ctx, b, in.CSV)
	})(ctx, x)
}

// NoteRequest is the request body of POST /admin/supporters/note.
type NoteRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	OrderID      string `json:"orderId"`
	Text         string `json:"text"`
	ChangeID     string `json:"changeId"`
}

// Noted is the response of POST /admin/supporters/note.
type Noted struct {
	Noted bool `json:"noted"`
}

func (a *API) addNote(ctx context.Context, x *exchange) (any, error) {
	return decoded(func(ctx context.Context, in NoteRequest) (Noted, error) {
		b := fulfilment.Batch{CampaignSlug: in.CampaignSlug, ChangeID: in.ChangeID, By: x.operator}
		return Noted{true}, a.services.Fulfilment.AddNote(ctx, b, in.OrderID, in.Text)
	})(ctx, x)
}

// Readdressed is the response of POST /admin/supporters/address.
type Readdressed struct {
	OrderID  string         `json:"orderId"`
	Revision int            `json:"revision"`
	Address  pledge.Address `json:"shippingAddress"`
}

func (a *API) readdress(ctx context.Context, x *exchange) (any, error) {
	return decoded(func(ctx context.Context, in checkout.Readdressing) (Readdressed, error) {
		p, err := a.services.Checkout.Readdress(ctx, x.operator, in)
		if err != nil {
			return Readdressed{}, err
		}
		return Readdressed{p.OrderID, p.Revision, *p.ShippingAddress}, nil
	})(ctx, x)
}

// LinksAgainRequest is the request body of POST /admin/supporters/links.
type LinksAgainRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	OrderID      string `json:"orderId"`
}

func (a *API) sendLinksAgain(ctx context.Context, in LinksAgainRequest) (checkout.LinksSent, error) {
	p, err := a.services.Fulfilment.Find(ctx, in.CampaignSlug, in.OrderID)
	if err != nil {
		return checkout.LinksSent{}, err
	}
	return a.services.Checkout.SendLinks(ctx, checkout.LinksRequest{Email: p.Email})
}
