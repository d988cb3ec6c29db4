package report

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Campaign is the state of a campaign, from its public numbers.
type Campaign struct {
	Slug       string         `json:"campaignSlug"`
	Title      string         `json:"campaignTitle"`
	State      campaign.State `json:"state"`
	Published  bool           `json:"published"` // visible to the public
	Archived   bool           `json:"archived"`
	Goal       money.Cents    `json:"goalAmount"`
	Pledged    money.Cents    `json:"pledgedAmount"`
	Pledges    int            `json:"pledgeCount"`
	Supporters int            `json:"supporterCount"`
	EndsAt     *time.Time     `json:"endsAt,omitempty"` // nil without a deadline
	DaysLeft   int            `json:"daysLeft"`         // including the last day; 0 unless it is live
	// Settlement is nil before it has started, and for callers that may not see money.
	Settlement *Settlement `json:"settlement,omitempty"`
}

// Settlement is the progress of a campaign's charges.
type Settlement struct {
	Status state.JobStatus `json:"status"`
	// NeedsAttention is the number of pledges that need an operator's decision.
	NeedsAttention int `json:"needsAttention"`
}

// Overview returns the state of a campaign. It reads two records, and no pledges. The
// settlement is returned only if sums is set; pledged amounts are public.
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
	job, begun, err := kv.Read[state.Job](ctx, s, state.JobKey(c.Slug))
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
