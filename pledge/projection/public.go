package projection

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// freshness is how long a public response is cached. A booking in this process removes it earlier.
const freshness = 5 * time.Second

// cache stores encoded responses, because public reads are the most frequent requests.
type cache struct {
	mu      sync.RWMutex
	entries map[string]*cacheEntry
}

// cacheEntry is one response. It is added to the cache before the response is built.
type cacheEntry struct {
	body  json.RawMessage
	until time.Time
}

func (c *cache) get(key string, now time.Time) (json.RawMessage, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if e := c.entries[key]; e != nil && now.Before(e.until) {
		return e.body, true
	}
	return nil, false
}

// addEntry adds and returns an entry for a response that is about to be built.
func (c *cache) addEntry(key string) *cacheEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := &cacheEntry{}
	c.entries[key] = entry
	return entry
}

// fillEntry stores the response in its entry. If the entry was dropped in the meantime, the
// response is not cached, because it may be older than the booking.
func (c *cache) fillEntry(entry *cacheEntry, body json.RawMessage, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry.body, entry.until = body, now.Add(freshness)
}

// drop removes a campaign's responses and that of the platform add-ons.
func (c *cache) drop(slug string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, view := range []string{statsView, stockView, liveView} {
		delete(c.entries, view+slug)
	}
	delete(c.entries, addOnsView)
}

const (
	statsView  = "stats/"
	stockView  = "stock/"
	liveView   = "live/"
	addOnsView = "add-ons"
)

// Stats returns the body of /stats/:slug: a PublicStats as JSON. It may be a few seconds old. Stats
// fails with code NotFound for a campaign that does not exist or is not public.
func (p *Projector) Stats(ctx context.Context, slug string) (json.RawMessage, error) {
	return p.public(statsView, slug, func(c *campaign.Campaign) (any, error) { return p.publicStats(ctx, c) })
}

// Stock returns the body of /inventory/:slug: a Stock as JSON. It may be a few seconds old. Stock
// fails like Stats.
func (p *Projector) Stock(ctx context.Context, slug string) (json.RawMessage, error) {
	return p.public(stockView, slug, func(c *campaign.Campaign) (any, error) { return p.readStock(ctx, c) })
}

// Live returns the body of /live/:slug: a LiveCampaign as JSON. It may be a few seconds old. Live
// fails like Stats.
func (p *Projector) Live(ctx context.Context, slug string) (json.RawMessage, error) {
	return p.public(liveView, slug, func(c *campaign.Campaign) (any, error) {
		stats, err := p.publicStats(ctx, c)
		if err != nil {
			return nil, err
		}
		stock, err := p.readStock(ctx, c)
		if err != nil {
			return nil, err
		}
		results, err := p.results(ctx, c)
		if err != nil {
			return nil, err
		}
		return LiveCampaign{Campaign: p.card(c, stats), Stats: stats, Inventory: stock,
			Results: results, Now: p.Now().UTC()}, nil
	})
}

func (p *Projector) public(view, slug string, build func(*campaign.Campaign) (any, error)) (json.RawMessage, error) {
	now := p.Now()
	if body, ok := p.cache.get(view+slug, now); ok {
		return body, nil
	}
	c, err := p.Catalogue().Campaign(slug)
	if err != nil || !c.Public() || c.TestOnly && !p.TestMode {
		return nil, fault.New(fault.NotFound, "Campaign not found")
	}
	entry := p.cache.addEntry(view + slug)
	v, err := build(c)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("projection: encoding %s%s: %w", view, slug, err)
	}
	p.cache.fillEntry(entry, body, now)
	return body, nil
}

func (p *Projector) publicStats(ctx context.Context, c *campaign.Campaign) (PublicStats, error) {
	s, ok, err := kv.Read[Stats](ctx, p.Store, pledge.StatsKey(c.Slug))
	if err != nil {
		return PublicStats{}, err
	}
	if !ok {
		s = statsOf(c.Slug, inventory.Snapshot{}, p.Now())
	}
	return PublicStats{
		Stats:         s,
		GoalAmount:    c.Goal,
		GoalDeadline:  c.EndsAt(p.Zone),
		PercentFunded: percent(s.PledgedAmount, c.Goal),
		State:         c.State(p.Now(), p.Zone),
	}, nil
}

func (p *Projector) readStock(ctx context.Context, c *campaign.Campaign) (Stock, error) {
	s, ok, err := kv.Read[Stock](ctx, p.Store, pledge.InventoryKey(c.Slug))
	if err == nil && !ok {
		s = stockOf(c, inventory.Snapshot{}, p.Now())
	}
	return s, err
}

// results returns the tallies of closed decisions by ID, or none if votes are disabled. The tallies
// of open decisions are shown only to voters.
func (p *Projector) results(ctx context.Context, c *campaign.Campaign) (map[string]vote.Tally, error) {
	out := map[string]vote.Tally{}
	for _, d := range c.Decisions {
		if p.Votes == nil || d.Status(p.Now(), p.Zone) != campaign.Closed {
			continue
		}
		tally, _, err := kv.Read[vote.Tally](ctx, p.Votes, vote.ResultsKey(c.Slug, d.ID))
		if err != nil {
			return nil, err
		}
		if tally.Options == nil {
			tally.Options = map[string]int{}
		}
		out[d.ID] = tally
	}
	return out, nil
}

// LiveCampaign is the response of /live/:slug.
type LiveCampaign struct {
	Campaign  Card        `json:"campaign"`
	Stats     PublicStats `json:"stats"`
	Inventory Stock       `json:"inventory"`
	// Results has the tally of each closed decision.
	Results map[string]vote.Tally `json:"results"`
	// Now is the server's time, for countdowns.
	Now time.Time `json:"now"`
}

// Card is a campaign's entry in the list of campaigns.
type Card struct {
	Slug      string         `json:"slug"`
	Title     string         `json:"title"`
	Creator   string         `json:"creatorName"`
	Category  string         `json:"category"`
	Blurb     string         `json:"shortBlurb"`
	Starts    time.Time      `json:"startsAt"`
	Ends      time.Time      `json:"endsAt"`
	State     campaign.State `json:"state"`
	Funded    bool           `json:"isFunded"`
	Decisions bool           `json:"hasDecisions"`
}

func (p *Projector) card(c *campaign.Campaign, s PublicStats) Card {
	return Card{
		Slug:      c.Slug,
		Title:     c.Title,
		Creator:   c.Creator.Name,
		Category:  c.Category,
		Blurb:     c.Blurb,
		Starts:    c.StartsAt(p.Zone),
		Ends:      c.EndsAt(p.Zone),
		State:     s.State,
		Funded:    c.Funded(s.PledgedAmount),
		Decisions: len(c.Decisions) > 0,
	}
}

// AddOns returns the body of /add-ons/inventory: the stock of the platform add-ons as JSON. It may
// be a few seconds old.
func (p *Projector) AddOns(ctx context.Context) (json.RawMessage, error) {
	now := p.Now()
	if body, ok := p.cache.get(addOnsView, now); ok {
		return body, nil
	}
	entry := p.cache.addEntry(addOnsView)
	sold, _, err := kv.Read[Sold](ctx, p.Store, pledge.AddOnsSoldKey)
	if err != nil {
		return nil, err
	}
	units := unitsOf(p.Catalogue().AddOns(), sold.snapshot())
	body, err := json.Marshal(map[string]any{"products": units, "updatedAt": sold.UpdatedAt})
	if err != nil {
		return nil, fmt.Errorf("projection: encoding add-ons: %w", err)
	}
	p.cache.fillEntry(entry, body, now)
	return body, nil
}
