package compose

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Vitals contains the figures for monitoring.
type Vitals struct {
	Outbox   int        // mails waiting
	LastCron *time.Time // time of the last hourly run; nil before the first
	// LastBackup is the time of the last backup; nil if it is not known.
	LastBackup *time.Time
	// MailRefused is set if the mail provider refuses all mails from the account.
	MailRefused bool
	// ClockWrong is set while the server's clock is wrong, ChargingStopped while charging is stopped.
	ClockWrong, ChargingStopped bool
	Campaigns                   []CampaignVitals

	// ContentProblems is the number of problems in the content, and DiskFree and DiskSize are the bytes
	// of the disk with the data; 0 if unknown. The host sets them.
	ContentProblems    int
	DiskFree, DiskSize uint64
}

// CampaignVitals contains the figures of a campaign that has started.
type CampaignVitals struct {
	Slug   string
	InSync bool // the public totals match the objects
	state.Problems
	OpenBreaks     int // differences from the processor's books
	CriticalBreaks int // the critical ones among them
}

// Vitals returns the current figures. Figures that cannot be read are left out, and the error names
// them.
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
	if v.LastBackup, err = s.LastBackup(ctx); err != nil {
		errs = append(errs, err)
	}
	if refused, err := s.Outbox.Refused(ctx); err != nil {
		errs = append(errs, err)
	} else {
		v.MailRefused = refused != nil
	}
	v.ClockWrong = errors.Is(s.Clock.Check(ctx), ErrClock)
	if stopped, err := s.Settlement.Switch().Stopped(ctx); err != nil {
		errs = append(errs, err)
	} else {
		v.ChargingStopped = stopped != nil
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
