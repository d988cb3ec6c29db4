package mailtext_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var update = flag.Bool("update", false, "write the golden files")

// Every mail matches the golden file of its language. The file contains each mail's text and the
// hash of its HTML.
func TestMails_Golden(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		var b strings.Builder
		for _, m := range allKinds(t, lang) {
			fmt.Fprintf(&b, "%s %s\nSubject: %s\n\n%s\nHTML: %x\n%s\n", m.Kind, m.Identity, m.Subject,
				m.Text, sha256.Sum256([]byte(m.HTML)), strings.Repeat("=", 80))
		}
		file := filepath.Join("testdata", "mails."+lang+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-file +written):\n%s", file, diff)
		}
	}
}

// allKinds returns mails of all kinds, with every variant of their texts.
func allKinds(t *testing.T, lang string) []notify.Message {
	t.Helper()
	return slices.Concat(everyMail(t, lang), accountMails(t, lang), campaignMails(t, lang),
		declinedMails(t, lang), detailMails(t, lang))
}

// collector returns a function that appends mails to a list and fails on errors.
func collector(t *testing.T, all *[]notify.Message) func(notify.Message, error) {
	t.Helper()
	return func(m notify.Message, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		*all = append(*all, m)
	}
}

// accountMails returns the mails to users of the dashboard.
func accountMails(t *testing.T, lang string) []notify.Message {
	t.Helper()
	var all []notify.Message
	add := collector(t, &all)
	p := platform().Platform
	user := mailtext.SignIn{Identity: "user", To: "desk@example.org", Name: "Ada", Lang: lang,
		Link: "https://example.org/admin/", Code: "123456", NotAfter: start}
	add(mailtext.SignInMail(user, p))
	add(mailtext.InvitationMail(user, p))
	add(mailtext.CampaignAccessMail(user, "Night Shift", p))
	add(mailtext.PreviewMail(user, "Night Shift", p))
	for _, change := range []mailtext.SignInChange{mailtext.PasskeyAdded, mailtext.PasskeyRemoved,
		mailtext.RecoveryCodeUsed, mailtext.RecoveryCodesMade, mailtext.PasskeysReset} {
		add(mailtext.SignInChangedMail(user, change, p))
	}
	for _, d := range []mailtext.Dispute{{Amount: 2697}, {Amount: 123_456_789, Inquiry: true}, {Amount: 2697, Reminder: true}} {
		d.Title, d.AnswerBy = "Night Shift", start
		add(mailtext.DisputeMail(user, d, p))
	}
	add(mailtext.FraudWarningMail(user, "Night Shift", 2697, p))
	for _, topic := range []notify.ReportTopic{notify.PledgeReport, notify.FulfillmentReport} {
		for _, n := range []int{0, 1, 2, 1_000_000} {
			add(mailtext.ReportMail(mailtext.Report{Topic: topic, To: "desk@example.org", Lang: lang,
				Day: start, Active: n, Total: 123_456, CSV: "a,b\n"}, film(t), p))
		}
		add(mailtext.ReportMail(mailtext.Report{Topic: topic, To: "desk@example.org", Lang: lang,
			Day: start, Active: 5, Total: 5, Refunded: 2, Held: 1, HeldAfterLoss: 3}, film(t), p))
	}
	return all
}

// campaignMails returns news, and mails about cards and lost orders.
func campaignMails(t *testing.T, lang string) []notify.Message {
	t.Helper()
	var all []notify.Message
	add := collector(t, &all)
	c, zone, p := film(t), mountain(t), pledged(t)
	p.PreferredLang = lang
	for _, why := range []mailtext.CardTrouble{mailtext.CardEnds, mailtext.CardGone} {
		add(mailtext.CardProblemMail([]*pledge.Pledge{p, p}, why, c, platform(), zone, start))
	}
	add(mailtext.LostMail(p.Email, p.OrderID, c, lang, "cart", platform()))
	send := func(n mailtext.News) {
		n.Identity, n.To, n.Unsubscribe = string(n.Kind)+":"+n.Subject, "ada@example.org",
			"https://example.org/unsubscribe/?t=abc"
		add(mailtext.NewsMail(n, c, platform()))
	}
	c.StretchGoals = []campaign.StretchGoal{{Threshold: 5_000_000, Title: "A *longer* film"}}
	for _, m := range mailtext.ThresholdsOf(c) {
		send(mailtext.MilestoneNews(m, c, 2_500_000, lang, zone))
	}
	video := campaign.Block{Type: campaign.VideoBlock, Title: "Trailer", URL: "https://youtu.be/abcdefghijk"}
	audio := campaign.Block{Type: campaign.AudioBlock, Title: "Score", Src: "/assets/audio/score.mp3", Caption: "By Ada"}
	send(mailtext.DiaryNews(campaign.DiaryEntry{Title: "A new scene",
		Content: []campaign.Block{{Type: campaign.TextBlock, Text: diary}, video, audio}}, c, lang))
	send(mailtext.News{Kind: notify.LaunchReminder, Lang: lang, Subject: "A reminder",
		Content: []campaign.Block{{Type: campaign.TextBlock, Text: "Soon."}}})
	contributed := *p
	contributed.Lines = []pledge.Line{{Kind: pledge.CustomLine, Quantity: 1, UnitPrice: 5000, Amount: 5000}}
	add(mailtext.ModifiedMail(&contributed, c, platform(), zone, start))
	for month := time.January; month <= time.December+1; month++ { // in the zone, the first date is still in December
		m := *p
		m.OrderID, m.Recovery = fmt.Sprint("pw-", month),
			&pledge.Recovery{Lane: pledge.NewCard, Until: time.Date(2026, month, int(month), int(month)*2-2, 5, 0, 0, time.UTC)}
		m.LastFailure = &pledge.Failure{Generation: int(month)}
		add(mailtext.UpdateCardMail([]*pledge.Pledge{&m}, c, platform(), zone, start))
	}
	return all
}

// declinedMails returns the mails about a failed charge for each reason, and brief mails.
func declinedMails(t *testing.T, lang string) []notify.Message {
	t.Helper()
	var all []notify.Message
	add := collector(t, &all)
	for i, f := range []pledge.Failure{
		{DeclineCode: "insufficient_funds"}, {DeclineCode: "card_velocity_exceeded"},
		{Code: "expired_card"}, {Code: "incorrect_cvc"},
		{DeclineCode: "card_not_supported"}, {Code: "processing_error"}, {Kind: "needs_action"}, {Code: "resource_missing"},
		{DeclineCode: "duplicate_transaction"}, {DeclineCode: "generic_decline"}, {Code: "card_declined"},
	} {
		p := pledged(t)
		f.Generation = i
		p.PreferredLang, p.LastFailure = lang, &f
		add(mailtext.UpdateCardMail([]*pledge.Pledge{p}, film(t), links, mountain(t), start))
	}
	for _, n := range []int{1, 2} {
		paid := pledged(t)
		paid.PreferredLang, paid.Charged, paid.PaymentIntentID, paid.ChargedAmount = lang, true, "pi_1", 1000
		paid.Lines[0].Name = strings.Repeat("long ", 30_000)
		add(mailtext.ChargedMail(slices.Repeat([]*pledge.Pledge{paid}, n), film(t), links, mountain(t), start))
	}
	return all
}
