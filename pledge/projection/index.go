package projection

import (
	"context"
	"iter"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Indexed yields the pledge records in a campaign's index, in the order of their first booking. It
// does not list keys or write. If the campaign has no index, it yields an error with code
// CampaignIndexRequired and stops.
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
					continue // listed before its record was written
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

// IndexPage returns the pledges at the next limit positions of a campaign's index, and the cursor
// of the next page, which is 0 on the last page. The cursor of the first page is 0. Pledges are in
// the order of Indexed, so new pledges do not shift the pages. It fails with code
// CampaignIndexRequired if the campaign has no index.
func (p *Projector) IndexPage(ctx context.Context, slug string, cursor,
	limit int) (page []*pledge.Pledge, next int, err error) {
	pos := 0
	for n := 0; ; n++ {
		ids, there, err := kv.Read[[]string](ctx, p.Store, pledge.IndexKey(slug, n))
		if err != nil {
			return nil, 0, err
		}
		if !there && n == 0 {
			return nil, 0, noIndex()
		}
		for _, id := range ids {
			if pos++; pos <= cursor {
				continue
			}
			if pos > cursor+limit {
				return page, cursor + limit, nil
			}
			pl, there, err := kv.Read[pledge.Pledge](ctx, p.Store, pledge.Key(id))
			if err != nil {
				return nil, 0, err
			}
			if there { // may be listed before its record was written
				page = append(page, &pl)
			}
		}
		if !there {
			return page, 0, nil
		}
	}
}

func noIndex() error {
	return fault.New(fault.CampaignIndexRequired, "The campaign has no pledge index yet")
}
