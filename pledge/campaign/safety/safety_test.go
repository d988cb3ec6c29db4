package safety_test

import (
	"regexp"
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
				t.Errorf("Plain(%q) = %q, %v; want an error", tt.in, got, err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("Plain(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

// Proves CON-42, CON-43, CON-44, CON-45, CON-46.
func TestLink_Media(t *testing.T) {
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
		"javascript:alert(1)", "JavaScript:alert(1)", "vbscript:x", "data:text/html,x", "data:image/png;base64,AA",
		"ftp://example.com", "file:///etc/passwd", "blob:x", "mailto:a@example.com",
		"https://user:secret@example.com/", "https://user@example.com/", "https://:secret@example.com/",
		"https://@example.com/", "https:///a", "https:a", "https://:80/",
		"/a/../b", "/..", "/a/%2e%2e/b", "/a/%2E./b", "/a/%252e%252e/b", "/a/./b", "/a/..%2fb",
		"/a%5c..%5cb", "https://example.com/../a",
		"/a b", " /a", "/a\n", "/a\tb", "/a\u00a0b", "/a\u200bb", "/a\x00", "/a\"b", "/a<b", "java\nscript:x",
		"/a&#47;b", "/" + strings.Repeat("a", 2001),
	} {
		if err := safety.Link(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Link(%q) = %v; want an error", bad, err)
		}
		if err := safety.Media(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Media(%q) = %v; want an error", bad, err)
		}
		if err := safety.MarkdownLink(bad); !fault.Is(err, fault.Invalid) &&
			!strings.HasPrefix(bad, "mailto:") && bad != "#a" {
			t.Errorf("MarkdownLink(%q) = %v; want an error", bad, err)
		}
	}
}

// Rich text can link to an email address, with the same length limit as other links.
func TestMarkdownLink_Mailboxes(t *testing.T) {
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

// Rich text can link to a part of its page; other links cannot.
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

// Text removes control characters and blank lines around a text, and keeps its indentation.
//
// Proves CON-32, CON-33.
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
	const (
		youTube    = "https://www.youtube-nocookie.com/embed/"
		vimeo      = "https://player.vimeo.com/video/"
		spotify    = "https://open.spotify.com/embed/"
		bandcamp   = "https://bandcamp.com/EmbeddedPlayer/"
		soundCloud = "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/"
	)
	for in, want := range map[string]string{
		"https://www.youtube.com/watch?v=abcdefghij_":      youTube + "abcdefghij_",
		"https://youtube.com/watch?v=abcdefghij_":          youTube + "abcdefghij_",
		"https://youtu.be/abcdefghij-":                     youTube + "abcdefghij-",
		"https://youtu.be/abcdefghij-?si=Q1w2e3R4t5Y6u7I8": youTube + "abcdefghij-",
		"https://youtu.be/abcdefghij-?si=Q1w2e3R4t5Y6u7I8&t=95": youTube +
			"abcdefghij-?start=95",
		"https://www.youtube.com/watch?v=abcdefghij_&t=1h2m3s": youTube +
			"abcdefghij_?start=3723",
		"https://www.youtube.com/watch?t=7s&v=abcdefghij_": youTube +
			"abcdefghij_?start=7",
		"https://www.youtube.com/watch?v=abcdefghij_&list=PLabc&index=2&pp=ygUE&t=2m": youTube +
			"abcdefghij_?start=120",
		"https://www.youtube.com/watch?v=abcdefghij_&ab_channel=Night%20Ferry&t=soon": youTube + "abcdefghij_",
		"https://www.youtube.com/watch?v=abcdefghij_#t=30s": youTube +
			"abcdefghij_?start=30",
		"https://m.youtube.com/watch?v=abcdefghij_&feature=youtu.be": youTube + "abcdefghij_",
		"https://music.youtube.com/watch?v=abcdefghij_&si=x":         youTube + "abcdefghij_",
		"https://www.youtube.com/shorts/abcdefghij_":                 youTube + "abcdefghij_",
		"https://youtube.com/shorts/abcdefghij_?feature=share":       youTube + "abcdefghij_",
		"https://m.youtube.com/shorts/abcdefghij_/":                  youTube + "abcdefghij_",
		"https://www.youtube.com/live/abcdefghij_?si=x&t=12": youTube +
			"abcdefghij_?start=12",
		"https://www.youtube-nocookie.com/embed/abcdefghij-": youTube + "abcdefghij-",
		"https://www.youtube.com/embed/abcdefghij-?si=x&start=61": youTube +
			"abcdefghij-?start=61",
		"https://vimeo.com/123456789":                        vimeo + "123456789?dnt=1",
		"https://vimeo.com/123456789?share=copy&fl=sv&fe=ci": vimeo + "123456789?dnt=1",
		"https://vimeo.com/123456789#t=1m5s": vimeo +
			"123456789?dnt=1#t=65s",
		"https://vimeo.com/123456789/0a1b2c3d4e": vimeo +
			"123456789?h=0a1b2c3d4e&dnt=1",
		"https://vimeo.com/123456789/0a1b2c3d4e?share=copy": vimeo +
			"123456789?h=0a1b2c3d4e&dnt=1",
		"https://vimeo.com/manage/videos/123456789/0a1b2c3d4e": vimeo +
			"123456789?h=0a1b2c3d4e&dnt=1",
		"https://vimeo.com/channels/staffpicks/123456789":    vimeo + "123456789?dnt=1",
		"https://vimeo.com/showcase/1234567/video/123456789": vimeo + "123456789?dnt=1",
		"https://player.vimeo.com/video/123456789":           vimeo + "123456789?dnt=1",
		"https://player.vimeo.com/video/123456789?h=0a1b2c3d4e&badge=0&autopause=0": vimeo +
			"123456789?h=0a1b2c3d4e&dnt=1",
		"https://player.vimeo.com/video/123456789?h=javascript:": vimeo +
			"123456789?dnt=1",
		"https://open.spotify.com/album/0123456789abcdefABCDEF": spotify +
			"album/0123456789abcdefABCDEF",
		"https://open.spotify.com/track/0123456789abcdefABCDEF?si=0a1b2c&pt=x": spotify +
			"track/0123456789abcdefABCDEF",
		"https://open.spotify.com/intl-es/episode/0123456789abcdefABCDEF?si=0a1b2c": spotify +
			"episode/0123456789abcdefABCDEF",
		"https://open.spotify.com/embed/show/0123456789abcdefABCDEF?utm_source=generator": spotify +
			"show/0123456789abcdefABCDEF",
		"https://bandcamp.com/EmbeddedPlayer/album=12345": bandcamp +
			"album=12345/",
		"https://bandcamp.com/EmbeddedPlayer/track=12345/size=large/bgcol=ffffff/artwork=small/": bandcamp +
			"track=12345/",
		"https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/123456": soundCloud +
			"tracks/123456",
		"https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/playlists/soundcloud%253Aplaylists%253A42&color=%23ff5500&auto_play=true": soundCloud +
			"playlists/42",
	} {
		got, err := safety.Embed(in)
		if err != nil || got != want {
			t.Errorf("Embed(%q) = %q, %v; want %q", in, got, err, want)
		}
		if !containsPrefix(safety.FrameHosts(), got) {
			t.Errorf("%q is not served by one of FrameHosts", got)
		}
		if again, err := safety.Embed(got); err != nil || again != got {
			t.Errorf("Embed(%q) = %q, %v; want the same address", got, again, err)
		}
		for _, near := range nearEmbeds(in) {
			if got, err := safety.Embed(near); !fault.Is(err, fault.Invalid) {
				t.Errorf("Embed(%q) = %q, %v; want an error", near, got, err)
			}
		}
	}
	for _, bad := range []string{
		"https://youtu.be/abc", "https://vimeo.com/12345", "https://open.spotify.com/user/0123456789abcdefABCDEF",
		"https://dailymotion.com/video/x1", "",
		"https://www.youtube.com/watch?v=abc", "https://www.youtube.com/watch?list=PLabc",
		"https://www.youtube.com/playlist?list=PLabc", "https://www.youtube.com/@nightferry",
		"https://youtu.be/watch?v=abcdefghij_", "https://music.youtube.com/shorts/abcdefghij_",
		"https://www.youtube.com/shorts/", "https://www.youtube.com/redirect?q=https://youtu.be/abcdefghij_",
		"https://vimeo.com/123456789/settings", "https://player.vimeo.com/video/123456789/0a1b2c3d4e",
		"https://vimeo.com/user1234", "https://open.spotify.com/intl-/track/0123456789abcdefABCDEF",
		"https://w.soundcloud.com/player/?url=https%3A//example.com/tracks/1", "https://w.soundcloud.com/player/",
		"https://bandcamp.com/EmbeddedPlayer/size=large",
		"https://youtu.be/abcdefghij_?x=\"", "https://youtu.be/abcdefghij_?x=<b>",
		"https://youtu.be/abcdefghij_?x= y", "https://youtu.be/%61bcdefghij_",
		"https://youtu.be/abcdefghij_?x=" + strings.Repeat("y", 2000),
	} {
		if got, err := safety.Embed(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Embed(%q) = %q, %v; want an error", bad, got, err)
		}
	}
}

// nearEmbeds returns addresses that resemble an approved address but are not approved.
func nearEmbeds(in string) []string {
	host, path, _ := strings.Cut(strings.TrimPrefix(in, "https://"), "/")
	nears := []string{
		"http://" + host + "/" + path, "//" + host + "/" + path, "https://user@" + host + "/" + path,
		"https://" + host + ":443/" + path,
		"https://" + host + ".example.com/" + path, "https://x" + host + "/" + path,
		"https://example.com/" + in, in + "\n", " " + in, in + "\"",
		"https://" + host + "/x/" + path, "https://" + host + "/../" + path, "https://" + host + "\\/" + path,
		"https://example.com#" + in, "https://example.com?" + in,
		strings.ToUpper(in), strings.Replace(in, "https", "HTTPS", 1), strings.Replace(in, host, strings.ToUpper(host), 1),
	}
	for i := range host {
		if host[i] == '.' {
			nears = append(nears, "https://"+host[:i]+"x"+host[i+1:]+"/"+path)
		}
	}
	return nears
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
			t.Errorf("accepted: %q", s)
		}
	})
}

var frames = regexp.MustCompile(`^https://(?:www\.youtube-nocookie\.com/embed/[A-Za-z0-9_-]{11}(?:\?start=[0-9]+)?|` +
	`player\.vimeo\.com/video/[0-9]+\?(?:h=[0-9a-f]+&)?dnt=1(?:#t=[0-9]+s)?|` +
	`open\.spotify\.com/embed/[a-z]+/[A-Za-z0-9]{22}|bandcamp\.com/EmbeddedPlayer/(?:album|track)=[0-9]+/|` +
	`w\.soundcloud\.com/player/\?url=https%3A//api\.soundcloud\.com/(?:playlists|tracks)/[0-9]+)$`)

func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{
		"https://youtu.be/abcdefghij_?si=x&t=42s", "https://www.youtube.com/watch?v=abcdefghij_&list=x#t=1m",
		"https://vimeo.com/123456789/0a1b2c3d4e?share=copy",
		"https://open.spotify.com/intl-de/track/0123456789abcdefABCDEF?si=x",
		"https://bandcamp.com/EmbeddedPlayer/album=1/size=large/",
		"https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/1&color=%23f50",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		frame, err := safety.Embed(s)
		if err != nil {
			return
		}
		if !frames.MatchString(frame) {
			t.Errorf("Embed(%q) = %q", s, frame)
		}
		if again, err := safety.Embed(frame); err != nil || again != frame {
			t.Errorf("Embed(%q) = %q, then %q, %v", s, frame, again, err)
		}
	})
}
