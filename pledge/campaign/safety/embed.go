package safety

import (
	"regexp"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The approved providers: how their addresses are written, whole, and the
// address that a frame loads for it.
var providers = []struct {
	written *regexp.Regexp
	frame   string
}{
	{regexp.MustCompile(`^https://(?:www\.)?youtube\.com/watch\?v=([A-Za-z0-9_-]{11})$`), "https://www.youtube-nocookie.com/embed/$1"},
	{regexp.MustCompile(`^https://youtu\.be/([A-Za-z0-9_-]{11})$`), "https://www.youtube-nocookie.com/embed/$1"},
	{regexp.MustCompile(`^https://www\.youtube(?:-nocookie)?\.com/embed/([A-Za-z0-9_-]{11})$`), "https://www.youtube-nocookie.com/embed/$1"},
	{regexp.MustCompile(`^https://vimeo\.com/([0-9]{6,12})$`), "https://player.vimeo.com/video/$1?dnt=1"},
	{regexp.MustCompile(`^https://player\.vimeo\.com/video/([0-9]{6,12})$`), "https://player.vimeo.com/video/$1?dnt=1"},
	{regexp.MustCompile(`^https://open\.spotify\.com/(?:embed/)?(album|artist|episode|playlist|show|track)/([A-Za-z0-9]{22})$`), "https://open.spotify.com/embed/$1/$2"},
	{regexp.MustCompile(`^https://bandcamp\.com/EmbeddedPlayer/(album|track)=([0-9]{1,12})/?$`), "https://bandcamp.com/EmbeddedPlayer/$1=$2/"},
	{regexp.MustCompile(`^https://w\.soundcloud\.com/player/\?url=https%3A//api\.soundcloud\.com/(playlists|tracks)/([0-9]{1,12})$`), "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/$1/$2"},
}

// Embed checks the address of something another site shows: it has to be,
// letter for letter, an https address of an approved provider. It returns the
// address that a frame loads for it.
func Embed(s string) (frame string, err error) {
	for _, p := range providers {
		if p.written.MatchString(s) {
			return p.written.ReplaceAllString(s, p.frame), nil
		}
	}
	return "", fault.New(fault.Invalid,
		"is no approved embed: write the https address of a video or recording on YouTube, Vimeo, Spotify, Bandcamp or SoundCloud")
}

// FrameHosts are the hosts that the frames of Embed load from, for a
// content security policy.
func FrameHosts() []string {
	return []string{
		"https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://open.spotify.com",
		"https://bandcamp.com", "https://w.soundcloud.com",
	}
}
