package settlement

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// A campaign with nothing left to do is dormant: the scheduled jobs skip it, so that their cost
// depends on what changes and not on how many campaigns exist. Every change of a campaign wakes
// it first. Campaigns are awake until they are put to rest.

// Calm is the shortest time between a campaign's deadline and its rest. It is longer than a
// checkout session lives.
const Calm = 25 * time.Hour

const restPrefix = "rest/" // slug → Rest, in the platform's object

// Rest records whether a campaign is dormant, and since when.
type Rest struct {
	Slug string `json:"slug"`
	// Woken counts the changes. To put a campaign to rest, a caller names the count from before
	// it checked that nothing is left to do, so that a change meanwhile keeps the campaign awake.
	Woken int       `json:"woken"`
	Until time.Time `json:"until"` // zero if awake
	// Cards is true if Until is set. Servers of release 0.1.0 ignore a rest without it.
	Cards bool `json:"cards,omitempty"`
}

// wake records a change of a campaign. A repeat only keeps it awake.
type wake struct {
	Slug string `json:"slug"`
}

func (wake) Kind() string { return "wake" }

func runWake(tx kv.Tx, _ time.Time, cmd wake) (none, error) {
	r, _, err := kv.Load[Rest](tx, restPrefix+cmd.Slug)
	if err != nil {
		return none{}, err
	}
	return none{}, kv.Keep(tx, restPrefix+cmd.Slug, Rest{Slug: cmd.Slug, Woken: r.Woken + 1})
}

// toRest puts a campaign to rest unless it was woken.
type toRest struct {
	Rest Rest `json:"rest"`
}

func (toRest) Kind() string { return "rest" }

func runRest(tx kv.Tx, _ time.Time, cmd toRest) (bool, error) {
	r, _, err := kv.Load[Rest](tx, restPrefix+cmd.Rest.Slug)
	if err != nil || r.Woken != cmd.Rest.Woken {
		return false, err
	}
	return true, kv.Keep(tx, restPrefix+cmd.Rest.Slug, cmd.Rest)
}

// rests asks for a page of the campaigns that were ever put to rest or woken.
type rests struct {
	After string `json:"after"`
}

func (rests) Kind() string { return "rests" }

func runRests(tx kv.Tx, _ time.Time, q rests) ([]Rest, error) {
	return restsAfter(tx, restPrefix+q.After)
}

func restsAfter(tx kv.Tx, after string) ([]Rest, error) {
	entries, err := tx.List(restPrefix, after, kv.MaxPage)
	if err != nil {
		return nil, err
	}
	all := make([]Rest, 0, len(entries))
	for _, e := range entries {
		r, _, err := kv.Load[Rest](tx, e.Key)
		if err != nil {
			return nil, err
		}
		r.Slug = strings.TrimPrefix(e.Key, restPrefix)
		all = append(all, r)
	}
	return all, nil
}

// wakeAll wakes every dormant campaign.
func wakeAll(tx kv.Tx) error {
	for after := ""; ; {
		page, err := restsAfter(tx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			after = restPrefix + r.Slug
			if err := kv.Keep(tx, after, Rest{Slug: r.Slug, Woken: r.Woken + 1}); err != nil {
				return err
			}
		}
	}
}

// Wake makes the scheduled jobs visit a campaign. Callers that change a campaign after its
// deadline call it first, so that the jobs find what a crash leaves unfinished.
func (s *Service) Wake(ctx context.Context, slug string) error {
	_, err := kv.Send[none](ctx, s.Coordinator, s.Switch().object(), "wake:"+slug, wake{Slug: slug})
	return err
}

// Rest puts a campaign to rest until a time. was is what Rests returned before the caller found
// that nothing is left to do and that the cards are deleted; ok is false if the campaign changed
// since.
func (s *Service) Rest(ctx context.Context, was Rest, until time.Time) (ok bool, err error) {
	was.Until, was.Cards = until, true
	return kv.Send[bool](ctx, s.Coordinator, s.Switch().object(), "rest:"+was.Slug, toRest{was})
}

// Rests returns the Rest records of campaigns, by slug.
func (s *Service) Rests(ctx context.Context) (map[string]Rest, error) {
	all := map[string]Rest{}
	for after := ""; ; {
		page, err := kv.Ask[[]Rest](ctx, s.Coordinator, s.Switch().object(), rests{After: after})
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			all[r.Slug], after = r, r.Slug
		}
		if len(page) < kv.MaxPage {
			return all, nil
		}
	}
}

// Awake lists the campaigns of the catalogue except the dormant ones.
func (s *Service) Awake(ctx context.Context) ([]*campaign.Campaign, error) {
	rests, err := s.Rests(ctx)
	if err != nil {
		return nil, err
	}
	var awake []*campaign.Campaign
	for _, c := range s.Catalogue().Campaigns() {
		r := rests[c.Slug]
		if !s.Now().Before(r.Until) || !s.mayBegin(c) {
			awake = append(awake, c)
		}
	}
	return awake, nil
}

// Settled reports whether nothing is left to settle for a campaign: no checkout is open, no
// pledge is to be charged, and no charge is open, recoverable or without fees. It is true for a
// campaign that is not funded and has nothing open.
func (s *Service) Settled(ctx context.Context, c *campaign.Campaign) (bool, error) {
	if c.State(s.Now().Add(-Calm), s.Zone) != campaign.Ended {
		return false, nil
	}
	holds, err := s.Inventory.Due(ctx, c.Slug, s.Now().AddDate(1, 0, 0), 1)
	if err != nil || len(holds) > 0 {
		return false, err
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil {
		return false, err
	}
	object := client{s.Coordinator, c.Slug}
	st, err := object.overview(ctx)
	if err != nil || st.Closed != nil || !c.Funded(snap.Totals.Counted) && !st.Begun {
		return err == nil, err
	}
	if st.Open || st.Held != nil || st.Complete == nil || st.Job != nil && st.Job.Status == JobRunning || snap.Totals.Statuses[pledge.Active] > 0 {
		return false, nil
	}
	failures, err := object.failures(ctx, "", 1)
	if err != nil || len(failures.Groups) > 0 {
		return false, err
	}
	unbooked, err := object.unbooked(ctx, "", 1)
	return err == nil && len(unbooked.Groups) == 0, err
}
