package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// readInterval is how often a payment that its supporter may still approve is read, in case
// the webhook does not arrive.
const readInterval = 6 * time.Hour

// storeDelay is the time after which a write can be read on every server. It is much longer
// than the minute that kv.Store allows, because clocks differ.
const storeDelay = time.Hour

// cancelLast cancels the payment of the last attempt, which its supporter could still approve,
// before another attempt replaces it or the pledges are dropped. If the payment was approved in the
// meantime, it is booked; if the processor is still working on it, the group stays open and a later
// run continues.
func (r *run) cancelLast(ctx context.Context, g state.Group) (state.Group, error) {
	p, err := r.Processor.CancelPayment(ctx, g.PaymentIntentID, "cancel:"+g.Key)
	if err != nil {
		return g, err
	}
	updated, err := r.recordResult(ctx, g, r.lookupResult(g, p))
	if err != nil {
		return updated, err
	}
	return r.runSteps(ctx, updated)
}

// dropPledges drops a group, and then updates its pledges and emails the supporter.
func (r *run) dropPledges(ctx context.Context, g state.Group) error {
	dropped, err := r.copyAfter(ctx, g)(r.object.Drop(ctx, r.currentLease(), g))
	if err != nil {
		return err
	}
	_, err = r.runSteps(ctx, dropped)
	return err
}

// requestRecoveryVisits requests a visit to every supporter whose failed charge has a step
// due: a new card to charge, a retry of the old one, a payment to read, a pledge that lacks
// the failure, or the end of the recovery period.
func (s *Service) requestRecoveryVisits(ctx context.Context, c *campaign.Campaign) error {
	object := s.objectOf(c.Slug)
	for after := ""; ; {
		page, err := object.Failures(ctx, after, s.batchSize())
		if err != nil {
			return err
		}
		for _, g := range page.Groups {
			due, err := s.recoveryDue(ctx, c, &g)
			if err != nil {
				return err
			}
			if !due {
				continue
			}
			if err := s.requestVisit(ctx, c.Slug, g.Supporter); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		after = page.Next
	}
}

func (s *Service) recoveryDue(ctx context.Context, c *campaign.Campaign, g *state.Group) (bool, error) {
	now := s.Now()
	if g.Confirmable && (g.AskedAt == nil || now.Sub(*g.AskedAt) > readInterval) {
		return true, nil
	}
	sup, err := s.Inventory.Supporter(ctx, c.Slug, g.Supporter)
	if err != nil {
		return false, err
	}
	groups, _, err := s.chargeGroups(ctx, c.Slug, sup)
	if err != nil {
		return false, err
	}
	for _, cg := range groups {
		if cg.hash != g.Hash {
			continue
		}
		if slices.ContainsFunc(cg.pledges, func(p *pledge.Pledge) bool { return missesFailure(g, p) }) {
			return true, nil
		}
		switch s.planCharge(c, cg).verdict {
		case toCharge:
			return true, nil
		case toDrop:
			return s.isGraceOver(ctx, c, cg)
		default:
			return false, nil
		}
	}
	return false, nil
}

// isGraceOver reports whether the full recovery period has passed since the email provider
// accepted the first mail that asks for another card, or since that mail could no longer be
// sent.
func (s *Service) isGraceOver(ctx context.Context, c *campaign.Campaign, cg chargeGroup) (bool, error) {
	if cg.group.CountAttempts() >= c.Recovery.Attempts {
		return true, nil
	}
	mailed := slices.IndexFunc(cg.pledges,
		func(p *pledge.Pledge) bool { return slices.Contains(cg.group.OrderIDs(), p.OrderID) })
	if mailed < 0 { // none of the charge's pledges is known
		return true, nil
	}
	d, err := s.cardRequest(ctx, cg.group, cg.pledges[mailed])
	if fault.Is(err, fault.NotFound) { // deleted by age, lost in a restore, or not visible yet
		return s.Now().Sub(cg.group.UpdatedAt) > storeDelay, nil
	}
	if err != nil {
		return false, err
	}
	accepted := d.QueuedAt.Add(notify.OutboxLife) // the end of its delivery attempts, if it was not accepted before
	if d.EndedAt != nil {
		accepted = *d.EndedAt
	}
	return !s.Now().Before(accepted.Add(time.Duration(c.Recovery.GraceDays) * day)), nil
}

// cardRequest returns the delivery of the first mail that asks for another card. The mail is stored
// under the group's name, which a pledge loses if its order was restored to before the charge.
func (s *Service) cardRequest(ctx context.Context, g *state.Group, p *pledge.Pledge) (notify.Delivery, error) {
	charged := *p
	charged.Group = g.Hash
	d, err := s.Outbox.Delivery(ctx, mailtext.UpdateCardIdentity(&charged, g.FirstFailedGeneration()))
	// it was outdated before it was sent
	if err == nil && d.Status == notify.Discarded && g.Generation > g.FirstFailedGeneration() {
		d, err = s.Outbox.Delivery(ctx, mailtext.UpdateCardIdentity(&charged, g.Generation))
	}
	return d, err
}
