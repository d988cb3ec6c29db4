package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// If an order alone was restored, it may have lost its claim. Its pledge can then be changed
// and cancelled, although a charge request is frozen with the earlier amount. So an open
// charge is sent only if its pledges are unchanged since it was frozen.

// resume continues an open attempt. If its pledges differ from those that it was frozen with,
// nothing is sent: an attempt that was never sent ends without a charge, and an attempt that was
// sent is looked up until operators decide about it.
func (r *run) resume(ctx context.Context, cg chargeGroup) (state.Group, error) {
	g := *cg.group
	if g.Status != state.Submitted {
		return r.runSteps(ctx, g)
	}
	same, err := r.reclaim(ctx, cg)
	switch {
	case err != nil:
		return g, err
	case same:
		return r.runSteps(ctx, g)
	}
	r.Log.WarnContext(ctx, "settlement: did not send a charge because its pledges have changed",
		"campaign", g.CampaignSlug, "group", g.Hash)
	if g.FirstSubmittedAt == nil {
		return r.copyAfter(ctx, g)(r.object.Withdraw(ctx, r.currentLease(), g))
	}
	g, err = r.lookUpGroup(ctx, g)
	r.addWaiting(g)
	return g, err
}

// reclaim reports whether the pledges of an open attempt are unpaid and have the amounts that
// it was frozen with. It restores lost claims.
func (r *run) reclaim(ctx context.Context, cg chargeGroup) (bool, error) {
	for _, part := range cg.group.Orders {
		at := slices.IndexFunc(cg.pledges, func(p *pledge.Pledge) bool { return p.OrderID == part.ID })
		if at < 0 {
			return false, nil // it belongs to another group now
		}
		p := cg.pledges[at]
		if lostClaim(p, cg.group.Generation) {
			var err error
			p, err = r.Orders.ClaimFound(ctx, p.OrderID, cg.hash, cg.group.Generation)
			if fault.Is(err, fault.Conflict) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
		if !p.Unpaid() || p.Amount != part.Amount {
			return false, nil
		}
	}
	return true, nil
}

// lostClaim reports whether a pledge is not claimed for any attempt and does not record the
// given one, so that its claim must have been lost.
func lostClaim(p *pledge.Pledge, generation int) bool {
	return p.Settlement == nil && (p.LastFailure == nil || p.LastFailure.Generation < generation)
}
