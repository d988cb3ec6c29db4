package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// requestForgottenVisits requests a visit to every supporter with a pledge whose failed charge
// is missing from the campaign's object, because the object alone was restored. The import of
// payments cannot find such a charge if the processor rejected the request and made no
// payment.
func (a *admission) requestForgottenVisits(ctx context.Context) error {
	if a.purpose != purposeCharge {
		return nil
	}
	snap, err := a.Inventory.Snapshot(ctx, a.campaign.Slug)
	if err != nil || snap.Totals.Statuses[pledge.PaymentFailed] == 0 {
		return err
	}
	for cursor := ""; ; {
		if err := a.ensureLease(ctx); err != nil {
			return err
		}
		page, err := a.Inventory.Failed(ctx, a.campaign.Slug, cursor, inventory.MaxPage)
		if err != nil {
			return err
		}
		for _, sup := range page.Supporters {
			if err := a.requestVisitIfForgotten(ctx, sup); err != nil {
				return err
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func (a *admission) requestVisitIfForgotten(ctx context.Context, sup inventory.Supporter) error {
	groups, _, err := a.chargeGroups(ctx, a.campaign.Slug, sup)
	if fault.Is(err, fault.NotFound) {
		return nil // the order is lost, so its supporter cannot be charged
	}
	if err != nil {
		return err
	}
	failed := func(p *pledge.Pledge) bool { return p.Status == pledge.PaymentFailed && p.Unpaid() }
	for _, cg := range groups {
		if cg.group == nil && slices.ContainsFunc(cg.pledges, failed) {
			return a.requestVisit(ctx, a.campaign.Slug, sup.Hash)
		}
	}
	return nil
}
