package compose

import (
	"iter"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Reporter computes a report of a campaign's pledges and returns a function that renders the mail
// for a reader. report.Mails is a Reporter.
type Reporter func(notify.ReportTopic, *campaign.Campaign, iter.Seq2[*pledge.Pledge, error], time.Time, mailtext.Platform) (func(to string) (notify.Message, error), error)
