package supporters

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/search"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// pageSize is the number of pledges per page.
const pageSize = 25

// Service finds supporters. All fields except Acts are required. It is safe for concurrent
// use.
type Service struct {
	Index        search.Index
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Votes        vote.Client
	Catalogue    func() *campaign.Catalogue
	// Acts returns the operators' actions on a pledge. It can be nil on a host without such
	// actions.
	Acts func(ctx context.Context, pledgeID string) ([]order.Act, error)
}

// Query is a search query.
type Query struct {
	// CampaignSlug is the campaign to search. With "" all campaigns are searched, but only
	// for a complete address or an order ID.
	CampaignSlug string `json:"campaignSlug"`
	// Text is the start of an address, the start of any word of a name, an order ID or, for
	// callers that may see sums, the last four digits of a card; "" matches all.
	Text   string `json:"q"`
	Cursor string `json:"cursor"` // Found.Next of the previous page
}

// Found is a page of pledges. A page can be short or empty and still have a next one.
type Found struct {
	Supporters []Supporter `json:"supporters"`
	Next       string      `json:"next"` // the cursor of the next page, "" after the last
}

// Supporter is the supporter of one pledge. A supporter with several pledges is listed once
// for each.
type Supporter struct {
	OrderID      string        `json:"orderId"`
	CampaignSlug string        `json:"campaignSlug"`
	Email        string        `json:"email"`
	Name         string        `json:"name"` // from the shipping or billing address, "" if there is none
	Status       pledge.Status `json:"pledgeStatus"`
	BookedAt     time.Time     `json:"createdAt"`
	// Amount is the charged or due amount in cents; nil for callers that may not see sums.
	Amount *money.Cents `json:"amount,omitempty"`
}

// Search finds pledges. Its errors are those of search.Index.
func (s *Service) Search(ctx context.Context, q Query, sums bool) (Found, error) {
	find := s.Index.FindInAll
	if q.CampaignSlug != "" {
		find = func(ctx context.Context, text, cursor string, limit int) (search.Page, error) {
			return s.Index.Find(ctx, q.CampaignSlug, text, sums, cursor, limit)
		}
	}
	page, err := find(ctx, q.Text, q.Cursor, pageSize)
	out := Found{Supporters: []Supporter{}, Next: page.Next}
	for _, p := range page.Pledges {
		row := Supporter{OrderID: p.OrderID, CampaignSlug: p.CampaignSlug, Email: p.Email, Name: p.SupporterName(), Status: p.Status, BookedAt: p.BookedAt}
		if sums {
			amount := p.PaidOrDue()
			row.Amount = &amount
		}
		out.Supporters = append(out.Supporters, row)
	}
	return out, err
}
