package settlement

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// After a restore, the database may have lost a supporter's cancellation or reduction of a pledge.
// The processor has the latest terms that the supporter agreed to (package agreement). Before a run
// charges, it compares them with the pledges and records each difference in the campaign's object.
// A pledge with a difference is not charged unless its supporter changes it or two operators accept
// its amount.

// sessionAge is the longest time between the creation of an order's customer and of its pledges.
const sessionAge = 25 * time.Hour

// importAgreements compares the pledges of the campaign with their terms at the processor, and
// records the pledges whose terms do not permit a charge. It does nothing if the admission is not
// for charges, or if an earlier import of the terms is still valid.
func (a *admission) importAgreements(ctx context.Context) error {
	if a.purpose != purposeCharge || !a.agreed.IsZero() {
		return nil
	}
	if err := a.ensureLease(ctx); err != nil {
		return err
	}
	began := a.Now()
	err := a.compareTerms(ctx, a.campaign, func(found []state.Disagreement) error {
		return errors.Join(a.noteDisagreements(ctx, found), a.ensureLease(ctx))
	})
	if err != nil {
		return err
	}
	if err := a.object.PruneDisagreements(ctx, a.currentLease()); err != nil {
		return err
	}
	a.agreed = began
	return nil
}

func (a *admission) noteDisagreements(ctx context.Context, found []state.Disagreement) error {
	for _, d := range found {
		a.Log.WarnContext(ctx, "settlement: a pledge is held, its terms differ from those recorded at the processor",
			"campaign", a.campaign.Slug, "order", d.PledgeID, "amount", d.Amount, "recorded", d.Recorded.String())
		if err := a.object.NoteDisagreement(ctx, a.currentLease(), d); err != nil {
			return err
		}
	}
	return nil
}

// compareTerms lists the customers of a campaign's orders, and calls found for each page with
// the pledges whose terms do not permit a charge.
func (s *Service) compareTerms(ctx context.Context, c *campaign.Campaign,
	found func([]state.Disagreement) error) error {
	from, err := s.PaymentsSince(ctx, c)
	if err != nil {
		return err
	}
	q := psp.CustomerQuery{From: from.Add(-sessionAge), To: s.Now().Add(day), Limit: 100}
	for {
		page, err := s.Processor.Customers(ctx, q)
		if err != nil {
			return err
		}
		some, err := s.disagreementsOf(ctx, c.Slug, page.Customers)
		if err != nil {
			return err
		}
		if err := found(some); err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

// disagreementsOf returns the unpaid pledges of customers whose metadata has terms that do not
// permit the charge.
func (s *Service) disagreementsOf(ctx context.Context, slug string,
	customers []psp.Customer) ([]state.Disagreement, error) {
	var all []state.Disagreement
	for _, c := range customers {
		if !hasTerms(c) {
			continue
		}
		pledges, err := s.pledgesOf(ctx, slug, c)
		if err != nil {
			return nil, err
		}
		for _, p := range pledges {
			terms, recorded := agreement.Parse(c.Metadata[agreement.Key(p.OrderID)])
			if recorded && !terms.Permits(p) && p.Unpaid() {
				all = append(all, state.Disagreement{PledgeID: p.OrderID, Amount: p.Amount, Recorded: terms})
			}
		}
	}
	return all, nil
}

func hasTerms(c psp.Customer) bool {
	for key := range c.Metadata {
		if agreement.IsKey(key) {
			return true
		}
	}
	return false
}

// pledgesOf reads the pledges to a campaign in the order that a customer was created for.
func (s *Service) pledgesOf(ctx context.Context, slug string, c psp.Customer) ([]*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(c.Metadata["orderId"])
	if err != nil {
		return nil, nil //nolint:nilerr // a customer of another program
	}
	o, err := s.Orders.Get(ctx, orderID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil // an order that is lost cannot be charged
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(o.Pledges, func(p *pledge.Pledge) bool { return p.CampaignSlug != slug }), nil
}
