package supporters

import (
	"cmp"
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

// pageSize is how many pledges are found at once.
const pageSize = 25

// Service reads. All fields but Acts are required. It is safe for concurrent use.
type Service struct {
	Index        search.Index
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Votes        vote.Client
	Catalogue    func() *campaign.Catalogue
	// Acts returns what operators did about a pledge. It may be nil on a host on which they
	// do nothing.
	Acts func(ctx context.Context, pledgeID string) ([]order.Act, error)
}

// Query is what somebody searches for.
type Query struct {
	// CampaignSlug is where; "" is all campaigns, for a whole address or an order ID alone.
	CampaignSlug string `json:"campaignSlug"`
	// Text is the beginning of an address or of a name from any of its words on, an order's
	// ID, or for who sees sums the last four digits of a card; "" is everybody.
	Text   string `json:"q"`
	Cursor string `json:"cursor"` // Found.Next of the page before
}

// Found is a page of pledges. It may be short, or empty, and yet have a next one.
type Found struct {
	Supporters []Supporter `json:"supporters"`
	Next       string      `json:"next"` // the cursor of the next page, "" on the last
}

// Supporter is who made a pledge. Somebody with several is there once for each.
type Supporter struct {
	OrderID      string        `json:"orderId"`
	CampaignSlug string        `json:"campaignSlug"`
	Email        string        `json:"email"`
	Name         string        `json:"name"` // of the parcel or the bill, "" where there is none
	Status       pledge.Status `json:"pledgeStatus"`
	BookedAt     time.Time     `json:"createdAt"`
	// Amount is charged or due, in cents; nil for callers that may not see sums.
	Amount *money.Cents `json:"amount,omitempty"`
}

// Search finds pledges. Its errors are those of search.Index.
func (s *Service) Search(ctx context.Context, q Query, sums bool) (Found, error) {
	find := s.Index.Everywhere
	if q.CampaignSlug != "" {
		find = func(ctx context.Context, text, cursor string, limit int) (search.Page, error) {
			return s.Index.Find(ctx, q.CampaignSlug, text, sums, cursor, limit)
		}
	}
	page, err := find(ctx, q.Text, q.Cursor, pageSize)
	out := Found{Supporters: []Supporter{}, Next: page.Next}
	for _, p := range page.Pledges {
		row := Supporter{OrderID: p.OrderID, CampaignSlug: p.CampaignSlug, Email: p.Email, Name: nameOf(p), Status: p.Status, BookedAt: p.BookedAt}
		if sums {
			amount := p.PaidOrDue()
			row.Amount = &amount
		}
		out.Supporters = append(out.Supporters, row)
	}
	return out, err
}

func nameOf(p *pledge.Pledge) string {
	var shipping, billing string
	if p.ShippingAddress != nil {
		shipping = p.ShippingAddress.Name
	}
	if p.BillingAddress != nil {
		billing = p.BillingAddress.Name
	}
	return cmp.Or(shipping, billing)
}
