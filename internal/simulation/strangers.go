package simulation

import (
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// given is a card and what whoever gave it agreed to pay with it: the pledges that it was
// saved for; and where a link was used for that, whatever its holder joins.
type given struct {
	by      *person
	pledges []string
	byLink  bool
}

// gives notes that somebody saves a card in a session.
func (a *watch) gives(session string, g given) {
	page := quietly(a.w, func() (sim.Page, error) { return a.w.sim.Page(session) }) // meets no fault, nor takes one from another request
	a.cards[page.PaymentMethodID] = g
}

// agreed: S12, nobody pays for a stranger. Who pays was told so of every pledge in the
// charge: the card was saved for it, or its holder had the pledge joined.
func (a *watch) agreed(g settlement.Group) {
	card := a.cards[g.PaymentMethodID]
	for _, o := range g.Orders {
		joined := card.byLink && card.by == a.joined[o.ID]
		if !joined && !slices.Contains(card.pledges, o.ID) {
			a.violated("S12", "%s charges a card for %s that was not given for it", g.Key, o.ID)
		}
	}
}

// isJoint reports whether a group is of pledges that were joined, and not of one alone.
func isJoint(g settlement.Group, p *pledge.Pledge) bool {
	return g.Hash == settlement.GroupHash(p.CampaignSlug, p.Email)
}

// groupOf is the group of a pledge, the one that it would have where it has none.
func (a *watch) groupOf(p *pledge.Pledge) (settlement.Group, bool) {
	if p.Group != "" {
		return a.group(p.CampaignSlug, p.Group)
	}
	g, ok := a.group(p.CampaignSlug, settlement.OwnGroupHash(p.CampaignSlug, p.OrderID))
	if !ok && p.JoinedAt != nil {
		g, ok = a.group(p.CampaignSlug, settlement.GroupHash(p.CampaignSlug, p.Email))
	}
	if ok || !a.restored {
		return g, ok
	}
	for _, g := range a.groups(p.CampaignSlug) { // its order alone went back to before it was joined
		if slices.ContainsFunc(g.Orders, func(o settlement.Part) bool { return o.ID == p.OrderID }) {
			return g, true
		}
	}
	return g, false
}

// link is one of the links that were mailed to a person, if any: of a pledge to the
// campaign where there is one.
func (p *person) link(slug string) (of checkout.CampaignTotal, ok bool) {
	if len(p.w.mails[mailed{notify.Confirmation, p.email}]) == 0 {
		return of, false
	}
	for _, o := range p.orders {
		for _, c := range o.Campaigns {
			if p.w.watch.pledge(c.OrderID) != nil && (!ok || c.CampaignSlug == slug) {
				of, ok = c, true
			}
		}
	}
	return of, ok
}

// joins notes that a person agrees to pay for pledges together with others.
func (p *person) joins(pledges ...string) {
	for _, id := range pledges {
		p.w.watch.joined[id] = p
	}
}

// unite is a supporter who has everything charged in one payment, and most give a card for
// that which may pay for all.
func (p *person) unite() {
	for _, o := range p.orders {
		for _, c := range o.Campaigns {
			if p.w.watch.pledge(c.OrderID) == nil || len(p.w.mails[mailed{notify.Confirmation, p.email}]) == 0 {
				continue
			}
			p.joins(c.OrderID)
			p.ask("POST", "/pledge/join", map[string]any{"token": p.token(c)}, nil, 2)
			if !p.keepsCard && p.w.rng.IntN(3) == 0 {
				p.newCard(c)
			}
		}
	}
}

// strange is what the holder of an address does about pledges that somebody else made
// under it, of which they are told by mail.
func (p *person) strange(by *person) {
	for _, o := range by.orders {
		for _, c := range o.Campaigns {
			if p.w.watch.pledge(c.OrderID) == nil {
				continue
			}
			switch p.w.rng.IntN(8) {
			case 0, 3: // takes it for their own
				p.joins(c.OrderID)
				p.ask("POST", "/pledge/join", map[string]any{"token": p.token(c)}, nil, 2)
			case 1:
				p.change("/pledge/cancel", c.OrderID, map[string]any{"token": p.token(c)}, 2)
			case 2: // leaves it
			default: // opens the link
				p.look("/pledge", c)
				p.look("/pledge/joining", c)
			}
		}
	}
}

// look opens a page of a link.
func (p *person) look(path string, c checkout.CampaignTotal) {
	p.ask("GET", path+"?token="+p.token(c), nil, nil, 1)
}

// drawStrangers has somebody type the address of another.
func (s *scenario) drawStrangers() {
	if !s.oneIn(3) {
		return
	}
	for range 1 + s.IntN(2) {
		holder := s.plans[s.IntN(len(s.plans))]
		c := s.choose()
		c.walks = 2 + c.walks%8
		s.plans = append(s.plans, planned{email: holder.email, silent: true, stranger: true, choices: []choice{c}})
	}
}

// acquainted has most people pledge to another campaign first, so that they have a link:
// all of those whose groups must not be taken for one another's.
func (s *scenario) acquainted(p *planned) {
	alike := slices.Contains(akin[0][:], p.email) || slices.Contains(akin[1][:], p.email)
	if s.oneIn(3) && !alike {
		return
	}
	first := choice{at: time.Duration(s.IntN(60)) * time.Minute, cart: []string{"album__copy"}, card: cards[0], walks: 9, then: 9, insists: 3}
	p.choices = append([]choice{first}, p.choices...)
}

// strangers lets holders of an address answer what others pledged under it.
func (w *world) strangers() {
	for i, plan := range w.scenario.plans {
		if !plan.stranger {
			continue
		}
		for j, p := range w.people {
			if p.email == plan.email && !w.scenario.plans[j].stranger {
				by := w.people[i]
				w.spawn(fmt.Sprintf("%s wonders", p.email), nil, 20*time.Hour+time.Duration(w.rng.IntN(180))*time.Minute, func() { p.strange(by) })
			}
		}
	}
}
