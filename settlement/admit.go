package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// admit makes the checks for irreversible actions of a campaign, in the order listed at admission,
// and acquires the campaign's lease; the caller releases it.
//
// It fails with code Conflict if a check fails, and also with state.ErrHeld if the cause may go
// away. It fails with Busy if another run holds the lease, and with Unavailable if the processor
// does not answer.
func (s *Service) admit(ctx context.Context, c *campaign.Campaign, p purpose) (*admission, error) {
	a := &admission{Service: s, campaign: c, object: s.objectOf(c.Slug), purpose: p}
	for _, check := range []func(context.Context) error{a.checkStop, a.checkProcessor, a.checkDeadline, a.checkPromises} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.acquireLease(ctx); err != nil {
		return nil, err
	}
	for _, check := range []func(context.Context) error{a.checkBreaker, a.readProgress, a.importPayments, a.importAgreements} {
		if err := check(ctx); err != nil {
			a.releaseLease(ctx)
			return nil, err
		}
	}
	return a, nil
}

// checkDeadline fails with code Conflict and state.ErrHeld if charges must not start yet. It
// must run after the clock was compared with the processor's.
func (a *admission) checkDeadline(context.Context) error {
	if a.purpose != purposeCharge || a.mayBegin(a.campaign) {
		return nil
	}
	return fault.Wrap(state.ErrHeld, fault.Conflict,
		"It is too early to charge: charging starts %.0f minutes after the campaign's deadline", Margin.Minutes())
}

// readProgress records the state of the campaign's settlement before this admission.
func (a *admission) readProgress(ctx context.Context) error {
	st, err := a.object.Overview(ctx)
	a.begun, a.closed = st.Begun, st.Closed != nil
	return err
}
