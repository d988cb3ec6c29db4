package campaign

import (
	"slices"
	"strings"
)

// sections are the anchors of a campaign page's fixed parts. Campaign texts, mails and other sites
// link to them, so they must not be renamed or removed.
var sections = []string{
	"story", "stretch", "ongoing", "decisions", "phases", "diary", "faq", "risks", "creator",
	"rewards", "tiers", "support", "custom", "addons", "house", "remind",
	"main", "messages",
}

const rewardPrefix = "reward-"

// RewardAnchor returns the anchor of a reward on its campaign's page.
func RewardAnchor(tierID string) string { return rewardPrefix + tierID }

// Reserved reports whether an anchor belongs to a part of the page other than a diary
// entry.
func Reserved(anchor string) bool {
	return slices.Contains(sections, anchor) || strings.HasPrefix(anchor, rewardPrefix)
}

// HasAnchor reports whether the campaign's page can have a part with the anchor, such as "diary"
// for "#diary", even if the part is not shown yet.
func (c *Campaign) HasAnchor(anchor string) bool {
	if id, ok := strings.CutPrefix(anchor, rewardPrefix); ok {
		_, ok = c.Tier(id)
		return ok
	}
	return slices.Contains(sections, anchor) ||
		slices.ContainsFunc(c.Diary, func(e DiaryEntry) bool { return e.ID == anchor })
}
