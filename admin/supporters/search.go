package supporters

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/search"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// Limits of a page: its pledges, how many are read to find those that a filter matches, and
// how many campaigns are searched at a time.
const (
	pageSize     = 25
	maxRead      = 200
	maxCampaigns = 5
)

// Service finds supporters. All fields except Acts, CanCancel, PaymentPage and Disputes are required.
// It is safe for concurrent use.
type Service struct {
	Index        search.Index
	Inventory    inventory.Client
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Votes        vote.Client
	Catalogue    func() *campaign.Catalogue
	// Acts returns the operators' actions on a pledge. It is nil on a host without such actions.
	Acts func(ctx context.Context, pledgeID string) ([]order.Act, error)
	// CanCancel reports whether an operator may cancel a pledge now. If it is nil, operators may
	// not cancel pledges.
	CanCancel func(ctx context.Context, p *pledge.Pledge) (bool, error)
	// PaymentPage returns the address of a payment at the payment processor. It can be nil.
	PaymentPage func(paymentID string) string
	// Disputes returns the disputes and early fraud warnings of a payment.
	Disputes func(ctx context.Context, slug, paymentID string) (dispute.OfPayment, error)
}

// Query is a search query.
type Query struct {
	// CampaignSlug is the campaign to search. With "" all campaigns are searched one after
	// the other, by slug; for a complete address or an order ID, at once.
	CampaignSlug string `json:"campaignSlug"`
	// Text is the start of an address, the start of any word of a name, an order ID or, for callers
	// that may see money, the last four digits of a card; "" matches all.
	Text   string `json:"q"`
	Cursor string `json:"cursor"` // Found.Next of the previous page
	// Filters; "" matches all. Status is one of Filters(), RewardID the ID of a chosen reward,
	// and Country the two letters of the shipping address, or else of the billing address.
	Status   pledge.Status `json:"status"`
	RewardID string        `json:"rewardId"`
	Country  string        `json:"country"`
	// ToShip finds only charged pledges with a parcel that is not sent yet.
	ToShip bool `json:"toShip,omitempty"`
}

// Filters returns the statuses by which pledges can be filtered. The last four require the permission to
// see money.
func Filters() []pledge.Status {
	return append([]pledge.Status{pledge.Active, pledge.PaymentFailed, pledge.Status(pledge.Dropped),
		pledge.Cancelled, pledge.Charged}, reversed...)
}

// reversed are the statuses of charged pledges with a refund or a dispute.
var reversed = []pledge.Status{pledge.FullyRefunded, pledge.PartlyRefunded, pledge.InDispute, pledge.LostToDispute}

// NeedsMoney reports whether a filter requires the permission to see money.
func NeedsMoney(f pledge.Filter) bool { return slices.Contains(reversed, f.Status) }

func (q Query) check(visible Visibility) error {
	if err := CheckFilter(q.filter()); err != nil {
		return err
	}
	if NeedsMoney(q.filter()) && !visible.Money {
		return fault.New(fault.Forbidden, "Filtering by refunds and disputes requires the money permission").In("status")
	}
	if q.Country != "" && !visible.Addresses {
		return fault.New(fault.Forbidden, "Filtering by country requires the fulfilment permission").In("country")
	}
	if q.ToShip && !visible.Addresses {
		return fault.New(fault.Forbidden, "Filtering by parcels requires the fulfilment permission").In("toShip")
	}
	return nil
}

// CheckFilter fails with code Invalid if a filter's value is not valid.
func CheckFilter(f pledge.Filter) error {
	switch {
	case f.Status != "" && !slices.Contains(Filters(), f.Status):
		return fault.New(fault.Invalid, "Unknown status").In("status")
	case len(f.RewardID) > maxRewardID:
		return fault.New(fault.Invalid, "A reward ID can have at most %d bytes", maxRewardID).In("rewardId")
	case f.Country != "" && !pledge.IsCountry(f.Country):
		return fault.New(fault.Invalid, "A country must be an existing two-letter code, such as US").In("country")
	}
	return nil
}

// maxRewardID is the maximum length of a reward ID in a query, in bytes.
const maxRewardID = 200

func (q Query) filter() pledge.Filter {
	return pledge.Filter{Status: q.Status, RewardID: q.RewardID, Country: q.Country, ToShip: q.ToShip}
}

// Found is a page of pledges. A page can be short or empty although there is a next page.
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
	// Display is Pledge.DetailedStatus, for callers that may not see money Pledge.DisplayStatus.
	Display  pledge.Status `json:"status"`
	Rewards  []string      `json:"rewards"` // names, such as "2 × Seat"
	BookedAt time.Time     `json:"createdAt"`
	// Amount is the charged or due amount in cents; nil for callers that may not see money.
	Amount *money.Cents `json:"amount,omitempty"`
}

// Search finds pledges. Without a text it returns those of a campaign newest first. It fails like
// search.Index, with code Invalid for an invalid filter, and with code Forbidden for a filter that
// the caller may not use. If a filter matches few pledges, a page can be short although there is a
// next one.
func (s *Service) Search(ctx context.Context, q Query, visible Visibility) (Found, error) {
	if err := q.check(visible); err != nil {
		return Found{}, err
	}
	out := Found{Supporters: []Supporter{}, Next: q.Cursor}
	for read := 0; read < maxRead; read += pageSize {
		page, err := s.page(ctx, q, out.Next, pageSize-len(out.Supporters), visible)
		if err != nil {
			return Found{}, err
		}
		for _, p := range page.Pledges {
			if q.filter().Matches(p) {
				out.Supporters = append(out.Supporters, supporterOf(p, visible))
			}
		}
		if out.Next = page.Next; out.Next == "" || len(out.Supporters) == pageSize {
			break
		}
	}
	return out, nil
}

// page returns the next limit pledges after the cursor that match the query's text, before
// filtering.
func (s *Service) page(ctx context.Context, q Query, cursor string, limit int,
	visible Visibility) (search.Page, error) {
	switch {
	case q.CampaignSlug == "" && search.IsExact(q.Text):
		return s.Index.FindInAll(ctx, q.Text, cursor, limit)
	case q.CampaignSlug == "":
		return s.pageOfAll(ctx, q, cursor, limit, visible)
	case strings.TrimSpace(q.Text) == "":
		return s.newest(ctx, q.CampaignSlug, cursor, limit)
	}
	return s.Index.Find(ctx, q.CampaignSlug, q.Text, visible.Money, cursor, limit)
}

// pageOfAll returns the next pledges of all campaigns, by slug. The cursor is the slug of the
// current campaign and the cursor within it, separated by a bar.
func (s *Service) pageOfAll(ctx context.Context, q Query, cursor string, limit int,
	visible Visibility) (page search.Page, err error) {
	slug, at, ok := strings.Cut(cursor, "|")
	if cursor != "" && !ok {
		return page, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	campaigns := slices.DeleteFunc(s.Catalogue().Campaigns(), func(c *campaign.Campaign) bool { return c.Slug < slug })
	for i, c := range campaigns {
		if c.Slug != slug {
			at = ""
		}
		if i == maxCampaigns || len(page.Pledges) == limit {
			page.Next = c.Slug + "|" + at
			return page, nil
		}
		q.CampaignSlug = c.Slug
		found, err := s.page(ctx, q, at, limit-len(page.Pledges), visible)
		if err != nil {
			return page, err
		}
		if page.Pledges = append(page.Pledges, found.Pledges...); found.Next != "" {
			page.Next = c.Slug + "|" + found.Next
			return page, nil
		}
	}
	return page, nil
}

// newest returns the pledges before a position in a campaign's list, last first. The cursor is
// the position, "" for the end of the list. It fails with code Invalid for an invalid cursor.
func (s *Service) newest(ctx context.Context, slug, cursor string, limit int) (search.Page, error) {
	end, err := strconv.Atoi(cursor)
	if cursor != "" && (err != nil || end < 1) {
		return search.Page{}, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	if cursor == "" {
		totals, err := s.Inventory.Totals(ctx, slug)
		if err != nil {
			return search.Page{}, err
		}
		end = totals.Listed
	}
	from := max(end-limit, 0)
	ids, err := s.Inventory.Listed(ctx, slug, from, end-from)
	if err != nil {
		return search.Page{}, err
	}
	var page search.Page
	for _, id := range slices.Backward(ids) {
		p, there, err := kv.Read[pledge.Pledge](ctx, s.Index.Store, pledge.Key(id))
		if err != nil {
			return search.Page{}, err
		}
		if there { // may be listed before its record was written
			page.Pledges = append(page.Pledges, &p)
		}
	}
	if from > 0 {
		page.Next = strconv.Itoa(from)
	}
	return page, nil
}

func supporterOf(p *pledge.Pledge, visible Visibility) Supporter {
	row := Supporter{OrderID: p.OrderID, CampaignSlug: p.CampaignSlug, Email: p.Email,
		Name: p.SupporterName(), Status: p.Status,
		Display: p.DisplayStatus(), Rewards: p.RewardNames(), BookedAt: p.BookedAt}
	if visible.Money {
		amount := p.PaidOrDue()
		row.Amount, row.Display = &amount, p.DetailedStatus()
	}
	return row
}
