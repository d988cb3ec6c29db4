// Package payouts shows the processor's payouts to operators.
//
// A payout has money of all campaigns. [Service.List] returns payouts as a whole, for those who may see all
// campaigns, and [Service.OfCampaign] a campaign's shares of them.
package payouts

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

// Service reads payouts. It is safe for concurrent use.
type Service struct {
	Settlement *settlement.Service
}

// Payout is a payout as operators see it. Amounts are in cents.
type Payout struct {
	ID          string             `json:"payoutId"`
	Status      psp.PayoutStatus   `json:"status"` // as named by the processor
	Automatic   bool               `json:"automatic"`
	CreatedAt   time.Time          `json:"createdAt"`
	ArrivesAt   time.Time          `json:"arrivesAt"`
	Currency    string             `json:"currency"`
	Explanation payout.Explanation `json:"explanation"`
	// Reason is why a payout is not explainable.
	Reason payout.Reason  `json:"reason,omitempty"`
	Shares []payout.Share `json:"shares"`
	// Whole is nil in the list of a campaign.
	Whole *Whole `json:"whole,omitempty"`
}

// Whole are the amounts of a payout that concern all campaigns, in cents.
type Whole struct {
	Amount     money.Cents `json:"amount"`
	Other      money.Cents `json:"other"`      // fees of the account, other services, reserves and top-ups
	Difference money.Cents `json:"difference"` // the amount without the sum of its rows
	Rows       int         `json:"rowCount"`
}

// Page is a page of payouts, newest first. Next is "" on the last page.
type Page struct {
	Payouts []Payout `json:"payouts"`
	Next    string   `json:"next"`
}

// List returns at most limit payouts after a cursor. It fails with code Invalid for a cursor that is not
// one.
func (s *Service) List(ctx context.Context, after string, limit int) (Page, error) {
	page, err := s.read(ctx, after, limit)
	if err != nil {
		return Page{}, err
	}
	out := Page{Payouts: []Payout{}, Next: page.Next}
	for _, p := range page.Payouts {
		view := viewOf(p)
		view.Whole = &Whole{Amount: p.Amount, Difference: p.Difference()}
		if p.Contents != nil {
			view.Shares = append(view.Shares, p.Contents.Shares...)
			view.Whole.Other, view.Whole.Rows = p.Contents.Other, p.Contents.Rows
		}
		out.Payouts = append(out.Payouts, view)
	}
	return out, nil
}

// OfCampaign returns a campaign's shares of at most limit payouts after a cursor. Payouts without a share are
// left out, so that a page may be short. It fails with code NotFound for an unknown campaign.
func (s *Service) OfCampaign(ctx context.Context, slug, after string, limit int) (Page, error) {
	if _, err := s.Settlement.Catalogue().Campaign(slug); err != nil {
		return Page{}, err
	}
	page, err := s.read(ctx, after, limit)
	if err != nil {
		return Page{}, err
	}
	out := Page{Payouts: []Payout{}, Next: page.Next}
	for _, p := range page.Payouts {
		if share, ok := p.ShareOf(slug); ok {
			view := viewOf(p)
			view.Shares = append(view.Shares, share)
			out.Payouts = append(out.Payouts, view)
		}
	}
	return out, nil
}

func (s *Service) read(ctx context.Context, after string, limit int) (payout.Page, error) {
	errCursor := fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	if !isID(after) {
		return payout.Page{}, errCursor
	}
	page, err := s.Settlement.Payouts(ctx, after, limit)
	if fault.Is(err, fault.NotFound) {
		err = errCursor
	}
	return page, err
}

// All returns all payouts of the account, at most limit.
func (s *Service) All(ctx context.Context, limit int) ([]Payout, error) {
	all := []Payout{}
	for after := ""; ; {
		page, err := s.List(ctx, after, min(100, limit-len(all)))
		if err != nil {
			return nil, err
		}
		all = append(all, page.Payouts...)
		if after = page.Next; after == "" || len(all) >= limit {
			return all, nil
		}
	}
}

// viewOf returns a payout without its amounts.
func viewOf(p payout.Payout) Payout {
	return Payout{ID: p.ID, Status: p.Status, Automatic: p.Automatic, CreatedAt: p.CreatedAt, ArrivesAt: p.ArrivesAt,
		Currency: p.Currency, Explanation: p.Explanation(), Reason: p.Reason(), Shares: []payout.Share{}}
}

// isID reports whether a text can be the ID of a payout, or is "".
func isID(s string) bool {
	return len(s) < 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
