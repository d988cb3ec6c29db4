package settlement

import (
	"context"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// book writes a known outcome to the orders, which are the source of truth about pledges, then to
// the accounts and projections, and then emails the supporter. Each step can be repeated, and only
// the last one closes the group. A failure is not booked while the breaker is open or its cause may
// not be the card (see checkMayReport).
func (r *run) book(ctx context.Context, g state.Group) (state.Group, error) {
	mark, outcome := r.markFailed, hasFailed
	if g.Status == state.Failed {
		if err := errors.Join(r.checkBreaker(ctx), r.checkMayReport(ctx, g)); err != nil {
			return g, err
		}
	}
	switch {
	case g.Status == state.Succeeded:
		mark, outcome = r.markCharged, wasCharged
	case g.DroppedAt != nil:
		mark, outcome = r.markDropped, wasDropped
	}
	ids, err := mark(ctx, g)
	if err != nil {
		return g, err
	}
	if len(ids) == 0 {
		return r.close(ctx, g, "") // an imported attempt whose pledges are lost
	}
	// Read the pledges again: a repeated command returns its first answer, and a pledge's card
	// may have been replaced since.
	pledges, err := r.readPledges(ctx, ids)
	if err != nil {
		return g, err
	}
	for _, p := range pledges {
		if _, err := r.Projector.Book(ctx, p, ""); err != nil {
			return g, err
		}
	}
	if err := r.adoptEarlierRefunds(ctx, g); err != nil {
		return g, err
	}
	if err := r.mailOutcome(ctx, outcome, pledges); err != nil {
		return g, err
	}
	return r.close(ctx, g, pledges[0].Email)
}

// adoptEarlierRefunds records the refunds of a payment that became known long after it was made, because
// the search for refunds may have passed them.
func (r *run) adoptEarlierRefunds(ctx context.Context, g state.Group) error {
	if g.Status != state.Succeeded || g.FirstSubmittedAt == nil || r.Now().Sub(*g.FirstSubmittedAt) < refundDelay {
		return nil
	}
	return r.UpdateRefunds(ctx, g.PaymentIntentID)
}

// close writes the Store's copy of the group before it closes the group, because a closed
// group is not visited again.
func (r *run) close(ctx context.Context, g state.Group, email string) (state.Group, error) {
	g.Booked = true
	if err := r.copyGroup(ctx, g); err != nil {
		return g, err
	}
	closed, err := r.object.MarkBooked(ctx, r.currentLease(), g)
	if err != nil {
		return g, err
	}
	if closed.Booked {
		r.addClosed(closed, email)
	}
	return closed, nil
}

func (s *Service) markCharged(ctx context.Context, g state.Group) ([]string, error) {
	financials := g.Shares()
	for i, o := range g.Orders {
		err := s.markPledge(ctx, g, o.ID, func() error {
			_, err := s.Orders.MarkCharged(ctx, o.ID, g.Hash, g.Generation, order.Charged{
				PaymentIntentID:      g.PaymentIntentID,
				ChargeID:             g.ChargeID,
				BalanceTransactionID: g.BalanceTransactionID,
				Financials:           financials[i],
				AvailableAt:          g.AvailableAt,
				At:                   g.OutcomeAt(),
			})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return g.OrderIDs(), nil
}

// markPledge records the group's outcome in a pledge by calling record. If the order was
// restored to before the claim, it claims the pledge again first.
func (s *Service) markPledge(ctx context.Context, g state.Group, id string, record func() error) error {
	err := record()
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	if _, err := s.Orders.ClaimFound(ctx, id, g.Hash, g.Generation); err != nil {
		return err
	}
	return record()
}

func (r *run) markFailed(ctx context.Context, g state.Group) ([]string, error) {
	ids, err := r.claimedPledges(ctx, g)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := r.markPledgeFailed(ctx, g, id); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (r *run) markPledgeFailed(ctx context.Context, g state.Group, id string) error {
	g.DroppedAt = nil // record the recovery as it was before the drop
	failure := pledge.Failure{Kind: string(g.ProcessorStatus), Code: g.Code, DeclineCode: g.DeclineCode,
		Generation: g.Generation, At: g.OutcomeAt(), PaymentIntentID: g.PaymentIntentID}
	return r.markPledge(ctx, g, id, func() error {
		_, err := r.Orders.MarkFailed(ctx, id, g.Hash, g.Generation, failure, g.Recovery(r.campaign.Recovery))
		return err
	})
}

func (r *run) markDropped(ctx context.Context, g state.Group) ([]string, error) {
	pledges, err := r.readPledges(ctx, g.OrderIDs())
	if err != nil {
		return nil, err
	}
	if _, err := r.markMissingFailures(ctx, g, pledges); err != nil {
		return nil, err
	}
	for _, id := range g.OrderIDs() {
		if _, err := r.Orders.MarkDropped(ctx, id, g.Hash, g.Generation, *g.DroppedAt); err != nil {
			return nil, err
		}
	}
	return g.OrderIDs(), nil
}

// markMissingFailures records a failed charge in the pledges that do not have it, and reports
// whether there were any.
func (r *run) markMissingFailures(ctx context.Context, g state.Group,
	pledges []*pledge.Pledge) (marked bool, err error) {
	for _, p := range pledges {
		if !missesFailure(&g, p) {
			continue
		}
		if err := r.markPledgeFailed(ctx, g, p.OrderID); err != nil {
			return marked, err
		}
		marked = true
	}
	return marked, nil
}

// missesFailure reports whether a pledge lacks the group's failed charge because its order was
// restored to before the failure. Pledges never record a void attempt.
func missesFailure(g *state.Group, p *pledge.Pledge) bool {
	if g.Void || !p.Unpaid() || p.LastFailure != nil && p.LastFailure.Generation >= g.Generation {
		return false
	}
	c := p.Settlement
	return slices.Contains(g.OrderIDs(), p.OrderID) && (c == nil || c.Group == g.Hash && c.Generation <= g.Generation)
}

// claimedPledges returns the group's pledges and any others that were claimed for the attempt
// by a run that lost its lease before it could add them. All have to be released for the next
// attempt.
func (r *run) claimedPledges(ctx context.Context, g state.Group) ([]string, error) {
	ids := g.OrderIDs()
	sup, err := r.Inventory.Supporter(ctx, g.CampaignSlug, g.Supporter)
	if err != nil {
		return nil, err
	}
	pledges, err := r.readPledges(ctx, sup.Pledges)
	if err != nil {
		return nil, err
	}
	for _, p := range pledges {
		if isClaimedFor(p, g.Hash, g.Generation) && !slices.Contains(ids, p.OrderID) {
			ids = append(ids, p.OrderID)
		}
	}
	return ids, nil
}
