package projection

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/search"
)

// Deps are what a Projector works with; all but TestMode and SegmentSize are required.
type Deps struct {
	Store     kv.Store // the primary namespace
	Votes     kv.Store
	Orders    order.Client
	Inventory inventory.Client
	Catalogue func() *campaign.Catalogue
	Zone      *time.Location
	Now       func() time.Time
	// TestMode shows the campaigns that only tests are for.
	TestMode bool
	// SegmentSize is how many order IDs one record of a campaign's index holds; 0 stands
	// for pledge.IndexSegment. It is part of how a database is laid out: who changes it
	// has to rebuild the projections.
	SegmentSize int
}

func (d *Deps) segmentSize() int { return cmp.Or(d.SegmentSize, pledge.IndexSegment) }

// Projector writes and reads the projections. It is safe for concurrent use.
type Projector struct {
	Deps

	mu      sync.Mutex // guards rooms
	rooms   map[string]*room
	cache   cache
	longest longest
}

// New returns a Projector.
func New(d Deps) *Projector {
	return &Projector{Deps: d, rooms: map[string]*room{}, cache: cache{entries: map[string]*cached{}}}
}

// Book takes a pledge, as its order's object has it now, into the accounts of
// its campaign and of the platform, drops the hold that its units were kept
// under ("" for none), and brings the projections up to date. It looks again
// when it has written: whoever was held up on the way must not leave an older
// record over a newer one. It returns the pledge as it was booked last.
func (p *Projector) Book(ctx context.Context, pl *pledge.Pledge, holdID string) (*pledge.Pledge, error) {
	pl, _, err := p.bookLatest(ctx, pl, holdID, p.record)
	return pl, err
}

// BookNew is Book for a pledge that was made just now, of which there is no record. It
// returns whether it is known to be the only one to its campaign under its address that
// counts.
func (p *Projector) BookNew(ctx context.Context, pl *pledge.Pledge, holdID string) (alone bool, err error) {
	_, alone, err = p.bookLatest(ctx, pl, holdID, firstRecord)
	return alone, err
}

func (p *Projector) bookLatest(ctx context.Context, pl *pledge.Pledge, holdID string, record recorder) (_ *pledge.Pledge, alone bool, err error) {
	for {
		b, err := p.book(ctx, pl, holdID, record)
		if err != nil {
			return nil, false, err
		}
		latest, err := p.latest(ctx, pl, b.listed)
		if err != nil || latest {
			return pl, b.Alone, err
		}
		if pl, err = p.Orders.Pledge(ctx, pl.OrderID); err != nil {
			return nil, false, err
		}
		record = p.record
	}
}

// booked is a pledge in the accounts and on its supporter's list, which has so many then.
type booked struct {
	inventory.Booked

	listed int
}

// latest reports whether what was written of a pledge is still the newest: its
// record, and its supporter's list with so many pledges on it.
func (p *Projector) latest(ctx context.Context, pl *pledge.Pledge, listed int) (bool, error) {
	revision, err := p.Orders.Revision(ctx, pl.OrderID)
	if err != nil || revision > pl.Revision {
		return false, err
	}
	ids, err := p.Orders.Of(ctx, pl.Email)
	return len(ids) <= listed, err
}

func (p *Projector) book(ctx context.Context, pl *pledge.Pledge, holdID string, record recorder) (b booked, err error) {
	account, platform := inventory.AccountsOf(pl)
	if b.Booked, err = p.Inventory.Book(ctx, pl.CampaignSlug, account, holdID); err != nil {
		return b, err
	}
	concerned := len(platform.Units) > 0 || pl.Revision > 1
	if concerned {
		if _, err := p.Inventory.BookIfKnown(ctx, inventory.Platform, platform, holdID); err != nil {
			return b, err
		}
	}
	list, err := p.enlist(ctx, pl)
	if err != nil {
		return b, err
	}
	b.listed = len(list)
	writes, err := record(ctx, pl)
	if err != nil {
		return b, err
	}
	j := &job{segment: b.Number / p.segmentSize(), platform: concerned, writes: writes, email: pl.Email, list: list}
	return b, p.room(pl.CampaignSlug).project(ctx, p, j)
}

// recorder returns what writes a pledge's record.
type recorder func(context.Context, *pledge.Pledge) ([]kv.Write, error)

// firstRecord is for a pledge that has none yet. The terms by which it is searched for are
// for search.Index to follow.
func firstRecord(_ context.Context, pl *pledge.Pledge) ([]kv.Write, error) {
	w, err := kv.Record(pledge.Key(pl.OrderID), pl, time.Time{})
	return []kv.Write{w}, err
}

// record writes the terms by which the pledge is searched for as well, where they have
// changed.
func (p *Projector) record(ctx context.Context, pl *pledge.Pledge) ([]kv.Write, error) {
	key := pledge.Key(pl.OrderID)
	w, old, err := kv.Replace(ctx, p.Store, key, pl, time.Time{})
	if err != nil || old == nil {
		return []kv.Write{w}, err
	}
	before, err := kv.Decode[pledge.Pledge](key, old)
	if err != nil {
		return nil, err
	}
	return append(search.Change(&before, pl), w), nil
}

// Search is the index by which pledges are searched for.
func (p *Projector) Search() search.Index {
	return search.Index{Store: p.Store, SegmentSize: p.segmentSize()}
}

// enlist puts the pledge on its supporter's list and returns it. Only a new one is not
// there yet.
func (p *Projector) enlist(ctx context.Context, pl *pledge.Pledge) (list []string, err error) {
	if pl.Revision > 1 {
		ids, err := p.Orders.Of(ctx, pl.Email)
		if err != nil || slices.Contains(ids, pl.OrderID) {
			return ids, err
		}
	}
	return p.Orders.Enlist(ctx, pl.Email, pl.OrderID)
}

func (p *Projector) room(slug string) *room {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rooms[slug]
	if r == nil {
		r = &room{slug: slug}
		p.rooms[slug] = r
	}
	return r
}
