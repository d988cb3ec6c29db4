package checkout

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Complete confirms a checkout whose webhook is late or lost. With a pledge's ID
// and the session of its card update, it completes the card update. It fails with
// code NotFound for an unknown order, and with Conflict if the session does not
// belong to the order or is not complete.
func (s *Service) Complete(ctx context.Context, r CompleteRequest) (Completed, error) {
	orderID, err := pledge.OrderOf(r.OrderID)
	if err != nil {
		return Completed{}, err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil {
		return Completed{}, err
	}
	card := slices.ContainsFunc(o.CardSessions,
		func(c order.CardSession) bool { return c.SessionID == r.SessionID && c.PledgeID == r.OrderID })
	if !card && (r.SessionID == "" || o.SessionID != r.SessionID || orderID != r.OrderID) {
		return Completed{}, fault.New(fault.Conflict, "The session does not belong to this checkout").In("sessionId")
	}
	out := Completed{Success: true, Persisted: true, OrderID: r.OrderID}
	if !card && s.isFinished(ctx, orderID) {
		return out, nil
	}
	sess, err := s.session(ctx, r.SessionID)
	if err != nil {
		return Completed{}, err
	}
	if card {
		if err := s.replaceCard(ctx, sess); err != nil {
			return Completed{}, err
		}
		return out, nil
	}
	out.Recovered = o.State != order.Confirmed
	if _, err := s.confirm(ctx, sess, ""); err != nil {
		return Completed{}, err
	}
	return out, nil
}

// isFinished reports whether the order's intent record shows that all effects of
// its confirmation are durable. A stale or missing record only causes repeated
// work.
func (s *Service) isFinished(ctx context.Context, orderID string) bool {
	key := intentKey(orderID)
	intent, err := s.Store.Get(ctx, key)
	if err != nil {
		return false
	}
	state, err := kv.Member[order.State](key, intent, "state")
	return err == nil && state == order.Confirmed
}

// session reads a session from the processor. It fails with code NotFound for an unknown or
// malformed ID, and otherwise with Unavailable.
func (s *Service) session(ctx context.Context, id string) (psp.Session, error) {
	sess, err := s.Processor.Session(ctx, id)
	switch fault.CodeOf(err) {
	case "":
		return sess, nil
	case fault.NotFound, fault.Invalid:
		return psp.Session{}, fault.Wrap(err, fault.NotFound, "Session not found").In("sessionId")
	}
	return psp.Session{}, processorError(err)
}

// Recover is the version of [Service.Complete] that operators use. It needs only the ID of a
// complete session, from a checkout or a card update. It fails with code Conflict if the session
// does not belong to the given order.
func (s *Service) Recover(ctx context.Context, r RecoverRequest) (Completed, error) {
	if r.SessionID == "" {
		return Completed{}, fault.New(fault.Invalid, "Missing sessionId").In("sessionId")
	}
	sess, err := s.session(ctx, r.SessionID)
	if err != nil {
		return Completed{}, err
	}
	if r.OrderID != "" && r.OrderID != sess.Metadata["orderId"] {
		return Completed{}, fault.New(fault.Conflict, "The session does not belong to this order").In("orderId")
	}
	out := Completed{Success: true, Persisted: true, OrderID: sess.Metadata["orderId"]}
	if isCardUpdate(sess) {
		if err := s.replaceCard(ctx, sess); err != nil {
			return Completed{}, err
		}
		out.Recovered = true
		return out, nil
	}
	before, err := s.Orders.Get(ctx, sess.Metadata["orderId"])
	if err != nil {
		return Completed{}, err
	}
	out.Recovered = before.State != order.Confirmed
	if _, err := s.confirm(ctx, sess, ""); err != nil {
		return Completed{}, err
	}
	return out, nil
}

// verifyCheckoutToken checks that a checkout token belongs to the order.
func (s *Service) verifyCheckoutToken(tok, orderID string) error {
	c, err := s.Intents.Verify(tok, token.Checkout, s.Now())
	if err != nil {
		return err
	}
	if c.OrderID != orderID {
		return fault.New(fault.Unauthorized, "Invalid or expired token").In("token")
	}
	return nil
}

// Summary returns a checkout for display to the holder of its token. It fails with code
// Unauthorized for an invalid token.
func (s *Service) Summary(ctx context.Context, orderID, tok string) (Summary, error) {
	if err := s.verifyCheckoutToken(tok, orderID); err != nil {
		return Summary{}, err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil {
		return Summary{}, err
	}
	m := o.Manifest
	out := Summary{
		OrderID: m.OrderID, PledgeStatus: "pending", CreatedAt: m.BookedAt, ExpiresAt: m.Expires,
		ShippingCollected: m.ShippingAddress != nil, TipPercent: m.TipPercent, Amount: m.Amount,
		Campaigns: s.campaignTotals(m),
	}
	switch o.State {
	case order.Confirmed:
		out.Persisted, out.PledgeStatus = true, string(o.Pledges[0].Status)
	case order.Abandoned:
		out.PledgeStatus = string(order.Abandoned)
	case order.Open:
	}
	return out, nil
}
