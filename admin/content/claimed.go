package content

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Claims are the claimed units of a campaign's offers, or the sold units of the platform's
// add-ons.
type Claims struct {
	// Pledges and Supporters exclude cancelled pledges. For the platform's add-ons, only Pledges is
	// set.
	Pledges    int         `json:"pledges"`
	Supporters int         `json:"supporters"`
	Pledged    money.Cents `json:"pledged"` // cents toward the goal
	// Rewards is the part of Pledged for rewards and add-ons, and Custom the part of pledges
	// without a reward, both in cents.
	Rewards      money.Cents   `json:"rewards"`
	Custom       money.Cents   `json:"custom"`
	Tiers        []Claim       `json:"tiers"`
	AddOns       []Claim       `json:"addOns"`
	SupportItems []SupportItem `json:"supportItems"`
}

// Claim holds the claimed units of a reward, an add-on or a variant.
type Claim struct {
	ID      string `json:"id"`
	Name    string `json:"name"` // "" if it is no longer in the file
	Claimed int    `json:"claimed"`
	// Reserved counts the units in unfinished checkouts.
	Reserved int `json:"reserved"`
	// Limit and Left are nil without a limit, and for an add-on with variants, whose variants have
	// them.
	Limit *int `json:"limit"`
	Left  *int `json:"left"`
	// Sum is the value of the claimed units at the current price, in cents.
	Sum      money.Cents `json:"sum"`
	Variants []Claim     `json:"variants,omitempty"`
}

// SupportItem holds the amounts of a support item, in cents.
type SupportItem struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Pledged money.Cents `json:"pledged"`
	Target  money.Cents `json:"targetAmount,omitempty"` // 0 for none
}

// ClaimsOf returns the claims of a campaign's current offers, followed by those of offers that were
// removed from its file. It reads one record.
func (s *Service) ClaimsOf(ctx context.Context, slug string) (Claims, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Claims{}, err
	}
	snap, err := s.Claims(ctx, slug)
	if err != nil {
		return Claims{}, err
	}
	t := snap.Totals
	out := Claims{Pledges: t.Pledges(), Supporters: t.Supporters(), Pledged: t.Counted, Custom: t.Custom,
		Tiers: []Claim{}, SupportItems: []SupportItem{}}
	out.Rewards = t.Counted - t.Custom
	stock := maps.Clone(snap.Stock)
	for _, tier := range c.Tiers {
		var limit *int
		if tier.Limit > 0 {
			limit = &tier.Limit
		}
		out.Tiers = append(out.Tiers,
			takeClaim(stock, "tier/"+tier.ID, Claim{ID: tier.ID, Name: tier.Name, Limit: limit}, tier.Price))
	}
	out.AddOns = addOnClaims(stock, c.AddOns)
	out.Tiers = append(out.Tiers, removedClaims(stock, "tier/")...)
	out.AddOns = append(out.AddOns, removedClaims(stock, "add-on/")...)
	support := maps.Clone(snap.Support)
	for _, i := range c.SupportItems {
		out.SupportItems = append(out.SupportItems, SupportItem{i.ID, i.Label, support[i.ID], i.Target})
		delete(support, i.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(support)) {
		out.SupportItems = append(out.SupportItems, SupportItem{ID: id, Pledged: support[id]})
	}
	for _, pledged := range snap.Support {
		out.Rewards -= pledged
	}
	return out, nil
}

// PlatformClaims returns the sold units of the platform's add-ons. It reads one record.
func (s *Service) PlatformClaims(ctx context.Context) (Claims, error) {
	snap, err := s.Claims(ctx, inventory.Platform)
	if err != nil {
		return Claims{}, err
	}
	stock := maps.Clone(snap.Stock)
	out := Claims{Pledges: snap.Totals.Pledges(), Pledged: snap.Totals.Counted, Rewards: snap.Totals.Counted,
		Tiers: []Claim{}, SupportItems: []SupportItem{}}
	out.AddOns = append(addOnClaims(stock, s.Catalogue().Platform().Products), removedClaims(stock, "add-on/")...)
	return out, nil
}

func addOnClaims(stock map[string]inventory.Stock, all []campaign.AddOn) []Claim {
	claims := []Claim{}
	for _, a := range all {
		item := "add-on/" + a.ID
		c := takeClaim(stock, item, Claim{ID: a.ID, Name: a.Name, Limit: a.Inventory}, a.Price)
		for _, v := range a.Variants {
			price := a.Price
			if v.Price != nil {
				price = *v.Price
			}
			one := takeClaim(stock, item+"/"+v.ID, Claim{ID: v.ID, Name: v.Label, Limit: v.Inventory}, price)
			c.Variants = append(c.Variants, one)
			c.Claimed, c.Reserved, c.Sum = c.Claimed+one.Claimed, c.Reserved+one.Reserved, c.Sum+one.Sum
		}
		claims = append(claims, c)
	}
	return claims
}

// takeClaim returns c with the units of an item's stock and their value, and removes the item
// from the map.
func takeClaim(stock map[string]inventory.Stock, item string, c Claim, price money.Cents) Claim {
	s := stock[item]
	delete(stock, item)
	c.Claimed, c.Reserved, c.Sum = s.Committed, s.Held, price*money.Cents(s.Committed)
	if c.Limit != nil {
		left := max(*c.Limit-s.Committed-s.Held, 0)
		c.Left = &left
	}
	return c
}

// removedClaims returns the claims of all remaining items with a prefix that have claimed
// units. These items are no longer in the file.
func removedClaims(stock map[string]inventory.Stock, prefix string) (all []Claim) {
	for _, item := range slices.Sorted(maps.Keys(stock)) {
		if id, ok := strings.CutPrefix(item, prefix); ok && stock[item].Committed > 0 {
			all = append(all, Claim{ID: id, Claimed: stock[item].Committed, Reserved: stock[item].Held})
		}
	}
	return all
}
