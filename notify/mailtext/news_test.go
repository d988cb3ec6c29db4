package mailtext_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const diary = `# A new scene

We shot *three* nights **on the ferry**,
all in rain.<br>See [the log](/campaigns/night-shift/#diary) or write to [crew@example.org](mailto:crew@example.org).

![The crew on deck](/assets/images/deck.jpg) ![A stranger's](https://elsewhere.example/pixel.gif)

1. Sound
2. Colour:
   - night
   - day

https://youtu.be/abcdefghijk

> Keep going.

| Night | Scenes |
|---|---|
| 1 | 4 |
`

func news() mailtext.News {
	return mailtext.News{
		Kind: notify.DiaryEntry, Identity: "diary:night-shift:1:ada", To: "ada@example.org",
		Lang: "en", Subject: "Night Shift: a new scene",
		Content: []campaign.Block{{Type: campaign.TextBlock, Text: diary}},
		Label:   "Read the diary", URL: "/campaigns/night-shift/", Unsubscribe: "https://example.org/unsubscribe/?t=abc",
	}
}

func platform() mailtext.Links {
	l := links
	l.Platform = mailtext.Platform{Name: "Small Hours", Company: "Small Hours Ltd.",
		Address: "1 Shore Road, Taos, NM 87571"}
	return l
}

func compose(t *testing.T, n mailtext.News) notify.Message {
	t.Helper()
	m, err := mailtext.NewsMail(n, film(t), platform())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNewsMail(t *testing.T) {
	m := compose(t, news())
	want := `A new scene

We shot three nights on the ferry, all in rain.
See the log (https://example.org/campaigns/night-shift/#diary) or write to crew@example.org.

[The crew on deck]

1. Sound
2. Colour:

   - night
   - day

Watch the video:
https://youtu.be/abcdefghijk

> Keep going.

Night · Scenes

1 · 4

Read the diary:
https://example.org/campaigns/night-shift/

You're getting this email because you pledged to Night Shift.

Unsubscribe:
https://example.org/unsubscribe/#t=abc

Small Hours · Small Hours Ltd. · 1 Shore Road, Taos, NM 87571
`
	if diff := cmp.Diff(want, m.Text); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{
		"<em>three</em>", "<strong>on the ferry</strong>", "rain.<br>See",
		`<a href="https://example.org/campaigns/night-shift/#diary"`, `<a href="mailto:crew@example.org"`,
		"<ol ", "<ul ", "<blockquote ", ">Read the diary</a>", "1 Shore Road, Taos, NM 87571", ">Unsubscribe</a>",
	} {
		if !strings.Contains(m.HTML, part) {
			t.Errorf("%s is not in the HTML", part)
		}
	}
	if m.Campaign != "night-shift" || m.Unsubscribe != "https://example.org/unsubscribe/?t=abc" ||
		!strings.Contains(m.HTML, "We shot three nights on the ferry, all in rain. See the log") {
		t.Errorf("%+v", m)
	}
}

var source = regexp.MustCompile(`src="([^"]*)"`)

// Proves BLA-14, BLA-15: only the site's own images are loaded, in every place.
func TestNewsMail_OnlySiteImages(t *testing.T) {
	for src, shown := range map[string]bool{
		"/assets/images/deck.jpg": true, "https://example.org/assets/images/deck.jpg": true,
		"https://elsewhere.example/assets/images/deck.jpg":        false,
		"https://example.org.evil.example/assets/images/deck.jpg": false,
		"http://elsewhere.example/deck.jpg":                       false, "//elsewhere.example/deck.jpg": false,
		"/assets/other.jpg":          false,
		"/assets/images/../../admin": false, "/assets/images/%2e%2e/admin": false,
	} {
		n := news()
		n.Content = []campaign.Block{{Type: campaign.ImageBlock, Images: []campaign.Image{{Src: src, Alt: "Deck"}}},
			{Type: campaign.TextBlock, Text: "News."}}
		found := source.FindAllStringSubmatch(compose(t, n).HTML, -1)
		if got := len(found) == 1 && found[0][1] == "https://example.org/assets/images/deck.jpg"; got != shown ||
			!shown && len(found) > 0 {
			t.Errorf("%s as a block: %v", src, found)
		}
		_, html := mailtext.Markdown("News. ![Deck]("+src+")", "https://example.org")
		if got := source.MatchString(html); got != shown {
			t.Errorf("%s in Markdown: %s", src, html)
		}
	}
}

// Proves BLA-16.
func TestNewsMail_VideosAreLinks(t *testing.T) {
	for _, b := range []campaign.Block{
		{Type: campaign.EmbedBlock, URL: "https://www.youtube.com/embed/abcdefghijk", Title: "The trailer"},
		{Type: campaign.EmbedBlock, URL: "https://player.vimeo.com/video/123456"},
		{Type: campaign.VideoBlock, Src: "https://vimeo.com/123456"},
		{Type: campaign.VideoBlock, Src: "/assets/videos/trailer.mp4", Title: "The trailer"},
		{Type: campaign.TextBlock, Text: "https://youtu.be/abcdefghijk"},
		{Type: campaign.TextBlock, Text: "https://vimeo.com/123456"},
	} {
		n := news()
		n.Content = []campaign.Block{b}
		m := compose(t, n)
		link := b.URL + b.Text + strings.Replace(b.Src, "/assets", "https://example.org/assets", 1)
		if !strings.Contains(m.HTML, `<a href="`+link+`"`) || !strings.Contains(m.HTML, ">Watch the video</a>") ||
			!strings.Contains(m.Text, link+"\n") {
			t.Errorf("%+v:\n%s", b, m.Text)
		}
		if strings.Contains(m.HTML, "<iframe") || strings.Contains(m.HTML, "<video") {
			t.Errorf("%+v is played", b)
		}
	}
}

func TestNewsMail_InvalidInput(t *testing.T) {
	text := func(s string) []campaign.Block { return []campaign.Block{{Type: campaign.TextBlock, Text: s}} }
	for name, tt := range map[string]struct {
		field  string
		change func(*mailtext.News)
	}{
		"transactional kind":                {"kind", func(n *mailtext.News) { n.Kind = notify.Charged }},
		"no unsubscribe URL":                {"unsubscribe", func(n *mailtext.News) { n.Unsubscribe = "" }},
		"an unsubscribe URL that is a path": {"unsubscribe", func(n *mailtext.News) { n.Unsubscribe = "/unsubscribe/" }},
		"button without URL":                {"url", func(n *mailtext.News) { n.URL = "" }},
		"URL without label":                 {"url", func(n *mailtext.News) { n.Label = "" }},
		"script URL":                        {"url", func(n *mailtext.News) { n.URL = "javascript:alert(1)" }},
		"HTML in label":                     {"label", func(n *mailtext.News) { n.Label = "<b>Go</b>" }},
		"label too long":                    {"label", func(n *mailtext.News) { n.Label = strings.Repeat("x", 61) }},
		"no subject":                        {"subject", func(n *mailtext.News) { n.Subject = "" }},
		"no content":                        {"content", func(n *mailtext.News) { n.Content, n.Label, n.URL = nil, "", "" }},
		"HTML": {"content",
			func(n *mailtext.News) { n.Content = text("<script>alert(1)</script>") }},
		"script link": {"content",
			func(n *mailtext.News) { n.Content = text("[x](javascript:alert(1))") }},
		"too long": {"content",
			func(n *mailtext.News) { n.Content = text(strings.Repeat("x", mailtext.MaxNews+1)) }},
		"too long with layout": {"content",
			func(n *mailtext.News) { n.Content = text(strings.Repeat("a\n\n", mailtext.MaxNews/3)) }},
		"unknown block type": {"content",
			func(n *mailtext.News) { n.Content = []campaign.Block{{Type: "poll"}} }},
	} {
		n := news()
		tt.change(&n)
		m, err := mailtext.NewsMail(n, film(t), links)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != tt.field || m != (notify.Message{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Unchecked Markdown is sanitized: HTML blocks and unsafe link targets are dropped.
func TestMarkdown_UnsafeContentIsDropped(t *testing.T) {
	plain, html := mailtext.Markdown("<div>\nevil\n</div>\n\nGood [words](javascript:alert(1)).", "https://example.org")
	if plain != "Good words." || !strings.Contains(html, ">Good words.</p>") || strings.Contains(html, "evil") {
		t.Errorf("%q\n%s", plain, html)
	}
}

// The six allowed tags style the text between them, even if nested wrongly, and nothing after
// it. A control character written as an entity is dropped.
func TestMarkdown_TagsAndEntities(t *testing.T) {
	for text, want := range map[string]string{
		"a <b>b</b> c <strong>d</strong> e":      "a <strong>b</strong> c <strong>d</strong> e",
		"<b>a <strong>b</strong> c</b> d":        "<strong>a </strong><strong>b</strong><strong> c</strong> d",
		"a <i>b <em>c</em> d</i> e":              "a <em>b </em><em>c</em><em> d</em> e",
		"<b>a <i>b</i></b> c":                    "<strong>a </strong><strong><em>b</em></strong> c",
		"a <u>b</u> ~~c~~ **~~d~~**":             "a <u>b</u> <del>c</del> <strong><del>d</del></strong>",
		"left&#x202e;right&#7;again&#9;and&#10;": "leftrightagain and ",
	} {
		if _, html := mailtext.Markdown(text, "https://example.org"); !strings.HasSuffix(html, ">"+want+"</p>") {
			t.Errorf("%s:\n%q\nwant\n%q", text, html, want)
		}
	}
}

// A link's query is unchanged in both parts, regardless of how the link is written in Markdown.
func TestMarkdown_KeepsQueries(t *testing.T) {
	for _, query := range []string{
		"a=1&region=us&timestamp=1&copy=6", "lt=1&gt=2&amp=3&quot=4&notin=5&para=6&sect=7&times=8",
		"x=%26copy%3B&y=%C3%A9+z&q=100%", "a=b'c,d!e*f(g)h$i@j/k?l:m~n_o-p.q", "a[]=1&b[c]=2",
	} {
		address := "https://example.com/p?" + query
		href := `<a href="` + strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(address) + `"`
		for text, want := range map[string]string{
			"See [it](" + address + ") now": "See it (" + address + ") now", "See [it](<" + address + ">) now": "See it (" +
				address + ") now", "See [it] now\n\n[it]: " + address: "See it (" + address + ") now",
			"See <" + address + "> now": "See " + address + " now", "See " + address + " now": "See " + address + " now",
		} {
			plain, html := mailtext.Markdown(text, "https://example.org")
			if plain != want || !strings.Contains(html, href) {
				t.Errorf("%s:\n%s\n%s\nwant %s", text, plain, html, href)
			}
		}
	}
}

// The plain text has the same content as the HTML: list numbers, strikethrough, and each link's URL
// once.
func TestMarkdown_TextPart(t *testing.T) {
	for text, want := range map[string]string{
		"1986. A great year\n1987. A better one":               "1986. A great year\n1987. A better one",
		"0. nothing\n1. one":                                   "0. nothing\n1. one",
		"3. three\n\n   more of three\n\n4. four":              "3. three\n\n   more of three\n4. four",
		"[the **big** `log`](/log), [the *rewards*](#rewards)": "the big log (https://example.org/log), the rewards (https://example.org/campaigns/film/#rewards)",
		"<crew@example.com> or [us](mailto:crew@example.com)":  "crew@example.com or us (mailto:crew@example.com)",
		"was ~~50 *dollars*~~, is 40":                          "was ~~50 dollars~~, is 40",
		"`<script>` and a\\*b &amp; \\&lt;":                    "<script> and a*b & &lt;",
		"    <b>\n    x":                                       "<b>\nx",
		"a  \nb\\\nc\nd<br>e":                                  "a\nb\nc d\ne",
		"|a|b|\n|-|-|\n|`x\\|y`|[z](/z)|":                      "a · b\n\nx|y · z (https://example.org/z)",
	} {
		plain, html := mailtext.Markdown(text, "https://example.org")
		if diff := cmp.Diff(want, plain); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
		if kept, err := mailtext.MarkdownKept(text, "https://example.org"); err != nil || kept != html {
			t.Errorf("%q: HTML differs after a round trip: %v\n%s\n%s", text, err, kept, html)
		}
	}
	if _, html := mailtext.Markdown("1986. A great year", "https://example.org"); !strings.Contains(html,
		`<ol start="1986" `) {
		t.Errorf("wrong start of the list: %s", html)
	}
}

// A link to a section leads to the campaign's page in the mail's language.
func TestNewsMail_LinksToPageSections(t *testing.T) {
	for lang, page := range map[string]string{"en": "https://example.org/campaigns/night-shift/",
		"es": "https://example.org/es/campaigns/night-shift/"} {
		n := news()
		n.Lang = lang
		n.Content = []campaign.Block{{Type: campaign.TextBlock, Text: "See [the posters](#reward-poster)."}}
		if m := compose(t, n); !strings.Contains(m.Text, "the posters ("+page+"#reward-poster).") ||
			!strings.Contains(m.HTML, `<a href="`+page+`#reward-poster"`) {
			t.Errorf("in %s:\n%s", lang, m.Text)
		}
	}
}

// A title is not interpreted as Markdown in the mail about a milestone.
func TestMilestoneNews_TitlesAreText(t *testing.T) {
	for _, title := range []string{"1986. A *great* year", "Tom &copy; <3 https://example.com/_a_ ~~b~~",
		"- # [x](/y) \\ `z` |!"} {
		c := *film(t)
		c.Title = title
		n := mailtext.MilestoneNews(mailtext.Threshold{Name: "66", Percent: 66}, &c, 100, "en", time.UTC)
		n.Identity, n.To, n.Unsubscribe = "milestone", "ada@example.org", "https://example.org/unsubscribe/"
		if m := compose(t, n); !strings.Contains(m.Text, title) {
			t.Errorf("%s is not in:\n%s", title, m.Text)
		}
	}
}

// The preview is the start of the content, with an ellipsis if it is truncated.
func TestNewsMail_Preview(t *testing.T) {
	whole := strings.Repeat("x", 150)
	for text, want := range map[string]string{
		whole: whole, whole + "x": whole + "…", whole[1:] + "ä": whole[1:] + "…",
	} {
		n := news()
		n.Content = []campaign.Block{{Type: campaign.TextBlock, Text: text}}
		if m := compose(t, n); !strings.Contains(m.HTML, ">"+want+"</div>") {
			t.Errorf("preview %q is missing in\n%s", want, m.HTML)
		}
	}
}

// News mails keep their NotAfter, and a button's label is not repeated.
func TestNewsMail_NotAfter(t *testing.T) {
	n := news()
	n.NotAfter = start
	if m := compose(t, n); !m.NotAfter.Equal(start) {
		t.Errorf("NotAfter is %s", m.NotAfter)
	}
	if m := everyMail(t, "en")[4]; strings.Count(m.HTML, "See my pledge") != 1 ||
		!strings.Contains(m.Text, "See my pledge:\n") {
		t.Errorf("%s:\n%s", m.Kind, m.HTML)
	}
}

// The footer states why the reader gets the mail, per stream and language.
func TestNewsMail_FooterStatesReason(t *testing.T) {
	for kind, want := range map[notify.Kind]map[string]string{
		notify.Blast: {"en": "because you pledged to Night Shift.",
			"es": "porque hiciste una aportación a Night Shift."},
		notify.LaunchReminder: {"en": "because a reminder for Night Shift was requested with this address.",
			"es": "porque se pidió un recordatorio de Night Shift con esta dirección."},
	} {
		for lang, why := range want {
			n := news()
			n.Kind, n.Lang = kind, lang
			if m := compose(t, n); !strings.Contains(m.Text, why) || !strings.Contains(m.HTML, why) {
				t.Errorf("%s, %s:\n%s", kind, lang, m.Text)
			}
		}
	}
}

var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	own       = regexp.MustCompile(`^(</?(p|h2|ul|ol|li|strong|em|del|u|code|blockquote|table|tr|td|div|a)|<br|<hr|<img)( (style|start|class|role|cellpadding|cellspacing|border|align|bgcolor|width|src|alt|href)="[^"<>]*")*>$`)
	reference = regexp.MustCompile(`href="([^"]*)"`)
)

// FuzzMarkdown checks that only tags of the layout and URLs with allowed schemes get through,
// even for Markdown that was not checked before.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		diary, "<script>alert(1)</script>", "<b onclick=x>hi</b>", "a <b>b</b> <iframe src=x>",
		"[x](javascript:alert(1))", "[x](java&#115;cript:alert(1))",
		"[x](data:text/html,x)", "![x](javascript:alert(1))", "![\"><script>](/assets/images/a.jpg)",
		"[\"><script>](https://example.org/\"><script>)",
		"<div>\n<p>x</p>\n</div>", "&lt;script&gt;&#x202e;&#0;", "```\n<script>\n```", "`<script>`",
		"<javascript:alert(1)>", "</strong></b>", "- a\n  - b\n\n    c", "[x]: javascript:y\n\n[x]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		plain, html := mailtext.Markdown(text, "https://example.org")
		if kept, err := mailtext.MarkdownKept(text, "https://example.org"); utf8.ValidString(text) &&
			(err != nil || kept != html) {
			t.Errorf("%q: HTML differs after a round trip: %v\n%s\n%s", text, err, kept, html)
		}
		for _, found := range tag.FindAllString(html, -1) {
			if !own.MatchString(found) {
				t.Errorf("%q gives %q in:\n%s", text, found, html)
			}
		}
		for _, found := range reference.FindAllStringSubmatch(html, -1) {
			if !strings.HasPrefix(found[1], "https://") && !strings.HasPrefix(found[1], "http://") &&
				!strings.HasPrefix(found[1], "mailto:") {
				t.Errorf("%q leads to %q", text, found[1])
			}
		}
		for _, found := range source.FindAllStringSubmatch(html, -1) {
			if !strings.HasPrefix(found[1], "https://example.org/assets/images/") {
				t.Errorf("%q shows %q", text, found[1])
			}
		}
		if strings.ContainsAny(plain, "\x00\u202e") && !strings.ContainsAny(text, "\x00\u202e") {
			t.Errorf("%q contains control characters: %q", text, plain)
		}
	})
}
