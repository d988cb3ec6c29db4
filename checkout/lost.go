package checkout

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A database that went back does not know the orders that were begun after that. Their
// cards are saved at the processor, whose list of sessions names them.

// LostOrder is a saved card whose order is not known, or has no pledges yet.
type LostOrder struct {
	SessionID    string `json:"sessionId"`
	OrderID      string `json:"orderId"`
	CampaignSlug string `json:"campaignSlug"`
	AmountCents  string `json:"amountCents"` // of the cart, as it was shown
	// Known says that the order is there, and only its pledges are not.
	Known bool `json:"known"`
}

// writtenTo is the record of a lost order whose supporter was asked to pledge again.
type writtenTo struct {
	OrderID string    `json:"orderId"`
	At      time.Time `json:"at"`
}

const lostLife = 400 * 24 * time.Hour

func lostKey(sessionID string) string { return "lost-order:v1:" + sessionID }

// LostOrders lists the saved cards of a time that have no pledges and whose supporters were
// not written to. It fails with code Unavailable where the list does not become whole.
func (s *Service) LostOrders(ctx context.Context, from time.Time) ([]LostOrder, error) {
	lost := []LostOrder{}
	q := psp.SessionQuery{From: from, To: s.Now().Add(24 * time.Hour), Limit: 100}
	for {
		page, err := s.Processor.Sessions(ctx, q)
		if err != nil {
			return nil, outside(err)
		}
		for _, sess := range page.Sessions {
			l, is, err := s.lost(ctx, sess)
			if err != nil {
				return nil, err
			}
			if is {
				lost = append(lost, l)
			}
		}
		if q.After = page.Next; q.After == "" {
			return lost, nil
		}
	}
}

// StillLost reports whether an order that was listed as lost still is.
func (s *Service) StillLost(ctx context.Context, sessionID string) (bool, error) {
	sess, err := s.session(ctx, sessionID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, is, err := s.lost(ctx, sess)
	return is, err
}

func (s *Service) lost(ctx context.Context, sess psp.Session) (LostOrder, bool, error) {
	orderID, err := s.orderOf(sess)
	if err != nil || isCardUpdate(sess) {
		return LostOrder{}, false, nil // of somebody else
	}
	l := LostOrder{SessionID: sess.ID, OrderID: orderID, CampaignSlug: sess.Metadata["campaignSlug"], AmountCents: sess.Metadata["amountCents"]}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return l, false, err
	}
	l.Known = err == nil
	if l.Known && (o.State == order.Confirmed || o.SessionID != sess.ID) {
		return l, false, nil
	}
	_, written, err := kv.Read[writtenTo](ctx, s.Store, lostKey(sess.ID))
	return l, !written, err
}

// Adopt makes the pledges of a lost order from its manifest, which has to be the one that
// its supporter accepted: the session carries its hash. It fails with code Conflict for
// another, and with SoldOut when what it is for is gone. It may be repeated.
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
		return order.Order{}, fault.New(fault.Conflict, "The manifest is not the one that was accepted with this card").In("manifest")
	}
	if err := s.Orders.OpenAccepted(ctx, m); err != nil {
		return order.Order{}, err
	}
	o, err := s.Orders.Get(ctx, orderID) // a repeat is answered as it was the first time
	if err != nil {
		return order.Order{}, err
	}
	if o.State == order.Open {
		if err := s.Orders.Attach(ctx, orderID, sess.ID); err != nil {
			return order.Order{}, err
		}
		// Its holds are lost with it: it is taken up again like one that was given up.
		if err := s.Orders.Abandon(ctx, orderID, sess.ID); err != nil {
			return order.Order{}, err
		}
	}
	return s.confirm(ctx, sess, "")
}

// AskAgain asks the supporter of a lost order to pledge again, by a mail whose link fills
// the cart again, and notes that. The card is never charged for it, and one that was fails
// with code Conflict. An order that is known gets its pledges instead, unless what it is
// for is gone. It fails with code Conflict for an order that is not lost.
func (s *Service) AskAgain(ctx context.Context, sessionID string) error {
	sess, err := s.listed(ctx, sessionID)
	if err != nil {
		return err
	}
	l, is, err := s.lost(ctx, sess)
	if err != nil {
		return err
	}
	if !is {
		return fault.New(fault.Conflict, "The order is not lost").In("sessionId")
	}
	if l.Known {
		if _, err := s.confirm(ctx, sess, ""); !fault.Is(err, fault.SoldOut) {
			return err
		}
	}
	if err := s.notCharged(ctx, sess); err != nil {
		return err
	}
	email, err := pledge.ParseEmail(sess.Email)
	if err != nil {
		return fault.Wrap(err, fault.Conflict, "The processor has no address for the customer %s", sess.CustomerID)
	}
	m, err := notify.LostOf(email, l.OrderID, s.campaign(l.CampaignSlug), sess.Metadata["preferredLang"], cartIn(sess.Metadata), s.Links)
	if err != nil {
		return err
	}
	writes, err := s.Outbox.Writes(ctx, m)
	if err != nil {
		return err
	}
	w, err := kv.Record(lostKey(sess.ID), writtenTo{OrderID: l.OrderID, At: s.Now().UTC()}, s.Now().Add(lostLife))
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, append(writes, w)) // the mail first: a note alone would hide the order
}

// notCharged fails with code Conflict if the card of a session was charged, like that of an
// order that was lost after its settlement, and not refunded in full.
func (s *Service) notCharged(ctx context.Context, sess psp.Session) error {
	q := psp.PaymentQuery{From: sess.Expires.Add(-25 * time.Hour), To: s.Now().Add(24 * time.Hour), Limit: 100}
	for {
		page, err := s.Processor.Payments(ctx, q)
		if err != nil {
			return outside(err)
		}
		for _, p := range page.Payments {
			moved := p.Status == psp.Succeeded && p.Refunded < p.Received
			if p.CustomerID == sess.CustomerID && (moved || p.Status == psp.Pending) {
				return fault.New(fault.Conflict, "The card was charged by the payment %s: the order has to be adopted, or refunded", p.ID).In("sessionId")
			}
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

// listed reads a session as the list has it, with its customer's address.
func (s *Service) listed(ctx context.Context, sessionID string) (psp.Session, error) {
	sess, err := s.session(ctx, sessionID)
	if err != nil {
		return sess, err
	}
	q := psp.SessionQuery{From: sess.Expires.Add(-25 * time.Hour), To: sess.Expires.Add(time.Minute), Limit: 100} // none lives longer than a day
	for {
		page, err := s.Processor.Sessions(ctx, q)
		if err != nil {
			return sess, outside(err)
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
