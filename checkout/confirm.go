package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// confirm creates the pledges of a checkout whose session is complete, and applies all effects. The
// first caller that finds the session complete confirms it. The steps are idempotent and may be
// repeated after a crash at any point. The frozen manifest is used unchanged: prices are not quoted
// again, and supporters whose card is saved are not rejected because of a deadline, threshold or
// stock limit.
//
// It fails with code Conflict if the session does not belong to the order, with Unavailable if the
// processor does not yet return the card, and with SoldOut if the order was abandoned in the
// meantime and its units are gone. After SoldOut there are no pledges, so the card is not charged
// unless a later call succeeds.
//
// The stem is passed to reholdUnits. The writes in last are applied after everything else is
// durable.
func (s *Service) confirm(ctx context.Context, sess psp.Session, stem string, last ...kv.Write) (order.Order, error) {
	orderID, err := s.orderOf(sess)
	if err != nil {
		return order.Order{}, err
	}
	card, err := s.card(sess)
	if err != nil {
		return order.Order{}, err
	}
	hash := sess.Metadata["checkoutCartHash"]
	o, made, err := s.Orders.Confirm(ctx, orderID, sess.ID, hash, card, false)
	if err == nil {
		return o, s.followConfirm(ctx, o, made, orderID, last...)
	}
	if !fault.Is(err, fault.Gone) {
		return order.Order{}, err
	}
	if o, err = s.Orders.Get(ctx, orderID); err != nil {
		return order.Order{}, err
	}
	if stem, err = s.reholdUnits(ctx, o.Manifest, stem); err != nil {
		return order.Order{}, err
	}
	if o, made, err = s.Orders.Confirm(ctx, orderID, sess.ID, hash, card, true); err != nil {
		return order.Order{}, err
	}
	return o, s.followConfirm(ctx, o, made, stem, last...)
}

// orderOf returns the order ID in a session's metadata. It fails with code Conflict if the session
// is of another mode, is not complete, or does not belong to a checkout.
func (s *Service) orderOf(sess psp.Session) (string, error) {
	if sess.Mode != s.Processor.Mode() {
		return "", fault.New(fault.Conflict, "The session belongs to another mode").In("sessionId")
	}
	if sess.Status != psp.Complete {
		return "", fault.New(fault.Conflict, "The checkout is not complete").In("sessionId")
	}
	id := sess.Metadata["orderId"]
	orderID, err := pledge.OrderOf(id)
	if err != nil || orderID != id {
		return "", fault.New(fault.Conflict, "The session does not belong to a checkout").In("sessionId")
	}
	return orderID, nil
}

// card returns the card that was saved in a session. It fails with code Unavailable if the
// processor does not yet return it.
func (s *Service) card(sess psp.Session) (order.Card, error) {
	c := order.Card{
		CustomerID: sess.CustomerID, PaymentMethodID: sess.PaymentMethodID, SetupIntentID: sess.SetupIntentID,
		SavedAt: sess.CompletedAt,
	}
	if c.CustomerID == "" || c.PaymentMethodID == "" {
		return order.Card{}, fault.New(fault.Unavailable, "The saved card is not available at the processor yet")
	}
	if c.SavedAt.IsZero() {
		c.SavedAt = s.Now()
	}
	c.SavedAt = c.SavedAt.UTC()
	if label := pledge.CardLabel(sess.Card); label.Last4 != "" {
		c.Label = &label
	}
	return c, nil
}

// reholdUnits holds the units of an abandoned order again and returns the stem of the holds' IDs.
// With the stem of an earlier attempt, it continues with that attempt's holds; "" starts a new
// attempt. If units are unavailable, it releases all of the attempt's holds. After a temporary
// failure they remain until Sweep processes them.
func (s *Service) reholdUnits(ctx context.Context, m order.Manifest, stem string) (string, error) {
	if stem == "" {
		nonce, err := s.nonce()
		if err != nil {
			return "", err
		}
		stem = reholdStem(m.OrderID, nonce)
	}
	claims := s.rebuildClaims(m, stem)
	for _, c := range claims {
		err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants)
		if err == nil {
			continue
		}
		if !transient(err) {
			s.Log.ErrorContext(ctx, "card saved for a checkout whose units are sold out", "order",
				m.OrderID, "campaign", c.object)
			s.releaseClaims(ctx, claims)
		}
		return "", err
	}
	return stem, nil
}

// releaseClaims releases claims and refreshes the public numbers, since a concurrent booking may
// have published the units as reserved. It logs failures.
func (s *Service) releaseClaims(ctx context.Context, claims []claim) {
	ctx = context.WithoutCancel(ctx)
	for _, c := range claims {
		if err := s.Inventory.Release(ctx, c.object, c.hold.ID); err != nil {
			s.Log.WarnContext(ctx, "could not release hold", "hold", c.hold.ID, "error", err.Error())
		}
	}
	for _, c := range claims {
		if c.object == inventory.Platform || len(c.wants) == 0 {
			continue
		}
		if err := s.Projector.Refresh(ctx, c.object); err != nil {
			s.Log.WarnContext(ctx, "could not refresh the stock of released units",
				"campaign", c.object, "error", err.Error())
		}
	}
}

// rebuildClaims rebuilds an order's claims from its manifest with the current
// limits. Items that are no longer in the catalogue have no limit.
func (s *Service) rebuildClaims(m order.Manifest, stem string) []claim {
	catalogue := s.Catalogue()
	due := s.Now().Add(changeLife)
	var all []claim
	for i, c := range m.Campaigns {
		menu := pricing.Offering{Campaign: s.campaign(c.CampaignSlug), AddOns: catalogue.AddOns()}
		own, platform := menu.Wants(c.Lines)
		h := inventory.Hold{ID: holdID(stem, i), Pledge: c.PledgeID, Order: m.OrderID, Due: due}
		all = append(all, claim{c.CampaignSlug, h, own})
		if len(platform) > 0 {
			all = append(all, claim{inventory.Platform, h, platform})
		}
	}
	return all
}

// wakeCampaign calls Wake for a new pledge to a campaign that has ended, so that background jobs
// process the campaign again.
func (s *Service) wakeCampaign(ctx context.Context, slug string) error {
	if s.Wake == nil || s.campaign(slug).State(s.Now(), s.Settings.Zone) != campaign.Ended {
		return nil
	}
	return s.Wake(ctx, slug)
}

// followConfirm applies the effects of a confirmation once the order has its pledges. made reports
// whether the current call created them; otherwise an earlier attempt did. A webhook, which passes
// last, often arrives after the supporter's page has finished the confirmation; then only last is
// left to write.
func (s *Service) followConfirm(ctx context.Context, o order.Order, made bool, stem string, last ...kv.Write) error {
	if !made && len(last) > 0 && s.isFinished(ctx, o.Manifest.OrderID) {
		return s.Store.Apply(ctx, last)
	}
	if err := s.joinStarted(ctx, o.Manifest); err != nil {
		return err
	}
	var mails []kv.Write
	for i, p := range o.Pledges {
		if err := s.wakeCampaign(ctx, p.CampaignSlug); err != nil {
			return err
		}
		alone, err := s.bookPledge(ctx, p, made, holdID(stem, i))
		if err != nil {
			return err
		}
		mail, err := s.confirmationMail(ctx, p, alone)
		if err != nil {
			return err
		}
		mails = append(mails, mail...)
	}
	reminder, err := s.cartEndWrites(ctx, o.Manifest) // abandoned checkouts keep the reminder
	if err != nil {
		return err
	}
	return s.recordEnd(ctx, o, append(mails, reminder...), last)
}

// bookPledge books a pledge. alone reports whether the supporter is known to have no other pledge
// to the campaign, apart from cancelled ones. Unless the current call created the pledge (made), it
// is always false.
func (s *Service) bookPledge(ctx context.Context, p *pledge.Pledge, made bool, holdID string) (alone bool, err error) {
	if made {
		return s.Projector.BookNew(ctx, p, holdID)
	}
	_, err = s.Projector.Book(ctx, p, holdID)
	return false, err
}
