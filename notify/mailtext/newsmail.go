package mailtext

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxLabel limits a button's label, in characters.
const maxLabel = 60

// NewsMail composes the mail with a campaign's news to one reader. Its footer explains why they get
// it and how to unsubscribe. It fails with code Invalid, and the News field's name in lower case,
// if something is missing, unsafe or too long for a mail.
func NewsMail(n News, c *campaign.Campaign, links Links) (notify.Message, error) {
	if err := n.check(); err != nil {
		return notify.Message{}, err
	}
	w := languageFor(n.Lang)
	base := strings.TrimRight(links.SiteBase, "/")
	site := site{base: base, page: base + w.prefix() + "/campaigns/" + c.Slug + "/", language: w}
	content, err := site.content(n.Content)
	if err != nil {
		return notify.Message{}, err
	}
	if n.Label != "" {
		content = append(content, action{Label: notify.PlainLine(n.Label), Link: site.absolute(n.URL)})
	}
	if len(content) == 0 {
		return notify.Message{}, fault.New(fault.Invalid, "News must have content").In("content")
	}
	d := draft{
		language: w, Platform: links.Platform, subject: n.Subject, preview: preview(content), blocks: content,
		footer: group{
			small(w.Format("why_"+string(n.Kind.Stream()), "title", notify.PlainLine(c.Title))),
			aside{w.Format("unsubscribe"), UnsubscribePage(n.Unsubscribe)},
		},
	}
	m := d.message(n.Kind, n.Identity, n.To)
	m.Campaign, m.Unsubscribe, m.NotAfter = c.Slug, n.Unsubscribe, n.NotAfter
	if err := m.Check(); err != nil {
		return notify.Message{}, err
	}
	if !fits(m) {
		return notify.Message{}, fault.New(fault.Invalid,
			"The mail exceeds %d bytes including its layout", maxHTML).In("content")
	}
	return m, nil
}

func (n News) check() error {
	switch {
	case n.Kind.Stream() == notify.Transactional:
		return fault.New(fault.Invalid, "News must be of a kind that readers can unsubscribe from").In("kind")
	case !isAbsolute(n.Unsubscribe):
		return fault.New(fault.Invalid, "News needs an absolute unsubscribe URL").In("unsubscribe")
	case (n.Label == "") != (n.URL == ""):
		return fault.New(fault.Invalid, "A button needs both a label and a URL").In("url")
	case n.URL != "" && safety.Link(n.URL) != nil:
		return fault.New(fault.Invalid, "A button's URL must be a path of the site or an http or https URL").In("url")
	}
	_, err := safety.Plain(n.Label, maxLabel)
	return inField("label", err)
}

// inField returns a validation error with the given field and a message that starts with "It". It
// returns nil and other errors unchanged.
func inField(field string, err error) error {
	if f := fault.Of(err); f != nil {
		return fault.New(fault.Invalid, "It %s", f.Message).In(field)
	}
	return err
}
