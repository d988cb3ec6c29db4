package projection

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Swept is the result of a sweep.
type Swept struct {
	Repaired int `json:"mended"` // pledges whose outdated record was rewritten
	Lost     int `json:"lost"`   // pledges whose order is lost; their records are not changed
	Next     int `json:"next"`   // where the next sweep starts; 0 after the last pledge
}

// Sweep compares the records of up to limit pledges of a campaign with their orders, starting at
// the pledge with number from, and books those that are outdated. A sweep covers at most
// inventory.MaxPage pledges.
//
// There are two causes of outdated records. A delayed writer may overwrite a newer record and crash
// before checking it. Or a pledge may be changed after its hold was released, and the server crash
// before booking the change.
func (p *Projector) Sweep(ctx context.Context, slug string, from, limit int) (Swept, error) {
	limit = min(limit, inventory.MaxPage)
	ids, err := p.Inventory.Listed(ctx, slug, from, limit)
	if err != nil {
		return Swept{}, err
	}
	s := Swept{Next: from + len(ids)}
	if len(ids) < limit {
		s.Next = 0
	}
	for _, id := range ids {
		if err := p.sweepOne(ctx, id, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// sweepOne books a pledge if its record is outdated, and counts the result in s.
func (p *Projector) sweepOne(ctx context.Context, id string, s *Swept) error {
	behind, err := p.isOutdated(ctx, id)
	if fault.Is(err, fault.NotFound) {
		s.Lost++
		return nil
	}
	if err != nil || !behind {
		return err
	}
	s.Repaired++
	_, err = p.rebook(ctx, id)
	return err
}

// isOutdated reports whether a pledge's record is missing or has an older revision. It fails with
// code NotFound if the order is lost.
func (p *Projector) isOutdated(ctx context.Context, id string) (bool, error) {
	revision, err := p.Orders.Revision(ctx, id)
	if err != nil {
		return false, err
	}
	record, err := p.storedRecord(ctx, pledge.Key(id))
	if err != nil || record == nil {
		return true, err
	}
	known, err := kv.Member[int](pledge.Key(id), record, "revision")
	return known < revision, err
}

// rebook books a pledge as stored in its order. It returns false if the order is lost.
func (p *Projector) rebook(ctx context.Context, id string) (bool, error) {
	pl, err := p.Orders.Pledge(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = p.Book(ctx, pl, "")
	return true, err
}
