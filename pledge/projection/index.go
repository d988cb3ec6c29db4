package projection

import (
	"context"
	"iter"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Indexed yields the pledges of a campaign by its index, in the order in which they were
// first booked, as their records have them. It lists nothing and writes nothing. It yields
// an error, and stops, with code CampaignIndexRequired where the campaign has no index.
func (p *Projector) Indexed(ctx context.Context, slug string) iter.Seq2[*pledge.Pledge, error] {
	return func(yield func(*pledge.Pledge, error) bool) {
		for n := 0; ; n++ {
			ids, there, err := kv.Read[[]string](ctx, p.Store, pledge.IndexKey(slug, n))
			if err == nil && !there && n == 0 {
				err = noIndex()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, id := range ids {
				pl, there, err := kv.Read[pledge.Pledge](ctx, p.Store, pledge.Key(id))
				if err == nil && !there {
					continue // it is listed before its record is written
				}
				if !yield(&pl, err) || err != nil {
					return
				}
			}
			if !there {
				return
			}
		}
	}
}

// IndexPage returns the pledges at the places after a cursor of a campaign's index, at most
// limit places, and the cursor of the next page: 0 on the last. Pledges are in the order of
// Indexed, so that a page is the same whenever it is asked for. Its errors are those of
// Indexed.
func (p *Projector) IndexPage(ctx context.Context, slug string, cursor, limit int) (page []*pledge.Pledge, next int, err error) {
	place := 0
	for n := 0; ; n++ {
		ids, there, err := kv.Read[[]string](ctx, p.Store, pledge.IndexKey(slug, n))
		if err != nil {
			return nil, 0, err
		}
		if !there && n == 0 {
			return nil, 0, noIndex()
		}
		for _, id := range ids {
			if place++; place <= cursor {
				continue
			}
			if place > cursor+limit {
				return page, cursor + limit, nil
			}
			pl, there, err := kv.Read[pledge.Pledge](ctx, p.Store, pledge.Key(id))
			if err != nil {
				return nil, 0, err
			}
			if there { // it is listed before its record is written
				page = append(page, &pl)
			}
		}
		if !there {
			return page, 0, nil
		}
	}
}

func noIndex() error {
	return fault.New(fault.CampaignIndexRequired, "The campaign has no index of its pledges yet")
}
