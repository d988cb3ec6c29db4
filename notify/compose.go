package notify

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ConfirmationOf writes the mail about a pledge that was just made: what was
// pledged, what it comes to, and when the card is charged. Dates are stated in
// the zone, the platform's; the link lives 90 days from now.
func ConfirmationOf(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	return confirm(p, letter{campaign: c, zone: zone}, l, now)
}

// ConfirmationBesideOthers is ConfirmationOf for a pledge under whose address there are
// others to the campaign. It says what is charged together, and where the pledge is not
// joined, offers to join or to refuse it.
func ConfirmationBesideOthers(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	return confirm(p, letter{campaign: c, zone: zone, others: true}, l, now)
}

// ConfirmationWith returns ConfirmationOf for a pledge that is charged together with others
// that were not joined: those of its browser session or, by email, of its address. The total
// is that of the payment.
func ConfirmationWith(by pledge.Grouping, others int, total money.Cents) func(*pledge.Pledge, *campaign.Campaign, Links, *time.Location, time.Time) (Message, error) {
	return func(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
		return confirm(p, letter{campaign: c, zone: zone, with: &company{by, others, total}}, l, now)
	}
}

func confirm(p *pledge.Pledge, of letter, l Links, now time.Time) (Message, error) {
	of.pledges = []*pledge.Pledge{p}
	return write(Confirmation, "confirmation:"+p.OrderID, of, l, now)
}

// ModifiedOf writes the mail about a pledge that its supporter changed.
func ModifiedOf(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	identity := fmt.Sprintf("modified:%s:%d", p.OrderID, p.Revision)
	return compose(Modified, identity, []*pledge.Pledge{p}, c, l, zone, now)
}

// CancelledOf writes the mail about a pledge that its supporter cancelled.
func CancelledOf(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	return compose(Cancelled, "cancelled:"+p.OrderID, []*pledge.Pledge{p}, c, l, zone, now)
}

// ChargedOf writes the mail about one payment, which covers all the pledges
// given: those of one supporter to one campaign. It fails with code Invalid
// when there is none, when one is not charged, or when they are not of one
// payment.
func ChargedOf(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	for _, p := range pledges {
		if !p.Charged || p.PaymentIntentID == "" || p.PaymentIntentID != pledges[0].PaymentIntentID {
			return Message{}, fault.New(fault.Invalid, "The pledges are not of one payment")
		}
	}
	return compose(Charged, "charged:"+first(pledges).PaymentIntentID, pledges, c, l, zone, now)
}

// UpdateCardOf writes the mail about one charge that failed, of all the pledges
// given: those of one supporter to one campaign. Each failed attempt has a mail
// of its own. The link is the first pledge's. It fails with code Invalid when
// there is no pledge, or one whose charge has not failed.
func UpdateCardOf(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	for _, p := range pledges {
		if p.LastFailure == nil {
			return Message{}, fault.New(fault.Invalid, "The pledge has no failed charge")
		}
	}
	p := first(pledges)
	generation := 0
	if p.LastFailure != nil {
		generation = p.LastFailure.Generation
	}
	return compose(UpdateCard, UpdateCardIdentity(p, generation), pledges, c, l, zone, now)
}

// UpdateCardIdentity is the identity of the mail that asks for another card after a
// pledge's charge has failed for the generation-th time.
func UpdateCardIdentity(p *pledge.Pledge, generation int) string {
	return fmt.Sprintf("update-card:%s:%s:%d", p.CampaignSlug, chargedAs(p), generation)
}

// IdentitiesOf are those of the mails that there may be about a pledge whose charge was tried
// so many times.
func IdentitiesOf(p *pledge.Pledge, attempts int) []string {
	all := []string{"confirmation:" + p.OrderID, "cancelled:" + p.OrderID, "missed:" + p.OrderID, fmt.Sprintf("dropped:%s:%s", p.CampaignSlug, chargedAs(p))}
	for i, e := range p.History {
		switch e.Type { // each entry is a revision
		case "modified":
			all = append(all, fmt.Sprintf("modified:%s:%d", p.OrderID, i+1))
		case pledge.AddressChanged:
			all = append(all, readdressedIdentity(p.OrderID, i+1))
		}
	}
	for _, parcel := range p.Parcels {
		all = append(all, parcelIdentity(p.OrderID, parcel.Fulfiller))
	}
	for generation := range attempts {
		all = append(all, UpdateCardIdentity(p, generation+1))
	}
	if p.PaymentIntentID != "" {
		all = append(all, "charged:"+p.PaymentIntentID)
	}
	return all
}

// DroppedOf writes the mail about pledges that were given up after their charge
// had failed: those of one supporter to one campaign. It fails with code Invalid
// when there is no pledge, or one that was not given up.
func DroppedOf(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	for _, p := range pledges {
		if !p.Dropped() {
			return Message{}, fault.New(fault.Invalid, "The pledge was not given up")
		}
	}
	p := first(pledges)
	return compose(Dropped, fmt.Sprintf("dropped:%s:%s", p.CampaignSlug, chargedAs(p)), pledges, c, l, zone, now)
}

// MissedOf writes the mail about a pledge whose campaign missed its goal: nothing is
// charged, and its card was deleted.
func MissedOf(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location, now time.Time) (Message, error) {
	return compose(Missed, "missed:"+p.OrderID, []*pledge.Pledge{p}, c, l, zone, now)
}

// chargedAs names the charge that a pledge is part of. Under one address there may be
// several; an earlier release had one, and did not name it.
func chargedAs(p *pledge.Pledge) string {
	if p.Group != "" {
		return p.Group
	}
	return pledge.EmailHash(p.Email)
}

// first spares its callers the empty list, which compose refuses.
func first(pledges []*pledge.Pledge) *pledge.Pledge {
	if len(pledges) == 0 {
		return &pledge.Pledge{}
	}
	return pledges[0]
}

// claimOf is what a mail of a kind states about its pledges; nil for kinds that state no
// outcome.
func claimOf(kind Kind, pledges []*pledge.Pledge) *Claim {
	c := &Claim{}
	for _, p := range pledges {
		c.Pledges = append(c.Pledges, p.OrderID)
	}
	switch kind {
	case Charged:
		c.PaymentID = pledges[0].PaymentIntentID
	case UpdateCard:
		c.Generation = pledges[0].LastFailure.Generation
	case Dropped, Missed, Cancelled:
	default:
		return nil
	}
	return c
}

func compose(kind Kind, identity string, pledges []*pledge.Pledge, c *campaign.Campaign, links Links, zone *time.Location, now time.Time) (Message, error) {
	return write(kind, identity, letter{campaign: c, pledges: pledges, zone: zone}, links, now)
}

// write writes a mail. One that would be longer than a mail may be is written
// in brief: that a supporter has very many pledges is no reason to say nothing.
func write(kind Kind, identity string, l letter, links Links, now time.Time) (Message, error) {
	if len(l.pledges) == 0 {
		return Message{}, fault.New(fault.Invalid, "A mail is about at least one pledge")
	}
	var agreed, paid []money.Cents
	for _, p := range l.pledges {
		agreed, paid = append(agreed, p.Amount), append(paid, p.Paid())
	}
	var err error
	if l.agreed, err = money.Sum(agreed...); err != nil {
		return Message{}, err
	}
	if l.total = l.agreed; kind == Charged {
		l.total, err = money.Sum(paid...)
	}
	if err != nil {
		return Message{}, err
	}
	if l.link, err = links.Manage(l.pledges[0], now); err != nil {
		return Message{}, err
	}
	if l.others {
		if l.join, err = links.Join(l.pledges[0], now); err != nil {
			return Message{}, err
		}
	}
	p := l.pledges[0]
	l.title, l.words = plain(l.campaign.Title), wordsOf(p.PreferredLang)
	message := func() Message {
		d := l.write(kind)
		d.Platform = links.Platform
		return d.message(kind, identity, p.Email)
	}
	m := message()
	if !m.fits() {
		l.brief = true
		m = message()
	}
	m.Campaign, m.Claim = p.CampaignSlug, claimOf(kind, l.pledges)
	if err := m.Check(); err != nil {
		return Message{}, err
	}
	return m, nil
}
