package safety_test

import (
	"strings"
	"testing"

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
		if err := safety.MarkdownLink(bad); !fault.Is(err, fault.Invalid) && !strings.HasPrefix(bad, "mailto:") && bad != "#a" {
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

// Rich text may lead to a part of its page; nothing else may.
func TestMarkdownLink_Fragments(t *testing.T) {
	for link, accepted := range map[string]bool{
		"#diary": true, "#reward-poster_a3": true, "#2026-11-03-glue": true, "#%C3%A9tape": true, "#étape": true,
		"#": false, "#a b": false, "#a\"b": false, "#a<b": false, "#a\u200bb": false, "# diary": false, "#&#106;": false,
		"#" + strings.Repeat("a", 1998): true, "#" + strings.Repeat("a", 2000): false,
	} {
		if err := safety.MarkdownLink(link); (err == nil) != accepted {
			t.Errorf("MarkdownLink(%.40q): %v", link, err)
		}
		if safety.Link(link) == nil || safety.Media(link) == nil {
			t.Errorf("Link or Media accepts %.40q", link)
		}
	}
}

// Proves CON-32, CON-33: also of text with lines, which keeps its indentation.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"\n \t\n    code\r\n\ttab\x1b\u202e\n\n": "    code\n\ttab",
		"<b>x</b> ":                              "<b>x</b>", " \n\t ": "", strings.Repeat("é", 60): strings.Repeat("é", 60),
	} {
		if got, err := safety.Text(in, 60); err != nil || got != want {
			t.Errorf("Text(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if got, err := safety.Text(strings.Repeat("é", 61), 60); !fault.Is(err, fault.Invalid) {
		t.Errorf("Text of 61 characters = %q, %v", got, err)
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
