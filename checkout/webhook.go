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

// Webhook handles a webhook delivery. Without a webhook secret, it skips the delivery without
// parsing it. Deliveries may be repeated.
//
// It fails with code Unauthorized for an invalid signature, and with Unavailable for a temporary
// failure. After any failure the event is not marked as processed, so that the processor redelivers
// it.
func (s *Service) Webhook(ctx context.Context, body []byte, signature string) (WebhookResult, error) {
	if s.Settings.WebhookSecret == "" {
		s.Log.WarnContext(ctx, "webhook skipped", "reason", "webhook secret not configured")
		return WebhookResult{Received: true, Skipped: "webhook secret not configured"}, nil
	}
	hint, err := s.Processor.Verify(body, signature, s.Settings.WebhookSecret, s.Now())
	if err != nil {
		s.Log.WarnContext(ctx, "webhook rejected", "code", string(fault.CodeOf(err)))
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
	out, err := s.handleEvent(ctx, hint)
	if err != nil {
		return r, s.deferEvent(ctx, hint, out, err)
	}
	if r.Received = true; out.recorded {
		return r, nil
	}
	r.Skipped = out.skipped
	return r, s.recordEvent(ctx, hint, out, true)
}

// eventResult is the result of handling an event.
type eventResult struct {
	orderID, slug string
	skipped       string // why the event was ignored
	recorded      bool   // the event is already marked as processed
}

func (s *Service) handleEvent(ctx context.Context, h psp.Hint) (eventResult, error) {
	switch {
	case h.Type == psp.SessionCompleted:
		return s.handleCompleted(ctx, h)
	case h.Type == psp.SessionExpired:
		return s.handleExpired(ctx, h.ObjectID)
	case h.Type == psp.PaymentSucceeded:
		return s.handleApprovedPayment(ctx, h.ObjectID)
	case h.Type.IsRefund() && s.Refunded != nil && h.PaymentID != "":
		return eventResult{}, s.Refunded(ctx, h.PaymentID)
	case h.Type.IsDispute() && s.Disputed != nil && h.PaymentID != "":
		return eventResult{}, s.Disputed(ctx, h.PaymentID)
	case h.Type.IsFraudWarning() && s.Warned != nil:
		return eventResult{}, s.Warned(ctx)
	case h.Type.IsPayout() && s.PaidOut != nil:
		return eventResult{}, s.PaidOut(ctx, h.ObjectID)
	case h.Type.Observed():
		return eventResult{}, nil // evidence only: settlement and reconciliation query the processor themselves
	}
	return eventResult{skipped: "event type not handled"}, nil
}

func (s *Service) handleCompleted(ctx context.Context, h psp.Hint) (eventResult, error) {
	sess, out, err := s.ownSession(ctx, h.ObjectID)
	if err != nil || out.skipped != "" {
		return out, err
	}
	if sess.CompletedAt.IsZero() {
		sess.CompletedAt = h.Created // more accurate than the time of the delivery, which may be late
	}
	if !isCardUpdate(sess) {
		err = s.confirmAndRecord(ctx, h, sess, out)
		out.recorded = err == nil
		return out, err
	}
	err = s.replaceCard(ctx, sess)
	if errors.Is(err, errCardRejected) {
		s.Log.WarnContext(ctx, "new card not accepted", "order", out.orderID, "session", sess.ID, "error", err.Error())
		out.skipped, err = fault.Of(err).Message, s.detachLateCard(ctx, sess)
	}
	return out, err
}

// detachLateCard detaches a card that was saved too late for its pledge, unless a pledge of the
// order uses it. It keeps the card of a session that the order does not know: a database restore
// may have removed the session from the order while a charge to that card is in progress.
func (s *Service) detachLateCard(ctx context.Context, sess psp.Session) error {
	orderID, err := pledge.OrderOf(sess.Metadata["orderId"])
	if err != nil {
		return err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil || sess.Mode != s.Processor.Mode() {
		return err
	}
	started := slices.ContainsFunc(o.CardSessions, func(c order.CardSession) bool { return c.SessionID == sess.ID })
	used := slices.ContainsFunc(o.Pledges,
		func(p *pledge.Pledge) bool { return p.PaymentMethodID == sess.PaymentMethodID })
	if !started || used {
		return nil
	}
	err = s.Processor.DetachCard(ctx, sess.PaymentMethodID, "forget:"+sess.PaymentMethodID)
	if err == nil || fault.Is(err, fault.NotFound) {
		return nil
	}
	return processorError(err)
}

// ownSession reads a session. If the session does not exist, or this service did not create it, the
// result's skipped field has the reason.
func (s *Service) ownSession(ctx context.Context, sessionID string) (psp.Session, eventResult, error) {
	sess, err := s.session(ctx, sessionID)
	if fault.Is(err, fault.NotFound) {
		return sess, eventResult{skipped: "session not found"}, nil
	}
	if err != nil {
		return sess, eventResult{}, err
	}
	out := eventResult{orderID: sess.Metadata["orderId"], slug: sess.Metadata["campaignSlug"]}
	if _, err := pledge.OrderOf(out.orderID); err != nil {
		return sess, eventResult{skipped: "not a checkout of this service"}, nil //nolint:nilerr // nothing to do
	}
	return sess, out, nil
}

// handleExpired ends the order of a session that can no longer complete.
func (s *Service) handleExpired(ctx context.Context, sessionID string) (eventResult, error) {
	sess, out, err := s.ownSession(ctx, sessionID)
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

// processed marks a webhook event as processed.
type processed struct {
	Type psp.EventType `json:"type"`
	At   time.Time     `json:"processedAt"`
}

// confirmAndRecord confirms a checkout and marks its event as processed in the
// final write of the confirmation.
func (s *Service) confirmAndRecord(ctx context.Context, h psp.Hint, sess psp.Session, out eventResult) error {
	last, err := s.eventWrites(h, out, true)
	if err != nil {
		return err
	}
	_, err = s.confirm(ctx, sess, "", last...)
	return err
}

func (s *Service) recordEvent(ctx context.Context, h psp.Hint, out eventResult, done bool) error {
	batch, err := s.eventWrites(h, out, done)
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, batch)
}

// eventWrites returns the evidence of an event and, if it is done, its processed
// mark. The mark comes last because it implies that all effects of the event are
// durable.
func (s *Service) eventWrites(h psp.Hint, out eventResult, done bool) ([]kv.Write, error) {
	now := s.Now().UTC()
	seen, err := s.eventEvidence(h, out, done).Write()
	if err != nil || !done {
		return []kv.Write{seen}, err
	}
	mark, err := kv.Record(eventKey(h.EventID), processed{Type: h.Type, At: now}, now.Add(eventLife))
	return []kv.Write{seen, mark}, err
}

// deferEvent logs an event that could not be applied and returns the error of the delivery. A saved
// card that cannot be used is also logged as an error, for operators: either its units are sold
// out, or the database has lost the order. The processor continues to redeliver the event, which
// succeeds once units are released or the order is restored.
func (s *Service) deferEvent(ctx context.Context, h psp.Hint, out eventResult, err error) error {
	s.Log.WarnContext(ctx, "webhook deferred", "event", h.EventID, "type", string(h.Type), "code",
		string(fault.CodeOf(err)), "error", err.Error())
	if transient(err) || fault.Of(err) == nil || h.Type != psp.SessionCompleted {
		return fault.Wrap(err, fault.Unavailable, "The event cannot be processed at the moment")
	}
	s.Log.ErrorContext(ctx, "saved card not accepted", "order", out.orderID, "event", h.EventID, "error", err.Error())
	out.skipped = fault.Of(err).Message
	if failed := s.recordEvent(ctx, h, out, false); failed != nil {
		return failed
	}
	return err
}
