package mailtext

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// CardTrouble is the reason why a card cannot be charged when its campaign ends.
type CardTrouble string

// The reasons.
const (
	CardEnds CardTrouble = "expires" // it expires before then
	CardGone CardTrouble = "gone"    // the processor can no longer charge it
)

// NewCardIdentity returns the identity of the mail that asks a campaign's supporter for
// another card. Each reason has its own mail.
func NewCardIdentity(slug, email string, why CardTrouble) string {
	return strings.Join([]string{string(notify.NewCard), slug, pledge.EmailHash(email), string(why)}, ":")
}

// CardProblemMail composes the mail that asks a supporter to replace the cards of the given pledges
// before the campaign's deadline, with a link for each pledge. All pledges must have the same email
// address. It fails with code Invalid if there are none, and for a campaign without a deadline.
func CardProblemMail(cards []*pledge.Pledge, why CardTrouble, c *campaign.Campaign, links Links,
	zone *time.Location, now time.Time) (notify.Message, error) {
	if len(cards) == 0 || c.Deadline.IsZero() {
		return notify.Message{}, fault.New(fault.Invalid,
			"A card reminder needs at least one pledge and a campaign with a deadline")
	}
	p, title := cards[0], notify.PlainLine(c.Title)
	w := languageFor(p.PreferredLang)
	deadline := w.moment(c.EndsAt(zone).Add(-time.Second).In(zone))
	lead := w.Format("new_card_"+string(why), "title", title, "deadline", deadline)
	d := draft{
		language: w, Platform: links.Platform, preview: lead, subject: w.Format("new_card_subject", "title", title),
		blocks: group{textParagraph(lead),
			textParagraph(w.Format("new_card_rule", "title", title, "goal", w.price(c.Goal), "deadline", deadline))},
	}
	for _, p := range cards {
		link, err := links.Manage(p, now)
		if err != nil {
			return notify.Message{}, err
		}
		d.blocks = append(d.blocks,
			newAction(w.Format("new_card_open", "order", p.OrderID, "link", link), w.Format("new_card_open_button")))
	}
	m := d.message(notify.NewCard, NewCardIdentity(c.Slug, p.Email, why), p.Email)
	m.Campaign, m.NotAfter = c.Slug, c.EndsAt(zone)
	if !fits(m) {
		m.HTML = "" // fall back to plain text rather than drop links
	}
	return m, m.Check()
}
