package simulation

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// checkCardDeletion checks a request to delete a card when it is sent. S13: a
// card that may still be charged is never deleted.
func (a *checker) checkCardDeletion(r *http.Request) {
	card := deletedCard(r)
	if card == "" {
		return
	}
	for _, id := range a.cards[card].pledges {
		p := a.pledge(id)
		if p == nil {
			continue // the database was restored
		}
		if p.PaymentMethodID == card && p.Unpaid() && (p.Claimed() || !a.isClosed(p.CampaignSlug)) {
			a.reportViolation("S13", "the card of %s is deleted, but may still be charged", p.OrderID)
		}
		// A pledge may be marked as charged although its settlement was restored to before the
		// charge.
		if g, ok := a.groupOf(p); ok && !p.Charged && g.PaymentMethodID == card && g.Status == state.Submitted {
			a.reportViolation("S13", "the card of %s is deleted while it is being charged", g.Key)
		}
	}
}

// recordCardDeletion records that a card was deleted, including by a repeated
// request after a lost response.
func (a *checker) recordCardDeletion(r *http.Request, res *http.Response) {
	if card := deletedCard(r); card != "" && (res.StatusCode == http.StatusOK || res.StatusCode == http.StatusBadRequest) {
		a.deleted[card] = true
	}
}

// deletedCard returns the card that a request deletes, or "".
func deletedCard(r *http.Request) string {
	card, ok := strings.CutPrefix(r.URL.Path, "/v1/payment_methods/")
	card, detach := strings.CutSuffix(card, "/detach")
	if !ok || !detach {
		return ""
	}
	return card
}

// isClosed reports whether a campaign is closed. It reports a violation of S13 if a funded
// campaign is closed.
func (a *checker) isClosed(slug string) bool {
	services := a.w.services()
	closed := quietly(a.w, func() (bool, error) { return services.Settlement.Closed(a.w.ctx, slug) })
	if closed && a.funded(slug) {
		a.reportViolation("S13", "%s is funded and closed", slug)
	}
	return closed
}

// cardDeletionDelay is the time after its deadline by which the hourly run deletes the cards
// of a campaign that missed its goal.
const cardDeletionDelay = settlement.Closing + settlement.Reopening + 2*time.Hour

// missedGoal reports whether a campaign without charges missed its goal, according to its file and
// to all promises made to supporters, whose deadlines have to be over. The file and the promises
// can differ: a server whose clock is far behind accepts pledges after the deadline, with a goal
// that is lower for an hour. A campaign that reached a promised goal waits for an operator.
func (a *checker) missedGoal(slug string) bool {
	charged := func(e sim.Entry) bool { of, _, _ := splitKey(e.Group); return of == slug }
	if slices.ContainsFunc(a.w.sim.Entries(), charged) || a.funded(slug) {
		return false
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	made := quietly(a.w, func() ([]inventory.Promised, error) { return a.w.stock().Promises(a.w.ctx, slug) })
	return !slices.ContainsFunc(made, func(p inventory.Promised) bool {
		return snap.Totals.Counted >= p.Goal || p.EndsAt.After(a.w.now.Add(-cardDeletionDelay))
	})
}

// checkMissedCards checks L6: no cards of a campaign that missed its goal are kept, except for
// orders with another pledge that may still be charged.
func (a *checker) checkMissedCards() {
	for _, id := range a.orderIDs() {
		o := a.order(id)
		over := len(o.Pledges) > 0
		for _, p := range o.Pledges {
			c, err := a.w.catalogue.Campaign(p.CampaignSlug)
			if err != nil {
				panic(err)
			}
			// A campaign that was closed late, after its file was corrected, may keep its cards
			// until the end.
			late := a.w.rest.Sub(a.closed[p.CampaignSlug]) < settlement.Reopening+3*time.Hour
			over = over && !late && a.missedGoal(p.CampaignSlug) &&
				c.State(a.w.now.Add(-cardDeletionDelay), a.w.config.Site.Timezone.Location()) == campaign.Ended
		}
		if !over {
			continue
		}
		for _, p := range o.Pledges {
			if !a.deleted[p.PaymentMethodID] || p.CardForgottenAt == nil {
				a.reportViolation("L6", "the card of %s is kept though %s missed its goal", p.OrderID, p.CampaignSlug)
			}
		}
	}
}
