package projection

import (
	"context"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// room is where the bookings of one campaign wait for its projections to be
// written. One of them at a time writes for all that wait: under load one write
// of the totals serves many pledges, and an older view can never overwrite a
// newer one of this process.
type room struct {
	slug string

	mu      sync.Mutex // guards the next two
	writing bool
	waiting []*job

	votes sync.Mutex // for the results, which are apart from the rest
}

// none is the segment of a job that changes no index.
const none = -1

type job struct {
	segment  int
	platform bool // the platform's add-ons are concerned
	writes   []kv.Write
	email    string    // whose list has to be written; "" is nobody's
	list     []string  // as its object had it; it only ever grows
	turn     chan bool // gets true when the job is to write, false when it was written
	err      error
}

func (r *room) project(ctx context.Context, p *Projector, j *job) error {
	j.turn = make(chan bool, 1)
	r.enter(j)
	if mine := <-j.turn; !mine {
		return j.err
	}
	batch := r.take()
	err := r.write(context.WithoutCancel(ctx), p, batch) // others wait for it too
	for _, other := range batch {
		if other != j {
			other.err = err
			other.turn <- false
		}
	}
	r.leave()
	return err
}

func (r *room) enter(j *job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, j)
	if !r.writing {
		r.writing = true
		j.turn <- true
	}
}

func (r *room) take() []*job {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.waiting
	r.waiting = nil
	return batch
}

// leave passes the turn to one of those who came meanwhile.
func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.writing = false
		return
	}
	r.waiting[0].turn <- true
}

// write puts the pledges first, then what leads to them, then the numbers, so
// that every prefix of it is consistent.
func (r *room) write(ctx context.Context, p *Projector, batch []*job) error {
	var writes []kv.Write
	segments, platform := map[int]bool{}, false
	for _, j := range batch {
		writes = append(writes, j.writes...)
		platform = platform || j.platform
		if j.segment != none {
			segments[j.segment] = true
		}
	}
	lists, err := p.longest.writes(batch)
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
	p.longest.note(batch)
	p.cache.drop(r.slug)
	return nil
}

// segment is one piece of the campaign's index of orders.
func (p *Projector) segment(ctx context.Context, slug string, n int) (kv.Write, error) {
	ids, err := p.Inventory.Listed(ctx, slug, n*p.segmentSize(), p.segmentSize())
	if err != nil {
		return kv.Write{}, err
	}
	return kv.Record(pledge.IndexKey(slug, n), ids, time.Time{})
}

// numbers are the campaign's public figures, as its object has them now. The
// stock needs the limits in the campaign's file; where that is gone, the rest
// is written all the same, since pledges outlive files.
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
