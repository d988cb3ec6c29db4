package checkout

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// pledgeForToken returns the pledge that a manage token was issued for. If orderID is not empty, it
// has to be that pledge's ID. The errors are those of View.
func (s *Service) pledgeForToken(ctx context.Context, tok, orderID string) (*pledge.Pledge, error) {
	c, err := s.Links.Signer.Verify(tok, token.Manage, s.Now())
	if err != nil {
		return nil, err
	}
	if orderID != "" && orderID != c.OrderID {
		return nil, fault.New(fault.Forbidden, "Invalid token scope").In("orderId")
	}
	p, err := s.Orders.Pledge(ctx, c.OrderID)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return nil, fault.New(fault.NotFound, "Pledge not found")
	}
	if err != nil {
		return nil, err
	}
	if p.Email != c.Email || p.CampaignSlug != c.CampaignSlug {
		return nil, fault.New(fault.Forbidden, "Invalid token scope")
	}
	return p, nil
}

// View returns the token's pledge. It fails with code Unauthorized for an invalid or expired token,
// with NotFound if the pledge does not exist, and with Forbidden if the pledge has another address
// or campaign than the token.
func (s *Service) View(ctx context.Context, tok string) (PledgeView, error) {
	p, err := s.pledgeForToken(ctx, tok, "")
	if err != nil {
		return PledgeView{}, err
	}
	return s.pledgeView(ctx, p)
}

// List returns the token's pledge as a list, which is empty if the pledge is
// cancelled.
func (s *Service) List(ctx context.Context, tok string) ([]PledgeView, error) {
	p, err := s.pledgeForToken(ctx, tok, "")
	if err != nil {
		return nil, err
	}
	if p.Status == pledge.Cancelled {
		return []PledgeView{}, nil
	}
	v, err := s.pledgeView(ctx, p)
	return []PledgeView{v}, err
}

// estimatedDeliveries returns the campaign's current delivery months of the pledge's rewards.
func estimatedDeliveries(p *pledge.Pledge, c *campaign.Campaign) map[string]string {
	months := map[string]string{}
	for _, l := range p.Lines {
		if t, ok := c.Tier(l.ID); ok && l.Kind == pledge.TierLine && t.EstimatedDelivery != "" {
			months[l.ID] = t.EstimatedDelivery
		}
	}
	return months
}

func (s *Service) pledgeView(ctx context.Context, p *pledge.Pledge) (PledgeView, error) {
	c, now, zone := s.campaign(p.CampaignSlug), s.Now(), s.Settings.Zone
	passed := c.State(now, zone) == campaign.Ended
	v := PledgeView{
		OrderID: p.OrderID, Email: p.Email, CampaignSlug: p.CampaignSlug, CampaignTitle: c.Title,
		Revision: p.Revision, Totals: p.Totals, Currency: p.Currency, Status: p.Status, Charged: p.Charged,
		Lines: p.Lines, History: p.History, Explanation: p.Explanation, Promise: p.Promise,
		ShippingAddress: p.ShippingAddress, BillingAddress: p.BillingAddress, ShippingOption: p.ShippingOption,
		EstimatedDeliveries: estimatedDeliveries(p, c), CampaignChanged: c.Revision != p.Promise.CampaignRevision,
		PreferredLang: p.PreferredLang, CreatedAt: p.History[0].At, ChargedAt: p.ChargedAt,
		ChargedAmount: p.ChargedAmount, Deadline: c.EndsAt(zone), Now: now, DeadlinePassed: passed,
		CanModify: p.Open() && c.Accepts(now, zone), CanCancel: p.Open() && !passed, CanUpdateCard: p.Unpaid(),
		CanApprove: s.canApprove(p), Recovery: p.Recovery,
		Joined: p.JoinedAt != nil, CanJoin: s.canJoin(p), CardForgottenAt: p.CardForgottenAt, Card: p.Card,
		Parcels: p.Parcels, Refunds: p.Refunds, Refunded: p.Refunded(),
	}
	if p.LastFailure != nil {
		v.DeclineReason = p.LastFailure.Reason()
	}
	var err error
	if v.Combined, err = s.combined(ctx, p); err != nil {
		return PledgeView{}, err
	}
	if v.CanJoin {
		if v.CanJoin, err = s.hasOthersToJoin(ctx, p); err != nil {
			return PledgeView{}, err
		}
	}
	if p.Status == pledge.Cancelled && v.CardForgottenAt == nil {
		if v.CardForgottenAt, err = s.cardsDetachedAt(ctx, p); err != nil {
			return PledgeView{}, err
		}
	}
	if !passed {
		return v, nil
	}
	snap, err := s.Inventory.Snapshot(ctx, p.CampaignSlug)
	if err != nil {
		return PledgeView{}, err
	}
	if v.Outcome = "missed"; c.Funded(snap.Totals.Counted) || p.Claimed() {
		v.Outcome = "funded"
	}
	v.CanUpdateCard = v.CanUpdateCard && v.Outcome == "funded"
	v.DueNow, err = s.amountDue(ctx, p)
	return v, err
}

// cardsDetachedAt returns when the cards of a pledge's order were deleted, or nil if they were not,
// for example because another pledge of the order needs them.
func (s *Service) cardsDetachedAt(ctx context.Context, p *pledge.Pledge) (*time.Time, error) {
	orderID, err := pledge.OrderOf(p.OrderID)
	if err != nil {
		return nil, err
	}
	o, err := s.Orders.Get(ctx, orderID)
	return o.CardsDetachedAt, err
}

// amountDue returns the amount, in cents, that is charged as soon as a new card is saved for a
// pledge whose charge failed: the total of the failed pledges in its group. It is 0 for any other
// pledge.
func (s *Service) amountDue(ctx context.Context, p *pledge.Pledge) (money.Cents, error) {
	if p.Status != pledge.PaymentFailed || !p.Unpaid() {
		return 0, nil
	}
	others, err := s.otherPledges(ctx, p)
	if err != nil {
		return 0, err
	}
	amounts := []money.Cents{p.Amount}
	for _, o := range others {
		if o.Unpaid() && o.Claimed() && o.Group == p.Group {
			amounts = append(amounts, o.Amount)
		}
	}
	return money.Sum(amounts...)
}

// MaxCancelReason is the maximum length of a supporter's reason for cancelling, in characters.
const MaxCancelReason = 300

// Cancel cancels the token's pledge. It may be repeated. It fails with code
// Conflict if the pledge is charged, being charged, or its campaign has ended, and with
// code Invalid if the reason is too long.
func (s *Service) Cancel(ctx context.Context, r CancelRequest) (Cancelled, error) {
	reason, err := safety.Text(strings.TrimSpace(r.Reason), MaxCancelReason)
	if err != nil {
		return Cancelled{}, fault.New(fault.Invalid, "Give a reason of at most %d characters",
			MaxCancelReason).In("reason")
	}
	p, err := s.pledgeForToken(ctx, r.Token, r.OrderID)
	if err != nil {
		return Cancelled{}, err
	}
	if p.Status == pledge.Cancelled {
		err = s.recordTerms(ctx, p) // an earlier request may have crashed before this
	} else {
		p, err = s.cancelPledge(ctx, p, reason)
	}
	if err != nil {
		return Cancelled{}, err
	}
	v, err := s.pledgeView(ctx, p)
	return Cancelled{Success: true, Message: "Your pledge is cancelled. You will not be charged.", Pledge: v}, err
}

// changesUntil returns the end of the campaign, from which its pledges can no longer be changed, as
// settlement requires. The order's object checks this time again on each write, since the deadline
// may be moved up in the meantime. The zero time means no limit.
func (s *Service) changesUntil(slug string) time.Time {
	return s.campaign(slug).EndsAt(s.Settings.Zone)
}

func (s *Service) cancelPledge(ctx context.Context, p *pledge.Pledge, reason string) (*pledge.Pledge, error) {
	if !p.Charged && s.campaign(p.CampaignSlug).State(s.Now(), s.Settings.Zone) == campaign.Ended {
		return nil, fault.New(fault.Conflict, "The deadline has passed, the pledge cannot be cancelled")
	}
	return s.runChange(ctx, p, func(_, nonce string) (*pledge.Pledge, string, error) {
		cancelled, err := s.Orders.CancelFor(ctx, p.OrderID, nonce, reason, s.changesUntil(p.CampaignSlug))
		return cancelled, "", err
	})
}
