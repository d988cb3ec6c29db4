package notify

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// linksLife is how long requested links are worth sending. After that the supporter has
// probably requested them again.
const linksLife = 24 * time.Hour

// LinksOf writes the mail with the manage links for a supporter's pledges, in the language
// of the newest pledge. Its identity covers one hour, so repeated requests within an hour
// send one mail. The titles are those of the pledges' campaigns. It fails with code Invalid
// if there are no pledges.
func LinksOf(pledges []*pledge.Pledge, title func(slug string) string, links Links, now time.Time) (Message, error) {
	if len(pledges) == 0 {
		return Message{}, fault.New(fault.Invalid, "A mail needs at least one pledge")
	}
	last := pledges[len(pledges)-1]
	w := catalogFor(last.PreferredLang)
	d := draft{catalog: w, Platform: links.Platform, subject: w.format("links_subject"), preview: w.format("links"), blocks: group{textParagraph(w.format("links"))}}
	for _, p := range pledges {
		link, err := links.Manage(p, now)
		if err != nil {
			return Message{}, err
		}
		each := w.format("links_each", "title", plain(title(p.CampaignSlug)), "total", p.PaidOrDue().String(), "link", link)
		d.blocks = append(d.blocks, newAction(each, w.format("links_each_button")))
	}
	d.blocks = append(d.blocks, textParagraph(w.format("links_tail")))
	m := d.message(LinksAgain, strings.Join([]string{"links", pledge.EmailHash(last.Email), now.UTC().Format("2006010215")}, ":"), last.Email)
	m.NotAfter = now.Add(linksLife)
	if !m.fits() {
		m.HTML = "" // fall back to plain text rather than drop links
	}
	return m, m.Check()
}

// LostOf writes the mail to a supporter whose card was saved but whose order cannot become
// a pledge. The card is not charged. The link restores the cart, or leads to the campaign
// if cart is "".
func LostOf(email, orderID string, c *campaign.Campaign, lang, cart string, links Links) (Message, error) {
	w, title := catalogFor(lang), plain(c.Title)
	to := strings.TrimRight(links.SiteBase, "/") + w.prefix
	if cart == "" {
		to += "/campaigns/" + c.Slug + "/"
	} else {
		to += "/checkout/#cart=" + cart // in the fragment, so that no server logs it
	}
	d := draft{
		catalog: w, Platform: links.Platform, subject: w.format("lost_subject", "title", title), preview: w.format("lost", "title", title),
		blocks: group{
			textParagraph(w.format("lost", "title", title)),
			newAction(w.format("lost_again", "link", to), w.format("lost_again_button")),
			small(w.format("orders", "orders", orderID)),
		},
	}
	m := d.message(LostOrder, "lost:"+orderID, email)
	m.Campaign = c.Slug
	return m, m.Check()
}
