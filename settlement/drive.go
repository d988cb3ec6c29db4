package settlement

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// maxSteps is the maximum number of steps in one visit to a group. The longest useful visit takes
// six.
const maxSteps = 10

// runSteps executes the group's next steps until it has to wait or is done.
func (r *run) runSteps(ctx context.Context, g state.Group) (state.Group, error) {
	for range maxSteps {
		do := state.NextStep(g, r.Now())
		if do == state.Wait || do == state.Finished {
			r.addWaiting(g)
			return g, nil
		}
		var err error
		g, err = r.runStep(ctx, do, g)
		if errors.Is(err, errPostponed) {
			r.addWaiting(g)
			return g, nil
		}
		if err != nil {
			return g, err
		}
	}
	return g, fault.New(fault.Internal, "The charge was not finished after %d steps", maxSteps)
}

// lookUpLost looks up the charges of a supporter with a lost pledge. It sends and books
// nothing, because that has to wait until the pledge is restored. A charge that can no longer
// be looked up is shown to operators.
func (r *run) lookUpLost(ctx context.Context, sup inventory.Supporter) error {
	f, err := r.records(ctx, r.campaign.Slug, sup)
	if err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(f.Records)) {
		if g := f.Records[hash].Group; g != nil {
			_, learned := r.lookUpGroup(ctx, *g)
			err = errors.Join(err, learned)
		}
	}
	return err
}

func (r *run) lookUpGroup(ctx context.Context, g state.Group) (_ state.Group, err error) {
	for range maxSteps {
		do := state.NextStep(g, r.Now())
		if do != state.FindCharge && do != state.ReadPayment && do != state.StopRetries {
			return g, nil
		}
		if g, err = r.runStep(ctx, do, g); err != nil {
			return g, err
		}
	}
	return g, nil
}

func (r *run) runStep(ctx context.Context, do state.Step, g state.Group) (state.Group, error) {
	switch do {
	case state.SendCharge:
		return r.charge(ctx, g)
	case state.FindCharge:
		found, err := r.Processor.FindCharge(ctx, g.CustomerID, g.Key)
		if err != nil {
			return g, err
		}
		return r.recordResult(ctx, g, r.lookupResult(g, found...))
	case state.ReadPayment:
		p, err := r.Processor.Payment(ctx, g.PaymentIntentID)
		if err != nil {
			return g, err
		}
		return r.recordResult(ctx, g, r.lookupResult(g, p))
	case state.StopRetries:
		return r.copyAfter(ctx, g)(r.object.MarkUnanswered(ctx, r.currentLease(), g))
	case state.BookOutcome:
		return r.book(ctx, g)
	case state.Wait, state.Finished:
	}
	return g, nil
}

// charge sends a group's frozen request and records the result. It counts the request in the object
// before sending it.
func (r *run) charge(ctx context.Context, g state.Group) (state.Group, error) {
	if err := r.checkStop(ctx); err != nil {
		return g, err
	}
	g, err := r.copyAfter(ctx, g)(r.object.Attempt(ctx, r.currentLease(), g))
	if err != nil {
		return g, r.asPostponed(ctx, err)
	}
	return r.recordResult(ctx, g, r.resultOf(g, r.admission.charge(ctx, psp.NewCharge{
		Key:             g.Key,
		Group:           g.Key,
		Amount:          g.Amount,
		CustomerID:      g.CustomerID,
		PaymentMethodID: g.PaymentMethodID,
		Description:     g.Description,
		Metadata:        chargeMetadata(g),
		NotAfter:        g.FirstSubmittedAt.Add(psp.SafeAge),
	})))
}

// chargeMetadata returns the metadata of a group's payment. It names the pledges, so that an
// import can find them if the database loses the attempt.
func chargeMetadata(g state.Group) map[string]string {
	kept := map[string]string{psp.CampaignKey: g.CampaignSlug}
	if named := psp.JoinPledges(g.OrderIDs()); g.NamesPledges && named != "" {
		kept[psp.PledgesKey] = named
	}
	return kept
}

func description(c *campaign.Campaign) string { return "Pledge to " + c.Title }

// resultOf returns the result of a group's charge request.
func (s *Service) resultOf(g state.Group, o psp.Outcome) state.Result {
	return state.ChargeResult(g, o, s.Processor.Mode())
}
