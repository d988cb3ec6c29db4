package notify

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// News is a mail that its reader may stop: what a campaign tells its supporters, or what
// somebody asked to be reminded of.
type News struct {
	Kind     Kind   // of the streams Updates and Reminders
	Identity string // as of Message
	To       string
	Lang     string
	Subject  string
	// Content is what is told: as of a page, with a block of type text for Markdown alone.
	// Pictures that are not the site's own are left out, and films are links.
	Content []campaign.Block
	// Label and URL are of a button below it; both are "" where there is none. URL is
	// absolute, or a path of the site.
	Label, URL string
	// Unsubscribe is an absolute address with a page that stops more of these.
	Unsubscribe string
	NotAfter    time.Time
}

// MaxNews is how many characters each block of news has at most.
const MaxNews = 20_000

func absolute(link string) bool {
	return safety.Link(link) == nil && !strings.HasPrefix(link, "/")
}

// maxPreview is about what mailboxes show, in bytes.
const maxPreview = 150

// preview is the beginning of what the first paragraph says.
func preview(g group) string {
	for _, b := range g {
		if p, ok := b.(paragraph); ok {
			s := plain(strings.TrimSpace(p.words()))
			if len(s) > maxPreview {
				s = strings.ToValidUTF8(s[:maxPreview], "") + "…"
			}
			return s
		}
	}
	return ""
}
