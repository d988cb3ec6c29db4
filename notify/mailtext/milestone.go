package mailtext

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Threshold is a pledged amount that is announced to supporters when it is reached.
type Threshold struct {
	// Name identifies the threshold within the campaign, such as "66" or "stretch:500000". If it
	// changed, the milestone would be announced again.
	Name string
	// Percent is the share of the goal, 100 for the goal itself. It is 0 for a stretch goal,
	// which has an Amount and a Title.
	Percent int
	Amount  money.Cents
	Title   string
}

// goalPercents are the percentages of the goal that are announced.
var goalPercents = []int{33, 66, 100}

// ThresholdsOf returns a campaign's thresholds in ascending order.
func ThresholdsOf(c *campaign.Campaign) []Threshold {
	all := []Threshold{}
	for _, p := range goalPercents {
		all = append(all, Threshold{Name: fmt.Sprint(p), Percent: p})
	}
	for _, g := range c.StretchGoals {
		if g.Threshold > c.Goal {
			all = append(all, Threshold{Name: fmt.Sprintf("stretch:%d", g.Threshold), Amount: g.Threshold, Title: g.Title})
		}
	}
	slices.SortStableFunc(all[len(goalPercents):], func(a, b Threshold) int { return cmp.Compare(a.Amount, b.Amount) })
	return all
}

// Reached reports whether the pledged amount reaches the threshold.
func (m Threshold) Reached(c *campaign.Campaign, pledged money.Cents) bool {
	if m.Percent > 0 {
		return int64(pledged)*100 >= int64(c.Goal)*int64(m.Percent)
	}
	return pledged >= m.Amount
}

// MilestoneNews returns the news that a campaign has reached a threshold. Dates are in the
// given zone.
func MilestoneNews(m Threshold, c *campaign.Campaign, pledged money.Cents, lang string, zone *time.Location) News {
	l := pledgeMail{language: languageFor(lang), campaign: c, title: notify.PlainLine(c.Title), zone: zone}
	id := "milestone"
	switch {
	case m.Percent == 100:
		id = "milestone_goal"
	case m.Percent == 0:
		id = "milestone_stretch"
	}
	values := []string{
		"title", l.title, "goal", l.price(c.Goal), "percent", fmt.Sprint(m.Percent), "pledged", l.price(pledged),
		"name", notify.PlainLine(m.Title), "amount", l.price(m.Amount), "deadline", l.deadline(),
	}
	return News{
		Kind: notify.Milestone, Lang: l.Code(), Subject: subject(l.Format(id+"_subject", values...)),
		Content: []campaign.Block{{Type: campaign.TextBlock, Text: escapeMarkdown(l.Format(id, values...))}},
		Label:   l.Format("campaign_button"), URL: l.prefix() + "/campaigns/" + c.Slug + "/",
	}
}

// DiaryNews returns the news about a diary entry, with its full content.
func DiaryNews(e campaign.DiaryEntry, c *campaign.Campaign, lang string) News {
	w := languageFor(lang)
	return News{
		Kind: notify.DiaryEntry, Lang: w.Code(),
		Subject: subject(w.Format("diary_subject", "title", notify.PlainLine(c.Title), "name", notify.PlainLine(e.Title))),
		Content: e.Content, Label: w.Format("campaign_button"), URL: w.prefix() + "/campaigns/" + c.Slug + "/",
	}
}

// escapeMarkdown escapes plain text for Markdown.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
