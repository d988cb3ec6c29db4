package compose

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Vitals are what a monitor watches.
type Vitals struct {
	Outbox    int        // mails that wait
	LastCron  *time.Time // when the hour's work ran last; nil before the first time
	Campaigns []CampaignVitals
	// ContentProblems is how many problems the content has; set by the host.
	ContentProblems int
}

// CampaignVitals are those of a campaign that has begun.
type CampaignVitals struct {
	Slug   string
	InSync bool // the public numbers are what the objects say
	settlement.Problems
	OpenBreaks     int // differences from the processor's books
	CriticalBreaks int // of those, the critical ones
}

// Vitals reads them. What cannot be read is left out, and named by the error.
func (s *Services) Vitals(ctx context.Context) (Vitals, error) {
	var v Vitals
	var errs []error
	var err error
	if v.Outbox, err = s.Outbox.Waiting(ctx); err != nil {
		errs = append(errs, err)
	}
	if cron, err := s.CronStatus(ctx); err != nil {
		errs = append(errs, err)
	} else {
		v.LastCron = cron.LastRun
	}
	zone := s.Config.Site.Timezone.Location()
	for _, c := range s.Campaigns().Campaigns() {
		if c.State(s.Now(), zone) == campaign.Upcoming {
			continue
		}
		one, err := s.vitalsOf(ctx, c.Slug, c.State(s.Now(), zone) == campaign.Ended)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		v.Campaigns = append(v.Campaigns, one)
	}
	return v, errors.Join(errs...)
}

func (s *Services) vitalsOf(ctx context.Context, slug string, ended bool) (CampaignVitals, error) {
	v := CampaignVitals{Slug: slug}
	drift, err := s.Projector.CheckNumbers(ctx, slug)
	if err != nil {
		return v, err
	}
	v.InSync = drift.InSync
	r, err := s.Reconcile.Report(ctx, slug)
	if err != nil {
		return v, err
	}
	v.OpenBreaks, v.CriticalBreaks = r.OpenBreaks, r.Critical
	if ended {
		v.Problems, err = s.Settlement.Problems(ctx, slug)
	}
	return v, err
}
