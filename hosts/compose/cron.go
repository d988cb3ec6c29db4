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

// cronKey holds when the hourly work ran last.
const cronKey = "cron:lastRun"

// How many records one run takes up.
const cronLimit = 1000

// CronReport says what one run has done.
type CronReport struct {
	At       time.Time      `json:"at"`
	Swept    checkout.Swept `json:"tended"`
	Settling []string       `json:"settling"` // campaigns whose settlement was started or gone on with
	// Forgotten counts the cards that were deleted, since nothing is left to charge.
	Forgotten int            `json:"cardsForgotten"`
	Mails     notify.Drained `json:"mails"`
	Rebuilt   []string       `json:"rebuilt"` // campaigns whose projections had drifted
	// Reconciled are campaigns whose books were held against the processor's.
	Reconciled []string `json:"reconciled"`
}

// CronStatus is what an operator asks for.
type CronStatus struct {
	LastRun *time.Time `json:"lastRun,omitempty"` // nil before the first run
	Now     time.Time  `json:"now"`
}

// Cron does the hour's work: it looks after reservations that are due, settles
// the campaigns whose deadline has passed, goes on with what operators began, sends mails, deletes the cards of which nothing
// is left to charge, mends projections and keeps the books.
// A part that fails keeps no other from running; the marker says that the run
// took place. Runs may overlap: settlement's lock and every record's identity
// keep them from doing anything twice. Nothing runs while the clock is wrong.
func (s *Services) Cron(ctx context.Context) (CronReport, error) {
	r := CronReport{At: s.Now().UTC(), Settling: []string{}, Rebuilt: []string{}}
	if err := s.Clock.Check(ctx); err != nil {
		return r, err
	}
	var errs []error
	before, err := s.Settlement.Rests(ctx)
	if err != nil {
		errs = append(errs, fmt.Errorf("asking which campaigns rest: %w", err))
	}
	if r.Swept, err = s.Checkout.Sweep(ctx, cronLimit); err != nil {
		errs = append(errs, fmt.Errorf("looking after reservations: %w", err))
	}
	if r.Settling, err = s.SettleDue(ctx); err != nil {
		errs = append(errs, fmt.Errorf("settling: %w", err))
	}
	if s.ResumeActs != nil {
		if err = s.ResumeActs(ctx); err != nil {
			errs = append(errs, fmt.Errorf("going on with what operators began: %w", err))
		}
	}
	if err = s.Outbox.Adopt(ctx, cronLimit); err != nil {
		errs = append(errs, fmt.Errorf("looking for mails without a marker: %w", err))
	}
	if err = s.pauseMails(ctx); err != nil {
		errs = append(errs, fmt.Errorf("looking at what bounced: %w", err))
	}
	if err = s.remind(ctx, allLaunches, true); err != nil {
		errs = append(errs, fmt.Errorf("reminding: %w", err))
	}
	if err = s.reportToRunners(ctx); err != nil {
		errs = append(errs, fmt.Errorf("reporting to those who run campaigns: %w", err))
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
		errs = append(errs, fmt.Errorf("forgetting addresses: %w", err))
	}
	if r.Forgotten, err = s.forgetCards(ctx, before); err != nil {
		errs = append(errs, fmt.Errorf("deleting cards: %w", err))
	}
	if r.Rebuilt, err = s.mend(ctx); err != nil {
		errs = append(errs, fmt.Errorf("checking projections: %w", err))
	}
	if r.Reconciled, err = s.books(ctx); err != nil {
		errs = append(errs, fmt.Errorf("keeping the books: %w", err))
	}
	if err = s.lostOrders(ctx); err != nil {
		errs = append(errs, fmt.Errorf("looking for lost orders: %w", err))
	}
	if len(errs) == 0 {
		if err = s.rest(ctx, before, r); err != nil {
			errs = append(errs, fmt.Errorf("putting campaigns to rest: %w", err))
		}
	}
	if err = s.Evidence.Flush(ctx); err != nil {
		errs = append(errs, fmt.Errorf("writing evidence: %w", err))
	}
	if err = kv.Save(ctx, s.Stores.Pledges, cronKey, r.At); err != nil {
		errs = append(errs, fmt.Errorf("noting the run: %w", err))
	}
	return r, errors.Join(errs...)
}

// minuteLimit is how many records the minute's work takes up at once.
const minuteLimit = 100

// minuteRequests is how many requests of broadcasts a run of the minute makes.
const minuteRequests = 20

// Minute does what does not wait for the hour: it looks after reservations that are
// due, sends mails, sees to the public numbers and to who can be searched for, and goes on
// with settlements that somebody has begun and left, and with reconciliation.
func (s *Services) Minute(ctx context.Context) error {
	if err := s.Clock.Check(ctx); err != nil {
		return err
	}
	_, swept := s.Checkout.Sweep(ctx, minuteLimit)
	reminded := s.remind(ctx, recentLaunches, false)
	_, drained := s.Mails(ctx, minuteRequests)
	return errors.Join(swept, reminded, drained, s.freshen(ctx), s.Resume(ctx), s.reconcileOn(ctx), s.follow(ctx), s.Evidence.Flush(ctx))
}

// Mails sends the mails that are due: those of the outbox, and between them at most so many
// requests of broadcasts. It returns how long the provider's rate, or what is due later,
// holds the next one; 0 where nothing does. A host that can calls it then, and every few
// seconds.
func (s *Services) Mails(ctx context.Context, requests int) (wait time.Duration, err error) {
	if err := s.Clock.Check(ctx); err != nil {
		return 0, err
	}
	for {
		d, err := s.Outbox.Drain(ctx, minuteLimit)
		if err != nil || d.Wait > 0 || requests == 0 {
			return d.Wait, err
		}
		stopped, err := s.Outbox.Switch().Stopped(ctx, notify.Updates)
		if err != nil || stopped != nil {
			return 0, err
		}
		wait, more, err := s.stepNews(ctx)
		if err != nil || wait > 0 || !more {
			return wait, err
		}
		requests--
	}
}

// mend writes anew what a crash has left behind.
func (s *Services) mend(ctx context.Context) ([]string, error) {
	mended := []string{}
	var errs []error
	awake, err := s.Settlement.Awake(ctx)
	errs = append(errs, err)
	for _, c := range awake {
		n, err := s.Projector.Mend(ctx, c.Slug)
		if n > 0 {
			mended = append(mended, c.Slug)
		}
		errs = append(errs, err, s.sweep(ctx, c.Slug))
	}
	return mended, errors.Join(errs...)
}

// freshen sees to the public numbers of the campaigns that are live.
func (s *Services) freshen(ctx context.Context) error {
	var errs []error
	zone := s.Config.Site.Timezone.Location()
	for _, c := range s.Campaigns().Campaigns() {
		if c.State(s.Now(), zone) == campaign.Live {
			_, err := s.Projector.MendNumbers(ctx, c.Slug)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sweep goes on through a campaign's pledges from where the last run stopped.
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

// CronStatus returns when the hourly work ran last.
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
