package inventory

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ClassName is the class of campaign objects, bound as TIER_INVENTORY_COORDINATOR.
const ClassName = "campaign"

// Platform is the name of the object for platform add-ons. No slug contains a star.
const Platform = "*platform"

// Account is a pledge's share of a campaign at one revision of the pledge.
type Account struct {
	Pledge   string        `json:"pledge"`
	Revision int           `json:"revision"`
	Email    string        `json:"email"`
	Status   pledge.Status `json:"status"`
	Number   int           `json:"number"`  // position in the campaign's list, set when booked
	Counted  money.Cents   `json:"counted"` // cents toward the campaign's goal
	Custom   money.Cents   `json:"custom,omitempty"`
	Funds    Funds         `json:"funds"`
	// SavedAt is when the pledge's first card was saved, according to Stripe; zero in older
	// records.
	SavedAt time.Time `json:"savedAt,omitzero"`
	// Day is the day on which the pledge was made, in the platform's time zone, such as
	// 2026-11-30. Book keeps the day of the first booking. It is "" in older records.
	Day string `json:"day,omitempty"`
	// Repairable is the amount in cents of a failed charge that can still be made, and RepairUntil
	// is when the pledge will be dropped.
	Repairable  money.Cents `json:"repairable,omitempty"`
	RepairUntil time.Time   `json:"repairUntil,omitzero"`
	// Parcels counts the parcels of a charged pledge.
	Parcels Parcels `json:"parcels,omitzero"`
	// Promise is set while the pledge is waiting to be charged.
	Promise *Promise `json:"promise,omitempty"`
	// Units are the committed units by item, and Support the cents given to each support
	// item.
	Units   map[string]int         `json:"units,omitempty"`
	Support map[string]money.Cents `json:"support,omitempty"`
}

// AccountsOf returns a pledge's account in the campaign's object, and its account in the platform's
// object for platform add-ons.
func AccountsOf(p *pledge.Pledge) (campaign, platform Account) {
	campaign = Account{Pledge: p.OrderID, Revision: p.Revision, Email: p.Email, Status: p.Status, SavedAt: p.ValueTime}
	platform = campaign
	if p.Status == pledge.Cancelled {
		return campaign, platform
	}
	campaign.Counted, campaign.Funds, campaign.Promise = p.CampaignSubtotal, fundsOf(p), promiseOf(p)
	if p.Status == pledge.PaymentFailed && p.Unpaid() {
		campaign.Repairable = p.Amount
		if p.Recovery != nil {
			campaign.RepairUntil = p.Recovery.Until
		}
	}
	campaign.Parcels = parcelsOf(p)
	for _, l := range p.Lines {
		switch l.Kind {
		case pledge.TierLine, pledge.CampaignAddOnLine:
			campaign.Units = addTo(campaign.Units, l.Item(), l.Quantity)
		case pledge.PlatformAddOnLine:
			platform.Units = addTo(platform.Units, l.Item(), l.Quantity)
			platform.Counted += l.Amount
		case pledge.SupportLine:
			campaign.Support = addTo(campaign.Support, l.ID, l.Amount)
		case pledge.CustomLine:
			campaign.Custom += l.Amount
		case pledge.ShippingLine, pledge.TipLine:
		}
	}
	return campaign, platform
}

// addTo adds n to the value of a key and returns the map, which may be nil before.
func addTo[N int | money.Cents](m map[string]N, key string, n N) map[string]N {
	if m == nil {
		m = map[string]N{}
	}
	m[key] += n
	return m
}

// Totals are the sums over a campaign's accounts.
type Totals struct {
	// Version counts the changes. A projection with a lower version is outdated.
	Version  int64                 `json:"version"`
	Counted  money.Cents           `json:"counted"` // cents toward the goal, without cancelled pledges
	Custom   money.Cents           `json:"custom"`
	Funds    Funds                 `json:"funds"`
	Statuses map[pledge.Status]int `json:"statuses"` // number of pledges in each status
	Listed   int                   `json:"listed"`   // pledges ever booked, including cancelled ones
	// Indexed is the number of pledges in the index of active pledges. The index does not include
	// accounts older than it.
	Indexed int `json:"indexed,omitempty"`
	// People is the number of people who have a pledge that is not cancelled, and CountedPledges
	// the number of their pledges. Accounts older than these fields are not included.
	People         int `json:"people,omitempty"`
	CountedPledges int `json:"standing,omitempty"`
	// Since is when the first card was saved for a pledge to the campaign, according to Stripe. No
	// payment of the campaign is older. It is zero if all accounts are older than this field.
	Since time.Time `json:"since,omitzero"`
	// Days are the last days on which pledges were made, oldest first. NewestAt is when a new
	// pledge was last booked. Both are empty if all accounts are older than these fields.
	Days     []DayTotal `json:"days,omitempty"`
	NewestAt time.Time  `json:"newestAt,omitzero"`
	// Repairable sums the pledges whose charge failed but can still be made. Accounts older than
	// this field are not included.
	Repairable Repairable `json:"repairable,omitzero"`
	// Parcels sums the parcels of charged pledges. Accounts older than this field are not
	// included, see KnownParcels.
	Parcels Parcels `json:"parcels,omitzero"`
}

// Supporters returns the number of people who have a pledge that is not cancelled. If the
// campaign has accounts older than that count, it returns the number of pledges.
func (t *Totals) Supporters() int {
	if t.CountedPledges < t.Pledges() {
		return t.Pledges()
	}
	return t.People
}

// Pledges returns the number of pledges that are not cancelled.
func (t *Totals) Pledges() int {
	return t.Statuses[pledge.Active] + t.Statuses[pledge.PaymentFailed] + t.Statuses[pledge.Charged]
}

// Stock is the number of committed and held units of one item.
type Stock struct {
	Committed int `json:"committed"`
	Held      int `json:"held"`
}

// Snapshot is the state of a campaign from which the public projections are made.
type Snapshot struct {
	Totals  Totals                 `json:"totals"`
	Stock   map[string]Stock       `json:"stock"`
	Support map[string]money.Cents `json:"support"`
	Closed  bool                   `json:"closed,omitempty"` // no new holds are accepted
}

// Request is a requested number of units of an item.
type Request struct {
	Item     string `json:"item"`
	Quantity int    `json:"quantity"`
	Limit    int    `json:"limit"`           // 0 means unlimited, negative means sold out
	Name     string `json:"name"`            // the item's name, for errors
	Field    string `json:"field,omitempty"` // the request field, for errors
}

// Hold reserves units for a pledge until it is booked or released.
type Hold struct {
	ID     string         `json:"id"`
	Pledge string         `json:"pledge"`
	Order  string         `json:"order"`
	Units  map[string]int `json:"units,omitempty"`
	// Due is when a job looks up the result of the checkout step.
	Due time.Time `json:"due"`
	// Holder identifies a client that has not saved a card yet and may therefore hold only a share
	// of an item; "" means no limit.
	Holder string `json:"holder,omitempty"`
	// Network identifies the holder's network, such as an IPv6 /48. All holders of a network
	// together have a larger share. "" means no limit.
	Network string `json:"network,omitempty"`
}
