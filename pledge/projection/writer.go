package projection

import (
	"context"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// campaignWriter batches the bookings of one campaign. One caller at a time writes for all waiting
// callers. So under load one write of the numbers serves many pledges, and within a process older
// numbers never overwrite newer ones.
type campaignWriter struct {
	slug string

	mu      sync.Mutex // guards the next two fields
	writing bool
	waiting []*job

	votes sync.Mutex // serializes writes of vote results, which are not batched
}

// none is the segment of a job that does not change the index.
const none = -1

// job is one caller's update of the projections.
type job struct {
	segment  int  // the index segment to write, or none
	platform bool // whether the stock of the platform add-ons may have changed
	writes   []kv.Write
	email    string    // the supporter whose list to write; "" for none
	list     []string  // the supporter's list
	turn     chan bool // receives true if the job's caller must write, false when the job is done
	err      error
}

// project writes the job's updates, or waits until another caller has written them.
func (r *campaignWriter) project(ctx context.Context, p *Projector, j *job) error {
	j.turn = make(chan bool, 1)
	r.enqueue(j)
	if mine := <-j.turn; !mine {
		return j.err
	}
	batch := r.takeBatch()
	err := r.write(context.WithoutCancel(ctx), p, batch) // other callers wait for this write
	for _, other := range batch {
		if other != j {
			other.err = err
			other.turn <- false
		}
	}
	r.passTurn()
	return err
}

// enqueue adds a job to the next batch. Its caller gets the turn if no other caller is writing.
func (r *campaignWriter) enqueue(j *job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, j)
	if !r.writing {
		r.writing = true
		j.turn <- true
	}
}

func (r *campaignWriter) takeBatch() []*job {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.waiting
	r.waiting = nil
	return batch
}

// passTurn gives the turn to a job that arrived in the meantime, if any.
func (r *campaignWriter) passTurn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.writing = false
		return
	}
	r.waiting[0].turn <- true
}

// write writes the updates of a batch. Their order makes every prefix consistent: first the pledge
// records, then the lists and index segments, then the numbers.
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
	p.listLengths.remember(batch)
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

// numbers returns the writes of the campaign's current public numbers and, with platform, of the
// platform's stock. It omits the campaign's stock if the campaign's file, which has the limits, was
// removed.
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

// view is a record of public numbers and its key.
type view struct {
	key    string
	record any
}
