package checkout

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// firstDue returns when the holds of a new order expire. Scarce units are held for minutes at a
// time while our page reports that it is open. The processor's hosted page does not report that,
// so units are held until its session ends.
func (s *Service) firstDue(d draft) time.Time {
	if s.Settings.PublishableKey == "" || len(d.limitedCampaigns()) == 0 {
		return d.manifest.Expires.Add(holdMargin)
	}
	return s.heldUntil(d.manifest)
}

// heldUntil returns until when an order's scarce units are held if its page is open now: HoldLife
// from now, limited by MaxHoldLife and the session's end.
func (s *Service) heldUntil(m order.Manifest) time.Time {
	until := s.Now().UTC().Add(HoldLife)
	for _, last := range []time.Time{m.Expires.Add(holdMargin), m.BookedAt.Add(MaxHoldLife)} {
		if until.After(last) {
			until = last
		}
	}
	return until
}

// holderID returns a pseudonym for a client that does not reveal its address.
func (s *Service) holderID(client string) string {
	if client == "" {
		return ""
	}
	mac := hmac.New(sha256.New, s.Intents.Secret)
	mac.Write([]byte("holder:" + client))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Extend keeps the units of a checkout whose page is still open for HoldLife, at
// most until MaxHoldLife after its start and until its session ends. It fails
// with code Gone if the checkout has ended, and with Conflict if its card is
// saved.
func (s *Service) Extend(ctx context.Context, r OpenRequest) (Extended, error) {
	_, until, err := s.extendCheckout(ctx, r)
	return Extended{OrderID: r.OrderID, HeldUntil: until}, err
}

// Resume returns a checkout in progress to the browser that started it, with its held units and
// its session. It fails as Extend does; if the card is already saved, it creates the pledges
// first.
func (s *Service) Resume(ctx context.Context, r OpenRequest) (Started, error) {
	o, until, err := s.extendCheckout(ctx, r)
	if err != nil {
		return Started{}, err
	}
	session, err := s.session(ctx, o.SessionID)
	if err != nil {
		return Started{}, err
	}
	switch session.Status {
	case psp.Complete:
		if _, err := s.confirm(ctx, session, ""); err != nil {
			return Started{}, err
		}
		return Started{}, cardSavedError()
	case psp.Expired:
		return Started{}, checkoutEndedError()
	case psp.Open:
	}
	combined, err := s.combinations(ctx, o.Manifest)
	if err != nil {
		return Started{}, err
	}
	return s.startedResponse(o.Manifest, r.Token, session, until, combined), nil
}

// extendCheckout extends the holds of an open order and returns the order and the new expiry. If a
// hold is gone, it reads the order again to find out whether it was confirmed or has ended.
func (s *Service) extendCheckout(ctx context.Context, r OpenRequest) (order.Order, time.Time, error) {
	if err := s.verifyCheckoutToken(r.Token, r.OrderID); err != nil {
		return order.Order{}, time.Time{}, err
	}
	o, err := s.Orders.Get(ctx, r.OrderID)
	if err != nil {
		return order.Order{}, time.Time{}, err
	}
	if o.State == order.Open {
		until := s.heldUntil(o.Manifest)
		held, err := s.extendHolds(ctx, o.Manifest, until)
		if err != nil || held {
			return o, until, err
		}
		if o, err = s.Orders.Get(ctx, r.OrderID); err != nil {
			return order.Order{}, time.Time{}, err
		}
	}
	if o.State == order.Confirmed {
		return order.Order{}, time.Time{}, cardSavedError()
	}
	return order.Order{}, time.Time{}, checkoutEndedError()
}

func cardSavedError() error { return fault.New(fault.Conflict, "The card of this checkout is saved") }

func checkoutEndedError() error {
	return fault.New(fault.Gone, "This checkout has ended, and its units are no longer reserved")
}

// extendHolds extends an order's holds until the given time and reports whether all of them still
// exist. It stops at the first that does not.
func (s *Service) extendHolds(ctx context.Context, m order.Manifest, until time.Time) (bool, error) {
	for _, h := range holdRefs(m) {
		if held, err := s.Inventory.Extend(ctx, h.object, h.id, until); err != nil || !held {
			return false, err
		}
	}
	return true, nil
}

// checkAttempt rejects malformed attempt secrets. An empty secret is valid.
func checkAttempt(attempt string) error {
	if attempt == "" {
		return nil
	}
	if len(attempt) < 16 || !isSecret(attempt) {
		return fault.New(fault.Invalid, "Expected 16 to 64 letters, digits, - and _").In("attempt")
	}
	return nil
}

// isSecret reports whether a client's secret has at most 64 characters, all of them URL-safe.
func isSecret(text string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return len(text) <= 64 && strings.Trim(text, allowed) == ""
}

// startAttempt is the record of a repeatable start.
type startAttempt struct {
	OrderID string `json:"orderId"`
}

func attemptWrite(d draft) (kv.Write, error) {
	m := d.manifest
	return kv.Record(attemptKey(d.attempt), startAttempt{m.OrderID}, m.Expires.Add(holdMargin))
}

// endPreviousAttempt ends the checkout that an earlier request with the same attempt secret
// started, and reports whether it did. Failures are logged.
func (s *Service) endPreviousAttempt(ctx context.Context, attempt string) bool {
	if attempt == "" {
		return false
	}
	former, known, err := kv.Read[startAttempt](ctx, s.Store, attemptKey(attempt))
	if err != nil || !known {
		return false
	}
	o, err := s.Orders.Get(ctx, former.OrderID)
	if err == nil {
		err = s.endAndRelease(ctx, o)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "could not abandon earlier attempt", "order", former.OrderID, "error", err.Error())
	}
	return err == nil
}
