package compose

import (
	"iter"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Reporter writes a report of a campaign's pledges, and returns what words it for a reader:
// report.Mails is one.
type Reporter func(notify.ReportTopic, *campaign.Campaign, iter.Seq2[*pledge.Pledge, error], time.Time, notify.Platform) (func(to string) (notify.Message, error), error)
