package settlement

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// chargeGroup is the set of pledges that one charge covers: the pledges that the holder of an
// address has joined, the pledges that were made in one browser session, or a single pledge.
// Addresses are not verified at checkout, so with pledge.ByConfirmation pledges are not
// grouped by address alone.
type chargeGroup struct {
	by        pledge.Grouping
	supporter string       // pledge.EmailHash of the address
	hash      string       // of the group
	group     *state.Group // nil before the first attempt
	pledges   []*pledge.Pledge
	held      *state.Held // by the circuit breaker, nil while it is closed
	disagreed bool        // a pledge's terms at the processor differ, and operators have not accepted its amount
}

func (cg chargeGroup) ids() []string {
	ids := make([]string, 0, len(cg.pledges))
	for _, pl := range cg.pledges {
		ids = append(ids, pl.OrderID)
	}
	return ids
}

// members returns the pledges that are still charged together. A pledge whose card was
// replaced through its link has left its session's group. If the group is named after that
// pledge, it is charged alone, and the others form another group.
func (cg chargeGroup) members() []*pledge.Pledge {
	named := slices.IndexFunc(cg.pledges,
		func(p *pledge.Pledge) bool { return state.HashOf(p.CampaignSlug, p.OrderID) == cg.hash })
	if cg.group != nil || named < 0 {
		return cg.pledges
	}
	first, stays := cg.pledges[named], func(p *pledge.Pledge) bool { return p.Claimed() || p.CombinedBy() != "" }
	if !stays(first) && !slices.ContainsFunc(cg.pledges, (*pledge.Pledge).Claimed) {
		return []*pledge.Pledge{first}
	}
	return slices.DeleteFunc(slices.Clone(cg.pledges), func(p *pledge.Pledge) bool { return p != first && !stays(p) })
}

// payable returns the pledges that a payment may be for: those unpaid or paid by it.
func (cg chargeGroup) payable(paymentID string) []*pledge.Pledge {
	return slices.DeleteFunc(slices.Clone(cg.pledges), func(pl *pledge.Pledge) bool {
		return !pl.Unpaid() && pl.PaymentIntentID != paymentID
	})
}

// groupPledges assigns every pledge to its charge group, in the order of the list. Joined pledges
// share a group only if one of them has a card that may pay for the others.
func groupPledges(by pledge.Grouping, slug, supporter string, pledges []*pledge.Pledge,
	records map[string]state.GroupRecord) []chargeGroup {
	joint := state.HashOf(slug, supporter)
	home := func(p *pledge.Pledge) string { return claimedGroup(p, joint, records) }
	together := slices.ContainsFunc(pledges, func(p *pledge.Pledge) bool {
		at := home(p)
		return p.Unpaid() && p.JoinedAt != nil && p.CardByLink && (at == "" || at == joint)
	})
	sessions := sessionGroups(slug, pledges, home, records)
	var all []chargeGroup
	at := map[string]int{}
	for _, p := range pledges {
		hash := home(p)
		switch {
		case hash != "":
		case by == pledge.ByEmail, together && p.JoinedAt != nil:
			hash = joint
		case p.CombinedBy() != "":
			hash = sessions[p.CombinedBy()]
		default:
			hash = state.HashOf(slug, p.OrderID)
		}
		n, known := at[hash]
		if !known {
			n = len(all)
			at[hash] = n
			all = append(all, chargeGroup{by: by, supporter: supporter, hash: hash, group: records[hash].Group})
		}
		all[n].pledges = append(all[n].pledges, p)
		d := records[state.HashOf(slug, p.OrderID)].Disagreement
		all[n].disagreed = all[n].disagreed || d != nil && !d.Accepted() && p.Unpaid()
	}
	return all
}

// sessionGroups returns the hash of each browser session's group. It is named after the session's
// first unclaimed pledge. If a crash left pledges of the session claimed for a charge that was
// never frozen, it is the group that claimed them.
func sessionGroups(slug string, pledges []*pledge.Pledge, home func(*pledge.Pledge) string,
	records map[string]state.GroupRecord) map[string]string {
	groups := map[string]string{}
	for _, p := range pledges {
		session, at := p.CombinedBy(), home(p)
		if session != "" && at != "" && at != jointHash(p) && p.Status == pledge.Active && records[at].Group == nil {
			groups[session] = cmp.Or(groups[session], at)
		}
	}
	for _, p := range pledges {
		if session := p.CombinedBy(); session != "" && home(p) == "" {
			groups[session] = cmp.Or(groups[session], state.HashOf(slug, p.OrderID))
		}
	}
	return groups
}

// claimedGroup returns the hash of the group that has claimed a pledge, or "". A pledge whose order
// was restored to before the claim keeps its group.
func claimedGroup(p *pledge.Pledge, joint string, records map[string]state.GroupRecord) string {
	if p.Group != "" {
		return p.Group
	}
	own := state.HashOf(p.CampaignSlug, p.OrderID)
	if records[own].Group != nil {
		return own
	}
	for _, hash := range slices.Concat([]string{joint}, slices.Sorted(maps.Keys(records))) {
		if g := records[hash].Group; g != nil && slices.Contains(g.OrderIDs(), p.OrderID) {
			return hash
		}
	}
	return ""
}

// jointHash returns the hash of the group of the joined pledges of p's address.
func jointHash(p *pledge.Pledge) string { return state.GroupHash(p.CampaignSlug, p.Email) }

// unclaimed lists the IDs of the pledges that are not claimed and whose group has no charge yet.
func unclaimed(groups []chargeGroup) (ids []string) {
	for _, cg := range groups {
		for _, p := range cg.pledges {
			if cg.group == nil && !p.Claimed() {
				ids = append(ids, p.OrderID)
			}
		}
	}
	return ids
}

// totalOf returns the total of pledges, or 0 if it exceeds money.Max.
func totalOf(pledges []*pledge.Pledge) money.Cents {
	sum, err := sumOf(pledges)
	if err != nil {
		return 0
	}
	return sum
}
