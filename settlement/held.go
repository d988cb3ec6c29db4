package settlement

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// errPostponed is returned for a charge, or the email about one, that has to wait: charges get
// no answer, or the cause of a rejected request is unknown.
var errPostponed = errors.New("settlement: charge postponed")

// checkMayReport fails with errPostponed if a request was rejected again after a release, because
// the supporter's card may not be the cause. It does so for a day, or until another charge
// succeeds.
func (a *admission) checkMayReport(ctx context.Context, g state.Group) error {
	before := g.RefusedBefore()
	if !g.Refused || before == nil || a.Now().Sub(g.OutcomeAt()) > day {
		return nil
	}
	st, err := a.object.Overview(ctx)
	if err == nil && st.SucceededAt.Before(*before) {
		err = errPostponed
	}
	return err
}

// asPostponed replaces the object's refusal to send by errPostponed while charges get no
// answer.
func (r *run) asPostponed(ctx context.Context, refused error) error {
	if !fault.Is(refused, fault.Conflict) {
		return refused
	}
	st, err := r.object.Overview(ctx)
	if err == nil && st.Held.SilentAt(r.Now()) {
		return errPostponed
	}
	return refused
}
