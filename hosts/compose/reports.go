//go:build !js

package compose

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// reportKey marks a report that was queued for all of its readers. The day is "" where
// there is one for the campaign.
func reportKey(topic notify.ReportTopic, slug, day string) string {
	return "campaign-runner-report:" + string(topic) + ":" + slug + ":" + day
}

const (
	reportLife = 180 * 24 * time.Hour
	// reportLate is how long after its deadline a campaign's fulfillment is still news.
	reportLate = 60 * 24 * time.Hour
)

// reportToRunners queues the reports that are due for those who run campaigns: each day one
// of the pledges while a campaign is live, and one of what is to be sent once it is settled.
func (s *Services) reportToRunners(ctx context.Context) error {
	now := s.Now().In(s.Config.Site.Timezone.Location())
	if s.Reporter == nil || !s.Config.Reports.Enabled || now.Hour() < s.Config.Reports.Hour {
		return nil
	}
	var errs []error
	for _, c := range s.Campaigns().Campaigns() {
		readers := slices.DeleteFunc(slices.Clone(c.ReportEmails), func(email string) bool { return slices.Contains(c.ReportExcluded, email) })
		if c.Public() && len(readers) > 0 {
			errs = append(errs, s.report(ctx, c, readers, now))
		}
	}
	return errors.Join(errs...)
}

func (s *Services) report(ctx context.Context, c *campaign.Campaign, readers []string, now time.Time) error {
	topic, day, err := s.reportDue(ctx, c, now)
	if err != nil || topic == "" {
		return err
	}
	key := reportKey(topic, c.Slug, day)
	if _, done, err := kv.Read[time.Time](ctx, s.Stores.Pledges, key); err != nil || done {
		return err
	}
	word, err := s.Reporter(topic, c, s.Projector.Indexed(ctx, c.Slug), now, s.links.Platform)
	if fault.Is(err, fault.CampaignIndexRequired) {
		return nil // nobody has pledged
	}
	if err != nil {
		return err
	}
	var writes []kv.Write
	for _, to := range readers {
		m, err := word(to)
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

// reportDue returns the report that a campaign is to have, "" for none.
func (s *Services) reportDue(ctx context.Context, c *campaign.Campaign, now time.Time) (topic notify.ReportTopic, day string, err error) {
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
