package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Index is the terms of all campaigns.
type Index struct {
	Store kv.Store // the primary namespace
	// SegmentSize is how many order IDs a record of a campaign's index has; 0 stands for
	// pledge.IndexSegment.
	SegmentSize int
}

// atOnce is how many pledges are taken up between two notes of how far it has come.
const atOnce = 50

// maxLate is how many pledges may be waited for.
const maxLate = 100

// place is how far a campaign's own index has been followed.
type place struct {
	Next int `json:"next"` // pledges
	// Late are pledges that were listed before their record was written.
	Late []string `json:"late,omitempty"`
}

func placeKey(slug string) string { return "supporter-search-place:v1:" + slug }

// Follow writes the terms of the pledges that a campaign's own index has got since the
// last call, of at most limit of them, and returns how many it looked at. Where there is
// nothing new it reads two records and writes nothing.
func (x Index) Follow(ctx context.Context, slug string, limit int) (looked int, err error) {
	at, _, err := kv.Read[place](ctx, x.Store, placeKey(slug))
	if err != nil {
		return 0, err
	}
	now, err := x.follow(ctx, slug, at, limit)
	return now.Next - at.Next, err
}

// follow is Follow from a place on. It returns how far it came.
func (x Index) follow(ctx context.Context, slug string, at place, limit int) (place, error) {
	end := at.Next + limit
	for late := at.Late; ; late = nil {
		ids, err := x.after(ctx, slug, at, min(atOnce, end-at.Next))
		if err != nil || len(ids)+len(late) == 0 {
			return at, err
		}
		missing, err := x.write(ctx, slices.Concat(late, ids))
		if err != nil {
			return at, err
		}
		if len(ids) == 0 && len(missing) == len(at.Late) {
			return at, nil
		}
		if late == nil {
			missing = append(at.Late, missing...)
		}
		next := place{Next: at.Next + len(ids), Late: missing}
		if err := kv.Save(ctx, x.Store, placeKey(slug), next); err != nil {
			return at, err
		}
		at = next
	}
}

// after lists the pledges behind a place, at most limit and no more than one segment has.
func (x Index) after(ctx context.Context, slug string, at place, limit int) ([]string, error) {
	if len(at.Late) >= maxLate || limit < 1 {
		return nil, nil
	}
	size := cmp.Or(x.SegmentSize, pledge.IndexSegment)
	ids, _, err := kv.Read[[]string](ctx, x.Store, pledge.IndexKey(slug, at.Next/size))
	if err != nil || len(ids) <= at.Next%size {
		return nil, err
	}
	ids = ids[at.Next%size:]
	return ids[:min(limit, len(ids))], nil
}

// write writes the terms of pledges, and returns those that have no record yet. It looks
// again when it has written: a name that changed meanwhile has left its own terms, and
// would be found by the older ones too.
func (x Index) write(ctx context.Context, ids []string) (missing []string, err error) {
	var written []*pledge.Pledge
	var writes []kv.Write
	for _, id := range ids {
		p, there, err := kv.Read[pledge.Pledge](ctx, x.Store, pledge.Key(id))
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, id)
			continue
		}
		written, writes = append(written, &p), append(writes, writesOf(&p)...)
	}
	if err := x.Store.Apply(ctx, writes); err != nil {
		return nil, err
	}
	return missing, x.lookAgain(ctx, written)
}

func (x Index) lookAgain(ctx context.Context, written []*pledge.Pledge) error {
	for _, before := range written {
		p, there, err := kv.Read[pledge.Pledge](ctx, x.Store, pledge.Key(before.OrderID))
		if err != nil {
			return err
		}
		if !there {
			continue // a Store that answers late does not know it yet
		}
		if err := x.Store.Apply(ctx, Change(before, &p)); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild deletes the terms of a campaign that are out of date, and writes those of all
// its pledges.
func (x Index) Rebuild(ctx context.Context, slug string) error {
	if err := x.tidy(ctx, slug); err != nil {
		return err
	}
	if err := x.Store.Apply(ctx, []kv.Write{kv.Delete(placeKey(slug))}); err != nil {
		return err
	}
	// How far it has come is not read again, which a Store may answer late.
	for at := (place{}); ; {
		next, err := x.follow(ctx, slug, at, kv.MaxPage)
		if err != nil || next.Next == at.Next {
			return err
		}
		at = next
	}
}

// tidy deletes the terms that are no pledge's.
func (x Index) tidy(ctx context.Context, slug string) error {
	for e, err := range kv.All(ctx, x.Store, prefixOf(slug)) {
		if err != nil {
			return err
		}
		term, id, _ := parseKey(slug, e.Key)
		p, there, err := kv.Read[pledge.Pledge](ctx, x.Store, pledge.Key(id))
		if err != nil {
			return err
		}
		if there && p.CampaignSlug == slug && slices.Contains(termsOf(&p), term) {
			continue
		}
		if err := x.Store.Apply(ctx, []kv.Write{kv.Delete(e.Key)}); err != nil {
			return err
		}
	}
	return nil
}
