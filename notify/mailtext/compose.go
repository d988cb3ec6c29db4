package mailtext

import (
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ConfirmationMail composes the mail about a new pledge: its contents, its total, and when the
// card is charged. Dates are in the platform's zone. The manage link is valid for 90 days
// from now.
func ConfirmationMail(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return composeConfirmation(p, pledgeMail{campaign: c, zone: zone}, l, now)
}

// ConfirmationAmongOthers composes the confirmation of a pledge whose email address has other
// pledges to the campaign. The mail states whether they are charged together. If this one was not
// joined to the others, the mail offers to join or to cancel it.
func ConfirmationAmongOthers(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return composeConfirmation(p, pledgeMail{campaign: c, zone: zone, hasOthers: true}, l, now)
}

// GroupedConfirmation returns a function like ConfirmationMail for a pledge that is charged
// together with others although they were not joined: those of the same address if by is
// pledge.ByEmail, otherwise those of the same browser session. others is the number of other
// pledges, and total is the amount of the joint payment.
func GroupedConfirmation(by pledge.Grouping, others int, total money.Cents) func(*pledge.Pledge,
	*campaign.Campaign, Links, *time.Location, time.Time) (notify.Message, error) {
	return func(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
		now time.Time) (notify.Message, error) {
		return composeConfirmation(p, pledgeMail{campaign: c, zone: zone, joint: &groupPayment{by, others, total}}, l, now)
	}
}

func composeConfirmation(p *pledge.Pledge, of pledgeMail, l Links, now time.Time) (notify.Message, error) {
	of.pledges = []*pledge.Pledge{p}
	return composePledgeMail(notify.Confirmation, "confirmation:"+p.OrderID, of, l, now)
}

// ModifiedMail composes the mail about a pledge that its supporter changed.
func ModifiedMail(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	identity := fmt.Sprintf("modified:%s:%d", p.OrderID, p.Revision)
	return compose(notify.Modified, identity, []*pledge.Pledge{p}, c, l, zone, now)
}

// CardReplacedMail composes the mail about a pledge for which its supporter saved another card.
// There is one mail per card.
func CardReplacedMail(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return compose(notify.CardReplaced, cardReplacedIdentity(p.OrderID, lastEntry(p, pledge.CardUpdated)),
		[]*pledge.Pledge{p}, c, l, zone, now)
}

func cardReplacedIdentity(orderID string, revision int) string {
	return fmt.Sprintf("card-replaced:%s:%d", orderID, revision)
}

// lastEntry returns the revision that added the last entry of a type to the pledge's history, or 0
// if there is none.
func lastEntry(p *pledge.Pledge, event string) int {
	for i, e := range slices.Backward(p.History) {
		if e.Type == event {
			return i + 1
		}
	}
	return 0
}

// CancelledMail composes the mail about a pledge that its supporter cancelled.
func CancelledMail(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return compose(notify.Cancelled, "cancelled:"+p.OrderID, []*pledge.Pledge{p}, c, l, zone, now)
}

// ChargedMail composes the mail about one payment, which covers all the given pledges of one
// supporter to one campaign. It fails with code Invalid if there are no pledges, if one is
// not charged, or if they belong to different payments.
func ChargedMail(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	for _, p := range pledges {
		if !p.Charged || p.PaymentIntentID == "" || p.PaymentIntentID != pledges[0].PaymentIntentID {
			return notify.Message{}, fault.New(fault.Invalid, "The pledges do not belong to one payment")
		}
	}
	return compose(notify.Charged, "charged:"+firstPledge(pledges).PaymentIntentID, pledges, c, l, zone, now)
}

// UpdateCardMail composes the mail about one failed charge, which covers all the given pledges
// of one supporter to one campaign. Each failed attempt has its own mail. The link opens the
// first pledge. It fails with code Invalid if there are no pledges, or if a pledge has no
// failed charge.
func UpdateCardMail(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return updateCard(UpdateCardIdentity, pledges, c, l, zone, now)
}

// CardReminderMail composes a reminder with the same content as UpdateCardMail. Each failed attempt
// has one reminder. It fails like UpdateCardMail.
func CardReminderMail(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return updateCard(CardReminderIdentity, pledges, c, l, zone, now)
}

func updateCard(identity func(*pledge.Pledge, int) string, pledges []*pledge.Pledge, c *campaign.Campaign,
	l Links, zone *time.Location, now time.Time) (notify.Message, error) {
	for _, p := range pledges {
		if p.LastFailure == nil {
			return notify.Message{}, fault.New(fault.Invalid, "The pledge has no failed charge")
		}
	}
	p := firstPledge(pledges)
	generation := 0
	if p.LastFailure != nil {
		generation = p.LastFailure.Generation
	}
	return compose(notify.UpdateCard, identity(p, generation), pledges, c, l, zone, now)
}

// UpdateCardIdentity returns the identity of the mail that asks for another card after the given
// failed attempt to charge a pledge.
func UpdateCardIdentity(p *pledge.Pledge, generation int) string {
	return fmt.Sprintf("update-card:%s:%s:%d", p.CampaignSlug, chargeGroup(p), generation)
}

// CardReminderIdentity returns the identity of the reminder that follows the mail of
// UpdateCardIdentity.
func CardReminderIdentity(p *pledge.Pledge, generation int) string {
	return UpdateCardIdentity(p, generation) + ":reminder"
}

// IdentitiesOf returns the identities of all mails about a pledge's own changes, charges and
// parcels that can exist after the given number of charge attempts.
func IdentitiesOf(p *pledge.Pledge, attempts int) []string {
	all := []string{"confirmation:" + p.OrderID, "cancelled:" + p.OrderID, "missed:" + p.OrderID,
		fmt.Sprintf("dropped:%s:%s", p.CampaignSlug, chargeGroup(p))}
	for i, e := range p.History {
		switch e.Type { // each entry is one revision
		case "modified":
			all = append(all, fmt.Sprintf("modified:%s:%d", p.OrderID, i+1))
		case pledge.CardUpdated:
			all = append(all, cardReplacedIdentity(p.OrderID, i+1))
		case pledge.AddressChanged:
			all = append(all, readdressedIdentity(p.OrderID, i+1))
		}
	}
	for _, parcel := range p.Parcels {
		all = append(all, parcelIdentity(p.OrderID, parcel.Fulfiller))
	}
	for generation := range attempts {
		all = append(all, UpdateCardIdentity(p, generation+1), CardReminderIdentity(p, generation+1))
	}
	if p.PaymentIntentID != "" {
		all = append(all, "charged:"+p.PaymentIntentID)
	}
	return all
}

// DroppedMail composes the mail about pledges that were dropped after their charge failed: those
// of one supporter to one campaign. It fails with code Invalid if there are no pledges, or if
// one was not dropped.
func DroppedMail(pledges []*pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	for _, p := range pledges {
		if !p.Dropped() {
			return notify.Message{}, fault.New(fault.Invalid, "The pledge was not dropped")
		}
	}
	p := firstPledge(pledges)
	return compose(notify.Dropped, fmt.Sprintf("dropped:%s:%s", p.CampaignSlug, chargeGroup(p)), pledges, c, l, zone, now)
}

// MissedMail composes the mail about a pledge whose campaign missed its goal: it is not charged,
// and its card was deleted.
func MissedMail(p *pledge.Pledge, c *campaign.Campaign, l Links, zone *time.Location,
	now time.Time) (notify.Message, error) {
	return compose(notify.Missed, "missed:"+p.OrderID, []*pledge.Pledge{p}, c, l, zone, now)
}

// chargeGroup returns the name of the group of pledges that are charged together with p. One
// address can have several groups. Earlier releases had one group per address, without a name; for
// their pledges it returns the hash of the address.
func chargeGroup(p *pledge.Pledge) string {
	if p.Group != "" {
		return p.Group
	}
	return pledge.EmailHash(p.Email)
}

// firstPledge returns the first pledge, or an empty one for an empty list, which compose rejects
// later.
func firstPledge(pledges []*pledge.Pledge) *pledge.Pledge {
	if len(pledges) == 0 {
		return &pledge.Pledge{}
	}
	return pledges[0]
}

// claimOf returns the claim of a mail of the given kind, or nil for kinds without a claim.
func claimOf(kind notify.Kind, pledges []*pledge.Pledge) *notify.Claim {
	c := &notify.Claim{}
	for _, p := range pledges {
		c.Pledges = append(c.Pledges, p.OrderID)
	}
	switch kind {
	case notify.Charged:
		c.PaymentID = pledges[0].PaymentIntentID
	case notify.UpdateCard:
		c.Generation = pledges[0].LastFailure.Generation
	case notify.Dropped, notify.Missed, notify.Cancelled:
	default:
		return nil
	}
	return c
}

// compose composes a mail about pledges that needs no data besides them and their campaign.
func compose(kind notify.Kind, identity string, pledges []*pledge.Pledge, c *campaign.Campaign,
	links Links, zone *time.Location, now time.Time) (notify.Message, error) {
	return composePledgeMail(kind, identity, pledgeMail{campaign: c, pledges: pledges, zone: zone}, links, now)
}

// composePledgeMail composes a mail about the pledges in l, and adds its totals and links to l. A
// mail that would exceed the size limits is composed in its brief form, so that supporters with
// very many pledges still get one. It fails with code Invalid if there are no pledges.
func composePledgeMail(kind notify.Kind, identity string, l pledgeMail, links Links,
	now time.Time) (notify.Message, error) {
	if len(l.pledges) == 0 {
		return notify.Message{}, fault.New(fault.Invalid, "A mail needs at least one pledge")
	}
	var agreed, paid []money.Cents
	for _, p := range l.pledges {
		agreed, paid = append(agreed, p.Amount), append(paid, p.Paid())
	}
	var err error
	if l.agreed, err = money.Sum(agreed...); err != nil {
		return notify.Message{}, err
	}
	if l.total = l.agreed; kind == notify.Charged {
		l.total, err = money.Sum(paid...)
	}
	if err != nil {
		return notify.Message{}, err
	}
	if l.manageLink, err = links.Manage(l.pledges[0], now); err != nil {
		return notify.Message{}, err
	}
	if l.hasOthers {
		if l.joinLink, err = links.Join(l.pledges[0], now); err != nil {
			return notify.Message{}, err
		}
	}
	p := l.pledges[0]
	l.title, l.language, l.platform = notify.PlainLine(l.campaign.Title), languageFor(p.PreferredLang),
		notify.PlainLine(links.Platform.Name)
	message := func() notify.Message {
		d := l.draft(kind)
		d.Platform = links.Platform
		return d.message(kind, identity, p.Email)
	}
	m := message()
	if !fits(m) {
		l.brief = true
		m = message()
	}
	m.Campaign, m.Claim = p.CampaignSlug, claimOf(kind, l.pledges)
	if err := m.Check(); err != nil {
		return notify.Message{}, err
	}
	return m, nil
}
