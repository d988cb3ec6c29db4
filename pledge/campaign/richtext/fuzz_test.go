package richtext_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

var (
	anyTag = regexp.MustCompile(`<[^>]*>?`)
	// renderedTag matches the tags that HTML writes: Markdown's elements and the six tags.
	renderedTag = regexp.MustCompile(`^(?:</?(?:p|h[1-6]|ul|ol|li|blockquote|pre|code|em|strong|` +
		`del|table|thead|tbody|tr|th|td|a)>|<(?:br|hr)>|` +
		`<ol start="[0-9]+">|<code class="language-[^"]*">|<t[hd] align="(?:left|right|center)">|` +
		`<a href="[^"]*"(?: title="[^"]*")?(?: rel="nofollow noreferrer noopener")?>|` +
		`<img src="[^"]*" alt="[^"]*"(?: title="[^"]*")?>|` +
		`(?i:<br ?/?>|</?(?:em|strong|i|b|u)>))$`)
	href = regexp.MustCompile(`<a href="([^"]*)"`)
	src  = regexp.MustCompile(`<img src="([^"]*)"`)
)

// FuzzHTML checks that no text adds other tags or unsafe addresses to a page.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"*a* [b](/c \"d\")", "<br>", "[x](java&#115;cript:y)", "- a\n  - b\n\n```c\"\n<d>\n```",
		"![a](b)\n[a]: x", "<script>\nalert(1)\n</script>", "<b onclick=x>a</b>",
		"a <!-- b --> c <?d?> <![CDATA[e]]>", "<javascript:alert(1)> <a@b.example>", "|a|`\\|`|\n|:-|-|\n|<b>|",
		"https://a.example/?b=c&copy=d&lt;e", "&lt;script&gt; &#60;b&#62;",
		"~~a~~ <u>b</u> </u>", "[a]: data:x 'y\"'\n\n[a] ![a]", "<b>\n<i>x</b>\n</i>", "1986. a\n\n   b\n0. c",
		"[#](#a) [\"](/b\"c)", "a  \nb\\\nc", "\x00&#0;\u202e&#x202e;", "***\n===\n\ta",
	} {
		f.Add(seed)
	}
	for _, e := range examples(f) {
		f.Add(e.Markdown)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4000 {
			return
		}
		checkPage(t, s)
		once, err := richtext.Check(s, 8000)
		if err != nil {
			return
		}
		if twice, err := richtext.Check(once, 8000); err != nil || twice != once {
			t.Errorf("not stable: %q, then %q, %v", once, twice, err)
		}
	})
}

func checkPage(t *testing.T, s string) {
	t.Helper()
	page := richtext.HTML(s, "")
	open := map[string]int{}
	for _, tag := range anyTag.FindAllString(page, -1) {
		if !renderedTag.MatchString(tag) {
			t.Errorf("%q renders the tag %q in\n%s", s, tag, page)
		}
		switch name, _, _ := strings.Cut(strings.ToLower(strings.Trim(tag, "</>")), " "); {
		case slices.Contains([]string{"br", "hr", "img", "br/"}, name):
		case strings.HasPrefix(tag, "</"):
			open[name]--
		default:
			open[name]++
		}
	}
	for name, n := range open {
		if n != 0 {
			t.Errorf("%q leaves %d <%s> unclosed in\n%s", s, n, name, page)
		}
	}
	checkAddresses(t, s, href.FindAllStringSubmatch(page, -1), safety.MarkdownLink)
	checkAddresses(t, s, src.FindAllStringSubmatch(page, -1), safety.Media)
}

func checkAddresses(t *testing.T, s string, found [][]string, check func(string) error) {
	t.Helper()
	for _, m := range found {
		address := html.UnescapeString(m[1])
		if err := check(address); err != nil && len(address) <= 2000 {
			t.Errorf("%q renders the address %q: %v", s, address, err)
		}
		scheme, _, _ := strings.Cut(strings.ToLower(address), ":")
		if slices.Contains([]string{"javascript", "data", "vbscript", "file"}, scheme) {
			t.Errorf("%q leads to %q", s, address)
		}
	}
}
