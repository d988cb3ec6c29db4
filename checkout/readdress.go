package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// maxReason is how many bytes there may be of why an address is changed.
const maxReason = 500

// Readdressing is an operator's change of where a pledge's parcels go.
type Readdressing struct {
	CampaignSlug    string          `json:"campaignSlug"`
	OrderID         string          `json:"orderId"`
	ShippingAddress *pledge.Address `json:"shippingAddress"`
	Reason          string          `json:"reason"`
	// ChangeID is what the change is known by: it is made once.
	ChangeID string `json:"changeId"`
	// ExpectedRevision, where given, is the revision that the operator saw.
	ExpectedRevision int `json:"expectedRevision,omitempty"`
}

// Readdress sends a pledge's parcels to another address, for by, and tells the supporter by
// mail. What they agreed to stays: while the campaign is live, what its shipping and tax would
// be there is asked as for a change of theirs, and another total is theirs to agree to; later
// the amounts are frozen, and the parcels stay in the country that was paid for. It fails with
// code Invalid and the field for an address or a reason that is none, or another country, with
// NotFound where the campaign has no such pledge, and with Conflict where nothing can be sent
// any more, the total would change, or the pledge was changed meanwhile.
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
		return s.readdressed(ctx, by, r, r.ExpectedRevision)
	}
	if err := s.sameTotals(ctx, p, r.ShippingAddress); err != nil {
		return nil, err
	}
	return s.readdressed(ctx, by, r, p.Revision)
}

// readdressed makes the change, of which a repeat is known by its identity, and has the
// projections and the supporter told.
func (s *Service) readdressed(ctx context.Context, by string, r Readdressing, revision int) (*pledge.Pledge, error) {
	deed := order.Deed{CampaignSlug: r.CampaignSlug, PledgeID: r.OrderID, ID: r.ChangeID, By: by}
	done, err := s.Orders.Readdress(ctx, deed, revision, *r.ShippingAddress, r.Reason)
	if err != nil || !done.Changed {
		return done.Pledge, err
	}
	m, err := notify.ReaddressedOf(done.Pledge, s.campaign(r.CampaignSlug), s.Links, s.Now())
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
		return fault.New(fault.Invalid, "A change has an identity of 1 to 64 bytes").In("changeId")
	}
	if r.Reason == "" || len(r.Reason) > maxReason {
		return fault.New(fault.Invalid, "Say in 1 to %d bytes why the address is changed", maxReason).In("reason")
	}
	to, err := address(r.ShippingAddress, "shippingAddress")
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
			return fault.New(fault.Invalid, "An address has a name, a first line, a city and a country").In("shippingAddress." + part.field)
		}
	}
	r.ShippingAddress = to
	return nil
}

// sameTotals fails where a pledge that its supporter may still change would cost something
// else at another address.
func (s *Service) sameTotals(ctx context.Context, p *pledge.Pledge, to *pledge.Address) error {
	if s.mayModify(p, ModifyRequest{}) != nil || p.ShippingAddress == nil || sameAddress(p.ShippingAddress, to) {
		return nil
	}
	_, ch, err := s.plan(ctx, p, ModifyRequest{ShippingAddress: to})
	if err != nil {
		return err
	}
	if ch.Totals != p.Totals {
		return fault.New(fault.Conflict, "At this address the pledge costs %s instead of %s: send the supporter the link, so that they agree to it", ch.Totals.Amount, p.Amount).In("shippingAddress")
	}
	return nil
}
