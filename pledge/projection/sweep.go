package projection

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Swept is how far a sweep has come.
type Swept struct {
	Mended int `json:"mended"` // pledges whose record was behind
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
		behind, err := p.behind(ctx, id)
		if err != nil {
			return s, err
		}
		if !behind {
			continue
		}
		if err := p.renew(ctx, id); err != nil {
			return s, err
		}
		s.Mended++
	}
	return s, nil
}

// behind reports whether a pledge's record is of an earlier revision than the
// pledge.
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

// renew takes a pledge into the accounts and the projections as its order has it.
func (p *Projector) renew(ctx context.Context, id string) error {
	pl, err := p.Orders.Pledge(ctx, id)
	if err != nil {
		return err
	}
	_, err = p.Book(ctx, pl, "")
	return err
}
