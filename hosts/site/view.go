package site

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const (
	day      = 24 * time.Hour
	lastDays = 2 * day // the time before the deadline from which a campaign has a badge about it
)

// newView returns a campaign's view with its state, times, figures and badge.
func (e *edition) newView(c *campaign.Campaign) campaignView {
	s := campaignView{Campaign: c, State: string(c.State(e.now, e.zone)), StartsAt: c.StartsAt(e.zone).In(e.zone),
		LastMoment: c.EndsAt(e.zone).Add(-time.Second).In(e.zone), CreatorName: c.Creator.Name, TextLang: e.textLanguage(c)}
	if s.CreatorName == "" {
		s.CreatorName = e.settings.Platform.DefaultCreator
	}
	s.Figures = e.figuresOf(c.Slug, s.State)
	s.Funded = s.Figures.Known() && c.Goal > 0 && s.Figures.Pledged >= c.Goal
	s.DaysLeft = max(1, int(s.LastMoment.Sub(e.now)/day))
	s.Badge = s.badge(e.now.In(e.zone))
	return s
}

// figuresOf returns a campaign's figures, which are read once per build. Figures of an upcoming
// campaign are unknown.
func (e *edition) figuresOf(slug, state string) Figures {
	if e.figures == nil || state == string(campaign.Upcoming) {
		return Figures{}
	}
	f, ok := e.known[slug]
	if !ok {
		f = e.figures(slug)
		if f.Known() {
			f.At = f.At.In(e.zone)
		}
		e.known[slug] = f
	}
	return f
}

// badge returns the name of the campaign's badge. now must be in the platform's time zone.
func (s campaignView) badge(now time.Time) string {
	switch s.State {
	case string(campaign.Upcoming):
		return "upcoming"
	case string(campaign.Live):
		return s.liveBadge(now)
	}
	switch {
	case !s.Figures.Known():
		return "ended"
	case s.Funded:
		return "funded"
	}
	return "missed"
}

func (s campaignView) liveBadge(now time.Time) string {
	switch left := s.LastMoment.Sub(now); {
	case s.Funded:
		return "reached"
	case left < day && s.LastMoment.Day() == now.Day():
		return "last"
	case left < lastDays:
		return "two_days"
	}
	return ""
}

// Percent returns the pledged share of the goal in percent.
func (s campaignView) Percent() int64 { return s.Figures.percent(s.Goal) }

// Bar returns the value of the campaign's progress bar, at most 100.
func (s campaignView) Bar() int64 { return min(s.Percent(), 100) }
