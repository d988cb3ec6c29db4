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

// Modify changes the token's pledge while its campaign is live. What the pledge
// holds already keeps its price and stays available; tax and shipping are
// quoted anew. It fails with code Invalid for a bad selection and where nothing
// would change, SoldOut when further units are missing, and Conflict when the
// pledge cannot be changed or was changed meanwhile.
func (s *Service) Modify(ctx context.Context, r ModifyRequest) (Modified, error) {
	p, err := s.own(ctx, r.Token, r.OrderID)
	if err != nil {
		return Modified{}, err
	}
	if err := s.mayModify(p, r); err != nil {
		return Modified{}, err
	}
	next, ch, err := s.plan(ctx, p, r)
	if err != nil {
		return Modified{}, err
	}
	if r.DryRun {
		return s.modified(p, p.Revision, ch, true), nil
	}
	changed, err := s.change(ctx, p, next, ch)
	if fault.Is(err, fault.SoldOut) && s.sweepAround(ctx, p.CampaignSlug) {
		changed, err = s.change(ctx, p, next, ch)
	}
	if err != nil {
		return Modified{}, err
	}
	return s.modified(p, changed.Revision, ch, false), nil
}

func (s *Service) mayModify(p *pledge.Pledge, r ModifyRequest) error {
	if !p.Open() {
		return fault.New(fault.Conflict, "The pledge can no longer be modified")
	}
	if r.ExpectedRevision != 0 && r.ExpectedRevision != p.Revision {
		return fault.New(fault.Conflict, "The pledge was changed meanwhile").In("expectedRevision")
	}
	if _, err := s.accepting(s.Catalogue(), p.CampaignSlug); err != nil {
		f := fault.Of(err)
		return fault.New(fault.Conflict, "%s, the pledge cannot be modified", f.Message)
	}
	return nil
}

// plan works out what the pledge would become. It writes nothing.
func (s *Service) plan(ctx context.Context, p *pledge.Pledge, r ModifyRequest) (priced, order.Change, error) {
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
	m := menu{campaign: c, addOns: catalogue.AddOns(), held: p.Lines, source: "campaign " + p.CampaignSlug + "@" + p.Promise.CampaignRevision}
	if p.ShippingAddress != nil {
		m.heldTo = p.ShippingAddress.Country
	}
	if m.pledged, err = s.pledged(ctx, c, picks); err != nil {
		return priced{}, order.Change{}, err
	}
	chosen, err := m.choose(picks)
	if err != nil {
		return priced{}, order.Change{}, err
	}
	quoting, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	next, err := s.price(quoting, chosen, t)
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

// picks is the selection that the request asks for.
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
	sel, err := c.arrange(kept)
	if err != nil {
		return nil, err
	}
	return sel.parts[0].picks, nil
}

// newTerms are the pledge's own, but for what the request states.
func (s *Service) newTerms(p *pledge.Pledge, r ModifyRequest) (terms, error) {
	t := terms{shipTo: p.ShippingAddress, billTo: p.BillingAddress, option: p.ShippingOption, at: s.Now()}
	var err error
	if t.tip, err = s.tip(r.TipPercent, p.TipPercent); err != nil {
		return terms{}, err
	}
	if r.ShippingOption != nil {
		t.option = *r.ShippingOption
	}
	if r.ShippingAddress != nil {
		t.shipTo, err = address(r.ShippingAddress, "shippingAddress")
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

// change carries the change out: the units first, then the pledge, then what
// follows. A refusal gives the units back.
func (s *Service) change(ctx context.Context, p *pledge.Pledge, next priced, ch order.Change) (*pledge.Pledge, error) {
	return s.changing(ctx, p, func(orderID, nonce string) (*pledge.Pledge, string, error) {
		h := s.holdFor(p, orderID, modifyHold(orderID, nonce))
		claims := []claim{{p.CampaignSlug, h, next.own}}
		if len(next.platform) > 0 {
			claims = append(claims, claim{inventory.Platform, h, next.platform})
		}
		changed, err := s.changeUnder(ctx, claims, p, nonce, ch)
		if err != nil && !transient(err) {
			s.dropClaims(ctx, claims)
		}
		return changed, h.ID, err
	})
}

func (s *Service) changeUnder(ctx context.Context, claims []claim, p *pledge.Pledge, nonce string, ch order.Change) (*pledge.Pledge, error) {
	for _, c := range claims {
		if err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants); err != nil {
			return nil, err
		}
	}
	return s.Orders.Modify(ctx, p.OrderID, p.Revision, nonce, ch)
}

// sweepAround looks after due holds that may be in a change's way.
func (s *Service) sweepAround(ctx context.Context, slug string) bool {
	var seen Swept
	for _, object := range []string{slug, inventory.Platform} {
		if err := s.sweepObject(ctx, object, sweepAtStart, &seen); err != nil {
			return false
		}
	}
	return seen.Released > 0
}

func (s *Service) modified(p *pledge.Pledge, revision int, ch order.Change, dryRun bool) Modified {
	c := s.campaign(p.CampaignSlug)
	m := Modified{
		Success: true, Message: "Your pledge is changed.", DryRun: dryRun,
		Previous: p.Totals, Current: ch.Totals, Delta: ch.Totals.Amount - p.Amount,
		Lines: ch.Lines, Reasons: ch.Explanation, Revision: revision,
		Consent: consent(subject{
			lang: p.PreferredLang, by: changesPledge, amount: ch.Totals.Amount, zone: s.Settings.Zone, rule: s.ruleOf(p.JoinedAt != nil, p.CombinedBy()),
			campaigns: []promised{{title: c.Title, deadline: c.EndsAt(s.Settings.Zone)}},
		}),
	}
	if dryRun {
		m.Message = "Nothing was changed."
	}
	return m
}
