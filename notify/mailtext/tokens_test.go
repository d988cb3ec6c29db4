package mailtext_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

var (
	textLinks = regexp.MustCompile(`https?://[^\s)]+`)
	htmlLinks = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	tokenLike = regexp.MustCompile(`[\w-]{20,}\.[\w-]{20,}`)
)

// No link in a mail sends a token to a server, because proxies log URLs with their queries.
func TestLinks_TokensInFragment(t *testing.T) {
	carried := 0
	for _, lang := range []string{"en", "es"} {
		for _, m := range append(everyMail(t, lang), moreMails(t, lang)...) {
			for _, link := range linksIn(m) {
				sent, fragment, _ := strings.Cut(link, "#")
				u, err := url.Parse(sent)
				if err != nil {
					t.Fatalf("%s in %s: %q: %v", m.Kind, lang, link, err)
				}
				for _, name := range []string{"t", "all", "token", "resume", "sign-in"} {
					if u.Query().Has(name) {
						t.Errorf("%s in %s: %s is in the query of %q", m.Kind, lang, name, link)
					}
				}
				if tokenLike.MatchString(sent) {
					t.Errorf("%s in %s: token in the query of %q", m.Kind, lang, link)
				}
				if tokenLike.MatchString(fragment) {
					carried++
				}
			}
		}
	}
	if carried < 20 {
		t.Errorf("only %d links with a token", carried)
	}
}

func TestLinks_Preview(t *testing.T) {
	link, err := links.Preview("night-shift", "mike@example.org", "es", start.Add(24*time.Hour))
	if err != nil || !strings.HasPrefix(link, "https://example.org/es/campaigns/night-shift/preview/#t=") {
		t.Fatalf("link %q, %v", link, err)
	}
	claims, err := links.Signer.Verify(fragment(t, link).Get("t"), token.Preview, start)
	if err != nil || claims.Email != "mike@example.org" || claims.CampaignSlug != "night-shift" {
		t.Errorf("%+v, %v", claims, err)
	}
}

func TestUnsubscribePage(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example/unsubscribe?t=a.b":                            "https://api.example/unsubscribe#t=a.b",
		"https://api.example/launch-reminders/unsubscribe?lang=es&t=a.b-_": "https://api.example/launch-reminders/unsubscribe?lang=es#t=a.b-_",
		"https://api.example/unsubscribe?t=a%26all%3Db":                    "https://api.example/unsubscribe#t=a%26all%3Db",
		"https://site.example/mails/":                                      "https://site.example/mails/",
		"https://site.example/mails/?lang=es":                              "https://site.example/mails/?lang=es",
		"https://site.example/%zz?t=a":                                     "https://site.example/%zz?t=a",
	} {
		if got := mailtext.UnsubscribePage(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// moreMails returns the mails with tokens that everyMail does not include.
func moreMails(t *testing.T, lang string) []notify.Message {
	t.Helper()
	p := pledged(t)
	stop := "https://api.example/unsubscribe?lang=" + lang + "&t=" + strings.Repeat("a", 40) +
		"." + strings.Repeat("b", 40)
	n := news()
	n.Lang, n.Unsubscribe = lang, stop
	written, err := mailtext.NewsMail(n, film(t), links)
	if err != nil {
		t.Fatal(err)
	}
	reminder, err := mailtext.LaunchConfirmationMail(mailtext.Reminder{Identity: "r", To: p.Email,
		Lang: lang, Link: page(lang), Unsubscribe: stop}, film(t), links.Platform)
	if err != nil {
		t.Fatal(err)
	}
	if m := reminder; m.Unsubscribe != stop { // the header's URL, for one-click unsubscribe
		t.Errorf("List-Unsubscribe URL %q", m.Unsubscribe)
	}
	return []notify.Message{written, reminder}
}

func linksIn(m notify.Message) []string {
	found := textLinks.FindAllString(m.Text, -1)
	for _, link := range htmlLinks.FindAllStringSubmatch(m.HTML, -1) {
		found = append(found, html.UnescapeString(link[1]))
	}
	return found
}
