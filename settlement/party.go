package settlement

import (
	"context"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// party is what one charge is for: the pledges that the holder of an address has joined,
// or a single pledge. Anybody may type an address, so that it alone joins nothing.
type party struct {
	supporter string // pledge.EmailHash of the address
	hash      string // of the group
	group     *Group // nil before the first attempt
	pledges   []*pledge.Pledge
	disagreed bool // the processor has other terms for one of the pledges, and operators have not decided
}

func (p party) ids() []string {
	ids := make([]string, 0, len(p.pledges))
	for _, pl := range p.pledges {
		ids = append(ids, pl.OrderID)
	}
	return ids
}

// payable are the pledges that a payment may be for: those that are not paid, or by it.
func (p party) payable(paymentID string) []*pledge.Pledge {
	return slices.DeleteFunc(slices.Clone(p.pledges), func(pl *pledge.Pledge) bool {
		return !pl.Unpaid() && pl.PaymentIntentID != paymentID
	})
}

// groupsAtOnce bounds one question for groups.
const groupsAtOnce = 100

// parties reads the pledges under an address and divides them. The nonce is that of the
// note about the address, if there is one.
func (s *Service) parties(ctx context.Context, slug string, sup inventory.Supporter) (all []party, nonce string, err error) {
	records, err := s.records(ctx, slug, sup)
	if err != nil {
		return nil, "", err
	}
	pledges, err := s.read(ctx, sup.Pledges)
	if err != nil {
		return nil, "", err
	}
	return divide(slug, sup.Hash, pledges, records), records[hashOf(slug, sup.Hash)].Nonce, nil
}

// records are those of all groups that an address may have, by their hashes.
func (s *Service) records(ctx context.Context, slug string, sup inventory.Supporter) (map[string]record, error) {
	hashes := []string{hashOf(slug, sup.Hash)}
	for _, id := range sup.Pledges {
		hashes = append(hashes, hashOf(slug, id))
	}
	records := map[string]record{}
	for part := range slices.Chunk(hashes, groupsAtOnce) {
		found, err := client{s.Coordinator, slug}.groups(ctx, part)
		if err != nil {
			return nil, err
		}
		maps.Copy(records, found)
	}
	return records, nil
}

// divide finds the party of every pledge, as they are listed. Pledges are joined only
// while one of them has a card that may pay for the others.
func divide(slug, supporter string, pledges []*pledge.Pledge, records map[string]record) []party {
	joint := hashOf(slug, supporter)
	home := func(p *pledge.Pledge) string { return homeOf(p, joint, records) }
	together := slices.ContainsFunc(pledges, func(p *pledge.Pledge) bool {
		at := home(p)
		return p.Unpaid() && p.JoinedAt != nil && p.CardByLink && (at == "" || at == joint)
	})
	var all []party
	at := map[string]int{}
	for _, p := range pledges {
		hash := home(p)
		switch {
		case hash != "":
		case together && p.JoinedAt != nil:
			hash = joint
		default:
			hash = hashOf(slug, p.OrderID)
		}
		n, known := at[hash]
		if !known {
			n = len(all)
			at[hash] = n
			all = append(all, party{supporter: supporter, hash: hash, group: records[hash].Group})
		}
		all[n].pledges = append(all[n].pledges, p)
		d := records[hashOf(slug, p.OrderID)].Disagreement
		all[n].disagreed = all[n].disagreed || d != nil && !d.Accepted() && p.Unpaid()
	}
	return all
}

// homeOf returns the group that a pledge belongs to since settlement has begun with it,
// "" before. Also one whose order went back to before it was claimed keeps its group.
func homeOf(p *pledge.Pledge, joint string, records map[string]record) string {
	if p.Claimed() {
		return claimedBy(p)
	}
	own := hashOf(p.CampaignSlug, p.OrderID)
	if records[own].Group != nil {
		return own
	}
	if g := records[joint].Group; g != nil && slices.Contains(g.orderIDs(), p.OrderID) {
		return joint
	}
	return ""
}

// claimedBy is the group of a pledge that was claimed. What was claimed by an earlier
// release stays in the group of its whole address.
func claimedBy(p *pledge.Pledge) string {
	if p.Group != "" {
		return p.Group
	}
	return GroupHash(p.CampaignSlug, p.Email)
}

// cardOf returns the pledge whose card pays for all of a party, nil where none may: its
// own where there is one; else the newest that was given by the link of the address, or
// that the group, if any, was frozen with.
func cardOf(g *Group, pledges []*pledge.Pledge) *pledge.Pledge {
	return newestCard(payers(g, pledges))
}

// payers are the pledges whose cards may pay for all of a charge.
func payers(g *Group, pledges []*pledge.Pledge) []*pledge.Pledge {
	if len(pledges) == 1 {
		return pledges
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

// free lists the pledges that settlement has not begun with.
func free(parties []party) (ids []string) {
	for _, p := range parties {
		if p.group == nil && !p.pledges[0].Claimed() {
			ids = append(ids, p.ids()...)
		}
	}
	return ids
}

// worth is what pledges come to, 0 where that is more than can be charged.
func worth(pledges []*pledge.Pledge) money.Cents {
	sum, err := sumOf(pledges)
	if err != nil {
		return 0
	}
	return sum
}
