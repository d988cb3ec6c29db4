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
)

// forgetting looks at a request to delete a card at the moment at which it leaves: S13,
// a card that may still be charged is never deleted.
func (a *watch) forgetting(r *http.Request) {
	card := deletes(r)
	if card == "" {
		return
	}
	for _, id := range a.cards[card].pledges {
		p := a.pledge(id)
		if p == nil {
			continue // the database has gone back
		}
		if p.PaymentMethodID == card && p.Unpaid() && (p.Claimed() || !a.isClosed(p.CampaignSlug)) {
			a.violated("S13", "the card of %s is deleted and may still be charged", p.OrderID)
		}
		// Of what is charged by its order a settlement may have gone back to before it knew.
		if g, ok := a.groupOf(p); ok && !p.Charged && g.PaymentMethodID == card && g.Status == settlement.Submitted {
			a.violated("S13", "the card of %s is deleted while it is charged", g.Key)
		}
	}
}

// forgot notes that a card was deleted, or was already when somebody tried again whose
// answer was lost.
func (a *watch) forgot(r *http.Request, res *http.Response) {
	if card := deletes(r); card != "" && (res.StatusCode == http.StatusOK || res.StatusCode == http.StatusBadRequest) {
		a.deleted[card] = true
	}
}

// deletes names the card that a request deletes, "" for any other request.
func deletes(r *http.Request) string {
	card, ok := strings.CutPrefix(r.URL.Path, "/v1/payment_methods/")
	card, detach := strings.CutSuffix(card, "/detach")
	if !ok || !detach {
		return ""
	}
	return card
}

// isClosed reports whether a campaign is closed, which one that is funded never is.
func (a *watch) isClosed(slug string) bool {
	services := a.w.services()
	closed := quietly(a.w, func() (bool, error) { return services.Settlement.Closed(a.w.ctx, slug) })
	if closed && a.funded(slug) {
		a.violated("S13", "%s is funded and closed", slug)
	}
	return closed
}

// forgetting is how long after its deadline the cards of a campaign that missed its goal are
// deleted, by an hourly run.
const forgetting = settlement.Closing + settlement.Reopening + 2*time.Hour

// missed reports whether a campaign that was not charged has missed its goal by its file and by
// what every supporter was promised: a server whose clock is far behind takes pledges after the
// deadline, under a goal that is lower for an hour. Such a campaign waits for an operator.
func (a *watch) missed(slug string) bool {
	charged := func(e sim.Entry) bool { of, _, _ := splitKey(e.Group); return of == slug }
	if slices.ContainsFunc(a.w.sim.Books(), charged) || a.funded(slug) {
		return false
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	made := quietly(a.w, func() ([]inventory.Promised, error) { return a.w.stock().Promises(a.w.ctx, slug) })
	return !slices.ContainsFunc(made, func(p inventory.Promised) bool {
		return snap.Totals.Counted >= p.Goal || p.EndsAt.After(a.w.now.Add(-forgetting))
	})
}

// missedCardsAreForgotten: L6, of a campaign that missed its goal no card is left, but for
// one that another pledge of its order waits to be charged to.
func (a *watch) missedCardsAreForgotten() {
	for _, id := range a.known() {
		o := a.order(id)
		over := len(o.Pledges) > 0
		for _, p := range o.Pledges {
			c, err := a.w.catalogue.Campaign(p.CampaignSlug)
			if err != nil {
				panic(err)
			}
			late := a.w.rest.Sub(a.closed[p.CampaignSlug]) < settlement.Reopening+3*time.Hour // closed once its file was right again
			over = over && !late && a.missed(p.CampaignSlug) && c.State(a.w.now.Add(-forgetting), a.w.config.Site.Timezone.Location()) == campaign.Ended
		}
		if !over {
			continue
		}
		for _, p := range o.Pledges {
			if !a.deleted[p.PaymentMethodID] || p.CardForgottenAt == nil {
				a.violated("L6", "the card of %s is kept though %s missed its goal", p.OrderID, p.CampaignSlug)
			}
		}
	}
}
