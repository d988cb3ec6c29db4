package compose

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// reportKey is the key of the record that a report was queued for all its readers. The day is empty
// for reports that a campaign gets only once.
func reportKey(topic notify.ReportTopic, slug, day string) string {
	return "campaign-runner-report:" + string(topic) + ":" + slug + ":" + day
}

const (
	reportLife = 180 * 24 * time.Hour
	// reportLate is how long after its deadline a campaign still gets its fulfillment report.
	reportLate = 60 * 24 * time.Hour
)

// reportToRunners queues the reports that are due: a daily pledge report while a campaign is live,
// and a fulfillment report once it is settled.
func (s *Services) reportToRunners(ctx context.Context) error {
	now := s.Now().In(s.Config.Site.Timezone.Location())
	if !s.Config.Reports.Enabled || now.Hour() < s.Config.Reports.Hour {
		return nil
	}
	var errs []error
	for _, c := range s.Campaigns().Campaigns() {
		if c.Public() && len(reportAddresses(c)) > 0 {
			errs = append(errs, s.report(ctx, c, now))
		}
	}
	return errors.Join(errs...)
}

func (s *Services) report(ctx context.Context, c *campaign.Campaign, now time.Time) error {
	topic, day, err := s.reportDue(ctx, c, now)
	if err != nil || topic == "" {
		return err
	}
	key := reportKey(topic, c.Slug, day)
	if _, done, err := kv.Read[time.Time](ctx, s.Stores.Pledges, key); err != nil || done {
		return err
	}
	addresses, err := s.readersNow(ctx, c, topic)
	if err != nil || len(addresses) == 0 {
		return err
	}
	render, err := report.Mails(topic, c, s.Projector.Indexed(ctx, c.Slug), now, s.links.Platform)
	if fault.Is(err, fault.CampaignIndexRequired) {
		return nil // no pledges yet
	}
	if err != nil {
		return err
	}
	var writes []kv.Write
	for _, to := range addresses {
		m, err := render(to)
		if err != nil {
			return err
		}
		mail, err := s.Outbox.Writes(ctx, m)
		if err != nil {
			return err
		}
		writes = append(writes, mail...)
	}
	done, err := kv.Record(key, now.UTC(), now.Add(reportLife))
	if err != nil {
		return err
	}
	return s.Stores.Pledges.Apply(ctx, append(writes, done))
}

// readersNow returns the addresses that may get a report now. It logs how many addresses of the
// campaign's file may not.
func (s *Services) readersNow(ctx context.Context, c *campaign.Campaign, topic notify.ReportTopic) ([]string, error) {
	r, err := s.readersOf(ctx, c.Slug)
	if err != nil {
		return nil, err
	}
	all := reportAddresses(c)
	allowed := slices.DeleteFunc(slices.Clone(all),
		func(email string) bool { return !slices.Contains(r.reports(email), topic) })
	if refused := len(all) - len(allowed); refused > 0 {
		s.Log.WarnContext(ctx, "report not sent to addresses of runner_report_emails that lack its permission",
			"campaign", c.Slug, "report", string(topic), "addresses", refused)
	}
	return allowed, nil
}

// reportDue returns the report that is due for a campaign, "" if there is none.
func (s *Services) reportDue(ctx context.Context, c *campaign.Campaign,
	now time.Time) (topic notify.ReportTopic, day string, err error) {
	switch zone := now.Location(); c.State(now, zone) {
	case campaign.Live:
		return notify.PledgeReport, now.Format(time.DateOnly), nil
	case campaign.Ended:
		if now.Sub(c.EndsAt(zone)) > reportLate {
			return "", "", nil
		}
		_, settled, err := kv.Read[time.Time](ctx, s.Stores.Pledges, pledge.ChargedKey(c.Slug))
		if err == nil && settled {
			return notify.FulfillmentReport, "", nil
		}
		return "", "", err
	case campaign.Upcoming:
	}
	return "", "", nil
}
