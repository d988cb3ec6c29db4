package projection

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Stats are a campaign's public numbers, stored under stats:{slug}. Amounts are in
// cents.
type Stats struct {
	CampaignSlug  string                 `json:"campaignSlug"`
	PledgedAmount money.Cents            `json:"pledgedAmount"` // campaign subtotals, without cancelled pledges
	PledgeCount   int                    `json:"pledgeCount"`
	Supporters    int                    `json:"supporterCount"` // people, not pledges
	TierCounts    map[string]int         `json:"tierCounts"`     // pledged units by tier, without zeros
	SupportItems  map[string]money.Cents `json:"supportItems"`
	CustomAmount  money.Cents            `json:"customAmount"`
	Version       int64                  `json:"version"` // of the campaign's totals
	UpdatedAt     time.Time              `json:"updatedAt"`
}

// PublicStats is the response of /stats/:slug.
type PublicStats struct {
	Stats
	GoalAmount    money.Cents    `json:"goalAmount"`    // cents
	GoalDeadline  time.Time      `json:"goalDeadline"`  // when the campaign ends
	PercentFunded int            `json:"percentFunded"` // whole percent, rounded down
	State         campaign.State `json:"state"`
}

// Stock is a campaign's public stock, stored under tier-inventory:{slug}.
type Stock struct {
	CampaignSlug string          `json:"campaignSlug"`
	Tiers        map[string]Unit `json:"tiers"`  // tiers with a limit
	AddOns       map[string]Unit `json:"addOns"` // add-ons with a limit, by "id" or "id/variant"
	Version      int64           `json:"version"`
	UpdatedAt    time.Time       `json:"updatedAt"`
}

// Unit is the stock of one tier or add-on.
type Unit struct {
	Name      string `json:"name"`
	Limit     int    `json:"limit"`
	Claimed   int    `json:"claimed"`
	Reserved  int    `json:"reserved"`
	Remaining int    `json:"remaining"`
}

// Sold is the stock of the platform add-ons, stored under add-on-inventory-sold:v1, by
// "id" or "id/variant".
type Sold struct {
	Units     map[string]int `json:"units"`    // pledged units, without zeros
	Reserved  map[string]int `json:"reserved"` // reserved units of limited items, without zeros
	Version   int64          `json:"version"`
	UpdatedAt time.Time      `json:"updatedAt"`
}

func statsOf(slug string, s inventory.Snapshot, now time.Time) Stats {
	out := Stats{
		CampaignSlug:  slug,
		PledgedAmount: s.Totals.Counted,
		PledgeCount:   s.Totals.Pledges(),
		Supporters:    s.Totals.Supporters(),
		TierCounts:    map[string]int{},
		SupportItems:  s.Support,
		CustomAmount:  s.Totals.Custom,
		Version:       s.Totals.Version,
		UpdatedAt:     now,
	}
	if out.SupportItems == nil {
		out.SupportItems = map[string]money.Cents{} // encode as an object, never as null
	}
	for item, stock := range s.Stock {
		if id, ok := strings.CutPrefix(item, "tier/"); ok && stock.Committed > 0 {
			out.TierCounts[id] = stock.Committed
		}
	}
	return out
}

// stockOf returns the stock of limited items.
func stockOf(c *campaign.Campaign, s inventory.Snapshot, now time.Time) Stock {
	out := Stock{CampaignSlug: c.Slug, Tiers: map[string]Unit{}, AddOns: unitsOf(c.AddOns, s),
		Version: s.Totals.Version, UpdatedAt: now}
	for _, t := range c.Tiers {
		if t.Limit > 0 {
			out.Tiers[t.ID] = unit(t.Name, t.Limit, s.Stock["tier/"+t.ID])
		}
	}
	return out
}

// unitsOf returns the stock of limited add-ons and variants.
func unitsOf(addOns []campaign.AddOn, s inventory.Snapshot) map[string]Unit {
	units := map[string]Unit{}
	for _, a := range addOns {
		if a.Inventory != nil {
			units[a.ID] = unit(a.Name, *a.Inventory, s.Stock["add-on/"+a.ID])
		}
		for _, v := range a.Variants {
			if v.Inventory != nil {
				key := a.ID + "/" + v.ID
				units[key] = unit(a.Name+", "+v.Label, *v.Inventory, s.Stock["add-on/"+key])
			}
		}
	}
	return units
}

func unit(name string, limit int, s inventory.Stock) Unit {
	return Unit{Name: name, Limit: limit, Claimed: s.Committed, Reserved: s.Held,
		Remaining: max(limit-s.Committed-s.Held, 0)}
}

func soldOf(addOns []campaign.AddOn, s inventory.Snapshot, now time.Time) Sold {
	out := Sold{Units: map[string]int{}, Reserved: map[string]int{}, Version: s.Totals.Version, UpdatedAt: now}
	for item, stock := range s.Stock {
		if stock.Committed > 0 {
			out.Units[strings.TrimPrefix(item, "add-on/")] = stock.Committed
		}
	}
	for id, u := range unitsOf(addOns, s) {
		if u.Reserved > 0 {
			out.Reserved[id] = u.Reserved
		}
	}
	return out
}

// snapshot returns the platform's stock from which the record was made.
func (s Sold) snapshot() inventory.Snapshot {
	snap := inventory.Snapshot{Stock: map[string]inventory.Stock{}}
	for id, n := range s.Units {
		snap.Stock["add-on/"+id] = inventory.Stock{Committed: n, Held: s.Reserved[id]}
	}
	for id, n := range s.Reserved {
		snap.Stock["add-on/"+id] = inventory.Stock{Committed: s.Units[id], Held: n}
	}
	return snap
}

// percent returns the pledged amount as a percentage of the goal, rounded down, so that 100 or more
// means funded. It returns 0 if there is no goal.
func percent(pledged, goal money.Cents) int {
	if goal <= 0 {
		return 0
	}
	return int(pledged * 100 / goal)
}
