package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LinksOf writes the mail with the links to a supporter's pledges, in the language of the
// last one: whoever asks for it, and however often, it is one mail in an hour. The titles
// are those of the pledges' campaigns. It fails with code Invalid when there is no pledge.
func LinksOf(pledges []*pledge.Pledge, title func(slug string) string, links Links, now time.Time) (Message, error) {
	if len(pledges) == 0 {
		return Message{}, fault.New(fault.Invalid, "A mail is about at least one pledge")
	}
	last := pledges[len(pledges)-1]
	lang, head := "en", "Your pledges"
	lead, each := "These links show your pledges. Each works for 90 days; keep them to yourself.", "%s, %s:\n%s"
	tail := "If you did not ask for this mail, you need not do anything: it went to you alone."
	if pledge.Language(last.PreferredLang) == "es" {
		lang, head = "es", "Tus aportaciones"
		lead = "Estos enlaces muestran tus aportaciones. Cada uno vale 90 días; no los compartas."
		tail = "Si no pediste este correo, no tienes que hacer nada: solo te llegó a ti."
	}
	parts := []string{lead}
	for _, p := range pledges {
		link, err := links.Manage(p, now)
		if err != nil {
			return Message{}, err
		}
		parts = append(parts, fmt.Sprintf(each, plain(title(p.CampaignSlug)), p.Amount, link))
	}
	m := Message{
		Kind: LinksAgain, To: last.Email, Lang: lang, Subject: head, Text: paragraphs(append(parts, tail)...),
		Identity: strings.Join([]string{"links", pledge.EmailHash(last.Email), now.UTC().Format("2006010215")}, ":"),
	}
	return m, m.check()
}

// LostOf writes the mail to a supporter whose card was saved and whose order can not become
// a pledge: the card is not charged, and the link fills the cart again, or leads to the
// campaign where the cart is "".
func LostOf(email, orderID string, c *campaign.Campaign, lang, cart string, links Links) (Message, error) {
	title, page := plain(c.Title), strings.TrimRight(links.SiteBase, "/")
	to := "/campaigns/" + c.Slug + "/"
	if cart != "" {
		to = "/checkout/#cart=" + cart // behind the #, so that no server's log has it
	}
	m := Message{Kind: LostOrder, To: email, Identity: "lost:" + orderID, Lang: "en"}
	if m.Lang = pledge.Language(lang); m.Lang == "es" {
		m.Subject = subject("Haz de nuevo tu aportación a " + title)
		m.Text = paragraphs(
			fmt.Sprintf("Guardaste una tarjeta para %s, pero no pudimos hacer tu aportación. No se cobrará nada por ella.", title),
			"Si aún quieres apoyar la campaña, haz tu aportación de nuevo con este enlace:\n"+page+"/es"+to,
			"Número: "+orderID)
		return m, m.check()
	}
	m.Lang, m.Subject = "en", subject("Please pledge to "+title+" again")
	m.Text = paragraphs(
		fmt.Sprintf("You saved a card for %s, but we could not make your pledge. Nothing will be charged for it.", title),
		"If you still want to support the campaign, please pledge again with this link:\n"+page+to,
		"Order: "+orderID)
	return m, m.check()
}
