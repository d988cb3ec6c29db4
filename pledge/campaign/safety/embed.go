package safety

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// provider is an approved site for videos or recordings.
type provider struct {
	hosts []string
	// path matches the whole path; its groups identify the video or recording.
	path *regexp.Regexp
	// frame returns the frame's address for the path's groups and the URL's query, or "" if they do
	// not identify a video or recording.
	frame func(groups []string, u *url.URL) string
}

// youTubeID and vimeoID match video IDs, and vimeoHash the key of an unlisted Vimeo video.
const (
	youTubeID = `([A-Za-z0-9_-]{11})`
	vimeoID   = `([0-9]{6,12})`
	vimeoHash = `[0-9a-f]{6,20}`
)

var providers = []provider{
	{[]string{"www.youtube.com", "youtube.com", "m.youtube.com", "music.youtube.com"},
		regexp.MustCompile(`^/watch/?$`), youTubeWatch},
	{
		[]string{"www.youtube.com", "youtube.com", "m.youtube.com", "www.youtube-nocookie.com"},
		regexp.MustCompile(`^/(?:embed|shorts|live|v)/` + youTubeID + `/?$`), youTube,
	},
	{[]string{"youtu.be"}, regexp.MustCompile(`^/` + youTubeID + `/?$`), youTube},
	{
		[]string{"vimeo.com", "www.vimeo.com"},
		regexp.MustCompile(
			`^/(?:manage/videos/|channels/[A-Za-z0-9_-]+/|groups/[A-Za-z0-9_-]+/videos/|(?:album|showcase)/[0-9]+/video/)?` +
				vimeoID + `(?:/(` + vimeoHash + `))?/?$`), vimeo,
	},
	{[]string{"player.vimeo.com"}, regexp.MustCompile(`^/video/` + vimeoID + `()/?$`), vimeo},
	{
		[]string{"open.spotify.com"},
		regexp.MustCompile(`^/(?:intl-[a-z]{2}(?:-[a-z]{2})?/)?(?:embed/)?` +
			`(album|artist|episode|playlist|show|track)/([A-Za-z0-9]{22})/?$`),
		spotify,
	},
	{[]string{"bandcamp.com"},
		regexp.MustCompile(`^/EmbeddedPlayer/(?:v=2/)?(album|track)=([0-9]{1,12})(?:/[a-z_]+=[A-Za-z0-9]+)*/?$`), bandcamp},
	{[]string{"w.soundcloud.com"}, regexp.MustCompile(`^/player/?$`), soundCloud},
}

// embedURL matches the addresses that Embed parses: https, without credentials, a port, or
// characters that a page must escape.
var embedURL = regexp.MustCompile("^https://[a-z0-9.-]+/[A-Za-z0-9/_=.,-]*" +
	"(?:\\?[^\\s\"'<>\\\\^`{|}#]*)?(?:#[^\\s\"'<>\\\\^`{|}#]*)?$")

// Embed checks the address of an embed: an https address of an approved provider, as
// copied from its site. It returns the address for a frame, which contains only the ID
// and the start time from the input.
func Embed(s string) (frame string, err error) {
	if embedURL.MatchString(s) && len(s) <= maxLink {
		if u, err := url.Parse(s); err == nil {
			frame = frameOf(u)
		}
	}
	if frame == "" {
		return "", fault.New(fault.Invalid,
			"is not an approved embed: copy the address of one video or recording from YouTube, Vimeo or Spotify, or the address in the embed code from Bandcamp or SoundCloud")
	}
	return frame, nil
}

func frameOf(u *url.URL) string {
	for _, p := range providers {
		groups := p.path.FindStringSubmatch(u.Path)
		if groups == nil || !slices.Contains(p.hosts, u.Host) {
			continue
		}
		if frame := p.frame(groups[1:], u); frame != "" {
			return frame
		}
	}
	return ""
}

var wholeYouTubeID = regexp.MustCompile(`^` + youTubeID + `$`)

func youTubeWatch(_ []string, u *url.URL) string {
	id := u.Query().Get("v")
	if !wholeYouTubeID.MatchString(id) {
		return ""
	}
	return youTube([]string{id}, u)
}

func youTube(groups []string, u *url.URL) string {
	frame := "https://www.youtube-nocookie.com/embed/" + groups[0]
	if start := startOf(u); start > 0 {
		frame += "?start=" + strconv.Itoa(start)
	}
	return frame
}

var wholeVimeoHash = regexp.MustCompile(`^` + vimeoHash + `$`)

func vimeo(groups []string, u *url.URL) string {
	hash := groups[1]
	if h := u.Query().Get("h"); hash == "" && wholeVimeoHash.MatchString(h) {
		hash = h
	}
	frame := "https://player.vimeo.com/video/" + groups[0] + "?"
	if hash != "" {
		frame += "h=" + hash + "&"
	}
	frame += "dnt=1"
	if start := startOf(u); start > 0 {
		frame += "#t=" + strconv.Itoa(start) + "s"
	}
	return frame
}

func spotify(groups []string, _ *url.URL) string {
	return "https://open.spotify.com/embed/" + groups[0] + "/" + groups[1]
}

func bandcamp(groups []string, _ *url.URL) string {
	return "https://bandcamp.com/EmbeddedPlayer/" + groups[0] + "=" + groups[1] + "/"
}

var soundCloudItem = regexp.MustCompile(`^https://api\.soundcloud\.com/(playlists|tracks)/` +
	`(?:soundcloud:(?:playlists|tracks):)?([0-9]{1,12})$`)

func soundCloud(_ []string, u *url.URL) string {
	item, err := url.PathUnescape(u.Query().Get("url"))
	if err != nil {
		return ""
	}
	m := soundCloudItem.FindStringSubmatch(item)
	if m == nil {
		return ""
	}
	return "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/" + m[1] + "/" + m[2]
}

// start matches 42, 42s, 1m30s and 1h2m3s.
var start = regexp.MustCompile(`^(?:([0-9]{1,2})h)?(?:([0-9]{1,3})m)?(?:([0-9]{1,6})s?)?$`)

// startOf returns the start time in seconds: t or start in the query, or t in the fragment. It is 0
// if there is none.
func startOf(u *url.URL) int {
	fragment, _ := url.ParseQuery(u.EscapedFragment())
	for _, written := range []string{u.Query().Get("t"), u.Query().Get("start"), fragment.Get("t")} {
		m := start.FindStringSubmatch(written)
		if written == "" || m == nil {
			continue
		}
		seconds := 0
		for _, part := range m[1:] {
			n, _ := strconv.Atoi(part) // a missing part is 0
			seconds = seconds*60 + n
		}
		return seconds
	}
	return 0
}

// FrameHosts returns the hosts that the frames of Embed load from, for a content
// security policy.
func FrameHosts() []string {
	return []string{
		"https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://open.spotify.com",
		"https://bandcamp.com", "https://w.soundcloud.com",
	}
}
