package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Index is the search index of all campaigns.
type Index struct {
	Store kv.Store // the primary namespace
	// SegmentSize is the number of order IDs per record of a campaign's index; 0 means
	// pledge.IndexSegment.
	SegmentSize int
}

// batchSize is the number of pledges that are processed before the progress is saved.
const batchSize = 50

// maxLate is how many pledges may lack a record before Update stops processing further ones.
const maxLate = 100

// progress records which pledges of a campaign's index have been processed.
type progress struct {
	Next int `json:"next"` // number of pledges read from the index
	// Late are the IDs of pledges that had no record when they were read from the index.
	Late []string `json:"late,omitempty"`
}

func progressKey(slug string) string { return "supporter-search-place:v1:" + slug }

// Update writes the terms of at most limit pledges that were added to a campaign's index since the
// last call, and returns how many it processed. If there are none, and no earlier pledge lacks a
// record, it reads two records and writes nothing.
func (x Index) Update(ctx context.Context, slug string, limit int) (processed int, err error) {
	at, _, err := kv.Read[progress](ctx, x.Store, progressKey(slug))
	if err != nil {
		return 0, err
	}
	now, err := x.process(ctx, slug, at, limit)
	return now.Next - at.Next, err
}

// process writes the terms of at most limit pledges from the given progress, and returns the new
// progress.
func (x Index) process(ctx context.Context, slug string, at progress, limit int) (progress, error) {
	end := at.Next + limit
	for late := at.Late; ; late = nil {
		ids, err := x.after(ctx, slug, at, min(batchSize, end-at.Next))
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
		next := progress{Next: at.Next + len(ids), Late: missing}
		if err := kv.Save(ctx, x.Store, progressKey(slug), next); err != nil {
			return at, err
		}
		at = next
	}
}

// after returns the IDs of the pledges that follow in the index, at most limit and all from one
// segment.
func (x Index) after(ctx context.Context, slug string, at progress, limit int) ([]string, error) {
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

// write writes the terms of pledges and returns the IDs without a record. Afterwards it rereads the
// records: if a name changed in the meantime, it deletes the terms of the old name.
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
	return missing, x.recheck(ctx, written)
}

// recheck updates the terms of pledges whose record has changed since they were written.
func (x Index) recheck(ctx context.Context, written []*pledge.Pledge) error {
	for _, before := range written {
		p, there, err := kv.Read[pledge.Pledge](ctx, x.Store, pledge.Key(before.OrderID))
		if err != nil {
			return err
		}
		if !there {
			continue // a stale read, or the record was deleted
		}
		if err := x.Store.Apply(ctx, Change(before, &p)); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild deletes a campaign's outdated terms and writes the terms of all its pledges.
func (x Index) Rebuild(ctx context.Context, slug string) error {
	if err := x.deleteStale(ctx, slug); err != nil {
		return err
	}
	if err := x.Store.Apply(ctx, []kv.Write{kv.Delete(progressKey(slug))}); err != nil {
		return err
	}
	// The saved progress is not reread, because the Store may be stale.
	for at := (progress{}); ; {
		next, err := x.process(ctx, slug, at, kv.MaxPage)
		if err != nil || next.Next == at.Next {
			return err
		}
		at = next
	}
}

// deleteStale deletes the terms that no longer belong to a pledge.
func (x Index) deleteStale(ctx context.Context, slug string) error {
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
