package compose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

const (
	// lookEvery is the time between two looks for saved cards without a pledge.
	lookEvery = 6 * time.Hour
	// lookAgain is by how much a look goes back behind the last one: a session is listed by
	// its beginning, and its card may be saved a day later.
	lookAgain = 26 * time.Hour
)

// lookKey holds the last look for lost orders. A database that went back has an earlier
// one, so that the next look goes back as far as its backup is old.
const lookKey = "cron:lostOrders"

// orderLook is what a look has found.
type orderLook struct {
	At        time.Time            `json:"at"`
	Orders    []checkout.LostOrder `json:"orders,omitempty"`
	Campaigns []string             `json:"campaigns,omitempty"` // with open breaks
}

// lostOrders looks for saved cards that have no pledge, and opens a break for each that
// two looks have found: what one finds may have been on its way.
func (s *Services) lostOrders(ctx context.Context) error {
	if !s.Config.Settlement.Reconcile {
		return nil
	}
	last, known, err := kv.Read[orderLook](ctx, s.Stores.Pledges, lookKey)
	now := s.Now().UTC()
	ahead := last.At.After(now) // a wrong clock recorded it
	if err != nil || !ahead && now.Sub(last.At) < lookEvery {
		return err
	}
	from := last.At.Add(-lookAgain)
	if !known || ahead {
		from = now.Add(-lookBack)
	}
	lost, err := s.Checkout.LostOrders(ctx, from)
	if err != nil {
		return err
	}
	if lost, err = s.stillLost(ctx, lost, last.Orders); err != nil {
		return err
	}
	next := orderLook{At: now, Orders: lost}
	bySlug := map[string][]reconcile.Finding{}
	for _, slug := range last.Campaigns {
		bySlug[slug] = nil
	}
	for _, l := range lost {
		if containsSession(last.Orders, l) {
			bySlug[l.CampaignSlug] = append(bySlug[l.CampaignSlug], findingOf(l))
		}
	}
	var errs []error
	for slug, found := range bySlug {
		if err := s.Reconcile.Lost(ctx, slug, now.Unix(), found); err != nil {
			errs = append(errs, fmt.Errorf("lost orders of %s: %w", slug, err))
		}
		if len(found) > 0 {
			next.Campaigns = append(next.Campaigns, slug)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...) // the next hour looks again
	}
	slices.Sort(next.Campaigns)
	return kv.Save(ctx, s.Stores.Pledges, lookKey, next)
}

// stillLost adds those of an earlier look to the orders that were found, as far as nobody
// has ended them since.
func (s *Services) stillLost(ctx context.Context, found, earlier []checkout.LostOrder) ([]checkout.LostOrder, error) {
	for _, l := range earlier {
		if containsSession(found, l) {
			continue
		}
		still, err := s.Checkout.StillLost(ctx, l.SessionID)
		if err != nil {
			return nil, err
		}
		if still {
			found = append(found, l)
		}
	}
	return found, nil
}

func containsSession(orders []checkout.LostOrder, l checkout.LostOrder) bool {
	return slices.ContainsFunc(orders, func(o checkout.LostOrder) bool { return o.SessionID == l.SessionID })
}

func findingOf(l checkout.LostOrder) reconcile.Finding {
	cents, err := strconv.ParseInt(l.AmountCents, 10, 64)
	if err != nil {
		cents = 0 // a session of another release
	}
	return reconcile.Finding{
		Kind: reconcile.OrderLost, Subject: l.SessionID, OrderIDs: []string{l.OrderID}, Processor: money.Cents(cents),
		Message: "A card was saved in the session " + l.SessionID + " and there is no pledge for it",
	}
}
