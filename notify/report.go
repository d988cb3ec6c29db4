package notify

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ReportTopic is the topic of a Report.
type ReportTopic string

// The topics.
const (
	PledgeReport      ReportTopic = "pledges"     // the pledges of a live campaign
	FulfillmentReport ReportTopic = "fulfillment" // the orders of a settled campaign
)

// Report holds the data of a report to the people who run a campaign: daily for
// PledgeReport, once for FulfillmentReport.
type Report struct {
	Topic    ReportTopic
	To       string
	Lang     string
	Day      time.Time // in the platform's zone
	Standing int       // number of pledges
	Total    money.Cents
	CSV      string // "" if it is too long for a mail
}

// ReportOf writes the mail of a report. Its identity consists of the topic, the campaign and
// the reader, and the day for a daily report. It fails with code Invalid for an unknown topic.
func ReportOf(r Report, c *campaign.Campaign, p Platform) (Message, error) {
	w, title, day := catalogFor(r.Lang), plain(c.Title), r.Day.Format(time.DateOnly)
	identity := fmt.Sprintf("runner-report:%s:%s:%s", r.Topic, c.Slug, r.To)
	switch r.Topic {
	case PledgeReport:
		identity += ":" + day
	case FulfillmentReport:
	default:
		return Message{}, fault.New(fault.Invalid, "No such report").In("topic")
	}
	id := "report_" + string(r.Topic)
	lead := w.format(id, "title", title, "count", fmt.Sprint(r.Standing), "total", r.Total.String(), "day", w.day(r.Day))
	attached := "report_attached"
	if r.CSV == "" {
		attached = "report_too_long"
	}
	d := draft{
		catalog: w, Platform: p, subject: w.format(id+"_subject", "title", title, "day", w.day(r.Day)), preview: lead,
		blocks: group{textParagraph(lead), textParagraph(w.format(attached, "command", "pledged report "+string(r.Topic)+" "+c.Slug))},
		footer: group{small(w.format("report_why", "title", title))},
	}
	m := d.message(RunnerReport, identity, r.To)
	m.Campaign, m.NotAfter = c.Slug, r.Day.Add(reportLife)
	m.Claim = &Claim{Reader: r.To, Report: r.Topic}
	if r.CSV != "" {
		m.Attachment = Attachment{Name: string(r.Topic) + "-" + c.Slug + "-" + day + ".csv", Text: r.CSV}
	}
	return m, m.Check()
}

// reportLife is the age at which a report is no longer worth sending.
const reportLife = 7 * 24 * time.Hour
