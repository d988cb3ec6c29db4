package settlement

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// cardOf returns the pledge whose card pays for all of a charge, nil if none may.
func cardOf(by pledge.Grouping, g *Group, pledges []*pledge.Pledge) *pledge.Pledge {
	return newestCard(payers(by, g, pledges))
}

// payers are the pledges whose cards may pay for all of a charge: the pledge itself if it
// is alone; of joined pledges those with a card that was given by the address's link, or
// that the group, if any, was frozen with; of one browser session see sessionPayers.
func payers(by pledge.Grouping, g *Group, pledges []*pledge.Pledge) []*pledge.Pledge {
	if len(pledges) == 1 || by == pledge.ByEmail {
		return pledges
	}
	if ofOneSession(pledges) {
		return sessionPayers(g, pledges)
	}
	var may []*pledge.Pledge
	for _, p := range pledges {
		frozen := g != nil && p.PaymentMethodID == g.PaymentMethodID
		earlier := p.Claimed() && p.Group == "" // by a release that asked nobody
		if p.CardByLink || frozen || earlier {
			may = append(may, p)
		}
	}
	return may
}

// ofOneSession reports whether pledges are charged together because they were made in the
// same browser session, and not because they were joined.
func ofOneSession(pledges []*pledge.Pledge) bool {
	return !slices.ContainsFunc(pledges, func(p *pledge.Pledge) bool {
		return p.Session == "" || p.Session != pledges[0].Session || p.JoinedAt != nil || p.Group == jointOf(p)
	})
}

// sessionPayers are the pledges of one session whose cards may pay for all of them. A card
// that was given by the address's link may do so if its holder was shown what the whole
// group owes, which is after a failed charge. Before the first charge, pledges with such a
// card have left the session, and are here only if they were claimed before they got it:
// they pay if no card of the session is left.
func sessionPayers(g *Group, pledges []*pledge.Pledge) []*pledge.Pledge {
	may := slices.DeleteFunc(slices.Clone(pledges), func(p *pledge.Pledge) bool {
		frozen := g != nil && p.PaymentMethodID == g.PaymentMethodID
		return p.CardByLink && !p.CardForGroup && !frozen
	})
	if len(may) == 0 && g == nil {
		return pledges
	}
	return may
}
