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
	Class       string         // of the objects, with the commands of Register
	Zone        *time.Location // the platform's, in which days end
	Now         func() time.Time
	Rand        io.Reader

	mu      sync.Mutex
	pending map[string]tally // by campaign
	sending map[string]batch // what Flush could not write yet

	flushing sync.Mutex
}

// batch is a campaign's visits under the name that they are written by: sent again they are
// not added again.
type batch struct {
	id     string
	visits tally
}

// Count counts a visit to a campaign's page by a link that carried from. Nothing is written
// before Flush.
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

// Flush writes what was counted. What can't be written is kept for the next time.
func (c *Counter) Flush(ctx context.Context) error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	if err := c.begin(); err != nil {
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

// begin takes up what is pending, but for campaigns of which something is still to be written.
func (c *Counter) begin() error {
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
			return fault.Wrap(err, fault.Unavailable, "No randomness for a command's name")
		}
		c.sending[campaign] = batch{hex.EncodeToString(id), visits}
		delete(c.pending, campaign)
	}
	return nil
}

// Of returns the visits to a campaign's page that were written. It writes nothing.
func (c *Counter) Of(ctx context.Context, campaign string) (Counts, error) {
	t, err := kv.Ask[tally](ctx, c.Coordinator, c.object(campaign), read{})
	return t.report(campaign), err
}

// object is a campaign's. No slug has a star.
func (c *Counter) object(campaign string) kv.Object {
	return kv.Object{Class: c.Class, Name: "*visits:" + campaign}
}
