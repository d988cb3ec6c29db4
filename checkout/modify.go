package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Modify changes the token's pledge while its campaign is live. Items that the
// pledge already has keep their prices and stay available; tax and shipping are
// requoted. It fails with code Invalid for a bad selection or if nothing would
// change, SoldOut if additional units are unavailable, and Conflict if the pledge
// cannot be changed or was changed in the meantime.
func (s *Service) Modify(ctx context.Context, r ModifyRequest) (Modified, error) {
	p, err := s.pledgeForToken(ctx, r.Token, r.OrderID)
	if err != nil {
		return Modified{}, err
	}
	if err := s.checkModifiable(p, r); err != nil {
		return Modified{}, err
	}
	next, ch, err := s.planChange(ctx, p, r)
	if err != nil {
		return Modified{}, err
	}
	if r.DryRun {
		return s.modifiedResult(p, p.Revision, ch, true), nil
	}
	changed, err := s.applyChange(ctx, p, next, ch)
	if fault.Is(err, fault.SoldOut) && s.sweepDueHolds(ctx, p.CampaignSlug) {
		changed, err = s.applyChange(ctx, p, next, ch)
	}
	if err != nil {
		return Modified{}, err
	}
	return s.modifiedResult(p, changed.Revision, ch, false), nil
}

func (s *Service) checkModifiable(p *pledge.Pledge, r ModifyRequest) error {
	if !p.Open() {
		return fault.New(fault.Conflict, "The pledge can no longer be modified")
	}
	if r.ExpectedRevision != 0 && r.ExpectedRevision != p.Revision {
		return fault.New(fault.Conflict, "The pledge was changed in the meantime").In("expectedRevision")
	}
	if _, err := s.pricer().OpenCampaign(p.CampaignSlug); err != nil {
		f := fault.Of(err)
		return fault.New(fault.Conflict, "%s, the pledge cannot be modified", f.Message)
	}
	return nil
}

// planChange computes the changed pledge. It writes nothing.
func (s *Service) planChange(ctx context.Context, p *pledge.Pledge,
	r ModifyRequest) (pricing.Priced, order.Change, error) {
	picks, err := pricing.Revise(p.CampaignSlug, p.Lines, r.Items, r.CustomAmount)
	if err != nil {
		return pricing.Priced{}, order.Change{}, err
	}
	in, err := s.newInputs(p, r)
	if err != nil {
		return pricing.Priced{}, order.Change{}, err
	}
	if unchanged(p, picks, in) {
		return pricing.Priced{}, order.Change{}, fault.New(fault.Invalid, "No changes specified")
	}
	catalogue := s.Catalogue()
	c, err := catalogue.Campaign(p.CampaignSlug)
	if err != nil {
		return pricing.Priced{}, order.Change{}, err
	}
	m := pricing.Offering{Campaign: c, AddOns: catalogue.AddOns()}.For(p)
	if m.Pledged, err = s.amountPledged(ctx, c, picks); err != nil {
		return pricing.Priced{}, order.Change{}, err
	}
	chosen, err := m.Choose(picks)
	if err != nil {
		return pricing.Priced{}, order.Change{}, err
	}
	draft, err := s.pricer().Price(ctx, []pricing.Choice{chosen}, in)
	if err != nil {
		return pricing.Priced{}, order.Change{}, err
	}
	next := draft.Parts[0]
	return next, order.Change{
		Lines: next.Lines, Totals: next.Totals, Explanation: next.Explanation,
		ShippingOption: next.Parcels[0].Option, ShippingAddress: in.ShipTo, FulfillmentType: next.Delivery,
		NotAfter: s.changesUntil(p.CampaignSlug),
		Promise: pledge.Promise{
			CampaignRevision: c.Revision, ConsentVersion: ConsentVersion, AcceptedAt: in.At.UTC(),
			EndsAt: c.EndsAt(s.Settings.Zone).UTC(), Goal: c.Goal,
		},
	}, nil
}

// newInputs returns the pricing inputs of the pledge with the request's changes.
func (s *Service) newInputs(p *pledge.Pledge, r ModifyRequest) (pricing.Inputs, error) {
	in := pricing.Inputs{ShipTo: p.ShippingAddress, BillTo: p.BillingAddress, Option: p.ShippingOption, At: s.Now()}
	var err error
	if in.Tip, err = s.pricer().Tip(r.TipPercent, r.Tip, p.Tip()); err != nil {
		return pricing.Inputs{}, err
	}
	if r.ShippingOption != nil {
		in.Option = *r.ShippingOption
	}
	if r.ShippingAddress != nil {
		in.ShipTo, err = pricing.ParseAddress(r.ShippingAddress, "shippingAddress")
	}
	return in, err
}

func unchanged(p *pledge.Pledge, picks []pricing.Pick, in pricing.Inputs) bool {
	return in.Tip == p.Tip() &&
		shippingOptionOrDefault(in.Option) == shippingOptionOrDefault(p.ShippingOption) &&
		sameAddress(in.ShipTo, p.ShippingAddress) && pricing.Same(picks, p.Lines)
}

// shippingOptionOrDefault returns the option, or the standard one if it is empty.
func shippingOptionOrDefault(o string) string {
	if o == "" {
		return campaign.StandardShipping
	}
	return o
}

func sameAddress(a, b *pledge.Address) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// applyChange holds the units, changes the pledge, and applies the effects. If
// the change is rejected, the units are released.
func (s *Service) applyChange(ctx context.Context, p *pledge.Pledge, next pricing.Priced,
	ch order.Change) (*pledge.Pledge, error) {
	return s.runChange(ctx, p, func(orderID, nonce string) (*pledge.Pledge, string, error) {
		h := s.newHold(p, orderID, modifyHoldID(orderID, nonce))
		claims := []claim{{p.CampaignSlug, h, next.Own}}
		if len(next.Platform) > 0 {
			claims = append(claims, claim{inventory.Platform, h, next.Platform})
		}
		changed, err := s.holdAndModify(ctx, claims, p, nonce, ch)
		if err != nil && !transient(err) {
			s.releaseClaims(ctx, claims)
		}
		return changed, h.ID, err
	})
}

func (s *Service) holdAndModify(ctx context.Context, claims []claim, p *pledge.Pledge,
	nonce string, ch order.Change) (*pledge.Pledge, error) {
	for _, c := range claims {
		if err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants); err != nil {
			return nil, err
		}
	}
	return s.Orders.Modify(ctx, p.OrderID, p.Revision, nonce, ch)
}

// sweepDueHolds sweeps expired holds of a campaign and the platform that may block a change, and
// reports whether it released any.
func (s *Service) sweepDueHolds(ctx context.Context, slug string) bool {
	var seen Swept
	for _, object := range []string{slug, inventory.Platform} {
		if err := s.sweepObject(ctx, object, sweepAtStart, &seen); err != nil {
			return false
		}
	}
	return seen.Released > 0
}

func (s *Service) modifiedResult(p *pledge.Pledge, revision int, ch order.Change, dryRun bool) Modified {
	c := s.campaign(p.CampaignSlug)
	m := Modified{
		Success: true, Message: "Your pledge is changed.", DryRun: dryRun,
		Previous: p.Totals, Current: ch.Totals, Delta: ch.Totals.Amount - p.Amount,
		Lines: ch.Lines, Reasons: ch.Explanation, Revision: revision,
		Consent: consentText(consentSubject{
			lang: p.PreferredLang, by: changesPledge, amount: ch.Totals.Amount, zone: s.Settings.Zone,
			rule:      s.ruleOf(p.JoinedAt != nil, p.CombinedBy()),
			campaigns: []promisedCampaign{{title: c.Title, deadline: c.EndsAt(s.Settings.Zone)}},
		}),
	}
	if dryRun {
		m.Message = "Nothing was changed."
	}
	return m
}
