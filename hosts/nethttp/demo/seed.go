package demo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// The live campaign that ends first is seeded to percentBeyondGoal of its goal, so that settling it
// makes charges. The others are seeded to percentPartly of theirs.
const (
	percentBeyondGoal = 105
	percentPartly     = 35
	maxSeeds          = 24 // pledges per campaign
)

// troubled contains the cards of seeded pledges that need attention after settlement, by pledge
// number.
var troubled = map[int]string{4: sim.CardChargeDeclined, 9: sim.CardAuthAlways}

// seeding configures how a campaign is seeded.
type seeding struct {
	percent int64 // of the goal
	most    int   // pledges
	cards   map[int]string
	// archived is how long after its deadline the campaign is archived; 0 for never.
	archived time.Duration
}

// event is a step of the demo's past.
type event struct {
	at time.Time
	do func(context.Context) error
}

// Seed gives the demo a history, unless it already has pledges: pledges to all campaigns that have
// started, spread over time, with their settlements and emails. It moves the clock through the past
// and finally back to the present. The service itself does everything, with checkouts and emails.
func (d *Demo) Seed(ctx context.Context) error {
	started, err := d.campaignsWithoutPledges(ctx)
	if err != nil || len(started) == 0 {
		return err
	}
	now := d.Clock.Now()
	err = d.App.BatchPayments(func() error { return d.replay(ctx, d.pastEvents(started, now)) })
	if err := cmp.Or(err, d.Clock.MoveTo(now)); err != nil {
		return err
	}
	return d.confirmReaders(ctx)
}

// replay runs the events at their times.
func (d *Demo) replay(ctx context.Context, events []event) error {
	for _, e := range events {
		d.Clock.setUnsaved(e.at)
		if err := e.do(ctx); err != nil {
			return err
		}
		if _, err := d.App.Services.Outbox.Drain(ctx, drainLimit); err != nil {
			return err
		}
	}
	return nil
}

// pastEvents returns the events before now, in order.
func (d *Demo) pastEvents(started []*campaign.Campaign, now time.Time) []event {
	zone := d.App.Config.Site.Timezone.Location()
	var events []event
	firstEnd, soonest := now, true
	for _, c := range started {
		s := seeding{percent: percentPartly, most: maxSeeds}
		end := c.EndsAt(zone)
		switch {
		case showcase[c.Slug].percent > 0:
			s = showcase[c.Slug]
		case !end.Before(now) && soonest:
			s, soonest = seeding{percent: percentBeyondGoal, most: maxSeeds, cards: troubled}, false
		}
		until := now
		if end.Before(now) {
			until = end.Add(-time.Hour)
			if begins := end.Add(settlement.Margin); begins.Before(firstEnd) {
				firstEnd = begins
			}
			events = append(events, event{end.Add(settlement.Margin + time.Second), d.runScheduled})
		}
		if s.archived > 0 {
			events = append(events,
				event{end.Add(s.archived), func(ctx context.Context) error { return d.archive(ctx, c.Slug) }})
		}
		events = append(events, d.pledges(c, s, c.StartsAt(zone), until)...)
	}
	for at := firstEnd.Add(time.Hour); at.Before(now); at = at.Add(24 * time.Hour) {
		events = append(events, event{at, d.runScheduled})
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	return events
}

// pledges returns the events that make a campaign's pledges between two times, cycling through its
// tiers. The intervals grow over time.
func (d *Demo) pledges(c *campaign.Campaign, s seeding, from, to time.Time) []event {
	plan := planPledges(c, s)
	events := make([]event, 0, len(plan))
	for n, p := range plan {
		share := math.Pow((float64(n)+0.5)/float64(len(plan)), 1.4)
		at := from.Add(time.Duration(share * float64(to.Sub(from)))).Truncate(time.Minute)
		events = append(events, event{at, func(ctx context.Context) error {
			if err := d.makePledge(ctx, c.Slug, p); err != nil {
				return fmt.Errorf("making a pledge to %s: %w", c.Slug, err)
			}
			return nil
		}})
	}
	return events
}

// planned is a pledge to make.
type planned struct {
	tier, email, card string
	address           pledge.Address
}

func planPledges(c *campaign.Campaign, s seeding) []planned {
	tiers := seedable(c)
	taken := map[string]int{}
	enough := money.Percent(s.percent).Of(c.Goal)
	var plan []planned
	var pledged money.Cents
	for n := 0; n < s.most && pledged < enough && len(tiers) > 0; n++ {
		i := n % len(tiers)
		t := tiers[i]
		who := supporters[n%len(supporters)]
		p := planned{t.ID, who.first + "@example.com", cmp.Or(s.cards[n], sim.CardOK), who.address}
		if !t.Reaches(p.address.Country) {
			p.address = supporters[1].address // in the United States
			p.address.Name = who.address.Name
		}
		plan = append(plan, p)
		pledged += t.Price
		if taken[t.ID]++; t.Limit > 0 && 2*taken[t.ID] >= t.Limit { // leave some for visitors
			tiers = slices.Delete(tiers, i, i+1)
		}
	}
	return plan
}

// seedable returns the tiers for seeded pledges: those with a price, without a threshold, and with
// more than one unit.
func seedable(c *campaign.Campaign) []campaign.Tier {
	return slices.DeleteFunc(slices.Clone(c.Tiers), func(t campaign.Tier) bool {
		return t.RequiresThreshold > 0 || t.Price <= 0 || t.Limit == 1
	})
}

func (d *Demo) makePledge(ctx context.Context, slug string, p planned) error {
	service := d.App.Services.Checkout
	c := cart(slug, slug+"__"+p.tier)
	c.ShippingAddress = &p.address
	started, err := service.Start(ctx, checkout.StartRequest{Cart: c, Email: p.email})
	if err != nil {
		return err
	}
	if err := d.App.Sim.Complete(started.SessionID, p.card); err != nil {
		return err
	}
	_, err = service.Complete(ctx, checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	return err
}

// archive moves a campaign's files into the archive, as the demo's operator.
func (d *Demo) archive(ctx context.Context, slug string) error {
	by := content.Author{Author: repository.Author{Name: operatorName, Email: Operator}, ID: "archive-" + slug}
	if _, err := d.App.Services.Content.Archive(ctx, by, slug); err != nil {
		return fmt.Errorf("archiving %s: %w", slug, err)
	}
	return d.App.Reload(ctx)
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

// campaignsWithoutPledges returns the public campaigns that have started, ordered by deadline. It
// returns none if any of them has a pledge.
func (d *Demo) campaignsWithoutPledges(ctx context.Context) ([]*campaign.Campaign, error) {
	zone := d.App.Config.Site.Timezone.Location()
	var started []*campaign.Campaign
	for _, c := range d.App.Catalogue().Campaigns() {
		if !c.Public() || c.State(d.Clock.Now(), zone) == campaign.Upcoming {
			continue
		}
		snap, err := d.App.Services.Checkout.Inventory.Snapshot(ctx, c.Slug)
		if err != nil {
			return nil, err
		}
		if snap.Totals.Pledges() > 0 {
			return nil, nil
		}
		started = append(started, c)
	}
	slices.SortFunc(started, func(a, b *campaign.Campaign) int {
		return cmp.Or(a.EndsAt(zone).Compare(b.EndsAt(zone)), cmp.Compare(a.Slug, b.Slug))
	})
	return started, nil
}
