package compose

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// AudienceRequest selects a segment of a campaign's supporters.
type AudienceRequest struct {
	CampaignSlug string            `json:"campaignSlug"`
	Audience     broadcast.Segment `json:"audience,omitzero"`
}

// NewsAudience is the number of supporters in a segment, with the groups that it can be narrowed
// to.
type NewsAudience struct {
	broadcast.Reach
	RewardNames map[string]string `json:"rewardNames"` // by ID, of the rewards in Reach
}

// NewsAudience counts a segment of a campaign's supporters and the groups that it can be narrowed
// to. It writes nothing and reads every pledge, like the dry run of a message.
func (s *Services) NewsAudience(ctx context.Context, r AudienceRequest) (NewsAudience, error) {
	c, err := s.Campaigns().Campaign(r.CampaignSlug)
	if err != nil {
		return NewsAudience{}, err
	}
	segment, err := checkSegment(r.Audience, c)
	if err != nil {
		return NewsAudience{}, err
	}
	reach, err := s.Broadcasts.Reach(ctx, c.Slug, segment)
	if err != nil {
		return NewsAudience{}, err
	}
	out := NewsAudience{reach, map[string]string{}}
	for _, g := range reach.Rewards {
		if t, ok := c.Tier(g.Value); ok {
			out.RewardNames[g.Value] = t.Name
		}
	}
	return out, nil
}
