package report

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Campaign is how a campaign goes, as its public numbers have it.
type Campaign struct {
	Slug       string         `json:"campaignSlug"`
	Title      string         `json:"campaignTitle"`
	State      campaign.State `json:"state"`
	Published  bool           `json:"published"` // everybody sees it
	Archived   bool           `json:"archived"`
	Goal       money.Cents    `json:"goalAmount"`
	Pledged    money.Cents    `json:"pledgedAmount"`
	Pledges    int            `json:"pledgeCount"`
	Supporters int            `json:"supporterCount"`
	EndsAt     *time.Time     `json:"endsAt,omitempty"` // nil without a deadline
	DaysLeft   int            `json:"daysLeft"`         // the last one counts whole; 0 unless it is live
	// Settlement is nil before it has begun, and for who sees no money.
	Settlement *Settlement `json:"settlement,omitempty"`
}

// Settlement is how far a campaign's charges have come.
type Settlement struct {
	Status settlement.JobStatus `json:"status"`
	// NeedsAttention counts the pledges about which a person has to say something.
	NeedsAttention int `json:"needsAttention"`
}

// Overview is how a campaign goes. It reads two records, and no pledge. Sums of the settlement
// are for who sees money; what was pledged is public.
func Overview(ctx context.Context, s kv.Store, c *campaign.Campaign, now time.Time, zone *time.Location, sums bool) (Campaign, error) {
	stats, _, err := kv.Read[projection.Stats](ctx, s, pledge.StatsKey(c.Slug))
	if err != nil {
		return Campaign{}, err
	}
	out := Campaign{
		Slug: c.Slug, Title: c.Title, State: c.State(now, zone), Published: c.Public(), Archived: c.Archived(), Goal: c.Goal,
		Pledged: stats.PledgedAmount, Pledges: stats.PledgeCount, Supporters: stats.Supporters,
	}
	if !c.Deadline.IsZero() {
		ends := c.EndsAt(zone).UTC()
		out.EndsAt = &ends
		out.DaysLeft = daysLeft(out.State, ends.Sub(now))
	}
	if out.State != campaign.Ended || !sums {
		return out, nil
	}
	job, begun, err := kv.Read[settlement.Job](ctx, s, settlement.JobKey(c.Slug))
	if begun {
		out.Settlement = &Settlement{job.Status, job.TotalNeedsAttention}
	}
	return out, err
}

const day = 24 * time.Hour

func daysLeft(s campaign.State, left time.Duration) int {
	if s != campaign.Live {
		return 0
	}
	return int((left + day - 1) / day)
}
