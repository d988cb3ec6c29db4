package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// recordResult records a result, even if the caller's context was canceled.
func (a *admission) recordResult(ctx context.Context, g state.Group, f state.Result) (state.Group, error) {
	ctx = context.WithoutCancel(ctx)
	if f.Differs != "" {
		a.Log.ErrorContext(ctx, "settlement: the processor's response is about another charge", "campaign",
			g.CampaignSlug, "group", g.Hash, "payment", f.PaymentID, "field", f.Differs)
	}
	return a.copyAfter(ctx, g)(a.object.RecordResult(ctx, a.currentLease(), g, f))
}

// copyAfter returns a function that writes the Store's copy of the group that the object
// returned. If the object did not answer, the function returns the group as it was.
func (a *admission) copyAfter(ctx context.Context, was state.Group) func(state.Group, error) (state.Group, error) {
	return func(g state.Group, err error) (state.Group, error) {
		if err != nil {
			return was, err
		}
		return g, a.copyGroup(ctx, g)
	}
}

// copyGroup overwrites the Store's copy of a group. The object is the source of truth; the
// copy of an open group is updated at each step.
func (s *Service) copyGroup(ctx context.Context, g state.Group) error {
	w, err := kv.Record(state.GroupKey(g.CampaignSlug, g.Hash), g, s.Now().Add(psp.EvidenceLife))
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, []kv.Write{w})
}

// lookupResult reduces the payments that a lookup found for a group to one result.
func (s *Service) lookupResult(g state.Group, found ...psp.Payment) state.Result {
	return state.LookupResult(g, s.Processor.Mode(), found...)
}
