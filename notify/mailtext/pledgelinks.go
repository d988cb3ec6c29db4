package mailtext

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// linksLife is the age at which requested links are no longer sent. By then the supporter has
// probably requested them again.
const linksLife = 24 * time.Hour

// LinksMail composes the mail with the manage links for a supporter's pledges, in the language
// of the newest pledge. Its identity contains the hour (UTC), so that repeated requests within the
// same hour send one mail. title returns a campaign's title. It fails with code Invalid if there
// are no pledges.
func LinksMail(pledges []*pledge.Pledge, title func(slug string) string, links Links,
	now time.Time) (notify.Message, error) {
	if len(pledges) == 0 {
		return notify.Message{}, fault.New(fault.Invalid, "A mail needs at least one pledge")
	}
	last := pledges[len(pledges)-1]
	w := languageFor(last.PreferredLang)
	d := draft{language: w, Platform: links.Platform, subject: w.Format("links_subject"),
		preview: w.Format("links"), blocks: group{textParagraph(w.Format("links"))}}
	for _, p := range pledges {
		link, err := links.Manage(p, now)
		if err != nil {
			return notify.Message{}, err
		}
		each := w.Format("links_each", "title", notify.PlainLine(title(p.CampaignSlug)), "total",
			w.amount(p.PaidOrDue()), "link", link)
		d.blocks = append(d.blocks, newAction(each, w.Format("links_each_button")))
	}
	d.blocks = append(d.blocks, textParagraph(w.Format("links_tail")))
	m := d.message(notify.LinksAgain,
		strings.Join([]string{"links", pledge.EmailHash(last.Email), now.UTC().Format("2006010215")}, ":"), last.Email)
	m.NotAfter = now.Add(linksLife)
	if !fits(m) {
		m.HTML = "" // fall back to plain text rather than drop links
	}
	return m, m.Check()
}

// LostMail composes the mail to a supporter whose card was saved but whose order cannot become
// a pledge. The card is not charged. The link restores the cart, or leads to the campaign
// if cart is "".
func LostMail(email, orderID string, c *campaign.Campaign, lang, cart string, links Links) (notify.Message, error) {
	w, title := languageFor(lang), notify.PlainLine(c.Title)
	to := strings.TrimRight(links.SiteBase, "/") + w.prefix()
	if cart == "" {
		to += "/campaigns/" + c.Slug + "/"
	} else {
		to += "/checkout/#cart=" + cart // in the fragment, so that no server logs it
	}
	d := draft{
		language: w, Platform: links.Platform, subject: w.Format("lost_subject", "title", title),
		preview: w.Format("lost", "title", title),
		blocks: group{
			textParagraph(w.Format("lost", "title", title)),
			newAction(w.Format("lost_again", "link", to), w.Format("lost_again_button")),
			small(w.Format("orders", "count", "1", "orders", orderID)),
		},
	}
	m := d.message(notify.LostOrder, "lost:"+orderID, email)
	m.Campaign = c.Slug
	return m, m.Check()
}
