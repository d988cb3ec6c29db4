package checkout

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// own returns the pledge that a manage link's token was made for, and no
// other: not one of the same supporter either.
func (s *Service) own(ctx context.Context, tok, orderID string) (*pledge.Pledge, error) {
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

// View shows the token's pledge. It fails with code Unauthorized for a token
// that does not hold, Forbidden for one of another scope, and NotFound.
func (s *Service) View(ctx context.Context, tok string) (PledgeView, error) {
	p, err := s.own(ctx, tok, "")
	if err != nil {
		return PledgeView{}, err
	}
	return s.view(ctx, p)
}

// List shows the token's pledge as a list: of one, or of none where it is cancelled.
func (s *Service) List(ctx context.Context, tok string) ([]PledgeView, error) {
	p, err := s.own(ctx, tok, "")
	if err != nil {
		return nil, err
	}
	if p.Status == pledge.Cancelled {
		return []PledgeView{}, nil
	}
	v, err := s.view(ctx, p)
	return []PledgeView{v}, err
}

func (s *Service) view(ctx context.Context, p *pledge.Pledge) (PledgeView, error) {
	c, now, zone := s.campaign(p.CampaignSlug), s.Now(), s.Settings.Zone
	passed := c.State(now, zone) == campaign.Ended
	v := PledgeView{
		OrderID: p.OrderID, Email: p.Email, CampaignSlug: p.CampaignSlug, CampaignTitle: c.Title,
		Revision: p.Revision, Totals: p.Totals, Currency: p.Currency, Status: p.Status, Charged: p.Charged,
		Lines: p.Lines, History: p.History, Explanation: p.Explanation, Promise: p.Promise,
		ShippingAddress: p.ShippingAddress, BillingAddress: p.BillingAddress, ShippingOption: p.ShippingOption,
		CampaignChanged: c.Revision != p.Promise.CampaignRevision,
		PreferredLang:   p.PreferredLang, CreatedAt: p.History[0].At, ChargedAt: p.ChargedAt, ChargedAmount: p.ChargedAmount, Deadline: c.EndsAt(zone), DeadlinePassed: passed,
		CanModify: p.Open() && c.Accepts(now, zone), CanCancel: p.Open() && !passed, CanUpdateCard: p.Unpaid(), CanApprove: s.canApprove(p), Recovery: p.Recovery,
		Joined: p.JoinedAt != nil, CanJoin: s.canJoin(p), CardForgottenAt: p.CardForgottenAt, Card: p.Card,
		Parcels: p.Parcels,
	}
	if p.LastFailure != nil {
		v.DeclineReason = p.LastFailure.Reason()
	}
	var err error
	if v.Combined, err = s.combined(ctx, p); err != nil {
		return PledgeView{}, err
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
	v.DueNow, err = s.due(ctx, p)
	return v, err
}

// due is what another card is charged at once for a pledge whose charge failed: that
// charge was for all the pledges of its group. It is 0 for any other pledge.
func (s *Service) due(ctx context.Context, p *pledge.Pledge) (money.Cents, error) {
	if p.Status != pledge.PaymentFailed || !p.Unpaid() {
		return 0, nil
	}
	others, err := s.others(ctx, p)
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

// Cancel cancels the token's pledge; cancelling it again changes nothing. It
// fails with code Conflict when the pledge is charged, being charged, or its
// campaign is over.
func (s *Service) Cancel(ctx context.Context, r CancelRequest) (Cancelled, error) {
	p, err := s.own(ctx, r.Token, r.OrderID)
	if err != nil {
		return Cancelled{}, err
	}
	if p.Status == pledge.Cancelled {
		err = s.recordTerms(ctx, p) // the request before may have died earlier
	} else {
		p, err = s.cancel(ctx, p)
	}
	if err != nil {
		return Cancelled{}, err
	}
	v, err := s.view(ctx, p)
	return Cancelled{Success: true, Message: "Your pledge is cancelled. You will not be charged.", Pledge: v}, err
}

// changesUntil is when a change of a pledge is no longer allowed: settlement takes
// it that nothing changes from then on. It holds whatever was judged before, since a
// deadline may be brought forward meanwhile; without one there is no bound.
func (s *Service) changesUntil(slug string) time.Time {
	return s.campaign(slug).EndsAt(s.Settings.Zone)
}

func (s *Service) cancel(ctx context.Context, p *pledge.Pledge) (*pledge.Pledge, error) {
	if !p.Charged && s.campaign(p.CampaignSlug).State(s.Now(), s.Settings.Zone) == campaign.Ended {
		return nil, fault.New(fault.Conflict, "The deadline has passed, the pledge cannot be cancelled")
	}
	return s.changing(ctx, p, func(_, nonce string) (*pledge.Pledge, string, error) {
		cancelled, err := s.Orders.Cancel(ctx, p.OrderID, nonce, s.changesUntil(p.CampaignSlug))
		return cancelled, "", err
	})
}
