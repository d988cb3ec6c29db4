package settlement

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// VerifyClaim implements notify.Verifier: it compares an email that states an outcome with the
// records just before the email is sent. An email that states that a pledge was charged or
// cancelled is sent if that is true. One that states that no money moved also waits while
// charging is stopped, while this server's clock is wrong, and after a restore until the
// campaign's payments have been imported again.
func (s *Service) VerifyClaim(ctx context.Context, k notify.Kind, slug string,
	c notify.Claim) (notify.Verdict, string, error) {
	if k == notify.Refunded || k == notify.RefundFailed {
		return s.verifyRefund(ctx, k, slug, c.RefundID)
	}
	if k != notify.Charged && k != notify.Cancelled {
		if err := errors.Join(s.checkNow(ctx), s.checkImported(ctx, slug)); err != nil {
			return postponed(err)
		}
	}
	if k == notify.Missed {
		if closed, err := s.Closed(ctx, slug); err != nil || !closed {
			return notify.Discard, "the campaign is not closed", err
		}
	}
	pledges, err := s.readPledges(ctx, c.Pledges)
	if fault.Is(err, fault.NotFound) {
		return notify.Discard, "its pledge is not known", nil
	}
	if err != nil {
		return "", "", err
	}
	for _, p := range pledges {
		if k == notify.Charged && p.Charged && p.PaymentIntentID == c.PaymentID {
			continue
		}
		g, err := s.groupOf(ctx, p)
		if err != nil {
			return "", "", err
		}
		if v, reason := verifyPledge(k, p, g, c); v != notify.SendNow {
			return v, reason, nil
		}
	}
	return notify.SendNow, "", nil
}

// verifyPledge checks what a mail states about a pledge and its charge, which may be nil. If
// their records differ after a restore, the charge's record decides whether money moved.
func verifyPledge(k notify.Kind, p *pledge.Pledge, g *state.Group, c notify.Claim) (notify.Verdict, string) {
	paid := p.Charged || g != nil && g.Status == state.Succeeded
	is := true
	switch k {
	case notify.Charged:
		is = p.Charged && p.PaymentIntentID == c.PaymentID ||
			g != nil && g.Status == state.Succeeded && g.PaymentIntentID == c.PaymentID
	case notify.UpdateCard:
		if !paid && g != nil && g.Recovering() && missesFailure(g, p) {
			return notify.Wait, "the pledge does not record its failed charge yet"
		}
		is = !paid && p.Unpaid() && p.Status == pledge.PaymentFailed
	case notify.Dropped:
		is = !paid && p.Dropped()
	case notify.Missed:
		is = !paid && !p.Claimed()
	case notify.Cancelled:
		is = !paid && p.Status == pledge.Cancelled
	default: // states no outcome
	}
	if is {
		return notify.SendNow, ""
	}
	return notify.Discard, "its statement is no longer true"
}

// checkImported fails with code Conflict and state.ErrHeld after a restore, until an admission of the
// campaign has imported the processor's payments.
func (s *Service) checkImported(ctx context.Context, slug string) error {
	restored, err := s.Switch().RestoredAt(ctx)
	if err != nil || restored.IsZero() {
		return err
	}
	st, err := s.objectOf(slug).Overview(ctx)
	if err == nil && !restored.Equal(st.Lease.ImportedAfter) {
		err = fault.Wrap(state.ErrHeld, fault.Conflict, "The processor's payments were not imported since the restore")
	}
	return err
}

// postponed returns the verdict that postpones a mail because of an error that may go away.
func postponed(err error) (notify.Verdict, string, error) {
	if errors.Is(err, state.ErrHeld) || fault.Is(err, fault.Conflict) || fault.Is(err, fault.Unavailable) {
		return notify.Wait, messageOf(err), nil
	}
	return "", "", err
}

// checkNow makes the first three checks of an admission. It calls the processor at most once a
// minute, because the run that queued the mail was fully admitted.
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
