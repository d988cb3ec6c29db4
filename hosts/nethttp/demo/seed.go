package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The campaign that ends first is seeded beyond its goal, so that settling it makes charges. The
// others are partly funded.
const (
	beyondGoal = 105 // percent
	onTheWay   = 35
	mostSeeds  = 24 // pledges per campaign
)

// Cards of seeded pledges that need attention after settlement.
var troubled = map[int]string{4: sim.CardChargeDeclined, 9: sim.CardAuthAlways}

var supporters = []string{
	"maya", "tomas", "ines", "jonah", "priya", "oscar", "lena", "diego", "ruth", "amir", "clara", "noel",
	"sofia", "karim", "helen", "mateo", "nadia", "felix", "rosa", "simon", "tara", "bruno", "elena", "yusuf",
}

// Seed makes pledges to the live campaigns unless there are already some. They are regular pledges,
// including checkouts and mails.
func (d *Demo) Seed(ctx context.Context) error {
	live, err := d.campaignsWithoutPledges(ctx)
	if err != nil {
		return err
	}
	for i, c := range live {
		percent, cards := money.Percent(onTheWay), map[int]string{}
		if i == 0 {
			percent, cards = money.Percent(beyondGoal), troubled
		}
		if err := d.seed(ctx, c, percent.Of(c.Goal), cards); err != nil {
			return fmt.Errorf("making a pledge to %s: %w", c.Slug, err)
		}
	}
	if len(live) == 0 {
		return nil
	}
	return d.confirmReaders(ctx)
}

// confirmReaders confirms the addresses that the campaigns' files list for their reports, as a
// super admin would.
func (d *Demo) confirmReaders(ctx context.Context) error {
	for _, c := range d.App.Catalogue().Campaigns() {
		readers, err := d.App.Services.ReportReaders(ctx, c.Slug)
		if err != nil {
			return err
		}
		for _, r := range readers {
			if !r.Listed || r.Excluded || len(r.Reports) > 0 {
				continue
			}
			if _, err := d.App.Services.Access.ConfirmReader(ctx, "", c.Slug, r.Email); err != nil {
				return err
			}
		}
	}
	return nil
}

// campaignsWithoutPledges returns the live campaigns, the one that ends first at the front, or none if one of
// them has a pledge.
func (d *Demo) campaignsWithoutPledges(ctx context.Context) ([]*campaign.Campaign, error) {
	zone := d.App.Config.Site.Timezone.Location()
	var live []*campaign.Campaign
	for _, c := range d.App.Catalogue().Campaigns() {
		if !c.Accepts(d.Clock.Now(), zone) {
			continue
		}
		snap, err := d.App.Services.Checkout.Inventory.Snapshot(ctx, c.Slug)
		if err != nil {
			return nil, err
		}
		if snap.Totals.Pledges() > 0 {
			return nil, nil
		}
		live = append(live, c)
	}
	slices.SortFunc(live, func(a, b *campaign.Campaign) int {
		return cmp.Or(a.EndsAt(zone).Compare(b.EndsAt(zone)), strings.Compare(a.Slug, b.Slug))
	})
	return live, nil
}

// seed pledges to a campaign, cycling through its tiers, until the amount is reached.
func (d *Demo) seed(ctx context.Context, c *campaign.Campaign, enough money.Cents, cards map[int]string) error {
	tiers := seedable(c)
	taken := map[string]int{}
	var pledged money.Cents
	for n := 0; n < mostSeeds && pledged < enough && len(tiers) > 0; n++ {
		i := n % len(tiers)
		t := tiers[i]
		if err := d.seedOne(ctx, c.Slug, t.ID, supporters[n%len(supporters)]+"@example.com", cmp.Or(cards[n], sim.CardOK)); err != nil {
			return err
		}
		pledged += t.Price
		if taken[t.ID]++; t.Limit > 0 && 2*taken[t.ID] >= t.Limit { // leave some for visitors
			tiers = slices.Delete(tiers, i, i+1)
		}
	}
	return nil
}

// seedable returns the unrestricted tiers.
func seedable(c *campaign.Campaign) []campaign.Tier {
	return slices.DeleteFunc(slices.Clone(c.Tiers), func(t campaign.Tier) bool {
		return t.RequiresThreshold > 0 || t.Price <= 0 || t.Limit == 1
	})
}

func (d *Demo) seedOne(ctx context.Context, slug, tier, email, card string) error {
	service := d.App.Services.Checkout
	started, err := service.Start(ctx, checkout.StartRequest{Cart: cart(slug, slug+"__"+tier, 1), Email: email})
	if err != nil {
		return err
	}
	if err := d.App.Sim.Complete(started.SessionID, card); err != nil {
		return err
	}
	_, err = service.Complete(ctx, checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	return err
}
