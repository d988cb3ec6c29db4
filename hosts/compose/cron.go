package compose

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// cronKey stores the time of the last hourly run.
const cronKey = "cron:lastRun"

// cronLimit is how many records of most kinds one hourly run processes.
const cronLimit = 1000

// CronReport is the result of one hourly run.
type CronReport struct {
	At       time.Time      `json:"at"`
	Swept    checkout.Swept `json:"tended"`
	Settling []string       `json:"settling"` // campaigns whose settlement was started or continued
	// Forgotten counts the deleted cards that were no longer needed for a charge.
	Forgotten int            `json:"cardsForgotten"`
	Mails     notify.Drained `json:"mails"`
	Rebuilt   []string       `json:"rebuilt"` // campaigns whose projections had drifted
	// Reconciled lists the campaigns whose reconciliation pass ran.
	Reconciled []string `json:"reconciled"`
}

// CronStatus describes the last hourly run.
type CronStatus struct {
	LastRun *time.Time `json:"lastRun,omitempty"` // nil before the first run
	Now     time.Time  `json:"now"`
}

// Cron does the hourly work: it releases expired reservations, settles campaigns whose deadline has
// passed, completes interrupted operator actions, sends reminders, reports and other mails, deletes
// cards that are no longer needed, repairs projections, imports disputes and payouts, reconciles
// payments, and marks campaigns without remaining work as idle.
//
// If one part fails, the others still run, and Cron returns all errors joined. The time of the run
// is recorded in any case. Runs may overlap: the settlement lease and the identity of each record
// prevent duplicate work. While the clock is wrong, Cron does nothing and fails with ErrClock.
func (s *Services) Cron(ctx context.Context) (CronReport, error) {
	r := CronReport{At: s.Now().UTC(), Settling: []string{}, Rebuilt: []string{}}
	if err := s.Clock.Check(ctx); err != nil {
		return r, err
	}
	var errs []error
	before, err := s.Settlement.IdleStates(ctx)
	if err != nil {
		errs = append(errs, fmt.Errorf("reading idle states: %w", err))
	}
	if r.Swept, err = s.Checkout.Sweep(ctx, cronLimit); err != nil {
		errs = append(errs, fmt.Errorf("sweeping reservations: %w", err))
	}
	if r.Settling, err = s.SettleDue(ctx); err != nil {
		errs = append(errs, fmt.Errorf("settling: %w", err))
	}
	if s.ResumeActs != nil {
		if err = s.ResumeActs(ctx); err != nil {
			errs = append(errs, fmt.Errorf("resuming operator actions: %w", err))
		}
	}
	if err = s.Outbox.RepairQueue(ctx, cronLimit); err != nil {
		errs = append(errs, fmt.Errorf("repairing the mail queue: %w", err))
	}
	if err = s.pauseMails(ctx); err != nil {
		errs = append(errs, fmt.Errorf("checking bounces: %w", err))
	}
	if err = s.remind(ctx, allLaunches, true); err != nil {
		errs = append(errs, fmt.Errorf("sending reminders: %w", err))
	}
	if err = s.reportToRunners(ctx); err != nil {
		errs = append(errs, fmt.Errorf("sending runner reports: %w", err))
	}
	if r.Mails, err = s.Outbox.Drain(ctx, cronLimit); err != nil {
		errs = append(errs, fmt.Errorf("sending mails: %w", err))
	}
	if err = s.Audit.Sweep(ctx); err != nil {
		errs = append(errs, fmt.Errorf("sweeping the audit log: %w", err))
	}
	if err = s.Access.Sweep(ctx); err != nil {
		errs = append(errs, fmt.Errorf("sweeping sessions: %w", err))
	}
	if err = s.forgetNews(ctx); err != nil {
		errs = append(errs, fmt.Errorf("deleting broadcast addresses: %w", err))
	}
	if r.Forgotten, err = s.deleteCards(ctx, before); err != nil {
		errs = append(errs, fmt.Errorf("deleting cards: %w", err))
	}
	if r.Rebuilt, err = s.repairProjections(ctx); err != nil {
		errs = append(errs, fmt.Errorf("checking projections: %w", err))
	}
	imported := s.importDisputes(ctx)
	if err = s.findRefunds(ctx); err != nil {
		errs = append(errs, fmt.Errorf("looking for refunds: %w", err))
	}
	_, paidOut := s.Settlement.ImportPayouts(ctx) // after the refunds, which are among a payout's rows
	if r.Reconciled, err = s.updateBooks(ctx); err != nil {
		errs = append(errs, fmt.Errorf("reconciling: %w", err))
	}
	if err = s.searchLostOrders(ctx); err != nil {
		errs = append(errs, fmt.Errorf("looking for lost orders: %w", err))
	}
	if len(errs) == 0 {
		if err = s.markIdle(ctx, before, r); err != nil {
			errs = append(errs, fmt.Errorf("marking campaigns as idle: %w", err))
		}
	}
	if imported != nil { // such as a key without the right to read disputes, which must not keep campaigns awake
		errs = append(errs, fmt.Errorf("importing disputes: %w", imported))
	}
	if paidOut != nil { // the same
		errs = append(errs, fmt.Errorf("importing payouts: %w", paidOut))
	}
	if err = s.Evidence.Flush(ctx); err != nil {
		errs = append(errs, fmt.Errorf("writing evidence: %w", err))
	}
	if err = kv.Save(ctx, s.Stores.Pledges, cronKey, r.At); err != nil {
		errs = append(errs, fmt.Errorf("recording the run: %w", err))
	}
	return r, errors.Join(errs...)
}

// minuteLimit is how many records of most kinds one call of Minute processes.
const minuteLimit = 100

// minuteRequests is how many broadcast requests one call of Minute sends.
const minuteRequests = 20

// Minute does the background work that should not wait for the hourly run: it releases expired
// reservations, sends reminders and other mails, updates public totals and the search index, and
// continues unfinished settlements, refunds and reconciliation passes. While the clock is wrong, Minute
// does nothing and fails with ErrClock.
func (s *Services) Minute(ctx context.Context) error {
	if err := s.Clock.Check(ctx); err != nil {
		return err
	}
	_, swept := s.Checkout.Sweep(ctx, minuteLimit)
	reminded := s.remind(ctx, recentLaunches, false)
	_, drained := s.sendMails(ctx, minuteLimit, minuteRequests)
	return errors.Join(swept, reminded, drained, s.updateTotals(ctx), s.Resume(ctx), s.runRefunds(ctx),
		s.continuePasses(ctx), s.updateSearch(ctx), s.Evidence.Flush(ctx))
}

// MailRun is the result of SendMails.
type MailRun struct {
	// Wait is how long to wait before the next call, because of the provider's rate limit or a mail
	// that is due later; 0 if there is no reason to wait.
	Wait time.Duration
	// More is set if mails may be left that are due now.
	More bool
}

// drainSize is how many mails are sent before those of broadcasts get their turn.
const drainSize = 1000

// SendMails sends the mails that are due: first those of the outbox, then those of broadcasts with
// at most the given number of requests. It checks the outbox again before each of these requests.
// While the clock is wrong, it does nothing and fails with ErrClock. A host that can should call it
// again at once if there are more, otherwise after the wait, and every few seconds.
func (s *Services) SendMails(ctx context.Context, requests int) (MailRun, error) {
	return s.sendMails(ctx, drainSize, requests)
}

func (s *Services) sendMails(ctx context.Context, limit, requests int) (MailRun, error) {
	if err := s.Clock.Check(ctx); err != nil {
		return MailRun{}, err
	}
	for left := requests; ; left-- {
		d, err := s.Outbox.Drain(ctx, limit)
		if err != nil || d.Wait > 0 || d.Attempted() >= limit {
			return MailRun{Wait: d.Wait, More: d.Attempted() >= limit}, err
		}
		if left == 0 {
			return MailRun{More: requests > 0}, nil
		}
		stopped, err := s.Outbox.Switch().Stopped(ctx, notify.Updates)
		if err != nil || stopped != nil {
			return MailRun{}, err
		}
		wait, more, err := s.stepNews(ctx)
		if err != nil || wait > 0 || !more {
			return MailRun{Wait: wait}, err
		}
	}
}

// repairProjections rewrites records that a crash left stale, and checks the next part of each
// active campaign's pledge records. It returns the campaigns that had stale records.
func (s *Services) repairProjections(ctx context.Context) ([]string, error) {
	repaired := []string{}
	var errs []error
	awake, err := s.Settlement.ActiveCampaigns(ctx)
	errs = append(errs, err)
	for _, c := range awake {
		n, err := s.Projector.Repair(ctx, c.Slug)
		if n > 0 {
			repaired = append(repaired, c.Slug)
		}
		errs = append(errs, err, s.sweep(ctx, c.Slug))
	}
	return repaired, errors.Join(errs...)
}

// updateTotals updates the public totals of live campaigns.
func (s *Services) updateTotals(ctx context.Context) error {
	var errs []error
	zone := s.Config.Site.Timezone.Location()
	for _, c := range s.Campaigns().Campaigns() {
		if c.State(s.Now(), zone) == campaign.Live {
			_, err := s.Projector.RepairNumbers(ctx, c.Slug)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sweep checks the next part of a campaign's pledge records, starting where the last run stopped.
func (s *Services) sweep(ctx context.Context, slug string) error {
	key := sweepKey(slug)
	from, _, err := kv.Read[int](ctx, s.Stores.Pledges, key)
	if err != nil {
		return err
	}
	swept, err := s.Projector.Sweep(ctx, slug, from, cronLimit)
	if err != nil || swept.Next == from {
		return err
	}
	return kv.Save(ctx, s.Stores.Pledges, key, swept.Next)
}

// CronStatus returns the time of the last hourly run.
func (s *Services) CronStatus(ctx context.Context) (CronStatus, error) {
	at, ok, err := kv.Read[time.Time](ctx, s.Stores.Pledges, cronKey)
	if err != nil {
		return CronStatus{}, err
	}
	status := CronStatus{Now: s.Now().UTC()}
	if ok {
		status.LastRun = &at
	}
	return status, nil
}
