package mailtext_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

var value = regexp.MustCompile(`\{\w+\}`)

// The languages have the same messages, with all plural forms.
func TestMessages_Complete(t *testing.T) {
	set, err := locale.Read(mailtext.Messages, "messages")
	if err != nil {
		t.Fatal(err)
	}
	if len(set) < 2 || len(set.For("en").IDs()) < 100 {
		t.Errorf("%d languages with %d messages", len(set), len(set.For("en").IDs()))
	}
}

// Every message appears in a mail, and mails use no other messages.
func TestMessages_Used(t *testing.T) {
	set := locale.MustRead(mailtext.Messages, "messages")
	marked := map[string]any{}
	for _, id := range set.For("en").IDs() {
		text := "⟦" + id + "⟧" + set.For("en").Format(id)
		if id == "clock" { // its first characters select the article
			text = set.For("en").Format(id) + "⟦clock⟧"
		}
		if marked[id] = text; strings.Contains(text, "{count}") {
			marked[id] = map[string]string{"one": text, "few": text, "other": text}
		}
	}
	defer mailtext.SetLocales(newSet(t, map[string]map[string]any{"en": marked}))()
	used := map[string]bool{"at_one": strings.Contains(mailtext.Moment("en",
		time.Date(2026, 1, 31, 13, 0, 0, 0, time.UTC)), "⟦at_one⟧")}
	for _, m := range allKinds(t, "en") {
		for _, found := range regexp.MustCompile(`⟦(\w+)⟧`).FindAllStringSubmatch(m.Subject+m.Text+m.HTML, -1) {
			used[found[1]] = true
		}
		if missing := value.FindString(m.Subject + m.Text); missing != "" {
			t.Errorf("%s: there is no message %s", m.Kind, missing)
		}
	}
	for id := range marked {
		if !used[id] {
			t.Errorf("no mail uses the message %s", id)
		}
	}
}

// newSet returns languages with the plural rules of Polish and the messages as given.
func newSet(t *testing.T, messages map[string]map[string]any) locale.Set {
	t.Helper()
	files := fstest.MapFS{}
	for code, texts := range messages {
		b, err := json.Marshal(map[string]any{"messages": texts,
			"plural": map[string]string{"one": "i = 1", "few": "i % 10 = 2..4"}})
		if err != nil {
			t.Fatal(err)
		}
		files["messages/"+code+".json"] = &fstest.MapFile{Data: b}
	}
	set, err := locale.Read(files, "messages")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Another language requires only its message file.
func TestLanguage_ThirdLanguage(t *testing.T) {
	set := locale.MustRead(mailtext.Messages, "messages")
	english, polish := map[string]any{}, map[string]any{}
	for _, id := range set.For("en").IDs() {
		english[id], polish[id] = "x", "y"
	}
	polish["clock"] = "15:04"
	for lang, texts := range map[string]map[string]any{"": english, "po polsku ": polish} {
		texts["report_pledges"] = map[string]string{"one": lang + "{count} one", "few": lang + "{count} few",
			"other": lang + "{count} other"}
		texts["at"], texts["moment"] = "{clock}", lang+"{at}"
	}
	defer mailtext.SetLocales(newSet(t, map[string]map[string]any{"en": english, "pl": polish}))()
	m, err := mailtext.ReportMail(mailtext.Report{Topic: notify.PledgeReport, To: "desk@example.org",
		Lang: "pl-PL", Day: start, Active: 3}, film(t), mailtext.Platform{})
	if err != nil || m.Lang != "pl" || !strings.HasPrefix(m.Text, "po polsku 3 few\n") ||
		!strings.Contains(m.HTML, `<html lang="pl">`) {
		t.Errorf("%v, %s: %s", err, m.Lang, m.Text)
	}
	if got := mailtext.Moment("pl", start.Add(9*time.Hour)); got != "po polsku 21:00" {
		t.Errorf("moment %q", got)
	}
	if got := links.Dashboard("pl"); got != "https://example.org/pl/admin/" {
		t.Errorf("dashboard at %s", got)
	}
}

// everyMail returns one mail of each kind, in the given language.
func everyMail(t *testing.T, lang string) []notify.Message {
	t.Helper()
	zone, now := mountain(t), start
	p := pledged(t)
	p.PreferredLang = lang
	joined, failed, waiting, approving, dropped, paid := *p, *p, *p, *p, *p, *p
	joined.JoinedAt = &now
	failed.LastFailure = &pledge.Failure{Code: "card_declined", DeclineCode: "insufficient_funds"}
	waiting.LastFailure, approving.LastFailure, dropped.LastFailure = failed.LastFailure,
		failed.LastFailure, failed.LastFailure
	failed.Recovery = &pledge.Recovery{Lane: pledge.NewCard, Until: now}
	waiting.Recovery = &pledge.Recovery{Lane: pledge.Wait, RetryAt: &now, Until: now}
	approving.Recovery = &pledge.Recovery{Lane: pledge.Approve, Until: now}
	dropped.Recovery = &pledge.Recovery{Lane: pledge.Dropped, Until: now}
	paid.Charged, paid.PaymentIntentID = true, "pi_1"
	var all []notify.Message
	add := func(m notify.Message, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	add(mailtext.ConfirmationMail(p, film(t), links, zone, now))
	add(mailtext.ConfirmationAmongOthers(p, film(t), links, zone, now))
	add(mailtext.ConfirmationAmongOthers(&joined, film(t), links, zone, now))
	add(mailtext.ModifiedMail(p, &campaign.Campaign{Title: "Night Shift"}, links, zone, now))
	add(mailtext.CardReplacedMail(detailed(t, lang), delivered(t), platform(), zone, now))
	add(mailtext.ConfirmationMail(detailed(t, lang), delivered(t), platform(), zone, now))
	add(mailtext.CancelledMail(p, film(t), links, zone, now))
	add(mailtext.ChargedMail([]*pledge.Pledge{&paid, &paid}, film(t), links, zone, now))
	for _, f := range []*pledge.Pledge{&failed, &waiting, &approving} {
		add(mailtext.UpdateCardMail([]*pledge.Pledge{f}, film(t), links, zone, now))
	}
	add(mailtext.DroppedMail([]*pledge.Pledge{&dropped}, film(t), links, zone, now))
	add(mailtext.MissedMail(p, film(t), links, zone, now))
	parcel := pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Sent, SentOn: "2026-06-30",
		Carrier: "UPS", Tracking: "1Z999", Link: "https://www.ups.com/track?tracknum=1Z999"}
	add(mailtext.ParcelSentMail(p, parcel, film(t), links, now))
	moved := *p
	moved.ShippingAddress = &pledge.Address{Name: "Ada", Line1: "Calle 2", City: "Taos",
		State: "NM", PostalCode: "87571", Country: "US"}
	add(mailtext.ReaddressedMail(&moved, film(t), links, now))
	back := pledge.Refund{ID: "rf-1", Amount: 1250}
	add(mailtext.RefundedMail(detailed(t, lang), back, "Sorry about the delay.\n\nAda", film(t), links, now))
	add(mailtext.RefundFailedMail(detailed(t, lang), back, film(t), links, now))
	add(mailtext.LinksMail([]*pledge.Pledge{p}, func(string) string { return "Night Shift" }, links, now))
	add(mailtext.LostMail(p.Email, p.OrderID, film(t), lang, "", links))
	r := mailtext.Reminder{Identity: "reminder", To: p.Email, Lang: lang, Link: page(lang),
		Unsubscribe: "https://example.org/unsubscribe?t=x"}
	add(mailtext.LaunchConfirmationMail(r, film(t), links.Platform))
	add(mailtext.LaunchReminderMail(r, film(t), links.Platform, zone))
	add(mailtext.CartReminderMail(r, []*campaign.Campaign{film(t)}, links.Platform))
	add(mailtext.GroupedConfirmation(pledge.ByConfirmation, 1, 5000)(p, film(t), links, zone, now))
	add(mailtext.GroupedConfirmation(pledge.ByConfirmation, 2, 7500)(p, film(t), links, zone, now))
	add(mailtext.GroupedConfirmation(pledge.ByEmail, 1, 5000)(p, film(t), links, zone, now))
	return all
}

// page returns a page of the site in a language.
func page(lang string) string {
	if lang == "en" {
		return "https://example.org/"
	}
	return "https://example.org/" + lang + "/"
}

// A mail is entirely in the language of its pledge, and its links lead to pages in that language.
func TestMails_UseThePledgesLanguage(t *testing.T) {
	english := everyMail(t, "en")
	for i, m := range everyMail(t, "es") {
		en := english[i]
		if m.Lang != "es" || en.Lang != "en" || m.Subject == en.Subject ||
			!strings.Contains(m.Text, "https://example.org/es/") || strings.Contains(en.Text, "/es/") {
			t.Errorf("%s: %s, %q and %q:\n%s", m.Kind, m.Lang, m.Subject, en.Subject, m.Text)
		}
		for _, text := range []string{m.Subject, m.Text, en.Subject, en.Text} {
			if value.MatchString(text) || strings.Contains(text, "\n\n\n") || strings.TrimSpace(text) == "" {
				t.Errorf("%s: %q", m.Kind, text)
			}
		}
		for line := range strings.Lines(m.Text) {
			if len(strings.Fields(line)) > 4 && !strings.HasPrefix(line, "  ") && strings.Contains(en.Text, line) &&
				!strings.Contains(line, "://") && !strings.HasPrefix(line, platform().Platform.Name) {
				t.Errorf("%s in Spanish contains %q", m.Kind, line)
			}
		}
		if en.Kind == notify.Missed || en.Kind == notify.Confirmation || en.Kind == notify.LaunchReminder {
			if !strings.Contains(en.Text, "June 30, 2026, 11:59 PM MDT") ||
				!strings.Contains(m.Text, "30 de junio de 2026 a las 23:59 (MDT)") {
				t.Errorf("%s has another deadline:\n%s\n%s", en.Kind, en.Text, m.Text)
			}
		}
	}
}

// The Spanish article is singular at one o'clock only.
func TestMoment_OneOClock(t *testing.T) {
	for hour, want := range map[int][2]string{
		0:  {"12:00 AM", "a las 0:00"},
		1:  {"1:00 AM", "a la 1:00"},
		11: {"11:00 AM", "a las 11:00"},
		13: {"1:00 PM", "a las 13:00"},
	} {
		at := time.Date(2026, 1, 31, hour, 0, 0, 0, time.UTC)
		if got, full := mailtext.Moment("en", at), "January 31, 2026, "+want[0]+" UTC"; got != full {
			t.Errorf("%q, want %q", got, full)
		}
		if got, full := mailtext.Moment("es", at), "31 de enero de 2026 "+want[1]+" (UTC)"; got != full {
			t.Errorf("%q, want %q", got, full)
		}
	}
}

// A zone without an abbreviation is shown by its IANA name, with spaces for underscores.
func TestMoment_ZoneName(t *testing.T) {
	for name, want := range map[string]string{"America/Sao_Paulo": " America/Sao Paulo,", "Europe/Madrid": " CEST,"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mailtext.ConfirmationMail(pledged(t), film(t), links, zone, start)
		if err != nil || !strings.Contains(m.Text, "11:59 PM"+want) {
			t.Errorf("%s: %v\n%s", name, err, m.Text)
		}
	}
}

// The mail about a failed charge states the bank's reason, for every reason.
func TestUpdateCard_StatesDeclineReason(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		said := map[string]pledge.Reason{}
		for reason, f := range map[pledge.Reason]pledge.Failure{
			pledge.InsufficientFunds: {DeclineCode: "insufficient_funds"},
			pledge.OverLimit:         {DeclineCode: "card_velocity_exceeded"},
			pledge.CardExpired:       {Code: "expired_card"}, pledge.WrongDetails: {Code: "incorrect_cvc"},
			pledge.Unsupported: {DeclineCode: "card_not_supported"},
			pledge.TryLater:    {Code: "processing_error"}, pledge.WantsApproval: {Kind: "needs_action"},
			pledge.CardGone:  {Code: "resource_missing"},
			pledge.Duplicate: {DeclineCode: "duplicate_transaction"}, pledge.Refused: {DeclineCode: "generic_decline"},
			pledge.UnknownReason: {Code: "card_declined"},
		} {
			p := pledged(t)
			p.PreferredLang, p.LastFailure = lang, &f
			m, err := mailtext.UpdateCardMail([]*pledge.Pledge{p}, film(t), links, mountain(t), start)
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Split(m.Text, "\n\n")[1]
			if other, twice := said[line]; twice || len(line) < 20 || strings.Contains(line, "://") {
				t.Errorf("%s and %s in %s: %q", reason, other, lang, line)
			}
			said[line] = reason
		}
		if len(said) != len(pledge.Reasons()) {
			t.Errorf("%d of %d reasons in %s", len(said), len(pledge.Reasons()), lang)
		}
	}
}
