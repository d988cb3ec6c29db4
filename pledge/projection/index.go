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
				err = fault.New(fault.CampaignIndexRequired, "The campaign has no index of its pledges yet")
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
