package content

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Launch is what there is to look at before a campaign goes public.
type Launch struct {
	Slug string `json:"slug"`
	// Ready says that every item is done.
	Ready bool   `json:"ready"`
	Items []Item `json:"items"`
	// Starts and Ends read the dates back, with their weekdays and the zone; "" for none.
	Starts string `json:"starts"`
	Ends   string `json:"ends"`
	// Days is how long the campaign runs, in days, rounded down.
	Days int `json:"days"`
	// Freezes are what supporters rely on from their first pledge on: to change it takes a
	// reason that they are told, or can't be done.
	Freezes []string `json:"freezes"`
}

// Item is one thing to have done.
type Item struct {
	Key  string `json:"key"`
	Done bool   `json:"done"`
	// Words say what there is, or what is missing.
	Words string `json:"words"`
}

// dateLayout reads a moment back so that a wrong day is noticed.
const dateLayout = "Monday, January 2, 2006, 15:04:05 MST"

// LaunchList looks at a campaign as its file is now.
func (s *Service) LaunchList(ctx context.Context, slug string) (Launch, error) {
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Launch{}, err
	}
	f, err := s.read(ctx, file)
	if err != nil {
		return Launch{}, err
	}
	c, err := campaignfile.Parse(file, f.Bytes)
	if err != nil {
		return Launch{}, refused(err)
	}
	l := Launch{Slug: slug, Items: s.items(c), Ready: true, Freezes: []string{
		"the goal", "the deadline", "the currency", "names, prices and contents of rewards that somebody has chosen",
	}}
	for _, i := range l.Items {
		l.Ready = l.Ready && i.Done
	}
	if !c.Start.IsZero() {
		l.Starts = c.StartsAt(s.Zone).In(s.Zone).Format(dateLayout)
	}
	if !c.Deadline.IsZero() {
		l.Ends = c.EndsAt(s.Zone).Add(-time.Second).In(s.Zone).Format(dateLayout)
	}
	if !c.Start.IsZero() && !c.Deadline.IsZero() {
		l.Days = int(c.EndsAt(s.Zone).Sub(c.StartsAt(s.Zone)) / (24 * time.Hour))
	}
	return l, nil
}

func (s *Service) items(c *campaign.Campaign) []Item {
	now := s.Now()
	start, end := c.StartsAt(s.Zone), c.EndsAt(s.Zone)
	heavy := unweighed(c)
	return []Item{
		item("goal", c.Goal > 0, "The goal is "+c.Goal.String(), "Write a goal"),
		item("start", !c.Start.IsZero(), "It has a start", "Write the day on which it starts"),
		item("deadline", !c.Deadline.IsZero() && end.After(now) && end.After(start), "The deadline is to come", "Write a deadline that is to come, after the start"),
		item("rewards", len(c.Tiers) > 0 || c.Custom.Enabled, counted(len(c.Tiers), "reward", "rewards"), "Add a reward, or let supporters choose an amount"),
		item("summary", c.Blurb != "", "It has a summary", "Write a summary: it stands on cards and in search results"),
		item("page", len(c.Content) > 0 || c.Body != "", "The page has text", "Write what the campaign is about"),
		item("picture", c.Media.Hero != "", "It has a picture", "Add a picture"),
		item("alt", c.Media.Hero == "" || c.Media.HeroAlt != c.Title, "The picture is described", "Describe the picture for those who do not see it"),
		item("creator", c.Creator.Name != "" && c.Creator.About != "", "It says who runs it", "Say who runs it"),
		item("risks", c.Risks != "", "It says what can go wrong", "Say what can go wrong"),
		item("shipping", heavy == 0, "Rewards that are shipped have weights", "Of "+counted(heavy, "shipped reward", "shipped rewards")+" the weight is missing: the platform's fallback rate is asked for shipping"),
		item("published", c.Public(), "Everybody can see it once it is published", "Set published to true and preview_only to false"),
	}
}

// unweighed counts the rewards whose shipping can't be worked out.
func unweighed(c *campaign.Campaign) (n int) {
	if c.Shipping.FallbackFlatRate != nil || c.Shipping.Free != nil && *c.Shipping.Free {
		return 0
	}
	for _, t := range c.Tiers {
		if t.Category == campaign.Physical && t.Package == nil && t.ShippingPreset == "" {
			n++
		}
	}
	return n
}

func item(key string, done bool, is, missing string) Item {
	if done {
		return Item{key, true, is}
	}
	return Item{key, false, missing}
}
