package notify

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// linksStale is when links that somebody asked for are no news to them any more: they ask
// again.
const linksStale = 24 * time.Hour

// LinksOf writes the mail with the links to a supporter's pledges, in the language of the
// last one: whoever asks for it, and however often, it is one mail in an hour. The titles
// are those of the pledges' campaigns. It fails with code Invalid when there is no pledge.
func LinksOf(pledges []*pledge.Pledge, title func(slug string) string, links Links, now time.Time) (Message, error) {
	if len(pledges) == 0 {
		return Message{}, fault.New(fault.Invalid, "A mail is about at least one pledge")
	}
	last := pledges[len(pledges)-1]
	w := wordsOf(last.PreferredLang)
	d := draft{words: w, Platform: links.Platform, subject: w.say("links_subject"), preview: w.say("links"), blocks: group{say(w.say("links"))}}
	for _, p := range pledges {
		link, err := links.Manage(p, now)
		if err != nil {
			return Message{}, err
		}
		each := w.say("links_each", "title", plain(title(p.CampaignSlug)), "total", p.PaidOrDue().String(), "link", link)
		d.blocks = append(d.blocks, actionOf(each, w.say("links_each_button")))
	}
	d.blocks = append(d.blocks, say(w.say("links_tail")))
	m := d.message(LinksAgain, strings.Join([]string{"links", pledge.EmailHash(last.Email), now.UTC().Format("2006010215")}, ":"), last.Email)
	m.NotAfter = now.Add(linksStale)
	if !m.fits() {
		m.HTML = "" // every link has to be there, if need be as text alone
	}
	return m, m.Check()
}

// LostOf writes the mail to a supporter whose card was saved and whose order can not become
// a pledge: the card is not charged, and the link fills the cart again, or leads to the
// campaign where the cart is "".
func LostOf(email, orderID string, c *campaign.Campaign, lang, cart string, links Links) (Message, error) {
	w, title := wordsOf(lang), plain(c.Title)
	to := strings.TrimRight(links.SiteBase, "/") + w.prefix
	if cart == "" {
		to += "/campaigns/" + c.Slug + "/"
	} else {
		to += "/checkout/#cart=" + cart // behind the #, so that no server's log has it
	}
	d := draft{
		words: w, Platform: links.Platform, subject: w.say("lost_subject", "title", title), preview: w.say("lost", "title", title),
		blocks: group{
			say(w.say("lost", "title", title)),
			actionOf(w.say("lost_again", "link", to), w.say("lost_again_button")),
			small(w.say("orders", "orders", orderID)),
		},
	}
	m := d.message(LostOrder, "lost:"+orderID, email)
	m.Campaign = c.Slug
	return m, m.Check()
}
