package pricing

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Pricer prices carts. All fields except Log are required.
type Pricer struct {
	Catalogue *campaign.Catalogue
	Tax       tax.Provider
	Shipping  shipping.Policy
	Zone      *time.Location // for campaign starts and deadlines
	Now       func() time.Time
	// DefaultTip is for carts without a tip. Both tips are percentages.
	DefaultTip, MaxTip int
	// TestMode accepts pledges to campaigns that exist only for tests.
	TestMode bool
	Log      *slog.Logger // logs parcels whose carrier is unavailable
}

// Pledged returns the amount, in cents, that counts toward a campaign's goal. It may return 0
// unless NeedsPledged is true for the picks.
type Pledged func(ctx context.Context, c *campaign.Campaign, picks []Pick) (money.Cents, error)

// NeedsPledged reports whether a picked tier has a threshold, so that the offering depends on
// the amount pledged.
func NeedsPledged(c *campaign.Campaign, picks []Pick) bool {
	return slices.ContainsFunc(picks, func(p Pick) bool {
		t, _ := c.Tier(p.id)
		return !t.Open(0)
	})
}

// allTiersOpen is a Pledged that opens every tier, for previews.
func allTiersOpen(context.Context, *campaign.Campaign, []Pick) (money.Cents, error) {
	return money.Max * 1000, nil
}

// OpenCampaign returns a campaign that accepts pledges now. It fails with code Invalid if there is
// no such public campaign, or if it does not accept pledges.
func (pr Pricer) OpenCampaign(slug string) (*campaign.Campaign, error) {
	c, err := pr.Catalogue.Campaign(slug)
	if err != nil || !c.Public() || c.TestOnly && !pr.TestMode {
		return nil, fault.New(fault.Invalid, "Campaign not found").In("campaignSlug")
	}
	now := pr.Now()
	if c.Charged {
		return nil, fault.New(fault.Invalid, "Campaign is charged").In("campaignSlug")
	}
	if !c.Accepts(now, pr.Zone) {
		return nil, fault.New(fault.Invalid, "Campaign is %s", c.State(now, pr.Zone)).In("campaignSlug")
	}
	return c, nil
}

// Inputs returns the inputs of a cart's quote. It fails with code Invalid for an invalid tip or
// address.
func (pr Pricer) Inputs(c Cart) (Inputs, error) {
	in := Inputs{Option: c.ShippingOption, At: pr.Now()}
	var err error
	if in.Tip, err = pr.Tip(c.TipPercent, c.Tip, pledge.Tip{Percent: pr.DefaultTip}); err != nil {
		return Inputs{}, err
	}
	if in.ShipTo, err = ParseAddress(c.ShippingAddress, "shippingAddress"); err != nil {
		return Inputs{}, err
	}
	if in.BillTo, err = ParseAddress(c.BillingAddress, "billingAddress"); in.BillTo != nil {
		in.BillTo.Phone = "" // only carriers need it
	}
	return in, err
}

// Tip returns the chosen tip, in percent or in cents, or defaultTip if none was chosen. It fails
// with code Invalid if the tip exceeds the limits, or if both are set and the percentage is not 0.
func (pr Pricer) Tip(percent *int, cents *money.Cents, defaultTip pledge.Tip) (pledge.Tip, error) {
	switch {
	case cents != nil && percent != nil && *percent != 0:
		return pledge.Tip{}, fault.New(fault.Invalid,
			"The tip must be a percentage or an amount, not both").In("tipCents")
	case cents != nil && (*cents < MinTip || *cents > MaxTip):
		return pledge.Tip{}, fault.New(fault.Invalid, "The tip must be from %s to %s", MinTip, MaxTip).In("tipCents")
	case cents != nil:
		return pledge.Tip{Amount: *cents}, nil
	case percent == nil:
		return defaultTip, nil
	case *percent < 0 || *percent > pr.MaxTip:
		return pledge.Tip{}, fault.New(fault.Invalid, "The tip must be a whole percentage from 0 to %d",
			pr.MaxTip).In("tipPercent")
	}
	return pledge.Tip{Percent: *percent}, nil
}

// Choose resolves a selection against the catalogue and returns one choice per campaign. It fails
// with code Invalid if a campaign does not accept pledges or an item is not offered.
func (pr Pricer) Choose(ctx context.Context, sel Selection, pledged Pledged) ([]Choice, error) {
	choices := make([]Choice, 0, len(sel.parts))
	for _, part := range sel.parts {
		c, err := pr.OpenCampaign(part.slug)
		if err != nil {
			return nil, err
		}
		m := Offering{Campaign: c, AddOns: pr.Catalogue.AddOns()}
		if m.Pledged, err = pledged(ctx, c, part.picks); err != nil {
			return nil, err
		}
		chosen, err := m.Choose(part.picks)
		if err != nil {
			return nil, err
		}
		choices = append(choices, chosen)
	}
	return choices, nil
}

// Draft is a priced cart.
type Draft struct {
	Parts  []Priced    // one per choice
	Amount money.Cents // their total
}

// Price quotes shipping and tax, both of which have to be final, and computes the totals.
//
// It fails with code Invalid or Conflict, and the request's field, for an address that has to be
// added or corrected, with Invalid for an amount that cannot be charged in one payment, and with
// Unavailable if tax cannot be calculated at the moment.
func (pr Pricer) Price(ctx context.Context, choices []Choice, in Inputs) (Draft, error) {
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	var d Draft
	amounts := make([]money.Cents, 0, len(choices))
	inputs := in.split(choices)
	for i, c := range choices {
		p, err := pr.priceChoice(ctx, c, inputs[i])
		if err != nil {
			return Draft{}, err
		}
		d.Parts, amounts = append(d.Parts, p), append(amounts, p.Totals.Amount)
	}
	var err error
	d.Amount, err = money.Sum(amounts...)
	return d, withField(err, "items")
}

// Contribution returns the part as an order's manifest records it, without the pledge ID.
func (p *Priced) Contribution(zone *time.Location) order.Contribution {
	return order.Contribution{
		CampaignSlug:     p.Campaign.Slug,
		CampaignRevision: p.Campaign.Revision,
		Lines:            p.Lines,
		ShippingOption:   p.Parcels[0].Option,
		FulfillmentType:  p.Delivery,
		Totals:           p.Totals,
		Explanation:      p.Explanation,
		EndsAt:           p.Campaign.EndsAt(zone).UTC(),
		Goal:             p.Campaign.Goal,
	}
}
