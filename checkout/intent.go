package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Intent is the record checkout-intent:{orderId}, a readable copy of the order's
// object.
type Intent struct {
	Manifest    order.Manifest `json:"manifest"`
	Hash        string         `json:"checkoutCartHash"`
	SessionID   string         `json:"sessionId"`
	State       order.State    `json:"state"`
	ConfirmedAt *time.Time     `json:"confirmedAt,omitempty"`
}

func intentOf(o order.Order) Intent {
	return Intent{Manifest: o.Manifest, Hash: o.Hash, SessionID: o.SessionID, State: o.State,
		ConfirmedAt: o.ConfirmedAt}
}

// recordStart writes the records of a checkout in progress and refreshes the public stock of its
// campaigns with limited units.
func (s *Service) recordStart(ctx context.Context, d draft) error {
	writes, err := startRecords(d.order)
	if err != nil {
		return err
	}
	if d.attempt != "" {
		attempt, err := attemptWrite(d)
		if err != nil {
			return err
		}
		writes = append(writes, attempt)
	}
	reminder, err := s.cartStartWrites(ctx, d.manifest)
	if err != nil {
		return err
	}
	writes = append(writes, reminder...)
	slugs := d.limitedCampaigns()
	if len(slugs) == 0 {
		return s.Store.Apply(ctx, writes)
	}
	for i, slug := range slugs {
		if i > 0 {
			writes = nil
		}
		if err := s.Projector.Refresh(ctx, slug, writes...); err != nil {
			return err
		}
	}
	return nil
}

func startRecords(o order.Order) ([]kv.Write, error) {
	m := o.Manifest
	until := m.Expires.Add(intentLife)
	intent, err := kv.Record(intentKey(m.OrderID), intentOf(o), until)
	if err != nil {
		return nil, err
	}
	tiers, extras := map[string][]pledge.Line{}, map[string][]pledge.Line{}
	for _, c := range m.Campaigns {
		for _, l := range c.Lines {
			if l.Kind == pledge.TierLine {
				tiers[c.CampaignSlug] = append(tiers[c.CampaignSlug], l)
			} else {
				extras[c.CampaignSlug] = append(extras[c.CampaignSlug], l)
			}
		}
	}
	pendingExtras, err := kv.Record(extrasKey(m.OrderID), extras, until)
	if err != nil {
		return nil, err
	}
	pendingTiers, err := kv.Record(tiersKey(m.OrderID), tiers, until)
	return []kv.Write{intent, pendingExtras, pendingTiers}, err
}

// recordEnd deletes the records of a checkout in progress and writes the order's final state to its
// intent record, after the writes in before and ahead of those in after. A final state in the
// intent record implies that all earlier writes are durable.
func (s *Service) recordEnd(ctx context.Context, o order.Order, before, after []kv.Write) error {
	id := o.Manifest.OrderID
	intent, err := kv.Record(intentKey(id), intentOf(o), s.Now().Add(intentLife))
	if err != nil {
		return err
	}
	end := []kv.Write{kv.Delete(extrasKey(id)), kv.Delete(tiersKey(id)), intent}
	return s.Store.Apply(ctx, slices.Concat(before, end, after))
}

// releaseUnits releases the units that a checkout has held since its start, and returns the number
// of released holds.
func (s *Service) releaseUnits(ctx context.Context, m order.Manifest) (int, error) {
	held := holdRefs(m)
	for n, h := range held {
		if err := s.Inventory.Release(ctx, h.object, h.id); err != nil {
			return n, err
		}
	}
	return len(held), nil
}

// holdRef identifies one hold of a started order.
type holdRef struct{ object, id string }

// holdRefs lists the holds that the start of an order created.
func holdRefs(m order.Manifest) []holdRef {
	var all []holdRef
	for i, c := range m.Campaigns {
		all = append(all, holdRef{c.CampaignSlug, holdID(m.OrderID, i)})
		if hasPlatform(c.Lines) {
			all = append(all, holdRef{inventory.Platform, holdID(m.OrderID, i)})
		}
	}
	return all
}

// releaseAndRefresh is like release but also refreshes the public numbers of the order's campaigns,
// which may already show the units as reserved.
func (s *Service) releaseAndRefresh(ctx context.Context, m order.Manifest) (int, error) {
	n, err := s.releaseUnits(ctx, m)
	if err != nil {
		return n, err
	}
	for _, c := range m.Campaigns {
		if err := s.Projector.Refresh(ctx, c.CampaignSlug); err != nil {
			return n, err
		}
	}
	return n, nil
}

func hasPlatform(lines []pledge.Line) bool {
	for _, l := range lines {
		if l.Kind == pledge.PlatformAddOnLine {
			return true
		}
	}
	return false
}
