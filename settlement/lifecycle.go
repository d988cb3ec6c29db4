package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// startRun admits the caller to charge a campaign.
func (s *Service) startRun(ctx context.Context, c *campaign.Campaign) (*run, error) {
	a, err := s.admit(ctx, c, purposeCharge)
	if err != nil {
		return nil, err
	}
	return &run{admission: a, visited: map[string]bool{}}, nil
}

// release releases the lease and then settles each supporter who replaced their card during
// the run, once, regardless of the result. They were promised an immediate charge, but their
// own run was refused because of the lease.
func (r *run) release(ctx context.Context) {
	notes := r.releaseLease(ctx)
	for range r.batchSize() {
		i := slices.IndexFunc(notes, func(n state.VisitRequest) bool { return !r.visited[n.Nonce] })
		if i < 0 {
			return
		}
		r.visited[notes[i].Nonce] = true
		next, err := r.startRun(ctx, r.campaign)
		if err != nil {
			r.Log.Warn("settlement: new cards wait for the next hourly run", "campaign", r.campaign.Slug, "error", err)
			return
		}
		next.visited = r.visited
		if err := next.settleOne(ctx, notes[i].Supporter); err != nil {
			r.Log.Warn("settlement: a new card waits for the next hourly run", "campaign", r.campaign.Slug, "error", err)
		}
		notes = next.releaseLease(ctx)
	}
}

// settleOne settles one supporter if the campaign's settlement has started. Before that, every
// supporter waits for it.
func (r *run) settleOne(ctx context.Context, supporter string) error {
	if st, err := r.object.Overview(ctx); err != nil || !st.Begun {
		return err
	}
	if err := r.visit(ctx, supporter); err != nil {
		return err
	}
	if _, err := r.completeIfDone(ctx); err != nil {
		return err
	}
	return r.failed
}

// completeIfDone writes the completion marker if nothing is left to settle: no checkout that can
// still become a pledge, no active pledge in the campaign's accounts, and no open group. It returns
// when the settlement was first complete, or nil if something is left. It reads the checkouts
// first, because one that becomes a pledge in the meantime is then found among the pledges.
func (r *run) completeIfDone(ctx context.Context) (*time.Time, error) {
	slug := r.campaign.Slug
	holds, err := r.Inventory.Due(ctx, slug, r.Now().AddDate(1, 0, 0), 1)
	if err != nil || len(holds) > 0 {
		return nil, err
	}
	snap, err := r.Inventory.Snapshot(ctx, slug)
	if err != nil || snap.Totals.Statuses[pledge.Active] > 0 {
		return nil, err
	}
	at, err := r.object.Complete(ctx, r.currentLease())
	if fault.Is(err, fault.Conflict) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &at, kv.Save(ctx, r.Store, pledge.ChargedKey(slug), at)
}
