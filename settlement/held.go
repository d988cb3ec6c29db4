package settlement

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// errSilent postpones a charge, or the email about one, while charges get no answer or a rejected
// request is not explained.
var errSilent = errors.New("settlement: the charge waits")

// mayReport fails with errSilent if a request was rejected again after a release, for a day or
// until another charge succeeds: the cause may not be the supporter's card.
func (a *admission) mayReport(ctx context.Context, g state.Group) error {
	before := g.RefusedBefore()
	if !g.Refused || before == nil || a.Now().Sub(g.OutcomeAt()) > day {
		return nil
	}
	st, err := a.object.Overview(ctx)
	if err == nil && st.SucceededAt.Before(*before) {
		err = errSilent
	}
	return err
}

// asSilent turns the object's refusal to send into errSilent.
func (r *run) asSilent(ctx context.Context, refused error) error {
	if !fault.Is(refused, fault.Conflict) {
		return refused
	}
	st, err := r.object.Overview(ctx)
	if err == nil && st.Held.SilentAt(r.Now()) {
		return errSilent
	}
	return refused
}
