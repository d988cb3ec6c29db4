package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An order that alone goes back to an earlier state may lose its claim. Its pledge can be changed
// and cancelled again then, while the request of a charge is frozen with what it was. So an open
// charge is sent only for pledges that are what they were when it was frozen.

// resume takes an open attempt as far as it goes now. If its pledges are other than it was frozen
// with, nothing is sent: an attempt that was never sent ends without a charge, and of another one
// the processor is asked until operators decide about it.
func (r *run) resume(ctx context.Context, pt party) (Group, error) {
	g := *pt.group
	if g.Status != Submitted {
		return r.drive(ctx, g)
	}
	same, err := r.reclaim(ctx, pt)
	switch {
	case err != nil:
		return g, err
	case same:
		return r.drive(ctx, g)
	}
	r.Log.WarnContext(ctx, "settlement: a charge is not sent since its pledges are not what they were", "campaign", g.CampaignSlug, "group", g.Hash)
	if g.FirstSubmittedAt == nil {
		return r.kept(ctx, g)(r.object.withdraw(ctx, r.currentLease(), g))
	}
	g, err = r.learnOf(ctx, g)
	r.stuck(g)
	return g, err
}

// reclaim reports whether the pledges of an open attempt are unpaid and of the amounts that it
// was frozen with. Those that have lost their claim are claimed again.
func (r *run) reclaim(ctx context.Context, pt party) (bool, error) {
	for _, part := range pt.group.Orders {
		at := slices.IndexFunc(pt.pledges, func(p *pledge.Pledge) bool { return p.OrderID == part.ID })
		if at < 0 {
			return false, nil // it belongs to another group now
		}
		p := pt.pledges[at]
		if lostClaim(p, pt.group.Generation) {
			var err error
			p, err = r.Orders.ClaimFound(ctx, p.OrderID, pt.hash, pt.group.Generation)
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

// lostClaim reports whether a pledge is claimed for no attempt and knows nothing of the one that
// it was claimed for.
func lostClaim(p *pledge.Pledge, generation int) bool {
	return p.Settlement == nil && (p.LastFailure == nil || p.LastFailure.Generation < generation)
}
