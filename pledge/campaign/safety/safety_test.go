package safety_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomarkdown/markdown"
	"github.com/gomarkdown/markdown/parser"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves CON-32, CON-33, CON-34.
func TestPlain(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		refused  bool
	}{
		{in: "A film", want: "A film"},
		{in: "  two\n lines\tand\x00 a \x1bbell\x07 ", want: "two lines and a bell"},
		{in: "no\x7f \u0080con\u0085trol\u009fs", want: "no controls"},
		{in: "right\u202eleft", want: "rightleft"},
		{in: "a\u202ab\u202bc\u202dd\u2066e\u2067f\u2069g", want: "abcdefg"},
		{in: "a\u202fb\u2065c\u206ad", want: "a b\u2065c\u206ad"},
		{in: "1 < 2 & I <3 you > me", want: "1 < 2 & I <3 you > me"},
		{in: strings.Repeat("é", 40), want: strings.Repeat("é", 40)},
		{in: strings.Repeat("é", 41), refused: true},
		{in: strings.Repeat("a", 41), refused: true},
		{in: "<b>bold</b>", refused: true},
		{in: "a </b>", refused: true},
		{in: "a <!-- b -->", refused: true},
		{in: "a <?b?>", refused: true},
		{in: "<\x00script>", refused: true},
	} {
		got, err := safety.Plain(tt.in, 40)
		if tt.refused {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("Plain(%q) = %q, %v; want it refused", tt.in, got, err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("Plain(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

// Proves CON-35, CON-36, CON-37, CON-38, CON-39, CON-40, CON-41, CON-47.
func TestRich(t *testing.T) {
	for _, good := range []string{
		"# A heading\n\nWith *emphasis*, **weight** and ~~regret~~.",
		"one<br>two<br/>three<br /> <em>a</em> <strong>b</strong> <i>c</i> <b>d</b> <u>e</u> <B>f</B>",
		"- a list\n- of two\n\n> a quote\n\n1. first\n2. second",
		"[a page](/campaigns/night-ferry/) and [a site](https://example.com/a?b=c#d)",
		"[write to us](mailto:crew@example.com)",
		"[by reference][a]\n\n[a]: https://example.com/",
		"![a boat](/assets/images/campaigns/night-ferry/boat.jpg)",
		"https://example.com/ as it is",
		"| a | b |\n|---|---|\n| 1 | 2 |",
		"3 < 4 and 5 > 4, note: this [is no link]: really",
		"<b>one <i>in</i> another</b>, *a <u>third</u>* and `<b>`",
	} {
		if _, err := safety.Rich(good, 500); err != nil {
			t.Errorf("Rich(%q): %v", good, err)
		}
	}
	for _, bad := range []string{
		"<script>alert(1)</script>", "<SCRIPT src=//x>", "`<script>`", "`<SCRIPT>`", // in code nothing has to be closed
		"<iframe src=https://example.com></iframe>", "<frame>", "`<iframe src=https://example.com>`", "`<IFRAME>`", "<b>x</b> `<script>`", // a frame is refused also where nothing is left open
		"<b onclick=alert(1)>x</b>", "<img src=x onerror=alert(1)>", "<br/onload=x>",
		"`<b onclick=alert(1)>`", "`<br ONLOAD=x>`", "<hr onclick=alert(1)>",
		`<i style="color:red">x</i>`, "`<i style=\"color:red\">`", "`<br STYLE=x>`", "<u STYLE=x>", "<b >x</b>", "<br style=x>", "<style>b{}</style>",
		"<div>", "<a href=/x>x</a>", "</p>", "<!-- x -->", "<!DOCTYPE html>", "<?php", "<https://example.com>",
		"[x](javascript:alert(1))", "[x](JavaScript:alert(1))", "[x](<javascript:alert(1)>)",
		"[x](java&#115;cript:alert(1))", "[x](javascript&colon;alert(1))", "[x]( data:text/html,x)",
		"[x][a]\n\n[a]: javascript:alert(1)", "[unused]: vbscript:x", "> [a]: data:x",
		"`[x](javascript:alert(1))`", "`[x](/a)` and `[x](javascript:alert(1))`", "`[x](java&#115;cript:alert(1))`", "![x](data:image/png;base64,AA)", "![x](mailto:a@example.com)",
		"[x](../secret)", "[x](a/b)", "[x](./a)", "[x](/a/../../b)", "[x](//example.com)", "[x](#here)",
		"[x](mailto:a@example.com?bcc=all@example.com)", "[x](mailto:)", "[x](ftp://example.com/a)",
		"![](/assets/images/a.jpg)",
		"<b>open", "a </i> that closes nothing", "<b>crossed <i>over</b></i>", "<em>over\n\nparagraphs</em>",
		"*<b>over* emphasis</b>", "- <u>over\n- entries</u>", "| <b>a | b</b> |\n|---|---|\n| 1 | 2 |",
		strings.Repeat("> ", 40) + "deep", strings.Repeat("x", 501),
	} {
		if got, err := safety.Rich(bad, 500); !fault.Is(err, fault.Invalid) {
			t.Errorf("Rich(%q) = %q, %v; want it refused", bad, got, err)
		}
	}
}

// What costs a parser much is taken up to a bound.
func TestRichIsBounded(t *testing.T) {
	for _, tt := range []struct {
		piece string
		most  int
	}{{"[ ", 500}, {"***\n", 100}} {
		for n, taken := range map[int]bool{tt.most: true, tt.most + 1: false} {
			if _, err := safety.Rich(strings.Repeat(tt.piece, n), 8000); (err == nil) != taken {
				t.Errorf("%d of %q: %v", n, tt.piece, err)
			}
		}
	}
}

// Proves CON-35: of HTML's elements six are taken.
func TestRichTakesNoOtherTag(t *testing.T) {
	for name := range strings.FieldsSeq(`a abbr acronym address article aside audio base bdi bdo big blink blockquote body button canvas
		center cite code col data dd del details dfn dialog dir div dl dt embed fieldset figure font footer form frameset h1 h6 head header
		hr html image img input ins kbd label legend li link main map mark marquee math menu meta meter nav nobr noscript object ol option
		output p param picture portal pre progress q rp rt ruby s samp search section select slot small source span strike sub summary sup
		svg table tbody td template textarea th time title tr track tt ul var video wbr x-y`) {
		for _, text := range []string{"<" + name + ">", "<" + name + ">x</" + name + ">", "</" + name + ">", "<" + strings.ToUpper(name) + "/>"} {
			if got, err := safety.Rich(text, 500); !fault.Is(err, fault.Invalid) {
				t.Errorf("Rich(%q) = %q, %v; want it refused", text, got, err)
			}
		}
	}
}

// What the dialect makes of braces is text: nobody gives an element a style by them.
//
// Proves CON-39.
func TestTheDialectHasNoAttributes(t *testing.T) {
	src, err := safety.Rich("{style=\"color:red\"}\n# A heading", 500)
	if err != nil {
		t.Fatal(err)
	}
	page := string(markdown.ToHTML([]byte(src), parser.NewWithExtensions(safety.Extensions), nil))
	if !strings.Contains(page, "<h1>") || strings.Contains(page, "<h1 ") {
		t.Errorf("rendered as %s", page)
	}
}

// Proves CON-42, CON-43, CON-44, CON-45, CON-46.
func TestLinkAndMedia(t *testing.T) {
	for _, good := range []string{
		"/", "/assets/images/a.jpg", "/a%20b", "/a?b=c&d=e", "/a#b", "http://example.com", "https://example.com:8443/a..b/c",
		"HTTPS://example.com/", "/a/...", "https://example.com/?next=/../x", "/" + strings.Repeat("a", 1999),
	} {
		if err := safety.Link(good); err != nil {
			t.Errorf("Link(%q): %v", good, err)
		}
		if err := safety.Media(good); err != nil {
			t.Errorf("Media(%q): %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "a.jpg", "./a", "../a", "?a", "#a", "//example.com/a", "/\\example.com", "\\\\example.com",
		"javascript:alert(1)", "JavaScript:alert(1)", "vbscript:x", "data:text/html,x", "data:image/png;base64,AA", "ftp://example.com", "file:///etc/passwd", "blob:x", "mailto:a@example.com",
		"https://user:secret@example.com/", "https://user@example.com/", "https://:secret@example.com/", "https://@example.com/", "https:///a", "https:a", "https://:80/",
		"/a/../b", "/..", "/a/%2e%2e/b", "/a/%2E./b", "/a/%252e%252e/b", "/a/./b", "/a/..%2fb", "/a%5c..%5cb", "https://example.com/../a",
		"/a b", " /a", "/a\n", "/a\tb", "/a\u00a0b", "/a\u200bb", "/a\x00", "/a\"b", "/a<b", "java\nscript:x",
		"/a&#47;b", "/" + strings.Repeat("a", 2001),
	} {
		if err := safety.Link(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Link(%q) = %v; want it refused", bad, err)
		}
		if err := safety.Media(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Media(%q) = %v; want it refused", bad, err)
		}
		if err := safety.MarkdownLink(bad); !fault.Is(err, fault.Invalid) && !strings.HasPrefix(bad, "mailto:") {
			t.Errorf("MarkdownLink(%q) = %v; want it refused", bad, err)
		}
	}
}

// Rich text may lead to a mailbox, by a link that says so and is no longer than others.
func TestLinksToMailboxes(t *testing.T) {
	const at = "mailto:crew@example.com?subject="
	for link, taken := range map[string]bool{
		"mailto:crew@example.com": true, "crew@example.com": false, "mailto:crew": false,
		at + strings.Repeat("a", 2000-len(at)): true, at + strings.Repeat("a", 2001-len(at)): false,
	} {
		if err := safety.MarkdownLink(link); (err == nil) != taken {
			t.Errorf("%d bytes, %.40s: %v", len(link), link, err)
		}
	}
}

// Proves CON-48.
func TestEmbed(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.youtube.com/watch?v=abcdefghij_":                                     "https://www.youtube-nocookie.com/embed/abcdefghij_",
		"https://youtube.com/watch?v=abcdefghij_":                                         "https://www.youtube-nocookie.com/embed/abcdefghij_",
		"https://youtu.be/abcdefghij-":                                                    "https://www.youtube-nocookie.com/embed/abcdefghij-",
		"https://www.youtube-nocookie.com/embed/abcdefghij-":                              "https://www.youtube-nocookie.com/embed/abcdefghij-",
		"https://vimeo.com/123456789":                                                     "https://player.vimeo.com/video/123456789?dnt=1",
		"https://player.vimeo.com/video/123456789":                                        "https://player.vimeo.com/video/123456789?dnt=1",
		"https://open.spotify.com/album/0123456789abcdefABCDEF":                           "https://open.spotify.com/embed/album/0123456789abcdefABCDEF",
		"https://bandcamp.com/EmbeddedPlayer/album=12345":                                 "https://bandcamp.com/EmbeddedPlayer/album=12345/",
		"https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/123456": "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/123456",
	} {
		got, err := safety.Embed(in)
		if err != nil || got != want {
			t.Errorf("Embed(%q) = %q, %v; want %q", in, got, err, want)
		}
		if !containsPrefix(safety.FrameHosts(), got) {
			t.Errorf("the host of %q is not among FrameHosts", got)
		}
		host, path, _ := strings.Cut(strings.TrimPrefix(in, "https://"), "/")
		nears := []string{
			"http://" + host + "/" + path, "//" + host + "/" + path, "https://user@" + host + "/" + path, "https://" + host + ":443/" + path,
			"https://" + host + ".example.com/" + path, "https://x" + host + "/" + path, "https://example.com/" + in, in + "&x=1", in + "?x=1", in + "#x", in + "/x", in + "\n", " " + in,
			strings.ToUpper(in), strings.Replace(in, "https", "HTTPS", 1), strings.Replace(in, host, strings.ToUpper(host), 1),
		}
		for i := range in {
			if in[i] == '.' {
				nears = append(nears, in[:i]+"x"+in[i+1:])
			}
		}
		for _, near := range nears {
			if got, err := safety.Embed(near); !fault.Is(err, fault.Invalid) {
				t.Errorf("Embed(%q) = %q, %v; want it refused", near, got, err)
			}
		}
	}
	for _, bad := range []string{
		"https://youtu.be/abc", "https://vimeo.com/12345", "https://open.spotify.com/user/0123456789abcdefABCDEF", "https://dailymotion.com/video/x1", "",
	} {
		if got, err := safety.Embed(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Embed(%q) = %q, %v; want it refused", bad, got, err)
		}
	}
}

func containsPrefix(hosts []string, s string) bool {
	for _, h := range hosts {
		if strings.HasPrefix(s, h+"/") {
			return true
		}
	}
	return false
}

func TestErrorsNeverRepeatTheInput(t *testing.T) {
	for _, bad := range []string{"<script>hello</script>", "[hello](javascript:hello)"} {
		if _, err := safety.Rich(bad, 100); err == nil || strings.Contains(err.Error(), "hello") {
			t.Errorf("Rich(%q): %v", bad, err)
		}
	}
}

func FuzzRich(f *testing.F) {
	for _, seed := range []string{"*a* [b](/c)", "<br>", "[x](java&#115;cript:y)", "- a\n  - b\n\n```\nc\n```", "![a](b)\n[a]: x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := safety.Rich(s, 8000)
		if err != nil {
			return
		}
		if strings.Contains(strings.ToLower(once), "<script") {
			t.Errorf("a script passed: %q", once)
		}
		if twice, err := safety.Rich(once, 8000); err != nil || twice != once {
			t.Errorf("not stable: %q, then %q, %v", once, twice, err)
		}
	})
}

func FuzzLink(f *testing.F) {
	for _, seed := range []string{"/a/b", "https://example.com/%2e%2e", "//x", "/%252e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if safety.Link(s) == nil && (strings.HasPrefix(s, "//") || strings.ContainsAny(s, " \\\"<>\n")) {
			t.Errorf("passed: %q", s)
		}
	})
}

func ExampleRich() {
	text, err := safety.Rich("Come **aboard**, <u>please</u>.", 100)
	fmt.Println(text, err)
	_, err = safety.Rich("[a gift](javascript:alert(1))", 100)
	fmt.Println(err)
	// Output:
	// Come **aboard**, <u>please</u>. <nil>
	// is no safe link: write a path that begins with /, or an http or https URL
}
