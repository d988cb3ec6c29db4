package inventory

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ClassName is the class of campaign objects, bound as
// TIER_INVENTORY_COORDINATOR.
const ClassName = "campaign"

// Platform is the object's name of the platform's own add-ons. No slug has a star.
const Platform = "*platform"

// Account is what one pledge holds of a campaign at one of its revisions.
type Account struct {
	Pledge   string        `json:"pledge"`
	Revision int           `json:"revision"`
	Email    string        `json:"email"`
	Status   pledge.Status `json:"status"`
	Number   int           `json:"number"`  // its place in the campaign's list, set when it is booked
	Counted  money.Cents   `json:"counted"` // cents toward the campaign's goal
	Custom   money.Cents   `json:"custom,omitempty"`
	Funds    Funds         `json:"funds"`
	// SavedAt is when the pledge's card was saved, by the processor's clock; zero where a
	// record is older than the field.
	SavedAt time.Time `json:"savedAt,omitzero"`
	// Promise is set while the pledge waits to be charged.
	Promise *Promise `json:"promise,omitempty"`
	// Units are the items held, and Support the cents given to each support item.
	Units   map[string]int         `json:"units,omitempty"`
	Support map[string]money.Cents `json:"support,omitempty"`
}

// AccountsOf returns the account that a pledge has with its campaign, and the
// one it has with the platform for its add-ons.
func AccountsOf(p *pledge.Pledge) (campaign, platform Account) {
	campaign = Account{Pledge: p.OrderID, Revision: p.Revision, Email: p.Email, Status: p.Status, SavedAt: p.ValueTime}
	platform = campaign
	if p.Status == pledge.Cancelled {
		return campaign, platform
	}
	campaign.Counted, campaign.Funds, campaign.Promise = p.CampaignSubtotal, fundsOf(p), promiseOf(p)
	for _, l := range p.Lines {
		switch l.Kind {
		case pledge.TierLine, pledge.CampaignAddOnLine:
			campaign.Units = plus(campaign.Units, l.Item(), l.Quantity)
		case pledge.PlatformAddOnLine:
			platform.Units = plus(platform.Units, l.Item(), l.Quantity)
			platform.Counted += l.Amount
		case pledge.SupportLine:
			campaign.Support = plus(campaign.Support, l.ID, l.Amount)
		case pledge.CustomLine:
			campaign.Custom += l.Amount
		case pledge.ShippingLine, pledge.TipLine:
		}
	}
	return campaign, platform
}

func plus[N int | money.Cents](m map[string]N, key string, n N) map[string]N {
	if m == nil {
		m = map[string]N{}
	}
	m[key] += n
	return m
}

// Totals are the sums over a campaign's accounts.
type Totals struct {
	// Version counts the changes, so that a projection tells whether it is older.
	Version  int64                 `json:"version"`
	Counted  money.Cents           `json:"counted"` // cents toward the goal, of all that are not cancelled
	Custom   money.Cents           `json:"custom"`
	Funds    Funds                 `json:"funds"`
	Statuses map[pledge.Status]int `json:"statuses"` // pledges in each status
	Listed   int                   `json:"listed"`   // pledges ever booked, cancelled ones included
	// Indexed counts the active pledges that are in the index of them. Accounts that are
	// older than the index are not.
	Indexed int `json:"indexed,omitempty"`
	// People are those with a pledge that counts, and Standing the pledges by which they
	// are counted: accounts that are older are not among them.
	People   int `json:"people,omitempty"`
	Standing int `json:"standing,omitempty"`
	// Since is when the first card was saved for a pledge of the campaign, by the processor's
	// clock. No payment of the campaign is older. Zero where all accounts are older than it.
	Since time.Time `json:"since,omitzero"`
}

// Supporters is how many people have a pledge that counts. Of a campaign with accounts that
// are older than their count, it is the pledges.
func (t Totals) Supporters() int {
	if t.Standing < t.Pledges() {
		return t.Pledges()
	}
	return t.People
}

// Pledges is how many pledges count: all but the cancelled ones.
func (t Totals) Pledges() int {
	return t.Statuses[pledge.Active] + t.Statuses[pledge.PaymentFailed] + t.Statuses[pledge.Charged]
}

// Stock is one item's units.
type Stock struct {
	Committed int `json:"committed"`
	Held      int `json:"held"`
}

// Snapshot is everything that the public projections show.
type Snapshot struct {
	Totals  Totals                 `json:"totals"`
	Stock   map[string]Stock       `json:"stock"`
	Support map[string]money.Cents `json:"support"`
	Closed  bool                   `json:"closed,omitempty"` // no holds are accepted
}

// Want is a number of units of an item.
type Want struct {
	Item     string `json:"item"`
	Quantity int    `json:"quantity"`
	Limit    int    `json:"limit"`           // 0: no limit, negative: none left to sell
	Name     string `json:"name"`            // as the supporter knows it, for a refusal
	Field    string `json:"field,omitempty"` // of the request, for a refusal
}

// Hold keeps units for a pledge until it is booked or released.
type Hold struct {
	ID     string         `json:"id"`
	Pledge string         `json:"pledge"`
	Order  string         `json:"order"`
	Units  map[string]int `json:"units,omitempty"`
	// Due is when somebody should find out how the step ended.
	Due time.Time `json:"due"`
	// Holder stands for whoever has given no card yet, and may hold only a share
	// of what there is; "" is somebody who may hold all of it.
	Holder string `json:"holder,omitempty"`
	// Network stands for a larger network around the holder, such as an IPv6 /48. Its share is
	// larger; "" for none.
	Network string `json:"network,omitempty"`
}
