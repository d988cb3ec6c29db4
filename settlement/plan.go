package settlement

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// verdict is the next step for a charge group, or the reason that there is none.
type verdict string

const (
	toCharge      verdict = "charge"            // a group can be frozen
	nothingOwed   verdict = "nothing"           // every pledge is charged, cancelled, or waiting for a new card
	underWay      verdict = "under_way"         // a charge is not final yet
	noCustomer    verdict = "no_customer"       // no card may pay for all of the pledges
	noNewCard     verdict = "no_new_card"       // the last charge failed, and no card was saved since
	tooSmall      verdict = "below_min"         // below money.MinCharge
	tooLarge      verdict = "above_max"         // above money.MaxCharge
	latePledge    verdict = "late_pledge"       // the supporter was already charged or dropped
	otherCurrency verdict = "currency"          // not in US dollars
	disagreed     verdict = "agreement_differs" // a pledge's terms differ from the processor's record
	toDrop        verdict = "drop"              // the recovery period is over
)

// plan is the next step for one charge group.
type plan struct {
	by      pledge.Grouping
	verdict verdict
	email   string
	pledges []*pledge.Pledge // unpaid, in the order of the list
	amount  money.Cents
	card    *pledge.Pledge // the pledge whose card is used
	// generation is the attempt to make if the verdict is toCharge.
	generation int
}

// plan decides the next step for a charge group from its pledges, as stored in their orders,
// and its record, if any. The policy determines how failed charges are recovered.
func (cg chargeGroup) plan(policy campaign.Recovery, now time.Time) plan {
	g := cg.group
	p := plan{by: cg.by, generation: g.NextGeneration()}
	active := false
	for _, pl := range cg.members() {
		p.email = pl.Email
		if pl.Unpaid() {
			p.pledges = append(p.pledges, pl)
			active = active || pl.Status == pledge.Active
			p.generation = max(p.generation, nextGenerationOf(pl))
		}
	}
	p.card = cardOf(p.by, g, p.pledges)
	p.verdict = p.decide(g, active, policy, now)
	return p
}

// nextGenerationOf returns the generation that a pledge was claimed for or the one after its last
// failure, the later one, and 0 for a pledge with neither. The group's record may have lost
// both in a restore. All attempts before it have ended, and an attempt that is still running has
// the same key.
func nextGenerationOf(p *pledge.Pledge) int {
	n := 0
	if p.Settlement != nil {
		n = p.Settlement.Generation
	}
	if p.LastFailure != nil {
		n = max(n, p.LastFailure.Generation+1)
	}
	return n
}

func (p *plan) decide(g *state.Group, active bool, policy campaign.Recovery, now time.Time) verdict {
	// a void attempt charged nothing, so the same card can be used
	newCard := p.card != nil && (g == nil || g.Void || p.card.CardSavedAt.After(g.CardSavedAt))
	retry := false
	if g != nil && g.Done() && !newCard {
		at, ok := g.RetryAt(policy)
		retry = ok && !now.Before(at) && p.card != nil
	}
	switch {
	case g != nil && !g.Done():
		return underWay
	case len(p.pledges) == 0:
		return nothingOwed
	case g != nil && g.Status == state.Succeeded, g != nil && g.DroppedAt != nil:
		return latePledge
	case g != nil && !g.Void && g.IsRecoveryOver(policy, now, newCard):
		return toDrop
	case !newCard && !active && !retry:
		return nothingOwed
	case slices.ContainsFunc(p.pledges, func(pl *pledge.Pledge) bool { return pl.Currency != money.USD }):
		return otherCurrency
	case p.card == nil:
		return noCustomer
	case !newCard && !retry:
		return noNewCard
	}
	p.pledges = slices.DeleteFunc(p.pledges, p.lacksConsent)
	var err error
	if p.amount, err = sumOf(p.pledges); err != nil || p.amount > money.MaxCharge {
		return tooLarge
	}
	if p.amount < money.MinCharge {
		return tooSmall
	}
	return toCharge
}

// lacksConsent reports whether no record shows that the supporter agreed to charge the pledge
// together with the others. That only happens in a group of joined pledges whose records were
// lost.
func (p *plan) lacksConsent(pl *pledge.Pledge) bool {
	return p.by != pledge.ByEmail && pl.JoinedAt == nil && pl != p.card && pl.Group == jointHash(pl)
}

// newestCard returns the pledge with the most recently saved card that can be charged: one with a
// customer and a payment method.
func newestCard(pledges []*pledge.Pledge) *pledge.Pledge {
	var newest *pledge.Pledge
	for _, p := range pledges {
		if p.CustomerID == "" || p.PaymentMethodID == "" {
			continue
		}
		if newest == nil || p.CardSavedAt.After(newest.CardSavedAt) {
			newest = p
		}
	}
	return newest
}

func sumOf(pledges []*pledge.Pledge) (money.Cents, error) {
	amounts := make([]money.Cents, 0, len(pledges))
	for _, p := range pledges {
		amounts = append(amounts, p.Amount)
	}
	return money.Sum(amounts...)
}

// newGroup returns the group to submit for the plan.
func (p *plan) newGroup(slug, supporter, hash string) state.Group {
	g := state.Group{
		Version: state.GroupVersion, CampaignSlug: slug, Hash: hash, Supporter: supporter,
		Generation: p.generation, Key: state.AttemptKey(slug, hash, p.generation),
		Amount: p.amount, Currency: money.USD,
		CustomerID: p.card.CustomerID, PaymentMethodID: p.card.PaymentMethodID,
		CardSavedAt: p.card.CardSavedAt, NamesPledges: true,
	}
	for _, pl := range p.pledges {
		g.Orders = append(g.Orders, state.NewPart(pl))
	}
	return g
}

func (p *plan) ids() []string {
	ids := make([]string, 0, len(p.pledges))
	for _, pl := range p.pledges {
		ids = append(ids, pl.OrderID)
	}
	return ids
}

// isClaimedFor reports whether a pledge is claimed for an attempt.
func isClaimedFor(p *pledge.Pledge, hash string, generation int) bool {
	return p.Settlement != nil && p.Settlement.Group == hash && p.Settlement.Generation == generation
}
