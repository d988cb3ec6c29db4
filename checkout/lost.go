package checkout

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A restored database has lost the orders that were started after its backup.
// Their cards are saved at the processor, whose session list identifies them.

// LostOrder is a saved card whose order is unknown or has no pledges yet.
type LostOrder struct {
	SessionID    string `json:"sessionId"`
	OrderID      string `json:"orderId"`
	CampaignSlug string `json:"campaignSlug"`
	AmountCents  string `json:"amountCents"` // total of the cart as shown
	// Known is set if the order exists and only its pledges are missing.
	Known bool `json:"known"`
}

// lostNotice records that the supporter of a lost order was emailed, asking them to pledge again.
type lostNotice struct {
	OrderID string    `json:"orderId"`
	At      time.Time `json:"at"`
}

const lostLife = 400 * 24 * time.Hour

func lostKey(sessionID string) string { return "lost-order:v1:" + sessionID }

// LostOrders lists the cards saved since a time that have no pledges and whose supporters have not
// been emailed. It fails with code Unavailable if the processor does not list its sessions.
func (s *Service) LostOrders(ctx context.Context, from time.Time) ([]LostOrder, error) {
	lost := []LostOrder{}
	q := psp.SessionQuery{From: from, To: s.Now().Add(24 * time.Hour), Limit: 100}
	for {
		page, err := s.Processor.Sessions(ctx, q)
		if err != nil {
			return nil, processorError(err)
		}
		for _, sess := range page.Sessions {
			l, isLost, err := s.checkLost(ctx, sess)
			if err != nil {
				return nil, err
			}
			if isLost {
				lost = append(lost, l)
			}
		}
		if q.After = page.Next; q.After == "" {
			return lost, nil
		}
	}
}

// StillLost reports whether a listed lost order is still lost.
func (s *Service) StillLost(ctx context.Context, sessionID string) (bool, error) {
	sess, err := s.session(ctx, sessionID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, isLost, err := s.checkLost(ctx, sess)
	return isLost, err
}

// checkLost returns the order of a session and reports whether it is lost: a checkout with a saved
// card but without pledges, whose supporter has not been emailed.
func (s *Service) checkLost(ctx context.Context, sess psp.Session) (LostOrder, bool, error) {
	orderID, err := s.orderOf(sess)
	if err != nil || isCardUpdate(sess) {
		return LostOrder{}, false, nil //nolint:nilerr // not created by this service
	}
	l := LostOrder{SessionID: sess.ID, OrderID: orderID, CampaignSlug: sess.Metadata["campaignSlug"],
		AmountCents: sess.Metadata["amountCents"]}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return l, false, err
	}
	l.Known = err == nil
	if l.Known && (o.State == order.Confirmed || o.SessionID != sess.ID) {
		return l, false, nil
	}
	_, written, err := kv.Read[lostNotice](ctx, s.Store, lostKey(sess.ID))
	return l, !written, err
}

// Adopt creates the pledges of a lost order from its manifest. The manifest must be the one that
// the supporter accepted; the session's metadata has its hash. It fails with code Conflict for a
// different manifest, and with SoldOut if the units are gone. It may be repeated.
func (s *Service) Adopt(ctx context.Context, sessionID string, m order.Accepted) (order.Order, error) {
	sess, err := s.session(ctx, sessionID)
	if err != nil {
		return order.Order{}, err
	}
	orderID, err := s.orderOf(sess)
	if err != nil {
		return order.Order{}, err
	}
	if m.OrderID != orderID || m.Hash() != sess.Metadata["checkoutCartHash"] {
		return order.Order{}, fault.New(fault.Conflict,
			"The manifest is not the one that was accepted with this card").In("manifest")
	}
	if err := s.Orders.OpenAccepted(ctx, m); err != nil {
		return order.Order{}, err
	}
	o, err := s.Orders.Get(ctx, orderID) // a repeated call gets the same result
	if err != nil {
		return order.Order{}, err
	}
	if o.State == order.Open {
		if err := s.Orders.Attach(ctx, orderID, sess.ID); err != nil {
			return order.Order{}, err
		}
		// Its holds are lost too, so it is revived like an abandoned order.
		if err := s.Orders.Abandon(ctx, orderID, sess.ID); err != nil {
			return order.Order{}, err
		}
	}
	return s.confirm(ctx, sess, "")
}

// AskToPledgeAgain emails the supporter of a lost order a link that fills the cart again, and
// records that the email was queued. The card is never charged for the lost order. If the order is
// known and its units are available, AskToPledgeAgain creates the pledges instead.
//
// It fails with code Conflict if the order is not lost, if the card was already charged, or if the
// processor has no email address.
func (s *Service) AskToPledgeAgain(ctx context.Context, sessionID string) error {
	sess, err := s.findListedSession(ctx, sessionID)
	if err != nil {
		return err
	}
	l, isLost, err := s.checkLost(ctx, sess)
	if err != nil {
		return err
	}
	if !isLost {
		return fault.New(fault.Conflict, "The order is not lost").In("sessionId")
	}
	if l.Known {
		if _, err := s.confirm(ctx, sess, ""); !fault.Is(err, fault.SoldOut) {
			return err
		}
	}
	if err := s.checkNotCharged(ctx, sess); err != nil {
		return err
	}
	email, err := pledge.ParseEmail(sess.Email)
	if err != nil {
		return fault.Wrap(err, fault.Conflict, "The processor has no email address for customer %s", sess.CustomerID)
	}
	m, err := mailtext.LostMail(email, l.OrderID, s.campaign(l.CampaignSlug), sess.Metadata["preferredLang"],
		readCart(sess.Metadata), s.Links)
	if err != nil {
		return err
	}
	writes, err := s.Outbox.Writes(ctx, m)
	if err != nil {
		return err
	}
	w, err := kv.Record(lostKey(sess.ID), lostNotice{OrderID: l.OrderID, At: s.Now().UTC()}, s.Now().Add(lostLife))
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, append(writes, w)) // mail first: a notice without a mail would hide the order
}

// checkNotCharged fails with code Conflict if the session's customer has a pending payment, or one
// that succeeded and is not fully refunded. Such a payment exists if the order was lost after its
// settlement.
func (s *Service) checkNotCharged(ctx context.Context, sess psp.Session) error {
	q := psp.PaymentQuery{From: sess.Expires.Add(-25 * time.Hour), To: s.Now().Add(24 * time.Hour), Limit: 100}
	for {
		page, err := s.Processor.Payments(ctx, q)
		if err != nil {
			return processorError(err)
		}
		for _, p := range page.Payments {
			moved := p.Status == psp.Succeeded && p.Refunded < p.Received
			if p.CustomerID == sess.CustomerID && (moved || p.Status == psp.Pending) {
				return fault.New(fault.Conflict, "The card was charged by payment %s: adopt the order or refund it",
					p.ID).In("sessionId")
			}
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

// findListedSession returns a session as the processor lists it, which includes the customer's
// address.
func (s *Service) findListedSession(ctx context.Context, sessionID string) (psp.Session, error) {
	sess, err := s.session(ctx, sessionID)
	if err != nil {
		return sess, err
	}
	// a session is open for at most a day
	q := psp.SessionQuery{From: sess.Expires.Add(-25 * time.Hour), To: sess.Expires.Add(time.Minute), Limit: 100}
	for {
		page, err := s.Processor.Sessions(ctx, q)
		if err != nil {
			return sess, processorError(err)
		}
		for _, one := range page.Sessions {
			if one.ID == sessionID {
				return one, nil
			}
		}
		if q.After = page.Next; q.After == "" {
			return sess, fault.New(fault.NotFound, "Session not found").In("sessionId")
		}
	}
}
