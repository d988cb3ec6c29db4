package checkout

import (
	"context"
	"slices"

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
	if _, err := s.openCampaign(s.Catalogue(), p.CampaignSlug); err != nil {
		f := fault.Of(err)
		return fault.New(fault.Conflict, "%s, the pledge cannot be modified", f.Message)
	}
	return nil
}

// planChange computes the changed pledge. It writes nothing.
func (s *Service) planChange(ctx context.Context, p *pledge.Pledge, r ModifyRequest) (priced, order.Change, error) {
	picks, err := r.picks(p)
	if err != nil {
		return priced{}, order.Change{}, err
	}
	t, err := s.newTerms(p, r)
	if err != nil {
		return priced{}, order.Change{}, err
	}
	if unchanged(p, picks, t) {
		return priced{}, order.Change{}, fault.New(fault.Invalid, "No changes specified")
	}
	catalogue := s.Catalogue()
	c, err := catalogue.Campaign(p.CampaignSlug)
	if err != nil {
		return priced{}, order.Change{}, err
	}
	m := offering{campaign: c, addOns: catalogue.AddOns(), held: p.Lines, source: "campaign " + p.CampaignSlug + "@" + p.Promise.CampaignRevision}
	if p.ShippingAddress != nil {
		m.heldTo = p.ShippingAddress.Country
	}
	if m.pledged, err = s.amountPledged(ctx, c, picks); err != nil {
		return priced{}, order.Change{}, err
	}
	chosen, err := m.choose(picks)
	if err != nil {
		return priced{}, order.Change{}, err
	}
	quoting, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	next, err := s.priceChoice(quoting, chosen, t)
	if err != nil {
		return priced{}, order.Change{}, err
	}
	return next, order.Change{
		Lines: next.lines, Totals: next.totals, Explanation: next.explanation,
		ShippingOption: next.parcels[0].Option, ShippingAddress: t.shipTo, FulfillmentType: next.delivery,
		NotAfter: s.changesUntil(p.CampaignSlug),
		Promise: pledge.Promise{
			CampaignRevision: c.Revision, ConsentVersion: ConsentVersion, AcceptedAt: t.at.UTC(),
			EndsAt: c.EndsAt(s.Settings.Zone).UTC(), Goal: c.Goal,
		},
	}, nil
}

// picks returns the selection that the request asks for.
func (r ModifyRequest) picks(p *pledge.Pledge) ([]pick, error) {
	c := Cart{CampaignSlug: p.CampaignSlug, CustomAmount: r.CustomAmount}
	if r.Items != nil {
		c.Items = *r.Items
		sel, err := c.parse()
		if err != nil {
			return nil, err
		}
		if len(sel.parts) != 1 || sel.parts[0].slug != p.CampaignSlug {
			return nil, fault.New(fault.Invalid, "A pledge belongs to one campaign").In("items")
		}
		return sel.parts[0].picks, nil
	}
	held := picksOf(p.Lines)
	if r.CustomAmount == nil {
		return held, nil
	}
	held = slices.DeleteFunc(held, func(p pick) bool { return p.kind == pledge.CustomLine })
	kept := map[string][]pick{p.CampaignSlug: held}
	if err := c.addCustom(kept); err != nil {
		return nil, err
	}
	if len(kept[p.CampaignSlug]) == 0 {
		return nil, noContribution()
	}
	sel, err := c.sortPicks(kept)
	if err != nil {
		return nil, err
	}
	return sel.parts[0].picks, nil
}

// newTerms returns the pledge's terms with the request's changes.
func (s *Service) newTerms(p *pledge.Pledge, r ModifyRequest) (terms, error) {
	t := terms{shipTo: p.ShippingAddress, billTo: p.BillingAddress, option: p.ShippingOption, at: s.Now()}
	var err error
	if t.tip, err = s.parseTip(r.TipPercent, p.TipPercent); err != nil {
		return terms{}, err
	}
	if r.ShippingOption != nil {
		t.option = *r.ShippingOption
	}
	if r.ShippingAddress != nil {
		t.shipTo, err = parseAddress(r.ShippingAddress, "shippingAddress")
	}
	return t, err
}

func unchanged(p *pledge.Pledge, picks []pick, t terms) bool {
	return t.tip == p.TipPercent && option(t.option) == option(p.ShippingOption) &&
		sameAddress(t.shipTo, p.ShippingAddress) && samePicks(picks, picksOf(p.Lines))
}

func option(o string) string {
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

func samePicks(a, b []pick) bool {
	if len(a) != len(b) {
		return false
	}
	for _, p := range a {
		if !slices.ContainsFunc(b, func(q pick) bool { return p.same(q) && p.quantity == q.quantity && p.amount == q.amount }) {
			return false
		}
	}
	return true
}

// applyChange holds the units, changes the pledge, and applies the effects. If
// the change is rejected, the units are released.
func (s *Service) applyChange(ctx context.Context, p *pledge.Pledge, next priced, ch order.Change) (*pledge.Pledge, error) {
	return s.runChange(ctx, p, func(orderID, nonce string) (*pledge.Pledge, string, error) {
		h := s.newHold(p, orderID, modifyHold(orderID, nonce))
		claims := []claim{{p.CampaignSlug, h, next.own}}
		if len(next.platform) > 0 {
			claims = append(claims, claim{inventory.Platform, h, next.platform})
		}
		changed, err := s.holdAndModify(ctx, claims, p, nonce, ch)
		if err != nil && !transient(err) {
			s.releaseClaims(ctx, claims)
		}
		return changed, h.ID, err
	})
}

func (s *Service) holdAndModify(ctx context.Context, claims []claim, p *pledge.Pledge, nonce string, ch order.Change) (*pledge.Pledge, error) {
	for _, c := range claims {
		if err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants); err != nil {
			return nil, err
		}
	}
	return s.Orders.Modify(ctx, p.OrderID, p.Revision, nonce, ch)
}

// sweepDueHolds sweeps expired holds that may block a change.
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
			lang: p.PreferredLang, by: changesPledge, amount: ch.Totals.Amount, zone: s.Settings.Zone, rule: s.ruleOf(p.JoinedAt != nil, p.CombinedBy()),
			campaigns: []promisedCampaign{{title: c.Title, deadline: c.EndsAt(s.Settings.Zone)}},
		}),
	}
	if dryRun {
		m.Message = "Nothing was changed."
	}
	return m
}
