package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// confirm makes the pledges of a checkout whose session is complete, and
// everything that follows from them. Whoever learns of the session first calls
// it; any prefix of it may be run again, and a repeat of the whole changes
// nothing. The frozen manifest is taken as it is: nothing is quoted again, and
// no deadline, threshold or stock refuses a supporter whose card is saved.
//
// It fails with code Conflict when the session is not this order's, and with
// SoldOut when the order was given up meanwhile and its units are gone; then
// nobody is charged. The stem is holdAgain's. The last writes are made once all
// else is durable.
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
	if stem, err = s.holdAgain(ctx, o.Manifest, stem); err != nil {
		return order.Order{}, err
	}
	if o, made, err = s.Orders.Confirm(ctx, orderID, sess.ID, hash, card, true); err != nil {
		return order.Order{}, err
	}
	return o, s.followConfirm(ctx, o, made, stem, last...)
}

// orderOf returns the order that a complete session of this processor's mode names.
func (s *Service) orderOf(sess psp.Session) (string, error) {
	if sess.Mode != s.Processor.Mode() {
		return "", fault.New(fault.Conflict, "The session is of another mode").In("sessionId")
	}
	if sess.Status != psp.Complete {
		return "", fault.New(fault.Conflict, "The checkout is not complete").In("sessionId")
	}
	id := sess.Metadata["orderId"]
	orderID, err := pledge.OrderOf(id)
	if err != nil || orderID != id {
		return "", fault.New(fault.Conflict, "The session is of no checkout").In("sessionId")
	}
	return orderID, nil
}

func (s *Service) card(sess psp.Session) (order.Card, error) {
	c := order.Card{
		CustomerID: sess.CustomerID, PaymentMethodID: sess.PaymentMethodID, SetupIntentID: sess.SetupIntentID, SavedAt: sess.CompletedAt,
	}
	if c.CustomerID == "" || c.PaymentMethodID == "" {
		return order.Card{}, fault.New(fault.Unavailable, "The processor does not show the saved card yet")
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

// holdAgain takes back the units of an order that was given up, all or none,
// and returns the stem of the holds' IDs. A stem that is given is that of holds
// which an earlier attempt left behind.
func (s *Service) holdAgain(ctx context.Context, m order.Manifest, stem string) (string, error) {
	if stem == "" {
		nonce, err := s.nonce()
		if err != nil {
			return "", err
		}
		stem = againStem(m.OrderID, nonce)
	}
	claims := s.claimsAgain(m, stem)
	for _, c := range claims {
		err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants)
		if err == nil {
			continue
		}
		if !transient(err) {
			s.Log.ErrorContext(ctx, "a card was saved for a checkout whose units are gone", "order", m.OrderID, "campaign", c.object)
			s.dropClaims(ctx, claims)
		}
		return "", err
	}
	return stem, nil
}

// dropClaims gives claims back, to the eyes of the public too: somebody else's
// booking may have shown their units as reserved.
func (s *Service) dropClaims(ctx context.Context, claims []claim) {
	ctx = context.WithoutCancel(ctx)
	for _, c := range claims {
		if err := s.Inventory.Release(ctx, c.object, c.hold.ID); err != nil {
			s.Log.WarnContext(ctx, "a hold is left to be released", "hold", c.hold.ID, "error", err.Error())
		}
	}
	for _, c := range claims {
		if c.object == inventory.Platform || len(c.wants) == 0 {
			continue
		}
		if err := s.Projector.Refresh(ctx, c.object); err != nil {
			s.Log.WarnContext(ctx, "units that were given back are not shown yet", "campaign", c.object, "error", err.Error())
		}
	}
}

// claimsAgain rebuilds an order's claims from its manifest, with the limits
// that are in force now. What is no longer in the catalogue has none.
func (s *Service) claimsAgain(m order.Manifest, stem string) []claim {
	catalogue := s.Catalogue()
	due := s.Now().Add(changeLife)
	var all []claim
	for i, c := range m.Campaigns {
		menu := menu{campaign: s.campaign(c.CampaignSlug), addOns: catalogue.AddOns()}
		own, platform := menu.wants(c.Lines)
		h := inventory.Hold{ID: holdID(stem, i), Pledge: c.PledgeID, Order: m.OrderID, Due: due}
		all = append(all, claim{c.CampaignSlug, h, own})
		if len(platform) > 0 {
			all = append(all, claim{inventory.Platform, h, platform})
		}
	}
	return all
}

// wake says that a pledge comes to a campaign that has ended.
func (s *Service) wake(ctx context.Context, slug string) error {
	if s.Wake == nil || s.campaign(slug).State(s.Now(), s.Settings.Zone) != campaign.Ended {
		return nil
	}
	return s.Wake(ctx, slug)
}

// followConfirm does what follows once the order's object has the pledges, which were made
// just now or by an earlier attempt.
func (s *Service) followConfirm(ctx context.Context, o order.Order, made bool, stem string, last ...kv.Write) error {
	if err := s.joinStarted(ctx, o.Manifest); err != nil {
		return err
	}
	var mails []kv.Write
	for i, p := range o.Pledges {
		if err := s.wake(ctx, p.CampaignSlug); err != nil {
			return err
		}
		alone, err := s.book(ctx, p, made, holdID(stem, i))
		if err != nil {
			return err
		}
		mail, err := s.confirmation(ctx, p, alone)
		if err != nil {
			return err
		}
		mails = append(mails, mail...)
	}
	reminder, err := s.cartEnded(ctx, o.Manifest) // which an abandoned checkout keeps
	if err != nil {
		return err
	}
	return s.noteEnd(ctx, o, append(mails, reminder...), last)
}

// book returns whether the pledge is known to be alone under its address.
func (s *Service) book(ctx context.Context, p *pledge.Pledge, made bool, holdID string) (alone bool, err error) {
	if made {
		return s.Projector.BookNew(ctx, p, holdID)
	}
	_, err = s.Projector.Book(ctx, p, holdID)
	return false, err
}
