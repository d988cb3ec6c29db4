package settlement

import (
	"context"
	"maps"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Status is the state of a campaign's settlement: what it waits for, its progress, and what
// blocks it.
type Status struct {
	CampaignSlug string         `json:"campaignSlug"`
	State        campaign.State `json:"state"`
	Goal         money.Cents    `json:"goal"`
	Counted      money.Cents    `json:"counted"` // cents toward the goal
	// Missed is set if the campaign has ended below its goal and no charge was frozen or made.
	// Then nothing is collectable, and a settlement cannot be started. MayStart is set if one
	// can be started or continued now.
	Missed   bool       `json:"missed"`
	MayStart bool       `json:"mayStart"`
	EndsAt   *time.Time `json:"endsAt"`   // nil without a deadline
	BeginsAt *time.Time `json:"beginsAt"` // a Margin later

	Supporters int                   `json:"supporters"`
	Pledges    map[pledge.Status]int `json:"pledges"`
	Funds      inventory.Funds       `json:"funds"`

	Begun       bool       `json:"begun"`   // a charge was frozen or made
	Working     bool       `json:"working"` // a run holds the lease now
	Open        bool       `json:"open"`    // a charge is not final yet
	Job         *state.Job `json:"job"`
	CompletedAt *time.Time `json:"completedAt"`
	ClosedAt    *time.Time `json:"closedAt"` // because it missed its goal
	// DetachingAt is when the deletion of a closed campaign's cards started. Until then two
	// operators may reopen it; Reopening is their decision so far.
	DetachingAt *time.Time      `json:"detachingAt"`
	Reopening   *state.Reopened `json:"reopening"`
	Unclosed    *state.Unclosed `json:"unclosed"` // why it is not closed although it missed its goal

	// Off is why the configuration prevents charging, "" if it does not.
	Off      string               `json:"off"`
	Stopped  *state.Stopped       `json:"stopped"` // all campaigns
	Held     *state.Held          `json:"held"`    // this one
	Broken   []inventory.Promised `json:"broken"`  // promises that charging would break
	Accepted *state.Accepted      `json:"accepted"`
}

// Status returns the state of a campaign's settlement. It fails with code NotFound for an
// unknown campaign, and writes nothing.
func (s *Service) Status(ctx context.Context, slug string) (Status, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Status{}, err
	}
	st, err := s.objectOf(slug).Overview(ctx)
	if err != nil {
		return Status{}, err
	}
	snap, err := s.Inventory.Snapshot(ctx, slug)
	if err != nil {
		return Status{}, err
	}
	stopped, err := s.Switch().Stopped(ctx)
	if err != nil {
		return Status{}, err
	}
	broken, err := s.BrokenPromises(ctx, c)
	if err != nil {
		return Status{}, err
	}
	unclosed, err := s.whyUnclosed(ctx, c, st)
	if err != nil {
		return Status{}, err
	}
	ends, begins := s.times(c)
	in, off := c.State(s.Now(), s.Zone), s.checkSwitchedOn()
	missed := in == campaign.Ended && !st.Begun && (st.Closed != nil || !c.Funded(snap.Totals.Counted))
	if missed {
		snap.Totals.Funds.Collectable = 0
	}
	return Status{
		CampaignSlug: slug, State: in, Missed: missed, MayStart: s.mayBegin(c) && !missed && off == nil && stopped == nil &&
			st.Held == nil && len(broken) == 0, Goal: c.Goal, Counted: snap.Totals.Counted, EndsAt: ends, BeginsAt: begins,
		Supporters: snap.Totals.Supporters(), Pledges: maps.Collect(maps.All(snap.Totals.Statuses)), Funds: snap.Totals.Funds,
		Begun: st.Begun, Working: st.Lease.HeldAt(s.Now()) && !st.Lease.Released, Open: st.Open,
		Job: st.Job, CompletedAt: st.Complete, ClosedAt: st.Closed,
		DetachingAt: st.Detaching, Reopening: st.Reopening, Unclosed: unclosed,
		Off: reasonOf(off), Stopped: stopped, Held: st.Held, Broken: append([]inventory.Promised{}, broken...),
		Accepted: st.Accepted,
	}, nil
}

// times returns a campaign's deadline and the earliest start of its settlement, nil without a
// deadline.
func (s *Service) times(c *campaign.Campaign) (ends, begins *time.Time) {
	if c.Deadline.IsZero() {
		return nil, nil
	}
	end := c.EndsAt(s.Zone).UTC()
	begin := end.Add(Margin)
	return &end, &begin
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return messageOf(err)
}

// Problems reads, with one query, the problems of a campaign that operators need to resolve.
// It does not call the processor: disagreements are those that the last run found.
func (s *Service) Problems(ctx context.Context, slug string) (state.Problems, error) {
	return s.objectOf(slug).Problems(ctx)
}
