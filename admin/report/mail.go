package report

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Mails writes the report of a campaign's pledges for a day in the platform's time zone, and
// returns a function that creates the mail for a reader. A file that is too large for a mail is
// omitted. Mails fails with code Invalid for an unknown topic.
func Mails(topic notify.ReportTopic, c *campaign.Campaign, all Pledges, day time.Time,
	p mailtext.Platform) (func(to string) (notify.Message, error), error) {
	var file strings.Builder
	if topic != notify.PledgeReport && topic != notify.FulfillmentReport {
		return nil, fault.New(fault.Invalid, "Unknown report").In("topic")
	}
	s, err := Kind(topic).WriteCSV(&file, all)
	if err != nil {
		return nil, err
	}
	r := mailtext.Report{Topic: topic, Day: day, Active: s.Active, Total: s.Total, Refunded: s.Refunded,
		Held: s.Held.Disputed, HeldAfterLoss: s.Held.Lost}
	if file.Len() <= notify.MaxAttachment {
		r.CSV = file.String()
	}
	return func(to string) (notify.Message, error) {
		one := r
		one.To = to
		return mailtext.ReportMail(one, c, p)
	}, nil
}
