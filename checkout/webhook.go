package checkout

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Webhook takes a delivery of the processor. Without a secret it is neither
// parsed nor applied; a signature that does not hold fails with code
// Unauthorized. What failed in a way that may pass fails with code
// Unavailable and leaves no mark, so that the processor delivers it again;
// delivering anything again is safe.
func (s *Service) Webhook(ctx context.Context, body []byte, signature string) (WebhookResult, error) {
	if s.Settings.WebhookSecret == "" {
		s.Log.WarnContext(ctx, "webhook skipped", "reason", "no secret")
		return WebhookResult{Received: true, Skipped: "webhook secret not configured"}, nil
	}
	hint, err := s.Processor.Verify(body, signature, s.Settings.WebhookSecret, s.Now())
	if err != nil {
		s.Log.WarnContext(ctx, "webhook refused", "code", string(fault.CodeOf(err)))
		if fault.Is(err, fault.Unauthorized) {
			err = fault.Wrap(err, fault.Unauthorized, "Invalid signature")
		}
		return WebhookResult{}, err
	}
	r := WebhookResult{EventID: hint.EventID, Type: string(hint.Type)}
	if hint.Mode != s.Processor.Mode() {
		s.Log.WarnContext(ctx, "webhook skipped", "reason", SkippedMode, "event", hint.EventID)
		r.Received, r.Skipped = true, SkippedMode
		return r, nil
	}
	_, known, err := kv.Read[processed](ctx, s.Store, eventKey(hint.EventID))
	if r.Received, r.Duplicate = known, known; err != nil || known {
		return r, err
	}
	out, err := s.apply(ctx, hint)
	if err != nil {
		return r, s.postpone(ctx, hint, out, err)
	}
	if r.Received = true; out.concluded {
		return r, nil
	}
	r.Skipped = out.skipped
	return r, s.conclude(ctx, hint, out, true)
}

// applied is what became of an event.
type applied struct {
	orderID, slug string
	skipped       string // why nothing was done
	concluded     bool   // the event is marked already
}

func (s *Service) apply(ctx context.Context, h psp.Hint) (applied, error) {
	switch {
	case h.Type == psp.SessionCompleted:
		return s.completed(ctx, h)
	case h.Type == psp.SessionExpired:
		return s.expired(ctx, h.ObjectID)
	case h.Type == psp.PaymentSucceeded:
		return s.paid(ctx, h.ObjectID)
	case h.Type.Observed():
		return applied{}, nil // evidence only: settlement and reconciliation ask for themselves
	}
	return applied{skipped: "event type not handled"}, nil
}

func (s *Service) completed(ctx context.Context, h psp.Hint) (applied, error) {
	sess, out, err := s.ours(ctx, h.ObjectID)
	if err != nil || out.skipped != "" {
		return out, err
	}
	if sess.CompletedAt.IsZero() {
		sess.CompletedAt = h.Created // nearer than the delivery, which may be late
	}
	if !isCardUpdate(sess) {
		err = s.confirmAndConclude(ctx, h, sess, out)
		out.concluded = err == nil
		return out, err
	}
	_, err = s.replaceCard(ctx, sess)
	if errors.Is(err, errStrayCard) {
		s.Log.WarnContext(ctx, "a new card has no place", "order", out.orderID, "session", sess.ID, "error", err.Error())
		out.skipped, err = fault.Of(err).Message, s.forgetStray(ctx, sess)
	}
	return out, err
}

// forgetStray deletes a card that was saved for a pledge and came too late for it. The card
// of a session that the order does not know stays: an order that a restore took back has
// forgotten its sessions, and a charge may be on its way to that card.
func (s *Service) forgetStray(ctx context.Context, sess psp.Session) error {
	orderID, err := pledge.OrderOf(sess.Metadata["orderId"])
	if err != nil {
		return err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil || sess.Mode != s.Processor.Mode() {
		return err
	}
	begun := slices.ContainsFunc(o.CardSessions, func(c order.CardSession) bool { return c.SessionID == sess.ID })
	used := slices.ContainsFunc(o.Pledges, func(p *pledge.Pledge) bool { return p.PaymentMethodID == sess.PaymentMethodID })
	if !begun || used {
		return nil
	}
	err = s.Processor.DetachCard(ctx, sess.PaymentMethodID, "forget:"+sess.PaymentMethodID)
	if err == nil || fault.Is(err, fault.NotFound) {
		return nil
	}
	return outside(err)
}

// ours reads a session and finds out whether it is of this service.
func (s *Service) ours(ctx context.Context, sessionID string) (psp.Session, applied, error) {
	sess, err := s.session(ctx, sessionID)
	if fault.Is(err, fault.NotFound) {
		return sess, applied{skipped: "session not found"}, nil
	}
	if err != nil {
		return sess, applied{}, err
	}
	out := applied{orderID: sess.Metadata["orderId"], slug: sess.Metadata["campaignSlug"]}
	if _, err := pledge.OrderOf(out.orderID); err != nil {
		return sess, applied{skipped: "not a checkout of this service"}, nil
	}
	return sess, out, nil
}

// expired ends the order of a session that can no longer complete.
func (s *Service) expired(ctx context.Context, sessionID string) (applied, error) {
	sess, out, err := s.ours(ctx, sessionID)
	if err != nil || out.skipped != "" || isCardUpdate(sess) {
		return out, err
	}
	o, err := s.Orders.Get(ctx, out.orderID)
	if fault.Is(err, fault.NotFound) || err == nil && o.SessionID != sess.ID {
		out.skipped = "not a checkout of this service"
		return out, nil
	}
	if err != nil {
		return out, err
	}
	return out, s.endAndRelease(ctx, o)
}

type processed struct {
	Type psp.EventType `json:"type"`
	At   time.Time     `json:"processedAt"`
}

// confirmAndConclude confirms a checkout and has its event marked in the write
// that ends it.
func (s *Service) confirmAndConclude(ctx context.Context, h psp.Hint, sess psp.Session, out applied) error {
	last, err := s.conclusion(h, out, true)
	if err != nil {
		return err
	}
	_, err = s.confirm(ctx, sess, "", last...)
	return err
}

func (s *Service) conclude(ctx context.Context, h psp.Hint, out applied, done bool) error {
	batch, err := s.conclusion(h, out, done)
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, batch)
}

// conclusion is the evidence of an event and, where it is done, its mark: last,
// since the mark says that all that follows from the event is durable.
func (s *Service) conclusion(h psp.Hint, out applied, done bool) ([]kv.Write, error) {
	now := s.Now().UTC()
	seen, err := s.evidence(h, out, done).Write()
	if err != nil || !done {
		return []kv.Write{seen}, err
	}
	mark, err := kv.Record(eventKey(h.EventID), processed{Type: h.Type, At: now}, now.Add(eventLife))
	return []kv.Write{seen, mark}, err
}

// postpone answers an event that could not be applied. A saved card without a place is
// one that an operator has to see: its supporter's units are gone, or the database has
// lost the order. It is tried again for as long as the processor does, since units may
// come back, and orders too.
func (s *Service) postpone(ctx context.Context, h psp.Hint, out applied, err error) error {
	s.Log.WarnContext(ctx, "webhook postponed", "event", h.EventID, "type", string(h.Type), "code", string(fault.CodeOf(err)), "error", err.Error())
	if transient(err) || fault.Of(err) == nil || h.Type != psp.SessionCompleted {
		return fault.Wrap(err, fault.Unavailable, "The event cannot be processed at the moment")
	}
	s.Log.ErrorContext(ctx, "a saved card has no place", "order", out.orderID, "event", h.EventID, "error", err.Error())
	out.skipped = fault.Of(err).Message
	if failed := s.conclude(ctx, h, out, false); failed != nil {
		return failed
	}
	return err
}
