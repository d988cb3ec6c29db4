package settlement

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// maxSteps bounds one visit to a group. The longest useful one has six.
const maxSteps = 10

// drive takes a group as far as it goes now: it asks next what to do, does it
// and keeps what came of it, until there is only waiting left.
func (r *run) drive(ctx context.Context, g Group) (Group, error) {
	for range maxSteps {
		do := next(g, r.Now())
		if do == waitForIt || do == nothingLeft {
			r.stuck(g)
			return g, nil
		}
		var err error
		g, err = r.do(ctx, do, g)
		if errors.Is(err, errSilent) {
			r.stuck(g)
			return g, nil
		}
		if err != nil {
			return g, err
		}
	}
	return g, fault.New(fault.Internal, "The charge does not come to rest")
}

// learn finds out what became of a supporter's charges, of whom the database has lost a
// pledge. It sends nothing and books nothing: both wait until the pledge is there again.
// A charge of which nothing can be learned any more is shown to operators.
func (r *run) learn(ctx context.Context, sup inventory.Supporter) error {
	f, err := r.records(ctx, r.campaign.Slug, sup)
	if err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(f.Records)) {
		if g := f.Records[hash].Group; g != nil {
			_, learned := r.learnOf(ctx, *g)
			err = errors.Join(err, learned)
		}
	}
	return err
}

func (r *run) learnOf(ctx context.Context, g Group) (_ Group, err error) {
	for range maxSteps {
		do := next(g, r.Now())
		if do != findCharge && do != readPayment && do != raiseAlarm {
			return g, nil
		}
		if g, err = r.do(ctx, do, g); err != nil {
			return g, err
		}
	}
	return g, nil
}

func (r *run) do(ctx context.Context, do step, g Group) (Group, error) {
	switch do {
	case sendCharge:
		return r.charge(ctx, g)
	case findCharge:
		found, err := r.Processor.FindCharge(ctx, g.CustomerID, g.Key)
		if err != nil {
			return g, err
		}
		return r.tell(ctx, g, r.lookupResult(g, found...))
	case readPayment:
		p, err := r.Processor.Payment(ctx, g.PaymentIntentID)
		if err != nil {
			return g, err
		}
		return r.tell(ctx, g, r.lookupResult(g, p))
	case raiseAlarm:
		return r.kept(ctx, g)(r.object.alarm(ctx, r.currentLease(), g))
	case bookOutcome:
		return r.book(ctx, g)
	case waitForIt, nothingLeft:
	}
	return g, nil
}

// charge counts the sending, and only then sends.
func (r *run) charge(ctx context.Context, g Group) (Group, error) {
	if err := r.checkStop(ctx); err != nil {
		return g, err
	}
	g, err := r.kept(ctx, g)(r.object.attempt(ctx, r.currentLease(), g))
	if err != nil {
		return g, r.silent(ctx, err)
	}
	return r.tell(ctx, g, r.resultOf(g, r.admission.charge(ctx, psp.NewCharge{
		Key:             g.Key,
		Group:           g.Key,
		Amount:          g.Amount,
		CustomerID:      g.CustomerID,
		PaymentMethodID: g.PaymentMethodID,
		Description:     cmp.Or(g.Description, description(r.campaign)), // older groups have none
		Metadata:        g.metadata(),
		NotAfter:        g.FirstSubmittedAt.Add(psp.SafeAge),
	})))
}

// metadata is what the processor keeps with a payment. It names the pledges so that a database
// that has forgotten the attempt finds them again.
func (g *Group) metadata() map[string]string {
	kept := map[string]string{psp.CampaignKey: g.CampaignSlug}
	if named := psp.JoinPledges(g.orderIDs()); g.NamesPledges && named != "" {
		kept[psp.PledgesKey] = named
	}
	return kept
}

func description(c *campaign.Campaign) string { return "Pledge to " + c.Title }

// tell keeps a fact, also for a caller who has gone away meanwhile.
func (a *admission) tell(ctx context.Context, g Group, f fact) (Group, error) {
	ctx = context.WithoutCancel(ctx)
	if f.Differs != "" {
		a.Log.ErrorContext(ctx, "settlement: the processor answered about another charge", "campaign", g.CampaignSlug, "group", g.Hash, "payment", f.PaymentID, "field", f.Differs)
	}
	return a.kept(ctx, g)(a.object.tell(ctx, a.currentLease(), g, f))
}

// kept copies what the object answered to the Store, and falls back to the
// group as it was where the object gave no answer.
func (a *admission) kept(ctx context.Context, was Group) func(Group, error) (Group, error) {
	return func(g Group, err error) (Group, error) {
		if err != nil {
			return was, err
		}
		return g, a.copyGroup(ctx, g)
	}
}

// copyGroup writes the Store's copy of a group, as a whole. The object has the truth, and
// what other releases know of it; an open group is copied again with its next step.
func (s *Service) copyGroup(ctx context.Context, g Group) error {
	w, err := kv.Record(GroupKey(g.CampaignSlug, g.Hash), g, s.Now().Add(Retention))
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, []kv.Write{w})
}

// chargedAt is when a success became known.
func (g *Group) chargedAt() time.Time {
	if g.SettledAt == nil {
		return g.UpdatedAt
	}
	return *g.SettledAt
}
