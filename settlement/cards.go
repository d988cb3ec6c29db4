package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/cards"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A card is deleted at the processor when it will not be charged again. It belongs to one order,
// whose pledges may be to several campaigns, and may pay for pledges of other orders to the same
// campaigns. So all cards of an order are deleted together, once each of its pledges is charged,
// cancelled, dropped, or to a closed campaign, and the visited campaign is settled. All of these
// states are final.

// newsAge is how long after the deadline supporters are still emailed that a campaign missed
// its goal.
const newsAge = 30 * day

// CardDeletion is the progress of deleting a campaign's cards.
type CardDeletion struct {
	Over  bool // nothing is left to charge; false while it is too early to delete cards
	Cards int  // deleted by this call
	Left  int  // pledges that have to be visited again
	Next  int  // where the next call begins; 0 after the last pledge
}

// DeleteCards closes a campaign that missed its goal and deletes cards that are no longer
// needed, for up to limit pledges starting at number from. When the period Reopening after the
// closing has passed, the supporters are emailed, and then their cards are deleted. A campaign
// that is not settled, or not admitted to irreversible actions now, is left unchanged.
// DeleteCards can be repeated. An error with one pledge does not stop the others; the last
// error is returned.
func (s *Service) DeleteCards(ctx context.Context, c *campaign.Campaign, from, limit int) (CardDeletion, error) {
	f, err := s.deleteCards(ctx, c, from, min(limit, inventory.MaxPage))
	if isRefusedAct(err) {
		s.Log.InfoContext(ctx, "settlement: cards are not deleted yet", "campaign", c.Slug, "reason", messageOf(err))
		err = nil
	}
	return f, err
}

func (s *Service) deleteCards(ctx context.Context, c *campaign.Campaign, from, limit int) (CardDeletion, error) {
	closed, over, err := s.closeBeforeDeletion(ctx, c)
	if err != nil || !over {
		return CardDeletion{}, err
	}
	ids, err := s.Inventory.Listed(ctx, c.Slug, from, limit)
	if err != nil {
		return CardDeletion{}, err
	}
	f := CardDeletion{Over: true}
	if f.Next = from + len(ids); len(ids) < limit {
		f.Next = 0
	}
	if len(ids) == 0 {
		return f, nil
	}
	a, err := s.admit(ctx, c, purposeDetach)
	if err != nil {
		return CardDeletion{}, err
	}
	defer a.releaseLease(ctx)
	if over, err := s.isOver(ctx, c, closed); err != nil || !over { // again, now that the clock has been checked
		return CardDeletion{}, err
	}
	if closed {
		if err := a.startDetaching(ctx); err != nil {
			return CardDeletion{}, err
		}
	}
	visit := cardDeleter{a, map[string]bool{c.Slug: closed}, a.succeededPayments()}
	var failed error
	for _, id := range ids {
		n, err := visit.visitPledge(ctx, id)
		if f.Cards += n; err != nil {
			f.Left, failed = f.Left+1, err
		}
	}
	return f, failed
}

// closeBeforeDeletion closes a campaign that missed its goal, if that is due. It reports whether
// the campaign is closed, and whether its cards may be deleted: it was closed at least Reopening
// ago, or everything is charged.
func (s *Service) closeBeforeDeletion(ctx context.Context, c *campaign.Campaign) (closed, over bool, err error) {
	if closed, err = s.Close(ctx, c); err != nil {
		return closed, false, err
	}
	over, err = s.isOver(ctx, c, closed)
	return closed, over, err
}

func (s *Service) isOver(ctx context.Context, c *campaign.Campaign, closed bool) (bool, error) {
	if !closed {
		return s.isFullyCharged(ctx, c)
	}
	st, err := s.objectOf(c.Slug).Overview(ctx)
	return err == nil && st.Closed != nil && !s.Now().Before(st.Closed.Add(Reopening)), err
}

// isFullyCharged reports whether a campaign reached its goal and is settled.
func (s *Service) isFullyCharged(ctx context.Context, c *campaign.Campaign) (bool, error) {
	err := s.checkFunded(ctx, c)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.Settled(ctx, c)
}

// cardDeleter deletes the cards of one campaign's pledges.
type cardDeleter struct {
	*admission
	closed   map[string]bool // by slug: whether the campaign is closed for good
	verified map[string]bool // IDs of the payments that the processor confirmed
}

// visitPledge deletes the cards of a pledge's order, unless one of its pledges may still be
// charged, and returns their number. Emails and records come before the deletion of the cards, and
// the deletion is recorded last.
func (f cardDeleter) visitPledge(ctx context.Context, id string) (cards int, err error) {
	orderID, err := pledge.OrderOf(id)
	if err != nil {
		return 0, err
	}
	if err := f.ensureLease(ctx); err != nil {
		return 0, err
	}
	o, err := f.Orders.Get(ctx, orderID)
	if err != nil {
		return 0, err
	}
	for _, p := range o.Pledges {
		if over, err := f.isFinal(ctx, p); err != nil || !over {
			return 0, err
		}
	}
	if err := f.verifyPayments(ctx, o.Pledges); err != nil {
		return 0, err
	}
	for _, p := range o.Pledges {
		if err := f.closePledge(ctx, p); err != nil {
			return 0, err
		}
	}
	if o.CardsDetachedAt != nil {
		return 0, nil
	}
	cards, err = f.detachCards(ctx, o)
	if err != nil {
		return cards, err
	}
	return cards, f.Orders.NoteCardsDetached(ctx, orderID)
}

// verifyPayments fails with code Conflict and state.ErrHeld if the processor does not confirm the
// payment of a charged pledge.
func (f cardDeleter) verifyPayments(ctx context.Context, pledges []*pledge.Pledge) error {
	for _, p := range pledges {
		if !p.Charged || p.CardForgottenAt != nil || f.verified[p.PaymentIntentID] {
			continue
		}
		payment, err := f.Processor.Payment(ctx, p.PaymentIntentID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err != nil || payment.Status != psp.Succeeded {
			return fault.Wrap(state.ErrHeld, fault.Conflict,
				"The card of %s is kept: the processor does not confirm its payment %s", p.OrderID, p.PaymentIntentID)
		}
		f.verified[p.PaymentIntentID] = true
	}
	return nil
}

// isFinal reports whether a pledge can no longer be charged: it is paid, cancelled or dropped, or
// its campaign is closed for good.
func (f cardDeleter) isFinal(ctx context.Context, p *pledge.Pledge) (bool, error) {
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
	st, err := f.objectOf(p.CampaignSlug).Overview(ctx)
	if err != nil {
		return false, err
	}
	final := st.Closed != nil && st.Detaching != nil // can no longer be reopened
	f.closed[p.CampaignSlug] = final
	return final, nil
}

// detachCards deletes all cards of an order, including those that were replaced, and returns their
// number.
func (f cardDeleter) detachCards(ctx context.Context, o order.Order) (int, error) {
	saved, err := cards.Of(ctx, f.Processor, o)
	if err != nil {
		return 0, err
	}
	for n, card := range saved {
		if err := f.detachCard(ctx, card); err != nil {
			return n, err
		}
	}
	return len(saved), nil
}

// closePledge emails the supporter of a campaign that missed its goal, and records that the
// pledge's card will not be charged. Another campaign of the order may be idle; it is woken
// first, in case a later step fails.
func (f cardDeleter) closePledge(ctx context.Context, p *pledge.Pledge) error {
	missed := p.Status == pledge.Active && f.closed[p.CampaignSlug]
	c := f.campaign
	if missed && p.CampaignSlug == c.Slug && f.Now().Sub(c.EndsAt(f.Zone)) <= newsAge {
		if err := f.mailOutcome(ctx, hasMissed, []*pledge.Pledge{p}); err != nil {
			return err
		}
	}
	if p.CardForgottenAt == nil {
		if p.CampaignSlug != c.Slug {
			if err := f.Wake(ctx, p.CampaignSlug); err != nil {
				return err
			}
		}
		var err error
		if p, err = f.Orders.ForgetCard(ctx, p.OrderID, missed); err != nil {
			return err
		}
	}
	_, err := f.Projector.Book(ctx, p, "") // even if the card was forgotten already: the last call may have stopped here
	return err
}
