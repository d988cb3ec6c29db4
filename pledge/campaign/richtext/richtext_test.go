package richtext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves CON-33, CON-35, CON-47.
func TestCheck_Accepts(t *testing.T) {
	for _, good := range []string{
		"# A heading\n\nWith *emphasis*, **weight** and ~~regret~~.",
		"one<br>two<br/>three<br /> <em>a</em> <strong>b</strong> <i>c</i> <b>d</b> <u>e</u> <B>f</B>",
		"- a list\n- of two\n\n> a quote\n\n1. first\n2. second",
		"[a page](/campaigns/night-ferry/) and [a site](https://example.com/a?b=c#d)",
		"[write to us](mailto:crew@example.com) or <crew@example.com>",
		"[by reference][a]\n\n[a]: https://example.com/",
		"[the rewards](#rewards), [an entry](#2026-11-03-glue)",
		"![a boat](/assets/images/campaigns/night-ferry/boat.jpg)",
		"https://example.com/ as it is, and <https://example.com/b>",
		"| a | b |\n|---|---|\n| 1 | 2 |",
		"3 < 4 and 5 > 4, note: this [is no link]: really, a<b and I <3 you",
		"<b>one <i>in</i> another</b>, *a <u>third</u>* and `<b>`",
		"`<script>alert(1)</script>` and `<b onclick=x>`",
		"```html\n<iframe src=https://example.com></iframe>\n<b>\n```",
		"    <div style=\"color:red\">",
		"`[x](javascript:alert(1))`, \\<script\\> and \\[x](javascript:alert(1))",
		strings.Repeat("[ ", 2000), strings.Repeat("***\n", 1000), strings.Repeat("> ", 31) + "deep",
		strings.Repeat("-", 80), strings.Repeat("* ", 60), "A title\n" + strings.Repeat("=", 70),
		strings.Repeat("é", 5000),
	} {
		if got, err := richtext.Check(good, 5000); err != nil || got != strings.TrimRight(good, " \n") {
			t.Errorf("Check(%.60q) = %.60q, %v", good, got, err)
		}
	}
}

// Proves CON-33, CON-35, CON-36, CON-37, CON-38, CON-39, CON-40, CON-41.
func TestCheck_Refuses(t *testing.T) {
	for want, all := range map[string][]string{
		"contains a script": {"<script>alert(1)</script>", "<SCRIPT src=//x>",
			"a <script src=//x></script>", "</script>", "- <script/x>"},
		"contains a frame": {"<iframe src=https://example.com></iframe>", "<frame>", "a <IFRAME>"},
		"contains an event handler": {"<b onclick=alert(1)>x</b>", "<img src=x onerror=alert(1)>", "<br/onload=x>",
			"a <img/src=x/onerror=x>", "<hr onclick=alert(1)>", "<p\nonclick=x>"},
		"contains an inline style": {`<i style="color:red">x</i>`, "<u STYLE=x>", "<br style=x>"},
		"contains HTML": {"<div>", "<a href=/x>x</a>", "</p>", "<!-- x -->", "<!DOCTYPE html>",
			"<?php", "<style>b{}</style>", "<b >x</b>", "text <!a>", "> <table>", "<u>a</u>\n<div>\n",
			"<br>\n<hr>", "<pre>\n\n`x`", "<![CDATA[x]]>", "a <x-y>"},
		"contains an unsafe link": {"[x](javascript:alert(1))", "[x](JavaScript:alert(1))", "[x](<javascript:alert(1)>)",
			"[x](java&#115;cript:alert(1))", "[x](javascript&colon;alert(1))", "[x]( data:text/html,x)",
			"[x][a]\n\n[a]: javascript:alert(1)", "[unused]: vbscript:x", "> [a]: data:x", "[x](../secret)", "[x](a/b)",
			"[x](./a)", "[x](/a/../../b)", "[x](//example.com)", "[x](#)", "[x](mailto:a@example.com?bcc=all@example.com)",
			"[x](mailto:)", "[x](ftp://example.com/a)", "[x](</a b>)", "[x](/a&Tab;b)", "<javascript:alert(1)>",
			"<ftp://example.com/a>", "https://me:secret@example.com/", "[*x*]()", "[x](java\\script:y)"},
		"is not a safe media address": {"![x](data:image/png;base64,AA)", "![x](mailto:a@example.com)",
			"![x](#rewards)", "![x](a.jpg)", "![x][a]\n\n[a]: #a"},
		"without alternative text": {"![](/assets/images/a.jpg)", "![ *&#32;* ](/assets/images/a.jpg)"},
		"leaves <b> open":          {"<b>open", "*<b>over* emphasis</b>", "| <b>a | b</b> |\n|---|---|\n| 1 | 2 |"},
		"leaves <em> open":         {"<em>over\n\nparagraphs</em>"},
		"leaves <u> open":          {"- <u>over\n- entries</u>"},
		"closes <i>":               {"a </i> that closes nothing", "<i>x</i></i>", "<b></i></b>"},
		"is nested too deeply": {strings.Repeat("> ", 32) + "deep", strings.Repeat("1. ", 40) + "deep",
			"a\n\n" + strings.Repeat("- * ", 16) + "deep", strings.Repeat(">", 32) + "deep"},
		"is 501 characters long": {strings.Repeat("x", 501)},
	} {
		for _, bad := range all {
			if got, err := richtext.Check(bad, 500); !fault.Is(err, fault.Invalid) || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("Check(%q) = %q, %v; want an error that it %s", bad, got, err, want)
			}
		}
	}
}

// A short text cannot render as a very large page, although every row of a table is padded to the
// full width and a link definition is rendered for each use.
func TestCheck_BoundsTheResult(t *testing.T) {
	table := func(prefix string, columns, lines int) string {
		return prefix + "|" + strings.Repeat("a|", columns) + "\n" + prefix + strings.Repeat("|-", columns) +
			"|\n" + strings.Repeat(prefix+"|\n", lines)
	}
	links := func(definition string, n int) string { return definition + "\n\n" + strings.Repeat("[a] ", n) }
	long := "/" + strings.Repeat("b", 1999)
	for name, tt := range map[string]struct {
		text    string
		refused string
	}{
		"a large table":                {table("", 20, 900), ""},
		"table with too many cells":    {table("", 200, 900), "too many cells"},
		"one in a quote":               {table("> ", 200, 900), "too many cells"},
		"one in a list":                {"1) - x\n\n" + table("     ", 200, 900), "too many cells"},
		"many links":                   {links("[a]: "+long, 99), ""},
		"many links to a long address": {links("[a]: "+long, 101), "too often"},
		"many links with a long title": {links("[a]: /b '"+strings.Repeat("c", 5000)+"'", 41), "too often"},
		"many images with a long title": {strings.ReplaceAll(links("[a]: /b '"+strings.Repeat("c", 5000)+"'", 41),
			" [a]", " ![a]"), "too often"},
		"many short links": {links("[a]: /b", 4000), ""},
	} {
		_, err := richtext.Check(tt.text, 30_000)
		if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(tt.refused, "often") && len(richtext.HTML(tt.text, "")) > 300_000 {
			t.Errorf("%s renders as more than 300000 bytes", name)
		}
	}
}

// All HTML elements except the six allowed tags are rejected.
//
// Proves CON-35.
func TestCheck_RefusesOtherTags(t *testing.T) {
	const others = `a abbr acronym address article aside audio base bdi bdo big blink blockquote body button canvas
		center cite code col data dd del details dfn dialog dir div dl dt embed fieldset figure font footer
		form frameset h1 h6 head header hr html image img input ins kbd label legend li link main map mark
		marquee math menu meta meter nav nobr noscript object ol option output p param picture portal pre
		progress q rp rt ruby s samp search section select slot small source span strike sub summary sup svg
		table tbody td template textarea th time title tr track tt ul var video wbr x-y`
	for name := range strings.FieldsSeq(others) {
		for _, text := range []string{"<" + name + ">", "<" + name + ">x</" + name + ">",
			"</" + name + ">", "<" + strings.ToUpper(name) + "/>"} {
			if got, err := richtext.Check(text, 500); !fault.Is(err, fault.Invalid) {
				t.Errorf("Check(%q) = %q, %v; want an error", text, got, err)
			}
			if got := richtext.HTML("a "+text+" b", ""); name != "p" &&
				(strings.Contains(got, "<"+name) || strings.Contains(got, "</"+name)) {
				t.Errorf("HTML(%q) = %s", text, got)
			}
		}
	}
}

func TestCheck_ErrorsDoNotRepeatTheInput(t *testing.T) {
	for _, bad := range []string{"<script>hello</script>", "[hello](javascript:hello)", "![](/hello)", "<hello>"} {
		if _, err := richtext.Check(bad, 100); err == nil || strings.Contains(err.Error(), "hello") {
			t.Errorf("Check(%q): %v", bad, err)
		}
	}
}

const rel = ` rel="nofollow noreferrer noopener"`

// Proves CON-39, CON-47.
func TestHTML(t *testing.T) {
	for in, want := range map[string]string{
		"1986. A great year\n1987. A better one": "<ol start=\"1986\">\n<li>A great year</li>\n<li>A better one</li>\n</ol>",
		"1. one\n\n   more of one\n\n2. two": "<ol>\n<li>\n<p>one</p>\n<p>more of one</p>\n</li>\n" +
			"<li>\n<p>two</p>\n</li>\n</ol>",
		"<https://example.com/a_b_c>": `<p><a href="https://example.com/a_b_c"` +
			rel + `>https://example.com/a_b_c</a></p>`,
		"See (https://example.com/a_b_c?x=*y*z).": `<p>See (<a href="https://example.com/a_b_c?x=*y*z"` +
			rel + `>https://example.com/a_b_c?x=*y*z</a>).</p>`,
		"https://es.example.com/Canción, sí": `<p><a href="https://es.example.com/Canci%C3%B3n"` +
			rel + `>https://es.example.com/Canción</a>, sí</p>`,
		"<crew@example.com>":                    `<p><a href="mailto:crew@example.com">crew@example.com</a></p>`,
		"[rewards](#rewards)":                   `<p><a href="#rewards">rewards</a></p>`,
		"[a](/b \"T&ouml;m &lt;&#34;\")":        `<p><a href="/b" title="Töm &lt;&quot;">a</a></p>`,
		"[a](/b&#x3F;c&equals;d)":               `<p><a href="/b?c=d">a</a></p>`,
		"[a](\\/b\\&c '\\&amp;')":               `<p><a href="/b&amp;c" title="&amp;amp;">a</a></p>`,
		"![*A* `b` &amp; c](/assets/d.jpg 'e')": `<p><img src="/assets/d.jpg" alt="A b &amp; c" title="e"></p>`,
		"`<script>`":                            "<p><code>&lt;script&gt;</code></p>",
		"``` x\"y\n<script>\n```":               "<pre><code class=\"language-x&quot;y\">&lt;script&gt;\n</code></pre>",
		"<b>\n*bold*\n</b>":                     "<p><b>\n<em>bold</em>\n</b></p>",
		"Tom &amp; Jo &copy; &copy 2026 AT&T":   "<p>Tom &amp; Jo © &amp;copy 2026 AT&amp;T</p>",
		"a&#x202e;b&#7;c&#9;d":                  "<p>abc\td</p>",
		"~~old~~ new":                           "<p><del>old</del> new</p>",
		"{style=\"color:red\"}\n# A heading":    "<p>{style=&quot;color:red&quot;}</p>\n<h1>A heading</h1>",
		"|a|b|\n|:-|-:|\n|1|2|": "<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n" +
			"<th align=\"right\">b</th>\n</tr>\n</thead>\n" +
			"<tbody>\n<tr>\n<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>",
		// texts that Check rejects
		"Good [*words* here](javascript:alert(1)).": "<p>Good <em>words</em> here.</p>",
		"<javascript:alert(1)>":                     "<p>javascript:alert(1)</p>",
		"a ![x](data:image/png;base64,AA) b":        "<p>a  b</p>",
		"<div>\nevil\n</div>\n\nfine":               "<p>fine</p>",
		"<b>open <i>and</b> a <u>b</u>":             "<p>open and a <u>b</u></p>",
		"a <img src=x onerror=y> b <br/onload=x>":   "<p>a  b &lt;br/onload=x&gt;</p>",
	} {
		if diff := cmp.Diff(want, strings.TrimSpace(richtext.HTML(in, ""))); diff != "" {
			t.Errorf("HTML(%q):\n%s", in, diff)
		}
	}
}

// Query strings are rendered unchanged, however the link is written.
func TestHTML_KeepsQueries(t *testing.T) {
	for _, query := range []string{
		"a=1&region=us&timestamp=1&copy=6", "lt=1&gt=2&amp=3&quot=4&notin=5&para=6&sect=7&times=8",
		"x=%26copy%3B&y=%C3%A9+z", "a=b'c,d!e*f(g)h$i@j/k?l:m~n_o-p.q",
		"utm_source=mail&utm_medium=x_y_z&euro=5", "a[]=1&b[c]=2&d=100%", "redirect=https://example.org/?a=1&reg=2",
	} {
		address := "https://example.com/p?" + query
		want := `<a href="` + strings.ReplaceAll(address, "&", "&amp;") + `"`
		for _, text := range []string{"[x](" + address + ")", "[x](<" + address + ">)", "[x]\n\n[x]: " + address,
			"<" + address + ">", "See " + address + " there"} {
			if got := richtext.HTML(text, ""); !strings.Contains(got, want) {
				t.Errorf("HTML(%q):\n%s\nwant %s", text, got, want)
			}
		}
	}
}

func TestHTML_AbsoluteAddresses(t *testing.T) {
	got := richtext.HTML("[a](#rewards) [b](/about/) [c](https://example.com/) ![d](/assets/d.jpg)",
		"https://harbor.example/es/campaigns/boat/")
	for _, want := range []string{
		`href="https://harbor.example/es/campaigns/boat/#rewards"`, `href="https://harbor.example/about/"`,
		`href="https://example.com/"`, `src="https://harbor.example/assets/d.jpg"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s in\n%s", want, got)
		}
	}
	if got := richtext.HTML("[a](/b)", "https://harbor.example"); !strings.Contains(got,
		`href="https://harbor.example/b"`) {
		t.Errorf("page without a path: %s", got)
	}
}

func TestImages(t *testing.T) {
	got := richtext.Images("![a](/assets/a.jpg) [![b][c]](/d)\n\n" +
		"`![e](/assets/e.jpg)` ![f](data:x)\n\n[c]: https://example.com/c.png?x=1&amp;y=2")
	if diff := cmp.Diff([]string{"/assets/a.jpg", "https://example.com/c.png?x=1&y=2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnchors(t *testing.T) {
	got := richtext.Anchors("[a](#diary) **[b][c]** [d](/e#f) ![g](#h) `[i](#j)` [k](#)\n\n[c]: #reward-l\n[m]: #n")
	if diff := cmp.Diff([]string{"diary", "reward-l"}, got); diff != "" {
		t.Error(diff)
	}
}

func ExampleCheck() {
	text, err := richtext.Check("Come **aboard**, <u>please</u>.", 100)
	fmt.Println(text, err)
	_, err = richtext.Check("[a gift](javascript:alert(1))", 100)
	fmt.Println(err)
	// Output:
	// Come **aboard**, <u>please</u>. <nil>
	// contains an unsafe link: write a path that begins with /, an http or https URL, mailto: with an address, or # with a part of the page
}
