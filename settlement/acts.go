package settlement

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// This file has the irreversible actions. No other file of this package charges, closes, deletes a
// card or queues an email that states an outcome; an architecture test checks this.

// charge sends a charge request that was counted under the admission's lease.
func (a *admission) charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if a.checkLease() != nil {
		return psp.Outcome{Status: psp.NotStarted, Code: "lease_ended"}
	}
	return a.Processor.Charge(ctx, c)
}

// closeCampaign closes a campaign that missed its goal, and reports whether it is closed; a
// campaign with a charge stays open. It fails with code Conflict and state.ErrHeld while charging
// is stopped, and if the processor has a payment for the campaign that moved money or still may. It
// fails with Busy if the lease has ended.
func (a *admission) closeCampaign(ctx context.Context) (closed bool, err error) {
	if err := a.checkNothingPaid(); err != nil {
		return false, err
	}
	if err := a.check(ctx); err != nil {
		return false, err
	}
	if err := a.Inventory.Close(ctx, a.campaign.Slug); err != nil {
		return false, err
	}
	return a.object.CloseMissed(ctx, a.currentLease())
}

// startDetaching records that the deletion of a closed campaign's cards has started. From then on
// the campaign cannot be reopened. It fails as closeCampaign does, and with code Conflict and
// state.ErrHeld if the campaign has been reopened.
func (a *admission) startDetaching(ctx context.Context) error {
	if err := errors.Join(a.checkNothingPaid(), a.check(ctx)); err != nil {
		return err
	}
	err := a.Inventory.Close(ctx, a.campaign.Slug) // again, in case its object was restored to before the closing
	if err == nil {
		err = a.object.StartDetaching(ctx, a.currentLease())
	}
	if fault.Is(err, fault.Conflict) {
		return fault.Wrap(state.ErrHeld, fault.Conflict, "%s", messageOf(err))
	}
	return err
}

// checkNothingPaid fails with code Conflict and state.ErrHeld if the processor has a payment
// for the campaign that moved money or still may.
func (a *admission) checkNothingPaid() error {
	if len(a.effective) == 0 {
		return nil
	}
	p := a.effective[0]
	return fault.Wrap(state.ErrHeld, fault.Conflict,
		"The processor has %d payments of %s that succeeded or may succeed, such as %s (%s). Book or refund them first",
		len(a.effective), a.campaign.Slug, p.ID, p.Status)
}

// detachCard deletes a saved card at the processor. It is not an error if the card is gone.
func (a *admission) detachCard(ctx context.Context, card string) error {
	if err := a.check(ctx); err != nil {
		return err
	}
	err := a.Processor.DetachCard(ctx, card, "forget:"+card)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// outcome is a kind of email that states a pledge's outcome.
type outcome string

const (
	wasCharged outcome = "charged"
	hasFailed  outcome = "failed"
	wasDropped outcome = "dropped"
	hasMissed  outcome = "missed"
)

// mailOutcome queues the email that states the outcome of one supporter's pledges. The outbox
// verifies it again before it is sent (see VerifyClaim).
func (a *admission) mailOutcome(ctx context.Context, o outcome, pledges []*pledge.Pledge) error {
	if err := a.check(ctx); err != nil {
		return err
	}
	var m notify.Message
	var err error
	switch c, l, zone, now := a.campaign, a.Links, a.Zone, a.Now(); o {
	case wasCharged:
		m, err = mailtext.ChargedMail(pledges, c, l, zone, now)
	case hasFailed:
		m, err = mailtext.UpdateCardMail(pledges, c, l, zone, now)
	case wasDropped:
		m, err = mailtext.DroppedMail(pledges, c, l, zone, now)
	case hasMissed:
		m, err = mailtext.MissedMail(pledges[0], c, l, zone, now)
	}
	if err != nil {
		return err
	}
	return a.Outbox.Queue(ctx, m)
}
