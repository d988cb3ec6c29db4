package mailtext

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// News is a mail that its reader can unsubscribe from: a campaign's update to its supporters,
// or a reminder that the reader asked for.
type News struct {
	Kind     notify.Kind // of the stream Updates or Reminders
	Identity string      // see notify.Message
	To       string
	Lang     string
	Subject  string
	// Content is the body, in the format of a page: for Markdown, one block of type text.
	// Images that are not the site's own are dropped, and videos become links.
	Content []campaign.Block
	// Label and URL define a button below the content; both are "" for none. URL is absolute, or a
	// path of the site.
	Label, URL string
	// Unsubscribe is the absolute one-click unsubscribe URL.
	Unsubscribe string
	NotAfter    time.Time
}

// MaxNews limits each content block, in characters.
const MaxNews = 20_000

// isAbsolute reports whether a link is a safe absolute URL.
func isAbsolute(link string) bool {
	return safety.Link(link) == nil && !strings.HasPrefix(link, "/")
}

// maxPreview limits a preview, in bytes. Inboxes show about this much.
const maxPreview = 150

// preview returns the start of the first paragraph, or "" if there is no paragraph.
func preview(g group) string {
	for _, b := range g {
		if p, ok := b.(paragraph); ok {
			s := notify.PlainLine(strings.TrimSpace(p.words()))
			if len(s) > maxPreview {
				s = strings.ToValidUTF8(s[:maxPreview], "") + "…"
			}
			return s
		}
	}
	return ""
}
