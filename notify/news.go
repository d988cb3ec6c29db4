package notify

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
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

// maxLabel is how many characters a button has at most.
const maxLabel = 60

// NewsOf writes the mail of a campaign's news to one reader. It says at its end why they
// get it and how to stop that. It fails with code Invalid, and the News' field in lower
// case, where something is missing, unsafe or too long for a mail.
func NewsOf(n News, c *campaign.Campaign, links Links) (Message, error) {
	if err := n.check(); err != nil {
		return Message{}, err
	}
	w := wordsOf(n.Lang)
	site := site{base: strings.TrimRight(links.SiteBase, "/"), words: w}
	content, err := site.content(n.Content)
	if err != nil {
		return Message{}, err
	}
	if n.Label != "" {
		content = append(content, action{Label: plain(n.Label), Link: site.absolute(n.URL)})
	}
	if len(content) == 0 {
		return Message{}, fault.New(fault.Invalid, "News has something to tell").In("content")
	}
	d := draft{
		words: w, Platform: links.Platform, subject: n.Subject, preview: preview(content), blocks: content,
		footer: group{
			small(w.say("why_"+string(n.Kind.Stream()), "title", plain(c.Title))),
			aside{w.say("unsubscribe"), n.Unsubscribe},
		},
	}
	m := d.message(n.Kind, n.Identity, n.To)
	m.Campaign, m.Unsubscribe, m.NotAfter = c.Slug, n.Unsubscribe, n.NotAfter
	if err := m.Check(); err != nil {
		return Message{}, err
	}
	if !m.fits() {
		return Message{}, fault.New(fault.Invalid, "The mail is longer than %d bytes with its layout", maxHTML).In("content")
	}
	return m, nil
}

func (n News) check() error {
	switch {
	case n.Kind.Stream() == Transactional:
		return fault.New(fault.Invalid, "News is of a stream that its reader may stop").In("kind")
	case !absolute(n.Unsubscribe):
		return fault.New(fault.Invalid, "News has an address that stops it").In("unsubscribe")
	case (n.Label == "") != (n.URL == ""):
		return fault.New(fault.Invalid, "A button has a label and an address").In("url")
	case n.URL != "" && safety.Link(n.URL) != nil:
		return fault.New(fault.Invalid, "A button leads to a path of the site, or to an http or https address").In("url")
	}
	_, err := safety.Plain(n.Label, maxLabel)
	return in("label", err)
}

// in names the field that a judgement is about.
func in(field string, err error) error {
	if f := fault.Of(err); f != nil {
		return fault.New(fault.Invalid, "It %s", f.Message).In(field)
	}
	return err
}

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
