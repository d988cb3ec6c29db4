package suppression

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The key prefixes of the records. The campaign and the hashed address follow.
const (
	permanentPrefix    = "email-suppression:v1:"
	campaignPrefix     = "campaign-email-suppression:v1:"
	launchPrefix       = "launch-reminder-suppressed:"
	cartPrefix         = "abandoned-cart-suppressed:"
	cartCampaignPrefix = "abandoned-cart-suppressed-campaign:"
)

// Topic is the kind of mails that a suppression stops. Links contain it, so it must not change.
type Topic string

// The topics.
const (
	Everything Topic = ""       // all mails, or all but transactional ones, depending on the reason
	Updates    Topic = "update" // a campaign's news
	Launch     Topic = "launch" // launch reminders
	Carts      Topic = "cart"   // reminders of unfinished checkouts
)

// Scope is the set of mails that a suppression stops: those on a topic, of one campaign. Everything
// has no campaign. Carts may have one; without it, the scope covers all campaigns.
type Scope struct {
	Topic    Topic
	Campaign string // slug
}

// ScopeOf returns the scope of an unsubscribe from a mail of the kind. campaign is "" if the mail
// is about several, which only cart reminders are. It fails with code Invalid for transactional
// mails, which have no unsubscribe, and for other kinds that lack a campaign.
func ScopeOf(k notify.Kind, campaign string) (Scope, error) {
	topic := Everything
	switch {
	case k == notify.LaunchReminder:
		topic = Launch
	case k == notify.AbandonedCart:
		topic = Carts
	case k.Stream() == notify.Updates:
		topic = Updates
	}
	s := Scope{Topic: topic, Campaign: campaign}
	if topic == Everything {
		return s, fault.New(fault.Invalid, "Recipients cannot unsubscribe from this kind of mail").In("kind")
	}
	return s, s.check()
}

// check fails with code Invalid for an unknown topic, and for a missing or unexpected campaign,
// with which the keys would collide with those of another scope.
func (s Scope) check() error {
	needs := s.Topic == Updates || s.Topic == Launch
	known := slices.Contains([]Topic{Everything, Updates, Launch, Carts}, s.Topic)
	if !known || needs && s.Campaign == "" || s.Topic == Everything && s.Campaign != "" {
		return fault.New(fault.Invalid, "Invalid suppression scope").In("scope")
	}
	return nil
}

func (s Scope) key(address string) string {
	switch {
	case s.Topic == Updates:
		return campaignPrefix + s.Campaign + ":" + address
	case s.Topic == Launch:
		return launchPrefix + s.Campaign + ":" + address
	case s.Topic == Carts && s.Campaign != "":
		return cartCampaignPrefix + s.Campaign + ":" + address
	case s.Topic == Carts:
		return cartPrefix + address
	}
	return permanentPrefix + address
}

// scopesOf returns the scopes that a mail belongs to, widest first.
func scopesOf(m notify.Mail) []Scope {
	all := []Scope{{}}
	s, err := ScopeOf(m.Kind, m.Campaign)
	if err != nil { // transactional, or without a campaign
		return all
	}
	if s.Topic == Carts && s.Campaign != "" {
		all = append(all, Scope{Topic: Carts})
	}
	return append(all, s)
}
