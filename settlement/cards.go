package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A card is deleted at the processor once nothing is left to charge to it. It belongs to
// one order, whose pledges may be to several campaigns, and pays for others of its own
// campaigns alone. So the cards of an order go together, when every pledge of it is
// charged, cancelled, dropped, or of a campaign that is closed, and when the campaign that
// is looked at is settled. All of these are final.

// newsAge is how long after its deadline supporters are told that a campaign missed its
// goal. Later it is no news.
const newsAge = 30 * day

// Forgotten is how far the deletion of a campaign's cards has come.
type Forgotten struct {
	Over  bool // nothing is left to charge: false while it is too early
	Cards int  // deleted by this call
	Left  int  // pledges that have to be looked at again
	Next  int  // where the next call begins; 0 after the last pledge
}

// ForgetCards closes a campaign that has missed its goal, and deletes the cards of some of
// its pledges, from the one with a number on, that are not charged any more. Supporters of
// a closed campaign are told. A campaign that is not settled is left alone. It may be
// repeated. A pledge that fails keeps no other from its turn; the error is the last one's.
func (s *Service) ForgetCards(ctx context.Context, c *campaign.Campaign, from, limit int) (Forgotten, error) {
	closed, err := s.Close(ctx, c)
	if err != nil {
		return Forgotten{}, err
	}
	f := Forgotten{Over: closed}
	if !closed {
		if f.Over, err = s.chargedOut(ctx, c); err != nil || !f.Over {
			return f, err
		}
	}
	limit = min(limit, inventory.MaxPage)
	ids, err := s.Inventory.Listed(ctx, c.Slug, from, limit)
	if err != nil {
		return Forgotten{}, err
	}
	look := forgetting{s, c, map[string]bool{c.Slug: closed}}
	var failed error
	for _, id := range ids {
		n, err := look.pledge(ctx, id)
		if f.Cards += n; err != nil {
			f.Left, failed = f.Left+1, err
		}
	}
	if f.Next = from + len(ids); len(ids) < limit {
		f.Next = 0
	}
	return f, failed
}

// chargedOut reports whether a campaign is settled whose goal was reached.
func (s *Service) chargedOut(ctx context.Context, c *campaign.Campaign) (bool, error) {
	_, err := s.ready(ctx, c.Slug)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.Settled(ctx, c)
}

// forgetting looks at one campaign's pledges.
type forgetting struct {
	*Service
	campaign *campaign.Campaign
	closed   map[string]bool // campaigns that were asked after
}

func (f forgetting) pledge(ctx context.Context, id string) (cards int, err error) {
	orderID, err := pledge.OrderOf(id)
	if err != nil {
		return 0, err
	}
	o, err := f.Orders.Get(ctx, orderID)
	if err != nil {
		return 0, err
	}
	for _, p := range o.Pledges {
		if over, err := f.over(ctx, p); err != nil || !over {
			return 0, err
		}
	}
	if slices.ContainsFunc(o.Pledges, func(p *pledge.Pledge) bool { return p.CardForgottenAt == nil }) {
		if cards, err = f.cardsOf(ctx, o); err != nil {
			return cards, err
		}
	}
	for _, p := range o.Pledges {
		if err := f.note(ctx, p); err != nil {
			return cards, err
		}
	}
	return cards, nil
}

// over reports whether a pledge is never charged from now on.
func (f forgetting) over(ctx context.Context, p *pledge.Pledge) (bool, error) {
	if !p.Unpaid() {
		return true, nil
	}
	if p.Claimed() {
		return false, nil
	}
	closed, known := f.closed[p.CampaignSlug]
	if known {
		return closed, nil
	}
	closed, err := f.Closed(ctx, p.CampaignSlug)
	if err == nil {
		f.closed[p.CampaignSlug] = closed
	}
	return closed, err
}

// cardsOf deletes the cards of an order, those that were replaced with them.
func (f forgetting) cardsOf(ctx context.Context, o order.Order) (int, error) {
	var cards []string
	for _, p := range o.Pledges {
		cards = append(cards, p.PaymentMethodID)
	}
	if len(o.CardSessions) > 0 {
		given := []string{o.SessionID}
		for _, s := range o.CardSessions {
			given = append(given, s.SessionID)
		}
		for _, id := range given {
			s, err := f.Processor.Session(ctx, id)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return 0, err
			}
			cards = append(cards, s.PaymentMethodID)
		}
	}
	slices.Sort(cards)
	n := 0
	for _, card := range slices.Compact(cards) {
		if card == "" {
			continue
		}
		err := f.Processor.DetachCard(ctx, card, "forget:"+card)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return n, err
		}
		n++
	}
	return n, nil
}

// note writes down that the card of a pledge is gone, and tells its supporter where the
// campaign missed its goal. Another campaign that the order is of may rest, and is woken
// for the case that this is broken off.
func (f forgetting) note(ctx context.Context, p *pledge.Pledge) error {
	missed := p.Status == pledge.Active && f.closed[p.CampaignSlug]
	if p.CardForgottenAt == nil {
		if p.CampaignSlug != f.campaign.Slug {
			if err := f.Wake(ctx, p.CampaignSlug); err != nil {
				return err
			}
		}
		var err error
		if p, err = f.Orders.ForgetCard(ctx, p.OrderID, missed); err != nil {
			return err
		}
	}
	if _, err := f.Projector.Book(ctx, p, ""); err != nil { // also where the last call died before it
		return err
	}
	c := f.campaign
	if !missed || p.CampaignSlug != c.Slug || f.Now().Sub(c.EndsAt(f.Zone)) > newsAge {
		return nil
	}
	mail, err := notify.MissedOf(p, c, f.Links, f.Zone, f.Now())
	if err != nil {
		return err
	}
	return f.Outbox.Queue(ctx, mail)
}
