package settlement

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// VerifyClaim implements notify.Verifier: it checks a mail that states an outcome against the
// records just before the mail is sent. That a pledge was charged or cancelled is sent if it is
// true. That money did not move also waits while charging is stopped, for example after a
// restore, and while this server's clock is wrong.
func (s *Service) VerifyClaim(ctx context.Context, k notify.Kind, slug string, c notify.Claim) (notify.Verdict, string, error) {
	if k != notify.Charged && k != notify.Cancelled {
		if err := s.checkNow(ctx); err != nil {
			return wait(err)
		}
	}
	pledges, err := s.read(ctx, c.Pledges)
	if fault.Is(err, fault.NotFound) {
		return notify.Discard, "its pledge is not known", nil
	}
	if err != nil {
		return "", "", err
	}
	if k == notify.Missed {
		if closed, err := s.Closed(ctx, slug); err != nil || !closed {
			return notify.Discard, "the campaign is not closed", err
		}
	}
	for _, p := range pledges {
		if !isTrue(k, p, c) {
			return notify.Discard, "it is no longer true", nil
		}
	}
	return notify.SendNow, "", nil
}

// isTrue reports whether what a mail claims holds for a pledge.
func isTrue(k notify.Kind, p *pledge.Pledge, c notify.Claim) bool {
	switch k {
	case notify.Charged:
		return p.Charged && p.PaymentIntentID == c.PaymentID
	case notify.UpdateCard:
		return p.Unpaid() && p.Status == pledge.PaymentFailed
	case notify.Dropped:
		return p.Dropped() && !p.Charged
	case notify.Missed:
		return !p.Charged && !p.Claimed()
	case notify.Cancelled:
		return p.Status == pledge.Cancelled
	default:
		return true
	}
}

// wait puts a mail off for a reason that may pass.
func wait(err error) (notify.Verdict, string, error) {
	if errors.Is(err, errHeld) || fault.Is(err, fault.Conflict) || fault.Is(err, fault.Unavailable) {
		return notify.Wait, messageOf(err), nil
	}
	return "", "", err
}

// checkNow makes the first three checks of an admission. The processor is asked at most once a
// minute: a mail follows a run that was admitted in full.
func (s *Service) checkNow(ctx context.Context) error {
	if err := s.checkStop(ctx); err != nil {
		return err
	}
	now := s.Now()
	if s.Leases != nil && s.Leases.checkedLately(now) {
		return nil
	}
	if err := s.checkProcessor(ctx); err != nil {
		return err
	}
	if s.Leases != nil {
		s.Leases.noteChecked(now)
	}
	return nil
}

// checkLife is how long the processor is not asked again for its account and clock.
const checkLife = time.Minute

// checkedLately is false also if the clock has gone back.
func (t *Leases) checkedLately(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.checked.IsZero() && !now.Before(t.checked) && now.Sub(t.checked) < checkLife
}

func (t *Leases) noteChecked(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checked = now
}
