package mailtext_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// delivered returns the film with estimated delivery dates.
func delivered(t testing.TB) *campaign.Campaign {
	t.Helper()
	c := film(t)
	c.Tiers = []campaign.Tier{
		{ID: "disc", Delivery: campaign.Delivery{Category: campaign.Physical}, EstimatedDelivery: "2027-11"},
		{ID: "stream", Delivery: campaign.Delivery{Category: campaign.Digital}, EstimatedDelivery: "2027-10"},
	}
	return c
}

// detailed returns a pledge with a card, an address, a tax note and a second reward.
func detailed(t testing.TB, lang string) *pledge.Pledge {
	t.Helper()
	p := pledged(t)
	p.PreferredLang, p.Card = lang, &pledge.CardLabel{Brand: "visa", Last4: "4242"}
	p.ShippingAddress = &pledge.Address{Name: "Ada Sample", Line1: "418 Canyon Lane", City: "Santa Fe",
		State: "NM", PostalCode: "87501", Country: "US"}
	p.Explanation = []pledge.Derivation{{Amount: "tax", Cents: p.Tax, Rate: "0.07875", Base: p.Subtotal},
		{Amount: "tipAmount", Rate: "0.05"}}
	p.Lines = append(p.Lines, pledge.Line{Kind: pledge.TierLine, ID: "stream", Name: "The film", Quantity: 1})
	p.History = []pledge.Entry{{Type: "created"}, {Type: pledge.CardUpdated}, {Type: "modified"}}
	at := time.Date(2026, 7, 2, 3, 0, 0, 0, time.UTC)
	p.ChargedAt = &at
	return p
}

// Confirmation and receipt name the card, the address, the delivery and the tax. The receipt has
// the date and the delivery of each reward.
func TestMails_Details(t *testing.T) {
	p := detailed(t, "en")
	m, err := mailtext.ConfirmationMail(p, delivered(t), platform(), mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	address := "Ships to\n  Ada Sample\n  418 Canyon Lane\n  Santa Fe, NM 87501\n  United States (Standard delivery)\n"
	all := []string{
		"will be charged to your Visa ending in 4242, but only if", "  Blu-ray (Delivery November 2027): $40.00\n",
		"  Tax (7.875% of $1,324.02): $104.29\n",
		"  Tip for " + platform().Platform.Name + ": $66.20\n", address,
	}
	for _, want := range all {
		if !strings.Contains(m.Text, want) {
			t.Errorf("no %q in:\n%s", want, m.Text)
		}
	}
	paid := detailed(t, "en")
	paid.Charged, paid.PaymentIntentID = true, "pi_1"
	other := *paid
	other.OrderID, other.ShippingOption = "pw-01bx5zzkbkactav9wevgemmvrz", "signature_required"
	other.Card, other.CardSavedAt = &pledge.CardLabel{Brand: "amex", Last4: "0005"}, start
	m, err = mailtext.ChargedMail([]*pledge.Pledge{paid, &other}, delivered(t), platform(), mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range append(all[1:],
		"$2,995.02 was charged to your American Express ending in 0005 on July 1, 2026.",
		"United States (Signature required)\n", "  Charged (US dollars, July 1, 2026): $2,995.02\n",
		"What happens next\n  October 2027 (The film): Download\n  November 2027 (Blu-ray): Parcel\n") {
		if !strings.Contains(m.Text, want) {
			t.Errorf("no %q in:\n%s", want, m.Text)
		}
	}
}

// If the campaign moves a delivery, emails show the new month and the promised one.
func TestMails_PromisedDelivery(t *testing.T) {
	for promised, want := range map[string][2]string{
		"":        {"Blu-ray (Delivery November 2027): $", "Blu-ray (Entrega: noviembre de 2027): "},
		"2027-11": {"Blu-ray (Delivery November 2027): $", "Blu-ray (Entrega: noviembre de 2027): "},
		"2027-09": {"Blu-ray (Delivery November 2027; when you pledged: September 2027): $",
			"Blu-ray (Entrega: noviembre de 2027; cuando aportaste: septiembre de 2027): "},
	} {
		for i, lang := range []string{"en", "es"} {
			p := detailed(t, lang)
			p.Lines[0].PromisedDelivery = promised
			m, err := mailtext.ConfirmationMail(p, delivered(t), platform(), mountain(t), start)
			if err != nil || !strings.Contains(m.Text, want[i]) {
				t.Errorf("promised for %q: no %q in:\n%s (%v)", promised, want[i], m.Text, err)
			}
		}
	}
	for lang, want := range map[string]string{"en": "Blu-ray (When you pledged: delivery September 2027): $",
		"es": "Blu-ray (Entrega prevista cuando aportaste: septiembre de 2027): "} {
		p := detailed(t, lang)
		p.Lines[0].PromisedDelivery = "2027-09"
		m, err := mailtext.ConfirmationMail(p, film(t), platform(), mountain(t), start)
		if err != nil || !strings.Contains(m.Text, want) {
			t.Errorf("no estimate: no %q in:\n%s (%v)", want, m.Text, err)
		}
	}
}

// There is one mail per replaced card, even if the pledge is changed repeatedly later.
func TestCardReplaced(t *testing.T) {
	p := detailed(t, "en")
	m, err := mailtext.CardReplacedMail(p, delivered(t), platform(), mountain(t), start)
	if err != nil || m.Identity != "card-replaced:"+p.OrderID+":2" ||
		m.Subject != "New card for your pledge to Night Shift" {
		t.Errorf("%q, %q, %v", m.Identity, m.Subject, err)
	}
	if !strings.Contains(m.Text, "Your pledge to Night Shift will now be charged to your Visa ending in 4242") ||
		!strings.Contains(m.Text, "Nothing has been charged.") {
		t.Error(m.Text)
	}
	found := false
	for _, id := range mailtext.IdentitiesOf(p, 0) {
		found = found || id == m.Identity
	}
	if !found {
		t.Errorf("%v lacks %s", mailtext.IdentitiesOf(p, 0), m.Identity)
	}
}

// The mail about a failed charge states the consequence of missing the date.
func TestUpdateCard_NextStep(t *testing.T) {
	until, retry := start.AddDate(0, 0, 7), start.AddDate(0, 0, 3)
	const dropped = "After that your pledge is dropped: you lose the rewards and owe nothing."
	for want, r := range map[string]pledge.Recovery{
		"Pay by March 8, 2026, 6:00 AM MDT to keep your pledge. " + dropped: {
			Lane: pledge.NewCard, Until: until},
		"Approve the payment, or pay with another card, by March 8, 2026, 6:00 AM MDT to keep your pledge. " + dropped: {
			Lane: pledge.Approve, Until: until},
		"To pay sooner, use another card. If $1,497.51 isn't paid by March 8, 2026, 6:00 AM MDT, your pledge is dropped: " +
			"you lose the rewards and owe nothing.\n\n": {
			Lane: pledge.Wait, Until: until, RetryAt: &retry},
	} {
		p := pledged(t)
		p.LastFailure, p.Recovery = &pledge.Failure{Code: "card_declined"}, &r
		m, err := mailtext.UpdateCardMail([]*pledge.Pledge{p}, film(t), links, mountain(t), start)
		if err != nil || !strings.Contains(m.Text, want) {
			t.Errorf("%v, no %q in:\n%s", err, want, m.Text)
		}
	}
}

// Campaigns in a sentence are joined with "and".
func TestCartReminder_ListsCampaigns(t *testing.T) {
	titled := func(titles ...string) []*campaign.Campaign {
		var all []*campaign.Campaign
		for _, title := range titles {
			all = append(all, &campaign.Campaign{Title: title})
		}
		return all
	}
	for _, tt := range []struct {
		lang, want string
		campaigns  []*campaign.Campaign
	}{
		{"en", "Your pledge to Night Ferry and Tidepool Traders isn't finished", titled("Night Ferry", "Tidepool Traders")},
		{"en", "Your pledge to A, B, and C isn't finished", titled("A", "B", "C")},
		{"es", "Night Ferry y Tidepool Traders", titled("Night Ferry", "Tidepool Traders")},
		{"es", "Night Ferry e Isla", titled("Night Ferry", "Isla")},
		{"es", "A, B y Hielo", titled("A", "B", "Hielo")},
	} {
		r := mailtext.Reminder{Identity: "r", To: "ada@example.org", Lang: tt.lang, Link: "https://example.org/",
			Unsubscribe: "https://example.org/unsubscribe?t=x"}
		m, err := mailtext.CartReminderMail(r, tt.campaigns, mailtext.Platform{})
		if err != nil || !strings.Contains(m.Subject, tt.want) {
			t.Errorf("%q, want %q (%v)", m.Subject, tt.want, err)
		}
	}
}

// detailMails returns mails with every detail of a pledge, and lists of campaigns.
func detailMails(t *testing.T, lang string) []notify.Message {
	t.Helper()
	var all []notify.Message
	add := collector(t, &all)
	paid, other := detailed(t, lang), detailed(t, lang)
	last := &other.Lines[len(other.Lines)-1]
	paid.Lines[0].PromisedDelivery, last.PromisedDelivery, last.ID = "2027-09", "2027-09", "gone"
	paid.Charged, other.Charged, paid.PaymentIntentID, other.PaymentIntentID = true, true, "pi_1", "pi_1"
	paid.ShippingOption, other.ShippingOption, other.OrderID = "adult_signature_required",
		"signature_required", "pw-01bx5zzkbkactav9wevgemmvrz"
	add(mailtext.ChargedMail([]*pledge.Pledge{paid}, delivered(t), platform(), mountain(t), start))
	other.ChargedAmount = 1000
	add(mailtext.ChargedMail([]*pledge.Pledge{paid, other}, delivered(t), platform(), mountain(t), start))
	add(mailtext.ConfirmationAmongOthers(detailed(t, lang), &campaign.Campaign{Title: "Night Shift"},
		platform(), mountain(t), start))
	for _, titles := range [][]string{{"Night Ferry", "Slow Weather"}, {"Night Ferry", "Isla"},
		{"Night Ferry", "Isla", "Slow Weather"}, {"Night Ferry", "Slow Weather", "Isla"}} {
		var campaigns []*campaign.Campaign
		for _, title := range titles {
			campaigns = append(campaigns, &campaign.Campaign{Title: title})
		}
		r := mailtext.Reminder{Identity: strings.Join(titles, "-"), To: "ada@example.org", Lang: lang,
			Link: page(lang), Unsubscribe: "https://example.org/unsubscribe?t=x"}
		add(mailtext.CartReminderMail(r, campaigns, platform().Platform))
	}
	return all
}
