package broadcast

import (
	"cmp"
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// Reach is the size of a segment and of the groups that it can be narrowed to. All figures count
// supporters by address, so a supporter with several pledges is counted once in each. Supporters
// who unsubscribed are included: they are left out when the message is sent.
type Reach struct {
	Recipients int `json:"recipientCount"` // supporters in the segment
	Supporters int `json:"supporterCount"` // supporters of the campaign
	// The campaign's supporters by the values of their pledges, largest group first.
	Rewards   []Group `json:"rewards"`
	Statuses  []Group `json:"statuses"`
	Countries []Group `json:"countries"`
	Languages []Group `json:"languages"`
}

// Group counts the supporters who share one value, such as a country.
type Group struct {
	Value      string `json:"value"`
	Supporters int    `json:"supporterCount"`
}

// Reach counts a segment of a campaign's supporters. It writes nothing and fails with any error of
// the Audience.
func (s *Service) Reach(ctx context.Context, campaign string, segment Segment) (Reach, error) {
	all, in := addresses{}, addresses{}
	rewards, statuses, countries, languages := groups{}, groups{}, groups{}, groups{}
	for p, err := range s.Audience.Supporters(ctx, campaign) {
		if err != nil {
			return Reach{}, err
		}
		address := pledge.DeliveryEmail(p.Email)
		all[address] = true
		if segment.matches(p) {
			in[address] = true
		}
		for _, id := range p.Rewards {
			rewards.add(id, address)
		}
		statuses.add(p.Status, address)
		countries.add(p.Country, address)
		languages.add(p.Lang, address)
	}
	return Reach{
		Recipients: len(in), Supporters: len(all),
		Rewards: rewards.sorted(), Statuses: statuses.sorted(), Countries: countries.sorted(), Languages: languages.sorted(),
	}, nil
}

type addresses map[string]bool

// groups maps each value, such as a country, to the addresses of the supporters who share it.
type groups map[string]addresses

// add adds an address to the group of a value; pledges without a value are in no group.
func (g groups) add(value, address string) {
	if value == "" {
		return
	}
	if g[value] == nil {
		g[value] = addresses{}
	}
	g[value][address] = true
}

// sorted returns the groups with their sizes, largest first and then by value.
func (g groups) sorted() []Group {
	out := make([]Group, 0, len(g))
	for value, in := range g {
		out = append(out, Group{value, len(in)})
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Supporters, a.Supporters), cmp.Compare(a.Value, b.Value))
	})
	return out
}
