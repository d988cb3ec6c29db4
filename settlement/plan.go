package settlement

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// verdict is what a supporter's pledges come to.
type verdict string

const (
	toCharge    verdict = "charge"            // a group can be frozen
	nothingOwed verdict = "nothing"           // all are charged or cancelled, or wait for a new card
	underWay    verdict = "under_way"         // a charge has no known end yet
	noCustomer  verdict = "no_customer"       // no pledge has a card that can be charged
	noNewCard   verdict = "no_new_card"       // the last charge failed, and no card was saved since
	tooSmall    verdict = "below_min"         // below money.MinCharge
	tooLarge    verdict = "above_max"         // above money.MaxCharge
	latePledge  verdict = "late_pledge"       // the supporter was charged already, or given up
	foreign     verdict = "currency"          // in dollars is all we charge
	disagreed   verdict = "agreement_differs" // the processor has other terms for a pledge
	toDrop      verdict = "drop"              // the time in which the payment could be repaired is over
)

// plan is what to do about a supporter in a campaign.
type plan struct {
	by      pledge.Grouping
	verdict verdict
	email   string
	pledges []*pledge.Pledge // unpaid ones, as listed
	amount  money.Cents
	card    *pledge.Pledge // the one whose card is used
	// generation is the attempt to make, with toCharge.
	generation int
}

// plan looks at all pledges of a party, as their orders have them, and at its
// group, if any. The policy says how a
// failure is made good.
func (pt party) plan(policy campaign.Recovery, now time.Time) plan {
	g := pt.group
	p := plan{by: pt.by, generation: g.following()}
	active := false
	for _, pl := range pt.members() {
		p.email = pl.Email
		if pl.Unpaid() {
			p.pledges = append(p.pledges, pl)
			active = active || pl.Status == pledge.Active
			p.generation = max(p.generation, begun(pl))
		}
	}
	p.card = cardOf(p.by, g, p.pledges)
	p.verdict = p.judge(g, active, policy, now)
	return p
}

// following is the attempt after the group's last.
func (g *Group) following() int {
	if g == nil {
		return 1
	}
	return g.Generation + 1
}

// begun is the attempt that a pledge was claimed for, or the one after its last failure. The
// group may have lost both: what was tried in between has ended then, and an attempt that is
// under way all the same has the key of the next.
func begun(p *pledge.Pledge) int {
	n := 0
	if p.Settlement != nil {
		n = p.Settlement.Generation
	}
	if p.LastFailure != nil {
		n = max(n, p.LastFailure.Generation+1)
	}
	return n
}

func (p *plan) judge(g *Group, active bool, policy campaign.Recovery, now time.Time) verdict {
	newCard := p.card != nil && (g == nil || g.Void || p.card.CardSavedAt.After(g.CardSavedAt)) // one that was not charged is as good as new
	retry := false
	if g != nil && g.done() && !newCard {
		at, ok := g.retryAt(policy)
		retry = ok && !now.Before(at) && p.card != nil
	}
	switch {
	case g != nil && !g.done():
		return underWay
	case len(p.pledges) == 0:
		return nothingOwed
	case g != nil && g.Status == Succeeded, g != nil && g.DroppedAt != nil:
		return latePledge
	case g != nil && !g.Void && g.over(policy, now, newCard):
		return toDrop
	case !newCard && !active && !retry:
		return nothingOwed
	case slices.ContainsFunc(p.pledges, func(pl *pledge.Pledge) bool { return pl.Currency != money.USD }):
		return foreign
	case p.card == nil:
		return noCustomer
	case !newCard && !retry:
		return noNewCard
	}
	p.pledges = slices.DeleteFunc(p.pledges, p.unasked)
	var err error
	if p.amount, err = sumOf(p.pledges); err != nil || p.amount > money.MaxCharge {
		return tooLarge
	}
	if p.amount < money.MinCharge {
		return tooSmall
	}
	return toCharge
}

// unasked reports whether nobody is known to have agreed that the pledge is charged with
// the others. A group of joined pledges has such a one where records were lost.
func (p *plan) unasked(pl *pledge.Pledge) bool {
	return p.by != pledge.ByEmail && pl.JoinedAt == nil && pl != p.card && pl.Group == jointOf(pl)
}

// newestCard returns the pledge with the most recently saved card that can be
// charged: one that has a customer and a payment method.
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

// freeze makes the group of a plan.
func (p *plan) freeze(slug, supporter, hash string) Group {
	g := Group{
		Version: groupVersion, CampaignSlug: slug, Hash: hash, Supporter: supporter,
		Generation: p.generation, Key: attemptKey(slug, hash, p.generation),
		Amount: p.amount, Currency: money.USD,
		CustomerID: p.card.CustomerID, PaymentMethodID: p.card.PaymentMethodID, CardSavedAt: p.card.CardSavedAt, NamesPledges: true,
	}
	for _, pl := range p.pledges {
		g.Orders = append(g.Orders, Part{ID: pl.OrderID, Amount: pl.Amount})
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

// isHeld reports whether a pledge is claimed for the attempt.
func isHeld(p *pledge.Pledge, hash string, generation int) bool {
	return p.Settlement != nil && p.Settlement.Group == hash && p.Settlement.Generation == generation
}
