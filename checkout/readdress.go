package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// maxReason is the maximum length of the reason for an address change, in bytes.
const maxReason = 500

// Readdressing is an operator's change of a pledge's shipping address.
type Readdressing struct {
	CampaignSlug    string          `json:"campaignSlug"`
	OrderID         string          `json:"orderId"`
	ShippingAddress *pledge.Address `json:"shippingAddress"`
	Reason          string          `json:"reason"`
	// ChangeID is the idempotency key of the change, 1 to 64 bytes long.
	ChangeID string `json:"changeId"`
	// ExpectedRevision, if set, is the revision that the operator saw.
	ExpectedRevision int `json:"expectedRevision,omitempty"`
}

// Readdress changes a pledge's shipping address on behalf of the operator by, and emails the
// supporter. The agreed amounts and the destination country do not change. While the campaign is
// live, shipping and tax are requoted, and a different total is rejected because the supporter has to
// accept it. Later the amounts are frozen.
//
// It fails with code Invalid and the field for an invalid address or reason or another country, and
// with NotFound if the campaign has no such pledge. It fails with Conflict if the total would
// change, if the pledge has another revision or no shipping address, if it is cancelled, dropped or
// being charged, or if all its parcels were sent.
func (s *Service) Readdress(ctx context.Context, by string, r Readdressing) (*pledge.Pledge, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	p, err := s.Orders.Pledge(ctx, r.OrderID)
	if fault.Is(err, fault.NotFound) || err == nil && p.CampaignSlug != r.CampaignSlug {
		return nil, fault.New(fault.NotFound, "The campaign has no such order").In("orderId")
	}
	if err != nil {
		return nil, err
	}
	if r.ExpectedRevision != 0 && r.ExpectedRevision != p.Revision {
		return s.applyReaddressing(ctx, by, r, r.ExpectedRevision)
	}
	if err := s.checkSameTotals(ctx, p, r.ShippingAddress); err != nil {
		return nil, err
	}
	return s.applyReaddressing(ctx, by, r, p.Revision)
}

// applyReaddressing changes the address, updates the projections and emails the supporter. A
// repeated call with the same ChangeID changes nothing.
func (s *Service) applyReaddressing(ctx context.Context, by string, r Readdressing,
	revision int) (*pledge.Pledge, error) {
	act := order.OperatorAct{CampaignSlug: r.CampaignSlug, PledgeID: r.OrderID, ID: r.ChangeID, By: by}
	done, err := s.Orders.Readdress(ctx, act, revision, *r.ShippingAddress, r.Reason)
	if err != nil || !done.Changed {
		return done.Pledge, err
	}
	m, err := mailtext.ReaddressedMail(done.Pledge, s.campaign(r.CampaignSlug), s.Links, s.Now())
	if err != nil {
		return nil, err
	}
	if _, err := s.Projector.Book(ctx, done.Pledge, ""); err != nil {
		return nil, err
	}
	return done.Pledge, s.Outbox.Queue(ctx, m)
}

func (r *Readdressing) check() error {
	if r.ChangeID == "" || len(r.ChangeID) > 64 {
		return fault.New(fault.Invalid, "The change ID must be 1 to 64 bytes long").In("changeId")
	}
	if r.Reason == "" || len(r.Reason) > maxReason {
		return fault.New(fault.Invalid, "Give a reason of 1 to %d bytes", maxReason).In("reason")
	}
	to, err := pricing.ParseAddress(r.ShippingAddress, "shippingAddress")
	if err != nil {
		return err
	}
	if to == nil {
		to = &pledge.Address{}
	}
	for _, part := range []struct{ field, value string }{
		{"name", to.Name}, {"line1", to.Line1}, {"city", to.City}, {"country", to.Country},
	} {
		if part.value == "" {
			return fault.New(fault.Invalid,
				"An address needs a name, a first line, a city and a country").In("shippingAddress." + part.field)
		}
	}
	r.ShippingAddress = to
	return nil
}

// checkSameTotals fails if the pledge's total would differ at the new address while its supporter
// can still change the pledge.
func (s *Service) checkSameTotals(ctx context.Context, p *pledge.Pledge, to *pledge.Address) error {
	if s.checkModifiable(p, ModifyRequest{}) != nil || p.ShippingAddress == nil || sameAddress(p.ShippingAddress, to) {
		return nil //nolint:nilerr // amounts are frozen
	}
	_, ch, err := s.planChange(ctx, p, ModifyRequest{ShippingAddress: to})
	if err != nil {
		return err
	}
	if ch.Totals != p.Totals {
		return fault.New(fault.Conflict,
			"At this address the pledge costs %s instead of %s: send the supporter the link to accept the new total",
			ch.Totals.Amount, p.Amount).In("shippingAddress")
	}
	return nil
}
