package pledgeworks

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// minuteLimit is how many expired reservations one run of Minute releases, and after how many mails
// it checks the time.
const minuteLimit = 100

// minuteBudget is how long one run of Minute sends mails.
const minuteBudget = 45 * time.Second

// MinuteReport is the result of a run of Minute.
type MinuteReport struct {
	Mails notify.Drained // the mails that the run handled
	// MailsLeft is set if mails are left that are due now: the time was over, or Mails.Wait has to
	// pass first because of the provider's rate limit.
	MailsLeft bool
}

// Minute runs the periodic background work: it releases expired reservations, settles
// campaigns whose deadline has passed, resumes interrupted settlements, and sends
// mails until none are due, for at most 45 seconds. Call it once a minute; runs may overlap, on any
// number of servers. If one part fails, the others still run.
//
// Mails are sent one after the other, unless Outbox.Width and Outbox.Sleep are set. Several servers
// that call Minute at the same time can send a mail twice if the provider does not recognize
// repeated keys; Outbox.Mine divides the mails among them.
func (s *Services) Minute(ctx context.Context) (MinuteReport, error) {
	_, swept := s.Checkout.Sweep(ctx, minuteLimit)
	_, settled := s.SettleDue(ctx)
	resumed := s.Resume(ctx)
	r, drained := s.sendMails(ctx)
	return r, errors.Join(swept, settled, resumed, drained, s.Evidence.Flush(ctx))
}

func (s *Services) sendMails(ctx context.Context) (r MinuteReport, err error) {
	for end := s.Outbox.Now().Add(minuteBudget); ; {
		d, err := s.Outbox.Drain(ctx, minuteLimit)
		r.Mails.Add(d)
		more := d.Attempted() >= minuteLimit
		r.MailsLeft = more || d.Wait > 0
		if err != nil || !more || d.Wait > 0 || !s.Outbox.Now().Before(end) {
			return r, err
		}
	}
}

// SettleDue starts the settlements that are due and returns the campaigns for which that
// succeeded. If no Next is set, it runs each settlement to its end. It does nothing while
// charging is off.
func (s *Services) SettleDue(ctx context.Context) ([]string, error) {
	started := []string{}
	if is, err := s.Settlement.ChargingOff(ctx); err != nil || is {
		return started, err
	}
	due, err := s.Settlement.DueCampaigns(ctx)
	errs := []error{err}
	for _, slug := range due {
		if err := s.dispatch(ctx, slug); err != nil {
			errs = append(errs, err)
			continue
		}
		started = append(started, slug)
	}
	return started, errors.Join(errs...)
}

// Resume continues interrupted settlements. It does nothing while charging is off.
func (s *Services) Resume(ctx context.Context) error {
	if is, err := s.Settlement.ChargingOff(ctx); err != nil || is {
		return err
	}
	stalled, err := s.Settlement.Stalled(ctx)
	errs := []error{err}
	for _, slug := range stalled {
		if next := s.Settlement.Next; next != nil {
			errs = append(errs, next(ctx, slug))
		} else {
			errs = append(errs, s.dispatch(ctx, slug))
		}
	}
	return errors.Join(errs...)
}

// dispatch starts a settlement and, if no Next is set, runs it to its end.
func (s *Services) dispatch(ctx context.Context, slug string) error {
	p, err := s.Settlement.Dispatch(ctx, slug)
	for err == nil && s.Settlement.Next == nil && p.Status == state.JobRunning {
		p, err = s.Settlement.Batch(ctx, settlement.BatchRequest{CampaignSlug: slug})
	}
	if fault.Is(err, fault.Busy) {
		return nil // another run is active
	}
	return err
}
