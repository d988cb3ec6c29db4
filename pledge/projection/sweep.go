package projection

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Swept is how far a sweep has come.
type Swept struct {
	Mended int `json:"mended"` // pledges whose record was behind
	Lost   int `json:"lost"`   // pledges whose order is lost; their records stay as they are
	Next   int `json:"next"`   // where the next sweep begins; 0 after the last pledge
}

// Sweep holds the records of some of a campaign's pledges against their orders
// and books those anew that are behind, from the pledge with a number on. A
// writer that was held up, wrote an older record over a newer one and died
// before it could look again leaves one like that; so does one whose change came
// after its reservation was taken for dead, and who died before booking it. It takes up
// inventory.MaxPage pledges at the most.
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

// sweepOne books a pledge anew if its record is behind, and counts what it found.
func (p *Projector) sweepOne(ctx context.Context, id string, s *Swept) error {
	behind, err := p.behind(ctx, id)
	if fault.Is(err, fault.NotFound) {
		s.Lost++
		return nil
	}
	if err != nil || !behind {
		return err
	}
	s.Mended++
	_, err = p.renew(ctx, id)
	return err
}

// behind reports whether a pledge's record is of an earlier revision than the
// pledge. It fails with code NotFound if the order is lost.
func (p *Projector) behind(ctx context.Context, id string) (bool, error) {
	revision, err := p.Orders.Revision(ctx, id)
	if err != nil {
		return false, err
	}
	record, err := p.stored(ctx, pledge.Key(id))
	if err != nil || record == nil {
		return true, err
	}
	known, err := kv.Member[int](pledge.Key(id), record, "revision")
	return known < revision, err
}

// renew takes a pledge into the accounts and the projections as its order has it. It reports
// false if the order is lost.
func (p *Projector) renew(ctx context.Context, id string) (bool, error) {
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
