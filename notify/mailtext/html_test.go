package mailtext_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
)

var (
	dollars = regexp.MustCompile(`\$[\d,]+\.\d\d`)
	order   = regexp.MustCompile(`pw-[0-9a-z]{26}`)
	link    = regexp.MustCompile(`https?://[^\s)]+`)
	styled  = regexp.MustCompile(`</?(em|strong)>`)
	head    = regexp.MustCompile(`(?s)^.*?</h1>`)
)

// visibleText returns the visible text of an HTML mail below its heading.
func visibleText(m notify.Message) string {
	body := styled.ReplaceAllString(head.ReplaceAllString(m.HTML, ""), "")
	return html.UnescapeString(tag.ReplaceAllString(body, " "))
}

// allMails returns a mail of every kind in both languages.
func allMails(t *testing.T) []notify.Message {
	t.Helper()
	n := news()
	spanish := news()
	spanish.Lang = "es"
	return slices.Concat(everyMail(t, "en"), everyMail(t, "es"), []notify.Message{compose(t, n), compose(t, spanish)})
}

// Both parts of a mail have the same amounts, orders and links, the same number of times.
func TestMails_TextAndHTMLAgree(t *testing.T) {
	for _, m := range allMails(t) {
		var hrefs []string
		for _, found := range reference.FindAllStringSubmatch(m.HTML, -1) {
			if u := html.UnescapeString(found[1]); !strings.HasPrefix(u, "mailto:") {
				hrefs = append(hrefs, u)
			}
		}
		for what, both := range map[string][2][]string{
			"amounts": {dollars.FindAllString(m.Text, -1), dollars.FindAllString(visibleText(m), -1)},
			"orders":  {order.FindAllString(m.Text, -1), order.FindAllString(visibleText(m), -1)},
			"links":   {link.FindAllString(m.Text, -1), hrefs},
		} {
			if !slices.Equal(both[0], both[1]) {
				t.Errorf("%s in %s has the %s\n%v in its text and\n%v in its HTML", m.Kind, m.Lang, what, both[0], both[1])
			}
		}
		for line := range strings.Lines(m.Text) {
			line = strings.TrimSpace(line)
			if !strings.Contains(line, "://") && !strings.HasPrefix(line, ">") && strings.HasSuffix(line, ".") &&
				!strings.Contains(visibleText(m), line) {
				t.Errorf("%s in %s: %q is missing in the HTML", m.Kind, m.Lang, line)
			}
		}
	}
}

// Every mail is small enough not to be clipped, states its language, loads nothing from other
// servers and contains no scripts.
func TestMails_Layout(t *testing.T) {
	for _, m := range allMails(t) {
		if len(m.HTML) == 0 || len(m.HTML) > 30<<10 {
			t.Errorf("%s is %d bytes", m.Kind, len(m.HTML))
		}
		for _, part := range []string{`<html lang="` + m.Lang + `">`, "max-width:600px", `name="color-scheme"`,
			"prefers-color-scheme:dark", "<title>" + html.EscapeString(m.Subject) + "</title>", "mso-hide:all"} {
			if !strings.Contains(m.HTML, part) {
				t.Errorf("%s has no %s", m.Kind, part)
			}
		}
		for _, part := range []string{"<script", "<link", "@import", "@font-face", "url(", "<iframe", "<form"} {
			if strings.Contains(m.HTML, part) {
				t.Errorf("%s has %s", m.Kind, part)
			}
		}
		for _, found := range source.FindAllStringSubmatch(m.HTML, -1) {
			if !strings.HasPrefix(found[1], "https://example.org/assets/images/") {
				t.Errorf("%s loads %s", m.Kind, found[1])
			}
		}
		if open, shut := strings.Count(m.HTML, "<t"), strings.Count(m.HTML, "</t"); open != shut {
			t.Errorf("%s: %d table tags opened, %d closed", m.Kind, open, shut)
		}
	}
}

// Texts from campaigns and operators are escaped everywhere.
func TestMails_TextsAreEscaped(t *testing.T) {
	const evil = `<script>alert("1")</script><img src=x onerror='x'>&lt;`
	c, p, l := film(t), pledged(t), links
	c.Title, p.Lines[0].Name, p.Lines[1].VariantName, l.Platform.Name, l.Platform.Address = evil, evil, evil, evil, evil
	m, err := mailtext.ConfirmationMail(p, c, l, mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "<img") {
		t.Error(m.HTML)
	}
	if n := strings.Count(m.HTML, html.EscapeString(evil)); n < 7 {
		t.Errorf("found %d times", n)
	}
	// the heading is above the visible text
	if n := strings.Count(visibleText(m), evil); n != strings.Count(m.Text, evil)-1 {
		t.Errorf("%d times in the HTML, %d times in the text", n, strings.Count(m.Text, evil))
	}
	n := news()
	n.Label = `"><x`
	if _, err := mailtext.NewsMail(n, c, l); err == nil {
		t.Error("a label that contains a tag was accepted")
	}
	n.Label, n.Subject = `"Go" & see`, evil
	if m, err = mailtext.NewsMail(n, c, l); err != nil || strings.Contains(m.HTML, "<script") ||
		!strings.Contains(m.HTML, "&#34;Go&#34; &amp; see") {
		t.Errorf("%v:\n%s", err, m.HTML)
	}
}

// Every mail names its sender if the platform's details are set.
func TestMails_Imprint(t *testing.T) {
	for want, p := range map[string]mailtext.Platform{
		"\n\nSmall Hours · Small Hours Ltd. · 1 Shore Road, Taos\n": {Name: "Small Hours",
			Company: "Small Hours Ltd.", Address: "1 Shore Road,\nTaos"},
		"\n\nSmall Hours · Taos\n": {Name: "Small Hours",
			Company: "Small Hours", Address: "Taos"},
		"\n\nSmall Hours\n": {Name: "Small Hours"},
		"":                  {},
	} {
		l := links
		l.Platform = p
		one := pledged(t)
		for _, write := range []func() (notify.Message, error){
			func() (notify.Message, error) { return mailtext.CancelledMail(one, film(t), l, mountain(t), start) },
			func() (notify.Message, error) {
				return mailtext.LinksMail([]*pledge.Pledge{one}, func(string) string { return "" }, l, start)
			},
			func() (notify.Message, error) { return mailtext.LostMail(one.Email, one.OrderID, film(t), "en", "", l) },
		} {
			m, err := write()
			if err != nil {
				t.Fatal(err)
			}
			if p == (mailtext.Platform{}) {
				if strings.Contains(m.Text, "Small") {
					t.Errorf("%s:\n%s", m.Kind, m.Text)
				}
				continue
			}
			if top := html.UnescapeString(tag.ReplaceAllString(head.FindString(m.HTML), "\n")); !strings.Contains(top,
				"\n"+p.Name+"\n") {
				t.Errorf("%s does not begin with %q:\n%s", m.Kind, p.Name, top)
			}
			if !strings.HasSuffix(m.Text, want) || !strings.Contains(visibleText(m), strings.TrimSpace(want)) {
				t.Errorf("%s does not end with %q:\n%s", m.Kind, want, m.Text)
			}
		}
	}
}

// A mail with very many links falls back to plain text, so that no link is missing.
func TestLinksMail_ManyLinksArePlainText(t *testing.T) {
	for n, html := range map[int]bool{10: true, 200: false} {
		m, err := mailtext.LinksMail(slices.Repeat([]*pledge.Pledge{pledged(t)}, n),
			func(string) string { return "Night Shift" }, links, start)
		if err != nil || len(link.FindAllString(m.Text, -1)) != n || (m.HTML != "") != html {
			t.Errorf("%d pledges: %v, %d links, %d bytes of HTML", n, err, len(link.FindAllString(m.Text, -1)), len(m.HTML))
		}
	}
}
