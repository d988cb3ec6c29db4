package projection

import (
	"context"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// campaignWriter batches the bookings of one campaign. One caller at a time writes for
// all that are waiting: under load, one write of the totals serves many pledges, and
// within a process older numbers never overwrite newer ones.
type campaignWriter struct {
	slug string

	mu      sync.Mutex // guards the next two fields
	writing bool
	waiting []*job

	votes sync.Mutex // guards the results, which are written separately
}

// none is the segment number of a job without an index change.
const none = -1

type job struct {
	segment  int
	platform bool // the platform add-ons may have changed
	writes   []kv.Write
	email    string    // whose list to write; "" for none
	list     []string  // as returned by its object; it only grows
	turn     chan bool // receives true if the job's caller must write, false when the job is done
	err      error
}

func (r *campaignWriter) project(ctx context.Context, p *Projector, j *job) error {
	j.turn = make(chan bool, 1)
	r.enter(j)
	if mine := <-j.turn; !mine {
		return j.err
	}
	batch := r.take()
	err := r.write(context.WithoutCancel(ctx), p, batch) // other callers wait for this write
	for _, other := range batch {
		if other != j {
			other.err = err
			other.turn <- false
		}
	}
	r.leave()
	return err
}

func (r *campaignWriter) enter(j *job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, j)
	if !r.writing {
		r.writing = true
		j.turn <- true
	}
}

func (r *campaignWriter) take() []*job {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.waiting
	r.waiting = nil
	return batch
}

// leave passes the turn to a job that arrived in the meantime.
func (r *campaignWriter) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.writing = false
		return
	}
	r.waiting[0].turn <- true
}

// write orders its writes such that every prefix is consistent: pledge records first,
// then lists and index segments, then the numbers.
func (r *campaignWriter) write(ctx context.Context, p *Projector, batch []*job) error {
	var writes []kv.Write
	segments, platform := map[int]bool{}, false
	for _, j := range batch {
		writes = append(writes, j.writes...)
		platform = platform || j.platform
		if j.segment != none {
			segments[j.segment] = true
		}
	}
	lists, err := p.listLengths.writes(batch)
	if err != nil {
		return err
	}
	writes = append(writes, lists...)
	for segment := range segments {
		w, err := p.segment(ctx, r.slug, segment)
		if err != nil {
			return err
		}
		writes = append(writes, w)
	}
	numbers, err := p.numbers(ctx, r.slug, platform)
	if err != nil {
		return err
	}
	if err := p.Store.Apply(ctx, append(writes, numbers...)); err != nil {
		return err
	}
	p.listLengths.note(batch)
	p.cache.drop(r.slug)
	return nil
}

// segment returns the write of one segment of the campaign's order index.
func (p *Projector) segment(ctx context.Context, slug string, n int) (kv.Write, error) {
	ids, err := p.Inventory.ListedText(ctx, slug, n*p.segmentSize(), p.segmentSize())
	if err != nil {
		return kv.Write{}, err
	}
	return kv.Put(pledge.IndexKey(slug, n), ids), nil
}

// numbers returns the writes of the campaign's current public numbers. The stock requires the
// limits in the campaign's file; if the file was removed, the other numbers are still written.
func (p *Projector) numbers(ctx context.Context, slug string, platform bool) ([]kv.Write, error) {
	snap, err := p.Inventory.Snapshot(ctx, slug)
	if err != nil {
		return nil, err
	}
	now := p.Now()
	views := []view{{pledge.StatsKey(slug), statsOf(slug, snap, now)}}
	if platform {
		sold, err := p.Inventory.Snapshot(ctx, inventory.Platform)
		if err != nil {
			return nil, err
		}
		views = append(views, view{pledge.AddOnsSoldKey, soldOf(p.Catalogue().AddOns(), sold, now)})
	}
	if c, err := p.Catalogue().Campaign(slug); err == nil {
		views = append(views, view{pledge.InventoryKey(slug), stockOf(c, snap, now)})
	}
	var writes []kv.Write
	for _, v := range views {
		w, err := kv.Record(v.key, v.record, time.Time{})
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}

type view struct {
	key    string
	record any
}
