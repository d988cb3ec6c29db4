package overview

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// maxLatest is the maximum number of pledges that Latest returns.
const maxLatest = 10

// LatestPledge is one of the newest pledges.
type LatestPledge struct {
	OrderID      string        `json:"orderId"`
	CampaignSlug string        `json:"campaignSlug"`
	Title        string        `json:"campaignTitle"`
	At           time.Time     `json:"createdAt"`
	Pledged      money.Cents   `json:"pledgedAmount"` // toward the goal, in cents
	Status       pledge.Status `json:"pledgeStatus"`  // as Pledge.DisplayStatus
	Rewards      []string      `json:"rewards"`       // names, such as "2 × Seat"; empty without a reward
	AddOns       int           `json:"addOns"`        // number of add-ons, of the campaign and of the platform
	// Name is the name in the shipping or billing address, "" if there is none. Name and Email are
	// "" for callers that may not see supporters.
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// Latest returns up to ten of the newest pledges to the campaigns, newest first.
func (s *Service) Latest(ctx context.Context, campaigns []*campaign.Campaign,
	visible Visibility) ([]LatestPledge, error) {
	lists, err := s.newestLists(ctx, campaigns)
	if err != nil {
		return nil, err
	}
	latest := []LatestPledge{}
	for len(latest) < maxLatest && len(lists) > 0 {
		for _, l := range lists {
			if err := l.load(ctx, s.Store); err != nil {
				return nil, err
			}
		}
		lists = slices.DeleteFunc(lists, func(l *list) bool { return l.head == nil })
		if len(lists) == 0 {
			break
		}
		newest := slices.MaxFunc(lists, func(a, b *list) int { return a.head.BookedAt.Compare(b.head.BookedAt) })
		latest = append(latest, latestPledge(newest.head, newest.campaign, visible))
		newest.head = nil
	}
	return latest, nil
}

// list holds the IDs of a campaign's newest pledges that were not read yet, oldest first. head is
// the pledge that was read last, nil once it was added to the result.
type list struct {
	campaign *campaign.Campaign
	newestAt time.Time
	listed   int
	ids      []string
	head     *pledge.Pledge
}

// newestLists returns the lists of the campaigns that can have one of the newest maxLatest pledges.
func (s *Service) newestLists(ctx context.Context, campaigns []*campaign.Campaign) ([]*list, error) {
	var lists []*list
	for _, c := range campaigns {
		totals, err := s.Inventory.Totals(ctx, c.Slug)
		if err != nil {
			return nil, err
		}
		if totals.Listed > 0 {
			lists = append(lists, &list{campaign: c, newestAt: totals.NewestAt, listed: totals.Listed})
		}
	}
	slices.SortStableFunc(lists, func(a, b *list) int { return b.newestAt.Compare(a.newestAt) })
	lists = lists[:min(len(lists), maxLatest)]
	for _, l := range lists {
		var err error
		if l.ids, err = s.Inventory.Listed(ctx, l.campaign.Slug, max(l.listed-maxLatest, 0), maxLatest); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// load reads the next pledge of the list if head is nil.
func (l *list) load(ctx context.Context, store kv.Store) error {
	for l.head == nil && len(l.ids) > 0 {
		id := l.ids[len(l.ids)-1]
		l.ids = l.ids[:len(l.ids)-1]
		p, there, err := kv.Read[pledge.Pledge](ctx, store, pledge.Key(id))
		if err != nil {
			return err
		}
		if there { // may be listed before its record was written
			l.head = &p
		}
	}
	return nil
}

func latestPledge(p *pledge.Pledge, c *campaign.Campaign, visible Visibility) LatestPledge {
	out := LatestPledge{OrderID: p.OrderID, CampaignSlug: c.Slug, Title: c.Title, At: p.BookedAt,
		Pledged: p.CampaignSubtotal, Status: p.DisplayStatus(), Rewards: p.RewardNames()}
	for _, l := range p.Lines {
		if l.Kind == pledge.CampaignAddOnLine || l.Kind == pledge.PlatformAddOnLine {
			out.AddOns += l.Quantity
		}
	}
	if visible.Supporters {
		out.Name, out.Email = p.SupporterName(), p.Email
	}
	return out
}
