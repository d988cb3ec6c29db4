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
	// lostOrdersEvery is the interval between two searches for saved cards without a pledge.
	lostOrdersEvery = 6 * time.Hour
	// lostOrdersOverlap is how far a search reaches back before the previous one. Sessions are
	// listed by their start time, and a card may be saved up to a day later.
	lostOrdersOverlap = 26 * time.Hour
)

// lostOrdersKey stores the last search for lost orders. A restored database contains an earlier
// search, so the next one covers the time since the backup.
const lostOrdersKey = "cron:lostOrders"

// orderSearch is the result of one search.
type orderSearch struct {
	At        time.Time            `json:"at"`
	Orders    []checkout.LostOrder `json:"orders,omitempty"`
	Campaigns []string             `json:"campaigns,omitempty"` // with open breaks
}

// searchLostOrders searches for saved cards that have no pledge, every lostOrdersEvery if
// reconciliation is enabled. It opens a break for each order that two searches in a row find,
// because an order that only one finds may have been in progress.
func (s *Services) searchLostOrders(ctx context.Context) error {
	if !s.Config.Settlement.Reconcile {
		return nil
	}
	last, known, err := kv.Read[orderSearch](ctx, s.Stores.Pledges, lostOrdersKey)
	now := s.Now().UTC()
	ahead := last.At.After(now) // recorded while the clock was wrong
	if err != nil || !ahead && now.Sub(last.At) < lostOrdersEvery {
		return err
	}
	from := last.At.Add(-lostOrdersOverlap)
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
	next := orderSearch{At: now, Orders: lost}
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
		if err := s.Reconcile.RecordLost(ctx, slug, now.Unix(), found); err != nil {
			errs = append(errs, fmt.Errorf("lost orders of %s: %w", slug, err))
		}
		if len(found) > 0 {
			next.Campaigns = append(next.Campaigns, slug)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...) // retried by the next hourly run
	}
	slices.Sort(next.Campaigns)
	return kv.Save(ctx, s.Stores.Pledges, lostOrdersKey, next)
}

// stillLost adds the earlier search's orders to found unless they have been resolved since.
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
		cents = 0 // a session created by another release
	}
	return reconcile.Finding{
		Kind: reconcile.OrderLost, Subject: l.SessionID, OrderIDs: []string{l.OrderID}, Processor: money.Cents(cents),
		Message: "A card was saved in the session " + l.SessionID + " and there is no pledge for it",
	}
}
