package preview

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// now is the time in the examples. It is constant, so that the mails of one release are
// reproducible.
var now = time.Date(2026, 11, 2, 18, 0, 0, 0, time.UTC)

// Subject is the content that mails are about.
type Subject struct {
	Campaign *campaign.Campaign
	Lines    []pledge.Line    // of a pledge to the campaign
	News     []campaign.Block // of a diary entry
	Count    int              // of pledges, for mails with a number
}

// writer collects mails in one language and keeps the first error.
type writer struct {
	Subject
	lang     string
	links    mailtext.Links
	zone     *time.Location
	campaign *campaign.Campaign
	mails    []Mail
	err      error
}

// examples returns one mail of every kind and case about a fictitious campaign.
func examples(lang, siteBase string, p mailtext.Platform) ([]Mail, error) {
	deadline, err := campaign.ParseMoment("2026-11-20")
	if err != nil {
		return nil, err
	}
	return Mails(lang, siteBase, p, Subject{
		Campaign: &campaign.Campaign{
			Slug: "night-ferry", Title: "Night Ferry", Goal: money.Dollars(25_000), Deadline: deadline,
			Tiers: []campaign.Tier{{ID: "bluray", Delivery: campaign.Delivery{Category: campaign.Physical},
				EstimatedDelivery: "2027-11"}},
		},
		Lines: []pledge.Line{
			{Kind: pledge.TierLine, ID: "bluray", Name: "Blu-ray", Quantity: 1, UnitPrice: 4000, Amount: 4000},
			{Kind: pledge.CampaignAddOnLine, ID: "shirt", Name: "T-shirt", VariantName: "M",
				Quantity: 2, UnitPrice: 2501, Amount: 5002},
			{Kind: pledge.CustomLine, ID: "more", Quantity: 1, UnitPrice: 1000, Amount: 1000},
		},
		News: []campaign.Block{
			{Type: campaign.TextBlock, Text: diary},
			{Type: campaign.ImageBlock,
				Images: []campaign.Image{{Src: "/assets/images/night-ferry/hero.jpg", Alt: "The ferry at night"}}},
		},
		Count: 2,
	})
}

// Mails returns one mail of every kind and case about a subject. It fails if one of them cannot be
// written.
func Mails(lang, siteBase string, p mailtext.Platform, s Subject) ([]Mail, error) {
	w := &writer{
		Subject: s, lang: lang, zone: time.UTC, campaign: s.Campaign,
		// The secret is an example, so the links lead to no real pledge.
		links: mailtext.Links{SiteBase: siteBase, Signer: token.Signer{Secret: make([]byte, 32)}, Platform: p},
	}
	w.addPledgeMails()
	w.addChargeMails()
	w.addParcelMails()
	w.addOtherMails()
	w.addNewsMail()
	w.addReminderMails()
	w.addOperatorMails()
	return w.mails, w.err
}

func (w *writer) add(name string, m notify.Message, err error) {
	if w.err != nil || err != nil {
		if w.err == nil {
			w.err = fmt.Errorf("%s in %s: %w", name, w.lang, err)
		}
		return
	}
	w.mails = append(w.mails, Mail{Name: name + "." + w.lang, Message: m})
}

// pledge returns a fictitious pledge.
func (w *writer) pledge() *pledge.Pledge {
	p := &pledge.Pledge{
		OrderID: "pw-01arz3ndektsv4rrffq69g5fav", Email: "ada@example.com", CampaignSlug: w.campaign.Slug,
		PreferredLang: w.lang,
		Revision:      2, Status: pledge.Active, PaymentIntentID: "pi_1",
		Lines: w.Lines, History: []pledge.Entry{{Type: "created"}, {Type: pledge.CardUpdated}},
		Card: &pledge.CardLabel{Brand: "visa", Last4: "4242"},
		ShippingAddress: &pledge.Address{Name: "Ada Lovelace", Line1: "1 Analytical Way", City: "Santa Fe",
			State: "NM", PostalCode: "87501", Country: "US"},
	}
	var err error
	if p.Totals, err = pledge.CalculateTotals(p.Lines, 788, 300, pledge.Tip{Percent: 5}); err != nil && w.err == nil {
		w.err = err
	}
	return p
}

func (w *writer) addPledgeMails() {
	p, joined := w.pledge(), w.pledge()
	joined.JoinedAt = &now
	type compose func(*pledge.Pledge, *campaign.Campaign, mailtext.Links, *time.Location,
		time.Time) (notify.Message, error)
	for _, one := range []struct {
		name    string
		compose compose
		pledge  *pledge.Pledge
	}{
		{"confirmation", mailtext.ConfirmationMail, p},
		{"confirmation-beside-others", mailtext.ConfirmationAmongOthers, p},
		{"confirmation-joined", mailtext.ConfirmationAmongOthers, joined},
		{"confirmation-same-browser",
			mailtext.GroupedConfirmation(pledge.ByConfirmation, max(1, w.Count-1), p.Amount+2500), p},
		{"modified", mailtext.ModifiedMail, p},
		{"card-replaced", mailtext.CardReplacedMail, p},
		{"cancelled", mailtext.CancelledMail, p},
		{"missed", mailtext.MissedMail, p},
	} {
		m, err := one.compose(one.pledge, w.campaign, w.links, w.zone, now)
		w.add(one.name, m, err)
	}
}

func (w *writer) addParcelMails() {
	p := w.pledge()
	m, err := mailtext.ParcelSentMail(p, pledge.Parcel{
		Fulfiller: pledge.ByCampaign, Status: pledge.Sent, SentOn: now.Format(time.DateOnly),
		Carrier: "UPS", Tracking: "1Z999AA10123456784", Link: "https://www.ups.com/track?tracknum=1Z999AA10123456784",
	}, w.campaign, w.links, now)
	w.add("parcel-sent", m, err)
	m, err = mailtext.ReaddressedMail(p, w.campaign, w.links, now)
	w.add("readdressed", m, err)
	refund := pledge.Refund{ID: "example", Amount: p.Amount / 2}
	m, err = mailtext.RefundedMail(p, refund, "", w.campaign, w.links, now)
	w.add("refunded", m, err)
	m, err = mailtext.RefundFailedMail(p, refund, w.campaign, w.links, now)
	w.add("refund-failed", m, err)
}

func (w *writer) addChargeMails() {
	paid, second := w.pledge(), w.pledge()
	paid.Charged, second.Charged, second.OrderID = true, true, "pw-01bx5zzkbkactav9wevgemmvrz"
	paid.ChargedAt, second.ChargedAt = &now, &now
	m, err := mailtext.ChargedMail([]*pledge.Pledge{paid, second}, w.campaign, w.links, w.zone, now)
	w.add("charged", m, err)
	until, retry := now.AddDate(0, 0, 7), now.AddDate(0, 0, 3)
	for _, one := range []struct {
		name     string
		recovery *pledge.Recovery
	}{
		{"update-card", nil},
		{"update-card-new-card", &pledge.Recovery{Lane: pledge.NewCard, Until: until}},
		{"update-card-approve", &pledge.Recovery{Lane: pledge.Approve, Until: until}},
		{"update-card-wait", &pledge.Recovery{Lane: pledge.Wait, Until: until, RetryAt: &retry}},
	} {
		p := w.pledge()
		p.LastFailure, p.Recovery = &pledge.Failure{Code: "card_declined", DeclineCode: "insufficient_funds"}, one.recovery
		m, err := mailtext.UpdateCardMail([]*pledge.Pledge{p}, w.campaign, w.links, w.zone, now)
		w.add(one.name, m, err)
	}
	dropped := w.pledge()
	dropped.LastFailure, dropped.Recovery = &pledge.Failure{Code: "card_declined"},
		&pledge.Recovery{Lane: pledge.Dropped, Until: until}
	m, err = mailtext.DroppedMail([]*pledge.Pledge{dropped}, w.campaign, w.links, w.zone, now)
	w.add("dropped", m, err)
}

func (w *writer) addOtherMails() {
	p, second := w.pledge(), w.pledge()
	second.CampaignSlug = "slow-weather"
	titles := map[string]string{p.CampaignSlug: w.campaign.Title, second.CampaignSlug: "Slow Weather"}
	m, err := mailtext.LinksMail([]*pledge.Pledge{p, second},
		func(slug string) string { return titles[slug] }, w.links, now)
	w.add("links", m, err)
	for _, why := range []mailtext.CardTrouble{mailtext.CardEnds, mailtext.CardGone} {
		m, err := mailtext.CardProblemMail([]*pledge.Pledge{p}, why, w.campaign, w.links, w.zone, now)
		w.add("new-card-"+string(why), m, err)
	}
	m, err = mailtext.LostMail(p.Email, p.OrderID, w.campaign, w.lang, "", w.links)
	w.add("lost-order", m, err)
}

const diary = `## On the ferry

We shot *three* nights **on the ferry**, all in rain. [The whole log](/campaigns/night-ferry/) has every scene.

1. Sound
2. Colour
   - night
   - day

> Keep the engine running.

---

https://vimeo.com/123456789
`

func (w *writer) addNewsMail() {
	n := mailtext.DiaryNews(campaign.DiaryEntry{Title: "Three nights on the ferry", Content: w.News}, w.campaign, w.lang)
	n.Identity, n.To, n.Unsubscribe = "diary", "ada@example.com", w.links.SiteBase+"/unsubscribe/"
	m, err := mailtext.NewsMail(n, w.campaign, w.links)
	w.add("diary", m, err)
}

func (w *writer) addReminderMails() {
	r := mailtext.Reminder{Identity: "reminder", To: "ada@example.com", Lang: w.lang,
		Link: w.links.SiteBase + "/", Unsubscribe: w.links.SiteBase + "/unsubscribe/"}
	m, err := mailtext.LaunchConfirmationMail(r, w.campaign, w.links.Platform)
	w.add("launch-confirmation", m, err)
	m, err = mailtext.LaunchReminderMail(r, w.campaign, w.links.Platform, w.zone)
	w.add("launch-reminder", m, err)
	m, err = mailtext.CartReminderMail(r,
		[]*campaign.Campaign{w.campaign, {Slug: "slow-weather", Title: "Slow Weather"}}, w.links.Platform)
	w.add("abandoned-cart", m, err)
	for _, topic := range []notify.ReportTopic{notify.PledgeReport, notify.FulfillmentReport} {
		m, err := mailtext.ReportMail(mailtext.Report{Topic: topic, To: "ada@example.com", Lang: w.lang, Day: now,
			Active: w.Count, Total: 43_210, CSV: "order_id\n"}, w.campaign, w.links.Platform)
		w.add("report-"+string(topic), m, err)
	}
}

func (w *writer) addOperatorMails() {
	in := mailtext.SignIn{
		Identity: "sign-in", To: "ada@example.com", Name: "Ada", Lang: w.lang, Code: "0123 4567",
		Link: w.links.SiteBase + "/admin/#sign-in=Zm9yIG5vYm9keQ",
	}
	m, err := mailtext.SignInMail(in, w.links.Platform)
	w.add("admin-sign-in", m, err)
	in.Link = w.links.SiteBase + "/admin/"
	m, err = mailtext.InvitationMail(in, w.links.Platform)
	w.add("admin-invitation", m, err)
	for i, name := range []string{"opened", "due"} {
		m, err = mailtext.DisputeMail(in, mailtext.Dispute{Title: w.campaign.Title, Amount: 2697,
			AnswerBy: w.campaign.EndsAt(time.UTC).AddDate(0, 2, 0), Reminder: i == 1}, w.links.Platform)
		w.add("admin-dispute-"+name, m, err)
	}
	m, err = mailtext.FraudWarningMail(in, w.campaign.Title, 2697, w.links.Platform)
	w.add("admin-fraud-warning", m, err)
	in.Link = w.links.SiteBase + "/campaigns/night-ferry/preview/#t=token"
	m, err = mailtext.PreviewMail(in, w.campaign.Title, w.links.Platform)
	w.add("preview-link", m, err)
	in.Link = w.links.SiteBase + "/admin/"
	for _, what := range []mailtext.SignInChange{mailtext.PasskeyAdded, mailtext.PasskeyRemoved,
		mailtext.RecoveryCodeUsed, mailtext.RecoveryCodesMade, mailtext.PasskeysReset} {
		m, err := mailtext.SignInChangedMail(in, what, w.links.Platform)
		w.add("admin-change-"+string(what), m, err)
	}
}
