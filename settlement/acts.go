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

// The final acts. Outside of this file nothing in this package charges, closes, deletes a card
// or queues a mail that states an outcome; a test reads the source for that.

// charge sends a charge request that was counted under the admission's lease.
func (a *admission) charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if a.checkLease() != nil {
		return psp.Outcome{Status: psp.NotStarted, Code: "lease_ended"}
	}
	return a.Processor.Charge(ctx, c)
}

// closeCampaign closes a campaign that missed its goal. It fails with code Conflict and state.ErrHeld
// if the processor has a payment of the campaign that moved money or still may.
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

// startDetaching records that the cards of a closed campaign are deleted from now on. The
// campaign cannot be reopened after that. It fails as closeCampaign does, and also if the
// campaign was reopened meanwhile.
func (a *admission) startDetaching(ctx context.Context) error {
	if err := errors.Join(a.checkNothingPaid(), a.check(ctx)); err != nil {
		return err
	}
	err := a.Inventory.Close(ctx, a.campaign.Slug) // if its object went back to before
	if err == nil {
		err = a.object.StartDetaching(ctx, a.currentLease())
	}
	if fault.Is(err, fault.Conflict) {
		return fault.Wrap(state.ErrHeld, fault.Conflict, "%s", messageOf(err))
	}
	return err
}

// checkNothingPaid fails with code Conflict and state.ErrHeld if the processor has a payment of the
// campaign that moved money or still may.
func (a *admission) checkNothingPaid() error {
	if len(a.effective) == 0 {
		return nil
	}
	p := a.effective[0]
	return fault.Wrap(state.ErrHeld, fault.Conflict, "The processor has %d payments of %s that succeeded or may succeed, such as %s (%s). Book or refund them first",
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

// outcome names the mails that state one.
type outcome string

const (
	wasCharged outcome = "charged"
	hasFailed  outcome = "failed"
	wasDropped outcome = "dropped"
	hasMissed  outcome = "missed"
)

// mailOutcome queues the mail that states an outcome of pledges of one supporter. The outbox
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
