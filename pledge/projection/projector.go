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

// Deps are the dependencies of a Projector. All except Votes, TestMode and SegmentSize are
// required.
type Deps struct {
	Store     kv.Store // the primary namespace
	Votes     kv.Store // the votes namespace; nil if votes are disabled
	Orders    order.Client
	Inventory inventory.Client
	Catalogue func() *campaign.Catalogue
	Zone      *time.Location
	Now       func() time.Time
	// TestMode includes campaigns that exist only for tests.
	TestMode bool
	// SegmentSize is the number of order IDs per index record; 0 means pledge.IndexSegment.
	// It determines the layout of the stored data: after a change, rebuild the projections.
	SegmentSize int
}

func (d *Deps) segmentSize() int { return cmp.Or(d.SegmentSize, pledge.IndexSegment) }

// Projector writes and reads the projections. It is safe for concurrent use.
type Projector struct {
	Deps

	mu          sync.Mutex // guards writers
	writers     map[string]*campaignWriter
	cache       cache
	listLengths listLengths
}

// New returns a Projector.
func New(d Deps) *Projector {
	return &Projector{Deps: d, writers: map[string]*campaignWriter{}, cache: cache{entries: map[string]*cacheEntry{}}}
}

// Book sets the pledge's accounts in the objects of its campaign and the platform, releases its
// hold (holdID is "" for none), and updates the projections. pl is the pledge as stored in its
// order. After writing, Book rereads the order and books a newer revision, so that a delayed writer
// does not leave an older record. It returns the pledge that was booked last.
func (p *Projector) Book(ctx context.Context, pl *pledge.Pledge, holdID string) (*pledge.Pledge, error) {
	pl, _, err := p.bookLatest(ctx, pl, holdID, p.updatedRecord)
	return pl, err
}

// BookIfStale is like Book, unless the pledge's record already has its revision. Book writes the record
// last, so that this repairs what a crash interrupted.
func (p *Projector) BookIfStale(ctx context.Context, pl *pledge.Pledge) error {
	kept, there, err := kv.Read[pledge.Pledge](ctx, p.Store, pledge.Key(pl.OrderID))
	if err != nil || there && kept.Revision >= pl.Revision {
		return err
	}
	_, err = p.Book(ctx, pl, "")
	return err
}

// BookNew is like Book for a new pledge, which has no record yet. alone reports whether the
// supporter is known to have no other pledge to the campaign that is not cancelled.
func (p *Projector) BookNew(ctx context.Context, pl *pledge.Pledge, holdID string) (alone bool, err error) {
	_, alone, err = p.bookLatest(ctx, pl, holdID, firstRecord)
	return alone, err
}

func (p *Projector) bookLatest(ctx context.Context, pl *pledge.Pledge, holdID string,
	record recorder) (_ *pledge.Pledge, alone bool, err error) {
	for {
		b, err := p.book(ctx, pl, holdID, record)
		if err != nil {
			return nil, false, err
		}
		latest, err := p.isLatest(ctx, pl, b.listed)
		if err != nil || latest {
			return pl, b.OnlyPledge, err
		}
		if pl, err = p.Orders.Pledge(ctx, pl.OrderID); err != nil {
			return nil, false, err
		}
		record = p.updatedRecord
	}
}

// booked is the result of booking a pledge. listed is the length of its supporter's list.
type booked struct {
	inventory.Booked

	listed int
}

// isLatest reports whether the written record and the supporter's list are still current.
func (p *Projector) isLatest(ctx context.Context, pl *pledge.Pledge, listed int) (bool, error) {
	revision, err := p.Orders.Revision(ctx, pl.OrderID)
	if err != nil || revision > pl.Revision {
		return false, err
	}
	ids, err := p.Orders.PledgeIDs(ctx, pl.Email)
	return len(ids) <= listed, err
}

func (p *Projector) book(ctx context.Context, pl *pledge.Pledge, holdID string, record recorder) (b booked, err error) {
	account, platform := inventory.AccountsOf(pl)
	account.Day = pl.BookedAt.In(p.Zone).Format(time.DateOnly)
	if b.Booked, err = p.Inventory.Book(ctx, pl.CampaignSlug, account, holdID); err != nil {
		return b, err
	}
	withPlatform := len(platform.Units) > 0 || pl.Revision > 1
	if withPlatform {
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
	j := &job{segment: b.Number / p.segmentSize(), platform: withPlatform, writes: writes, email: pl.Email, list: list}
	return b, p.writer(pl.CampaignSlug).project(ctx, p, j)
}

// recorder returns the writes that store a pledge's record.
type recorder func(context.Context, *pledge.Pledge) ([]kv.Write, error)

// firstRecord returns the write of a new record. search.Index.Update writes its search terms later.
func firstRecord(_ context.Context, pl *pledge.Pledge) ([]kv.Write, error) {
	w, err := kv.Record(pledge.Key(pl.OrderID), pl, time.Time{})
	return []kv.Write{w}, err
}

// updatedRecord returns the writes that replace a record and its changed search terms.
func (p *Projector) updatedRecord(ctx context.Context, pl *pledge.Pledge) ([]kv.Write, error) {
	key := pledge.Key(pl.OrderID)
	w, old, err := kv.Replace(ctx, p.Store, key, pl, time.Time{})
	if err != nil || old == nil {
		return []kv.Write{w}, err
	}
	before, err := kv.Decode[searched](key, old)
	if err != nil {
		return nil, err
	}
	return append(search.Change(before.pledge(pl), pl), w), nil
}

// searched has the members of a pledge's record that determine its search terms. The others, most of
// the record, are not decoded.
type searched struct {
	Email           string            `json:"email"`
	ShippingAddress *pledge.Address   `json:"shippingAddress"`
	BillingAddress  *pledge.Address   `json:"billingAddress"`
	Card            *pledge.CardLabel `json:"card"`
}

// pledge returns a pledge with the terms of s, and the ID of its next revision.
func (s searched) pledge(next *pledge.Pledge) *pledge.Pledge {
	return &pledge.Pledge{OrderID: next.OrderID, CampaignSlug: next.CampaignSlug, Email: s.Email,
		ShippingAddress: s.ShippingAddress, BillingAddress: s.BillingAddress, Card: s.Card}
}

// Search returns the search index of pledges.
func (p *Projector) Search() search.Index {
	return search.Index{Store: p.Store, SegmentSize: p.segmentSize()}
}

// enlist returns the supporter's list. It adds the pledge if it is missing, which is usual only for
// a new pledge.
func (p *Projector) enlist(ctx context.Context, pl *pledge.Pledge) (list []string, err error) {
	if pl.Revision > 1 {
		ids, err := p.Orders.PledgeIDs(ctx, pl.Email)
		if err != nil || slices.Contains(ids, pl.OrderID) {
			return ids, err
		}
	}
	return p.Orders.AddToList(ctx, pl.Email, pl.OrderID)
}

func (p *Projector) writer(slug string) *campaignWriter {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.writers[slug]
	if r == nil {
		r = &campaignWriter{slug: slug}
		p.writers[slug] = r
	}
	return r
}
