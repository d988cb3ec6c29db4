package suppression

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The keys of the records, before the campaign and the name of the address.
const (
	permanentPrefix    = "email-suppression:v1:"
	campaignPrefix     = "campaign-email-suppression:v1:"
	launchPrefix       = "launch-reminder-suppressed:"
	cartPrefix         = "abandoned-cart-suppressed:"
	cartCampaignPrefix = "abandoned-cart-suppressed-campaign:"
)

// Topic says which mails a suppression stops. Links carry it: it is never renamed.
type Topic string

// The topics.
const (
	Everything Topic = ""       // all mails; how far is told by the reason
	Updates    Topic = "update" // a campaign's news
	Launch     Topic = "launch" // the reminder that a campaign has begun
	Carts      Topic = "cart"   // reminders of a checkout that was begun
)

// Scope is what a suppression stops: mails about a topic, of one campaign. Everything has
// no campaign, and Carts has one or none, which is all.
type Scope struct {
	Topic    Topic
	Campaign string // a slug
}

// ScopeOf returns what somebody stops who unsubscribes from a mail of the kind; Campaign
// is "" where the mail is about several. It fails with code Invalid for transactional
// mails, which nobody stops.
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
		return s, fault.New(fault.Invalid, "Nobody unsubscribes from this kind of mail").In("kind")
	}
	return s, s.check()
}

// check keeps out what would mean another record's key.
func (s Scope) check() error {
	needs := s.Topic == Updates || s.Topic == Launch
	known := slices.Contains([]Topic{Everything, Updates, Launch, Carts}, s.Topic)
	if !known || needs && s.Campaign == "" || s.Topic == Everything && s.Campaign != "" {
		return fault.New(fault.Invalid, "No such scope of mails").In("scope")
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

// scopesOf are those that a mail is in, the widest first.
func scopesOf(m notify.Mail) []Scope {
	all := []Scope{{}}
	s, err := ScopeOf(m.Kind, m.Campaign)
	if err != nil { // nobody stops it, or it names no campaign
		return all
	}
	if s.Topic == Carts && s.Campaign != "" {
		all = append(all, Scope{Topic: Carts})
	}
	return append(all, s)
}
