package mailtext

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Report holds the data of a report to the people who run a campaign. A notify.PledgeReport is sent
// daily, a notify.FulfillmentReport once.
type Report struct {
	Topic  notify.ReportTopic
	To     string
	Lang   string
	Day    time.Time // in the platform's zone
	Active int       // number of active pledges
	Total  money.Cents
	// Refunded is the part of Total that was paid back.
	Refunded money.Cents
	// Held and HeldAfterLoss are the parcels that the file leaves out because a dispute is open or was lost.
	Held, HeldAfterLoss int
	CSV                 string // "" if it is too large for a mail
}

// ReportMail composes the mail of a report. Its identity consists of the topic, the campaign, the
// reader and, for a daily report, the day. It fails with code Invalid for an unknown topic.
func ReportMail(r Report, c *campaign.Campaign, p Platform) (notify.Message, error) {
	w, title, day := languageFor(r.Lang), notify.PlainLine(c.Title), r.Day.Format(time.DateOnly)
	identity := fmt.Sprintf("runner-report:%s:%s:%s", r.Topic, c.Slug, r.To)
	switch r.Topic {
	case notify.PledgeReport:
		identity += ":" + day
	case notify.FulfillmentReport:
	default:
		return notify.Message{}, fault.New(fault.Invalid, "No such report").In("topic")
	}
	id := "report_" + string(r.Topic)
	lead := w.Format(id, "title", title, "count", fmt.Sprint(r.Active), "total", w.amount(r.Total), "day", w.day(r.Day))
	if r.Refunded != 0 {
		lead += " " + w.Format("report_refunded", "amount", w.amount(r.Refunded))
	}
	if r.Held != 0 {
		lead += " " + w.Format("report_held", "count", fmt.Sprint(r.Held))
	}
	if r.HeldAfterLoss != 0 {
		lead += " " + w.Format("report_held_after_loss", "count", fmt.Sprint(r.HeldAfterLoss))
	}
	attached := "report_attached"
	if r.CSV == "" {
		attached = "report_too_long"
	}
	d := draft{
		language: w, Platform: p, subject: w.Format(id+"_subject", "title", title, "day", w.day(r.Day)), preview: lead,
		blocks: group{textParagraph(lead),
			textParagraph(w.Format(attached, "command", "pledged report "+string(r.Topic)+" "+c.Slug))},
		footer: group{small(w.Format("report_why", "title", title))},
	}
	m := d.message(notify.RunnerReport, identity, r.To)
	m.Campaign, m.NotAfter = c.Slug, r.Day.Add(reportLife)
	m.Claim = &notify.Claim{Reader: r.To, Report: r.Topic}
	if r.CSV != "" {
		m.Attachment = notify.Attachment{Name: string(r.Topic) + "-" + c.Slug + "-" + day + ".csv", Text: r.CSV}
	}
	return m, m.Check()
}

// reportLife is the age at which a report is no longer sent.
const reportLife = 7 * 24 * time.Hour
