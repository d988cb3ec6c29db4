package settlement

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// cardOf returns the pledge whose card pays for all of a charge, nil if none may.
func cardOf(by pledge.Grouping, g *state.Group, pledges []*pledge.Pledge) *pledge.Pledge {
	return newestCard(payers(by, g, pledges))
}

// payers returns the pledges whose cards may pay for the whole charge. With pledge.ByEmail, and for
// a pledge that is charged alone, every card may pay. For joined pledges, they are those with a
// card that was saved through the address's link, or with the card that the group was frozen with.
// For the pledges of one browser session, see sessionPayers.
func payers(by pledge.Grouping, g *state.Group, pledges []*pledge.Pledge) []*pledge.Pledge {
	if len(pledges) == 1 || by == pledge.ByEmail {
		return pledges
	}
	if ofOneSession(pledges) {
		return sessionPayers(g, pledges)
	}
	var may []*pledge.Pledge
	for _, p := range pledges {
		frozen := g != nil && p.PaymentMethodID == g.PaymentMethodID
		if p.CardByLink || frozen {
			may = append(may, p)
		}
	}
	return may
}

// ofOneSession reports whether pledges are charged together because they were made in the same
// browser session, not because they were joined.
func ofOneSession(pledges []*pledge.Pledge) bool {
	return !slices.ContainsFunc(pledges, func(p *pledge.Pledge) bool {
		return p.Session == "" || p.Session != pledges[0].Session || p.JoinedAt != nil || p.Group == jointHash(p)
	})
}

// sessionPayers returns the pledges of one session whose cards may pay for all of them. A card
// that was saved through the address's link may pay if its holder was shown the group's total,
// which happens after a failed charge. Before the first charge, pledges with such a card have
// left the session, except those that were already claimed; these pay if no other card is
// left.
func sessionPayers(g *state.Group, pledges []*pledge.Pledge) []*pledge.Pledge {
	may := slices.DeleteFunc(slices.Clone(pledges), func(p *pledge.Pledge) bool {
		frozen := g != nil && p.PaymentMethodID == g.PaymentMethodID
		return p.CardByLink && !p.CardForGroup && !frozen
	})
	if len(may) == 0 && g == nil {
		return pledges
	}
	return may
}
