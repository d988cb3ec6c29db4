package simulation

import (
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// cardConsent is a card and what its holder agreed to pay with it: the pledges
// that it was saved for and, if it was saved through a link, the pledges that the
// holder joins.
type cardConsent struct {
	by      *person
	pledges []string
	byLink  bool
}

// recordCard records that a person saves a card in a session.
func (a *checker) recordCard(session string, g cardConsent) {
	// Read outside of any proc, without faults, and without consuming a fault of another request.
	page := quietly(a.w, func() (sim.Page, error) { return a.w.sim.Page(session) })
	a.cards[page.PaymentMethodID] = g
}

// checkCardConsent checks S12: cards are not charged for other people's pledges. The card's
// holder consented to every pledge in the charge: the card was saved for it, or its holder had
// the pledge joined.
func (a *checker) checkCardConsent(g state.Group) {
	card := a.cards[g.PaymentMethodID]
	for _, o := range g.Orders {
		joined := card.byLink && card.by == a.joined[o.ID]
		if !joined && !slices.Contains(card.pledges, o.ID) {
			a.reportViolation("S12", "%s charges a card for %s without its holder's consent", g.Key, o.ID)
		}
	}
}

// isJoint reports whether a group consists of joined pledges rather than a single
// one.
func isJoint(g state.Group, p *pledge.Pledge) bool {
	return g.Hash == state.GroupHash(p.CampaignSlug, p.Email)
}

// groupOf returns the group that charges a pledge. The second result is false if there is none
// yet.
func (a *checker) groupOf(p *pledge.Pledge) (state.Group, bool) {
	if p.Group != "" {
		return a.group(p.CampaignSlug, p.Group)
	}
	g, ok := a.group(p.CampaignSlug, state.OwnGroupHash(p.CampaignSlug, p.OrderID))
	if !ok && p.JoinedAt != nil {
		g, ok = a.group(p.CampaignSlug, state.GroupHash(p.CampaignSlug, p.Email))
	}
	if ok || !a.restored {
		return g, ok
	}
	for _, g := range a.groups(p.CampaignSlug) { // its order alone was restored to before it was joined
		if slices.ContainsFunc(g.Orders, func(o state.Part) bool { return o.ID == p.OrderID }) {
			return g, true
		}
	}
	return g, false
}

// mailedLink returns a pledge of a person whose link was mailed, preferably one to the
// campaign. ok is false if no confirmation was mailed to the person.
func (p *person) mailedLink(slug string) (of checkout.CampaignTotal, ok bool) {
	if len(p.w.mails[mailKey{notify.Confirmation, p.email}]) == 0 {
		return of, false
	}
	for _, o := range p.orders {
		for _, c := range o.Campaigns {
			if p.w.checker.pledge(c.OrderID) != nil && (!ok || c.CampaignSlug == slug) {
				of, ok = c, true
			}
		}
	}
	return of, ok
}

// recordJoin records that a person agrees to pay for pledges together with
// others.
func (p *person) recordJoin(pledges ...string) {
	for _, id := range pledges {
		p.w.checker.joined[id] = p
	}
}

// joinPledges simulates a supporter who has everything charged in one payment; most save a card
// for that.
func (p *person) joinPledges() {
	for _, o := range p.orders {
		for _, c := range o.Campaigns {
			if p.w.checker.pledge(c.OrderID) == nil || len(p.w.mails[mailKey{notify.Confirmation, p.email}]) == 0 {
				continue
			}
			p.recordJoin(c.OrderID)
			p.send("POST", "/pledge/join", map[string]any{"token": p.token(c)}, nil, 2)
			if !p.keepsCard && p.w.rng.IntN(3) == 0 {
				p.newCard(c)
			}
		}
	}
}

// reactToStranger simulates how an address's owner reacts to the mail about pledges that another
// person made with the address.
func (p *person) reactToStranger(by *person) {
	for _, o := range by.orders {
		for _, c := range o.Campaigns {
			if p.w.checker.pledge(c.OrderID) == nil {
				continue
			}
			switch p.w.rng.IntN(8) {
			case 0, 3: // mistakes it for their own
				p.recordJoin(c.OrderID)
				p.send("POST", "/pledge/join", map[string]any{"token": p.token(c)}, nil, 2)
			case 1:
				p.change("/pledge/cancel", c.OrderID, map[string]any{"token": p.token(c)}, 2)
			case 2: // ignores it
			default: // opens the link
				p.openPage("/pledge", c)
				p.openPage("/pledge/joining", c)
			}
		}
	}
}

// openPage opens a page of a link.
func (p *person) openPage(path string, c checkout.CampaignTotal) {
	p.send("GET", path+"?token="+p.token(c), nil, nil, 1)
}

// drawStrangers makes some people type another person's address.
func (s *scenario) drawStrangers() {
	if !s.oneIn(3) {
		return
	}
	for range 1 + s.IntN(2) {
		holder := s.plans[s.IntN(len(s.plans))]
		c := s.drawChoice()
		c.walks = 2 + c.walks%8
		s.plans = append(s.plans, planned{email: holder.email, silent: true, stranger: true, choices: []choice{c}})
	}
}

// ensureLink makes most people pledge to another campaign first, so that they
// have a link; always for those whose groups must not be confused.
func (s *scenario) ensureLink(p *planned) {
	alike := slices.Contains(collidingAddresses[0][:], p.email) || slices.Contains(collidingAddresses[1][:], p.email)
	if s.oneIn(3) && !alike {
		return
	}
	first := choice{at: time.Duration(s.IntN(60)) * time.Minute, cart: []string{"album__copy"},
		card: cards[0], walks: 9, then: 9, insists: 3}
	p.choices = append([]choice{first}, p.choices...)
}

// spawnReactions starts the reactions of owners to pledges that others made with
// their addresses.
func (w *history) spawnReactions() {
	for i, plan := range w.scenario.plans {
		if !plan.stranger {
			continue
		}
		for j, p := range w.people {
			if p.email == plan.email && !w.scenario.plans[j].stranger {
				by := w.people[i]
				w.spawn(fmt.Sprintf("%s wonders", p.email), nil, 20*time.Hour+time.Duration(w.rng.IntN(180))*time.Minute,
					func() { p.reactToStranger(by) })
			}
		}
	}
}
