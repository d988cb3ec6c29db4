package visits

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Counter counts the visits that reach one server. All fields are required. It is safe for
// concurrent use.
type Counter struct {
	Coordinator kv.Coordinator
	Class       string         // a class with the commands of Register
	Zone        *time.Location // the platform's time zone, which determines the day
	Now         func() time.Time
	Rand        io.Reader

	mu      sync.Mutex
	pending map[string]tally // by campaign
	sending map[string]batch // visits that Flush could not write yet

	flushing sync.Mutex
}

// batch is a campaign's visits with a command ID, so that a repeated write does not count
// them twice.
type batch struct {
	id     string
	visits tally
}

// Count counts a visit to a campaign's page from a link with the given attribution. Nothing is
// written before Flush.
func (c *Counter) Count(campaign string, from pledge.Attribution) {
	day := dayOf(c.Now(), c.Zone)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil {
		c.pending = map[string]tally{}
	}
	if c.pending[campaign] == nil {
		c.pending[campaign] = tally{}
	}
	c.pending[campaign].count(day, from)
}

// Flush writes the counted visits. Visits that cannot be written are kept for the next
// call.
func (c *Counter) Flush(ctx context.Context) error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	if err := c.prepare(); err != nil {
		return err
	}
	var errs []error
	for _, campaign := range slices.Sorted(maps.Keys(c.sending)) {
		b := c.sending[campaign]
		if _, err := kv.Send[none](ctx, c.Coordinator, c.object(campaign), "visits:"+b.id, add{b.visits}); err != nil {
			errs = append(errs, err)
			continue
		}
		delete(c.sending, campaign)
	}
	return errors.Join(errs...)
}

// prepare moves pending visits to sending, except for campaigns that still have an
// unwritten batch.
func (c *Counter) prepare() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sending == nil {
		c.sending = map[string]batch{}
	}
	for campaign, visits := range c.pending {
		if _, waits := c.sending[campaign]; waits {
			continue
		}
		id := make([]byte, 16)
		if _, err := io.ReadFull(c.Rand, id); err != nil {
			return fault.Wrap(err, fault.Unavailable, "Could not generate a command ID")
		}
		c.sending[campaign] = batch{hex.EncodeToString(id), visits}
		delete(c.pending, campaign)
	}
	return nil
}

// Of returns the visits to a campaign's page that all servers have written. It writes nothing.
func (c *Counter) Of(ctx context.Context, campaign string) (Counts, error) {
	t, err := kv.Ask[tally](ctx, c.Coordinator, c.object(campaign), read{})
	return t.report(campaign), err
}

// object returns the object of a campaign. Slugs contain no asterisk, so that the name is unique.
func (c *Counter) object(campaign string) kv.Object {
	return kv.Object{Class: c.Class, Name: "*visits:" + campaign}
}
