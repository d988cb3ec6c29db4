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

// firstDue is when the holds of a new order are due. What is scarce is held for
// minutes, for as long as a page says that it is open; of the processor's own page
// we hear nothing, so its session keeps the units.
func (s *Service) firstDue(d draft) time.Time {
	if s.Settings.PublishableKey == "" || len(d.scarce()) == 0 {
		return d.manifest.Expires.Add(holdMargin)
	}
	return s.heldUntil(d.manifest)
}

// heldUntil is how long an order's scarce units are held if its page is open now: not beyond
// MaxHoldLife, nor beyond its session.
func (s *Service) heldUntil(m order.Manifest) time.Time {
	until := s.Now().UTC().Add(HoldLife)
	for _, last := range []time.Time{m.Expires.Add(holdMargin), m.BookedAt.Add(MaxHoldLife)} {
		if until.After(last) {
			until = last
		}
	}
	return until
}

// holder stands for a client in what it holds, without saying who it is.
func (s *Service) holder(client string) string {
	if client == "" {
		return ""
	}
	mac := hmac.New(sha256.New, s.Intents.Secret)
	mac.Write([]byte("holder:" + client))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Extend keeps the units of a checkout whose page is still open, for HoldLife, and at most
// until MaxHoldLife after its start and until its session ends. It fails with code Gone when the checkout has
// ended, and with Conflict when its card is saved.
func (s *Service) Extend(ctx context.Context, r OpenRequest) (Extended, error) {
	_, until, err := s.extend(ctx, r)
	return Extended{OrderID: r.OrderID, HeldUntil: until}, err
}

// Resume returns a checkout that is still under way to the browser that began it, with
// the units that it holds and the session in which its card is saved. It fails as
// Extend does; a card that turns out to be saved has its pledges by then.
func (s *Service) Resume(ctx context.Context, r OpenRequest) (Started, error) {
	o, until, err := s.extend(ctx, r)
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
		return Started{}, saved()
	case psp.Expired:
		return Started{}, ended()
	case psp.Open:
	}
	combined, err := s.combinations(ctx, o.Manifest)
	if err != nil {
		return Started{}, err
	}
	return s.started(o.Manifest, r.Token, session, until, combined), nil
}

// extend puts off what is due of an order that is open. Its state is read before,
// for what it holds, and where a hold is gone afterwards, for why.
func (s *Service) extend(ctx context.Context, r OpenRequest) (order.Order, time.Time, error) {
	if err := s.mine(r.Token, r.OrderID); err != nil {
		return order.Order{}, time.Time{}, err
	}
	o, err := s.Orders.Get(ctx, r.OrderID)
	if err != nil {
		return order.Order{}, time.Time{}, err
	}
	if o.State == order.Open {
		until := s.heldUntil(o.Manifest)
		stands, err := s.putOff(ctx, o.Manifest, until)
		if err != nil || stands {
			return o, until, err
		}
		if o, err = s.Orders.Get(ctx, r.OrderID); err != nil {
			return order.Order{}, time.Time{}, err
		}
	}
	if o.State == order.Confirmed {
		return order.Order{}, time.Time{}, saved()
	}
	return order.Order{}, time.Time{}, ended()
}

func saved() error { return fault.New(fault.Conflict, "The card of this checkout is saved") }

func ended() error {
	return fault.New(fault.Gone, "This checkout has ended, and nothing is reserved any more")
}

// putOff reports whether all holds of an order still stand.
func (s *Service) putOff(ctx context.Context, m order.Manifest, until time.Time) (bool, error) {
	for _, h := range heldFor(m) {
		if stands, err := s.Inventory.Extend(ctx, h.object, h.id, until); err != nil || !stands {
			return false, err
		}
	}
	return true, nil
}

// checkAttempt refuses what is too short to be a secret and too long to be kept.
func checkAttempt(attempt string) error {
	if attempt == "" {
		return nil
	}
	if len(attempt) < 16 || !isSecret(attempt) {
		return fault.New(fault.Invalid, "Expected 16 to 64 letters, digits, - and _").In("attempt")
	}
	return nil
}

// isSecret reports whether a client's secret has at most 64 characters, all of them safe in
// a URL.
func isSecret(text string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return len(text) <= 64 && strings.Trim(text, allowed) == ""
}

// attempted is the record of a start that may be repeated.
type attempted struct {
	OrderID string `json:"orderId"`
}

func attemptRecord(d draft) (kv.Write, error) {
	m := d.manifest
	return kv.Record(attemptKey(d.attempt), attempted{m.OrderID}, m.Expires.Add(holdMargin))
}

// endFormer gives up the checkout that the same attempt has begun before, whose
// answer never came, and reports whether it did.
func (s *Service) endFormer(ctx context.Context, attempt string) bool {
	if attempt == "" {
		return false
	}
	former, known, err := kv.Read[attempted](ctx, s.Store, attemptKey(attempt))
	if err != nil || !known {
		return false
	}
	o, err := s.Orders.Get(ctx, former.OrderID)
	if err == nil {
		err = s.endAndRelease(ctx, o)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "an earlier attempt is not yet given up", "order", former.OrderID, "error", err.Error())
	}
	return err == nil
}
