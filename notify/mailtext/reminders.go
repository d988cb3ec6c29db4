package mailtext

import (
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Reminder holds the data of a reminder that its reader asked for.
type Reminder struct {
	Identity string // see notify.Message
	To       string
	Lang     string
	Link     string // absolute URL of the button
	// Unsubscribe is the absolute one-click unsubscribe URL.
	Unsubscribe string
	NotAfter    time.Time
}

// LaunchConfirmationMail composes the mail that asks the owner of an address to confirm a launch
// reminder that was requested for it.
func LaunchConfirmationMail(r Reminder, c *campaign.Campaign, p Platform) (notify.Message, error) {
	return r.message(notify.LaunchConfirmation, []*campaign.Campaign{c}, p)
}

// LaunchReminderMail composes the mail that announces a campaign's start, with its goal
// and its deadline in the given zone.
func LaunchReminderMail(r Reminder, c *campaign.Campaign, p Platform, zone *time.Location) (notify.Message, error) {
	w := languageFor(r.Lang)
	lead := w.Format(string(notify.LaunchReminder), "title", notify.PlainLine(c.Title), "deadline",
		w.moment(c.EndsAt(zone).Add(-time.Second)), "goal", w.price(c.Goal))
	return r.message(notify.LaunchReminder, []*campaign.Campaign{c}, p, textParagraph(lead))
}

// CartReminderMail composes the mail about an unfinished checkout of the given campaigns. It fails
// with code Invalid if there are none.
func CartReminderMail(r Reminder, campaigns []*campaign.Campaign, p Platform) (notify.Message, error) {
	if len(campaigns) == 0 {
		return notify.Message{}, fault.New(fault.Invalid, "A cart reminder needs at least one campaign")
	}
	return r.message(notify.AbandonedCart, campaigns, p)
}

// message composes the mail of a kind from the messages with the kind's name. It starts with the
// given lead or, without one, with the message named like the kind. It fails with code Invalid for
// an Unsubscribe URL that is not absolute.
func (r Reminder) message(k notify.Kind, campaigns []*campaign.Campaign, p Platform,
	lead ...block) (notify.Message, error) {
	if !isAbsolute(r.Unsubscribe) {
		return notify.Message{}, fault.New(fault.Invalid, "A reminder needs an absolute unsubscribe URL").In("unsubscribe")
	}
	w := languageFor(r.Lang)
	title := w.titles(campaigns)
	if lead == nil {
		lead = []block{textParagraph(w.Format(string(k), "title", title))}
	}
	open := string(k) + "_open"
	blocks := append(group(lead), newAction(w.Format(open, "link", r.Link), w.Format(open+"_button")))
	d := draft{
		language: w, Platform: p, subject: w.Format(string(k)+"_subject", "title", title),
		preview: preview(blocks), blocks: blocks,
		footer: group{small(w.Format("why_"+string(notify.Reminders), "title", title)),
			aside{w.Format("unsubscribe"), UnsubscribePage(r.Unsubscribe)}},
	}
	m := d.message(k, r.Identity, r.To)
	m.Unsubscribe, m.NotAfter = r.Unsubscribe, r.NotAfter
	if len(campaigns) == 1 {
		m.Campaign = campaigns[0].Slug
	}
	return m, m.Check()
}

// titles joins the campaigns' titles on one line.
func (w language) titles(campaigns []*campaign.Campaign) string {
	all := make([]string, 0, len(campaigns))
	for _, c := range campaigns {
		all = append(all, notify.PlainLine(c.Title))
	}
	return w.list(all)
}
