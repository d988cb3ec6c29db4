package notify_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var (
	entry = regexp.MustCompile(`(?m)^\t"(\w+)": +"(.*)",$`)
	value = regexp.MustCompile(`\{\w+\}`)
)

// readCatalogue reads a language's messages by ID and plural form. A message without plural
// forms has only the form "other".
func readCatalogue(t *testing.T, file string) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flat := map[string]string{}
	for _, m := range entry.FindAllStringSubmatch(string(text), -1) {
		flat[m[1]] = m[2]
	}
	messages := map[string]map[string]string{}
	for id, text := range flat {
		stem, form := id, "other"
		if i := strings.LastIndex(id, "_"); i > 0 && flat[id[:i]+"_other"] != "" {
			stem, form = id[:i], id[i+1:]
		}
		if messages[stem] == nil {
			messages[stem] = map[string]string{}
		}
		messages[stem][form] = text
	}
	return messages
}

// valuesOf returns the placeholders in a message's forms.
func valuesOf(forms map[string]string) []string {
	all := strings.Join(slices.Collect(maps.Values(forms)), "")
	return slices.Compact(slices.Sorted(slices.Values(value.FindAllString(all, -1))))
}

// Every language has the same messages as English, with the same placeholders.
func TestCatalog_LanguagesAgree(t *testing.T) {
	values := func(file string) map[string][]string {
		all := map[string][]string{}
		for id, forms := range readCatalogue(t, file) {
			all[id] = valuesOf(forms)
		}
		return all
	}
	english := values("english.go")
	if len(english) < 60 {
		t.Fatalf("only %d messages were found", len(english))
	}
	if diff := cmp.Diff(english, values("spanish.go")); diff != "" {
		t.Errorf("spanish.go (-english +spanish):\n%s", diff)
	}
}

// formOf returns the plural form of a number in a language.
func formOf(t *testing.T, lang string, n int) string {
	t.Helper()
	bundle := i18n.NewBundle(language.Make(lang))
	forms := &i18n.Message{ID: "form", One: "one", Many: "many", Other: "other"}
	form, err := i18n.NewLocalizer(bundle, lang).Localize(&i18n.LocalizeConfig{DefaultMessage: forms, PluralCount: n})
	if err != nil {
		t.Fatal(err)
	}
	return form
}

func TestCatalog_PluralForms(t *testing.T) {
	for lang, file := range map[string]string{"en": "english.go", "es": "spanish.go"} {
		found := 0
		for id, forms := range readCatalogue(t, file) {
			if !slices.Contains(valuesOf(forms), "{count}") {
				continue
			}
			found++
			for _, n := range []int{0, 1, 2, 5, 1_000_000, 1_000_001} {
				form := formOf(t, lang, n)
				if forms[form] == "" {
					t.Errorf("%s: %s has no form %q for %d", file, id, form, n)
				}
				count := fmt.Sprint(n)
				if got, want := notify.Say(lang, id, "count", count), strings.ReplaceAll(forms[form], "{count}", count); got != want {
					t.Errorf("%s: %s for %d: %q, want %q", file, id, n, got, want)
				}
			}
		}
		if found < 5 {
			t.Errorf("only %d messages of %s have plural forms", found, file)
		}
	}
}

func TestCatalog_MissingPluralFormFallsBackToOther(t *testing.T) {
	messages := map[string]string{"boats_other": "{count} boats", "crates": "{count} crates"}
	for id, want := range map[string]string{"boats": "1 boats", "crates": "1 crates"} {
		if got := notify.SayOf(messages, id, "count", "1"); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// everyMail writes one mail of each kind, in the pledge's language.
func everyMail(t *testing.T, lang string) []notify.Message {
	t.Helper()
	zone, now := mountain(t), start
	p := pledged(t)
	p.PreferredLang = lang
	joined, failed, waiting, approving, dropped, paid := *p, *p, *p, *p, *p, *p
	joined.JoinedAt = &now
	failed.LastFailure = &pledge.Failure{Code: "card_declined", DeclineCode: "insufficient_funds"}
	waiting.LastFailure, approving.LastFailure, dropped.LastFailure = failed.LastFailure, failed.LastFailure, failed.LastFailure
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
	add(notify.ConfirmationOf(p, film(t), links, zone, now))
	add(notify.ConfirmationBesideOthers(p, film(t), links, zone, now))
	add(notify.ConfirmationBesideOthers(&joined, film(t), links, zone, now))
	add(notify.ModifiedOf(p, &campaign.Campaign{Title: "Night Shift"}, links, zone, now))
	add(notify.CancelledOf(p, film(t), links, zone, now))
	add(notify.ChargedOf([]*pledge.Pledge{&paid, &paid}, film(t), links, zone, now))
	for _, f := range []*pledge.Pledge{&failed, &waiting, &approving} {
		add(notify.UpdateCardOf([]*pledge.Pledge{f}, film(t), links, zone, now))
	}
	add(notify.DroppedOf([]*pledge.Pledge{&dropped}, film(t), links, zone, now))
	add(notify.MissedOf(p, film(t), links, zone, now))
	parcel := pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Sent, SentOn: "2026-06-30", Carrier: "UPS", Tracking: "1Z999", Link: "https://www.ups.com/track?tracknum=1Z999"}
	add(notify.ParcelSentOf(p, parcel, film(t), links, now))
	moved := *p
	moved.ShippingAddress = &pledge.Address{Name: "Ada", Line1: "Calle 2", City: "Taos", State: "NM", PostalCode: "87571", Country: "US"}
	add(notify.ReaddressedOf(&moved, film(t), links, now))
	add(notify.LinksOf([]*pledge.Pledge{p}, func(string) string { return "Night Shift" }, links, now))
	add(notify.LostOf(p.Email, p.OrderID, film(t), lang, "", links))
	r := notify.Reminder{Identity: "reminder", To: p.Email, Lang: lang, Link: page(lang), Unsubscribe: "https://example.org/unsubscribe?t=x"}
	add(notify.LaunchConfirmationOf(r, film(t), links.Platform))
	add(notify.LaunchReminderOf(r, film(t), links.Platform, zone))
	add(notify.CartReminderOf(r, []*campaign.Campaign{film(t)}, links.Platform))
	add(notify.ConfirmationWith(pledge.ByConfirmation, 1, 5000)(p, film(t), links, zone, now))
	add(notify.ConfirmationWith(pledge.ByConfirmation, 2, 7500)(p, film(t), links, zone, now))
	add(notify.ConfirmationWith(pledge.ByEmail, 1, 5000)(p, film(t), links, zone, now))
	return all
}

// page returns a page of the site in a language.
func page(lang string) string {
	if lang == "en" {
		return "https://example.org/"
	}
	return "https://example.org/" + lang + "/"
}

// A mail is completely in the language of its pledge, and its links lead to pages in it.
func TestMails_UseThePledgesLanguage(t *testing.T) {
	english := everyMail(t, "en")
	for i, m := range everyMail(t, "es") {
		en := english[i]
		if m.Lang != "es" || en.Lang != "en" || m.Subject == en.Subject || !strings.Contains(m.Text, "https://example.org/es/") || strings.Contains(en.Text, "/es/") {
			t.Errorf("%s: %s, %q and %q:\n%s", m.Kind, m.Lang, m.Subject, en.Subject, m.Text)
		}
		for _, text := range []string{m.Subject, m.Text, en.Subject, en.Text} {
			if value.MatchString(text) || strings.Contains(text, "\n\n\n") || strings.TrimSpace(text) == "" {
				t.Errorf("%s: %q", m.Kind, text)
			}
		}
		for line := range strings.Lines(m.Text) {
			if len(strings.Fields(line)) > 4 && !strings.HasPrefix(line, "  ") && strings.Contains(en.Text, line) && !strings.Contains(line, "://") {
				t.Errorf("%s in Spanish contains %q", m.Kind, line)
			}
		}
		if en.Kind == notify.Missed || en.Kind == notify.Confirmation || en.Kind == notify.LaunchReminder {
			if !strings.Contains(en.Text, "June 30, 2026, 11:59 PM MDT") || !strings.Contains(m.Text, "30 de junio de 2026, 23:59 MDT") {
				t.Errorf("%s has another deadline:\n%s\n%s", en.Kind, en.Text, m.Text)
			}
		}
	}
}

// A zone without an abbreviation is named after its city.
func TestMoment_ZoneName(t *testing.T) {
	for name, want := range map[string]string{"America/Sao_Paulo": " America/Sao Paulo ", "Europe/Madrid": " CEST "} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := notify.ConfirmationOf(pledged(t), film(t), links, zone, start)
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
			pledge.InsufficientFunds: {DeclineCode: "insufficient_funds"}, pledge.OverLimit: {DeclineCode: "card_velocity_exceeded"},
			pledge.CardExpired: {Code: "expired_card"}, pledge.WrongDetails: {Code: "incorrect_cvc"}, pledge.Unsupported: {DeclineCode: "card_not_supported"},
			pledge.TryLater: {Code: "processing_error"}, pledge.WantsApproval: {Kind: "needs_action"}, pledge.CardGone: {Code: "resource_missing"},
			pledge.Duplicate: {DeclineCode: "duplicate_transaction"}, pledge.Refused: {DeclineCode: "generic_decline"}, pledge.UnknownReason: {Code: "card_declined"},
		} {
			p := pledged(t)
			p.PreferredLang, p.LastFailure = lang, &f
			m, err := notify.UpdateCardOf([]*pledge.Pledge{p}, film(t), links, mountain(t), start)
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
