package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// findOwnPledges returns the pledges of a payment whose group is named after a pledge: that
// pledge alone or all pledges of the browser session that it started, depending on the amount.
// If neither fits, it returns all pledges that the payment may be for, so that none of them is
// charged again before an operator has decided.
func (a *admission) findOwnPledges(ctx context.Context, sup inventory.Supporter,
	m state.ListedPayment, p psp.Payment) ([]string, error) {
	slug := a.campaign.Slug
	at := slices.IndexFunc(sup.Pledges, func(id string) bool { return state.HashOf(slug, id) == m.Hash })
	first := sup.Pledges[at : at+1]
	alone, err := a.readPledges(ctx, first)
	if err != nil {
		return nil, err
	}
	if matchesTotal(alone, p) {
		return first, nil
	}
	groups, _, err := a.chargeGroups(ctx, slug, sup)
	if err != nil {
		return nil, err
	}
	follows := func(pl *pledge.Pledge) bool {
		session := pl.CombinedBy()
		return session != "" && session == alone[0].Session && slices.Contains(sup.Pledges[at:], pl.OrderID)
	}
	var known, possible []*pledge.Pledge
	for _, cg := range groups {
		if cg.hash == m.Hash {
			known = cg.pledges
		}
		for _, pl := range cg.pledges {
			if cg.hash == m.Hash || follows(pl) && cg.group == nil && !pl.Claimed() {
				possible = append(possible, pl)
			}
		}
	}
	switch {
	case matchesTotal(known, p):
		return chargeGroup{pledges: known}.ids(), nil
	case possible != nil:
		return chargeGroup{pledges: possible}.ids(), nil
	}
	return first, nil
}

// matchesTotal reports whether a payment's amount is the total of those pledges that it may be for.
func matchesTotal(pledges []*pledge.Pledge, p psp.Payment) bool {
	return totalOf(chargeGroup{pledges: pledges}.payable(p.ID)) == p.Amount
}
