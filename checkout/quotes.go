package checkout

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// TaxQuoteRequest asks what tax a cart would bear. Without items, Subtotal
// stands for them.
type TaxQuoteRequest struct {
	Cart
	Subtotal *money.Cents `json:"subtotalCents,omitempty"` // cents
	Shipping *money.Cents `json:"shippingCents,omitempty"` // cents; nil with items is quoted
}

// TaxQuote is a preview. Provisional is true while the tax cannot be charged
// yet: Missing then names the parts of the address it takes.
type TaxQuote struct {
	Subtotal money.Cents `json:"subtotalCents"`
	Shipping money.Cents `json:"shippingCents"`
	Tax      money.Cents `json:"taxCents"`
	Tip      money.Cents `json:"tipCents"`
	// Amount is what would be charged, without the tax that is not known yet.
	Amount      money.Cents        `json:"amountCents"`
	Provisional bool               `json:"provisional"`
	Missing     []string           `json:"missing"`
	Campaigns   []CampaignTaxQuote `json:"campaigns"`
}

// CampaignTaxQuote is one campaign's part of it.
type CampaignTaxQuote struct {
	CampaignSlug string    `json:"campaignSlug,omitempty"`
	Quote        tax.Quote `json:"taxDetails"`
}

// QuoteTax previews the tax of a cart. What is missing from the address makes
// it provisional and is no error. A campaign's part that is too small or too large to be
// charged is refused, as Start refuses it.
func (s *Service) QuoteTax(ctx context.Context, r TaxQuoteRequest) (TaxQuote, error) {
	t, choices, err := s.preview(ctx, r)
	if err != nil {
		return TaxQuote{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	out := TaxQuote{Missing: []string{}}
	for _, c := range choices {
		p := priced{choice: c, delivery: c.fulfillment()}
		if err := s.previewOf(ctx, &p, t, r.shipping()); err != nil {
			return TaxQuote{}, err
		}
		amount := out.add(p, t.tip)
		if err := checkCharge(amount); err != nil && !r.bare() && p.tax.Status.Final() {
			return TaxQuote{}, err
		}
	}
	return out, nil
}

// bare reports whether the request has a subtotal instead of a cart.
func (r TaxQuoteRequest) bare() bool { return len(r.Items) == 0 && r.CustomAmount == nil }

// shipping is what the caller states; with a bare subtotal there is no more.
func (r TaxQuoteRequest) shipping() *money.Cents {
	if r.Shipping == nil && r.bare() {
		return new(money.Cents)
	}
	return r.Shipping
}

// preview reads the cart of a quote's request; a bare subtotal stands for one thing
// of that price that is sent.
func (s *Service) preview(ctx context.Context, r TaxQuoteRequest) (terms, []choice, error) {
	t, err := s.terms(r.Cart)
	if err != nil {
		return terms{}, nil, err
	}
	if !r.bare() {
		sel, err := r.Cart.parse()
		if err != nil {
			return terms{}, nil, err
		}
		choices, err := s.choices(ctx, sel, everything)
		return t, choices, err
	}
	if r.Subtotal == nil {
		return terms{}, nil, fault.New(fault.Invalid, "Subtotal is required").In("subtotalCents")
	}
	if err := r.Subtotal.Check(); err != nil {
		return terms{}, nil, in(err, "subtotalCents")
	}
	l := pledge.Line{Kind: pledge.TierLine, Name: "Subtotal", Quantity: 1, UnitPrice: *r.Subtotal, Amount: *r.Subtotal, Category: campaign.Physical}
	return t, []choice{{campaign: &campaign.Campaign{}, lines: []pledge.Line{l}}}, nil
}

func in(err error, field string) error {
	if f := fault.Of(err); f != nil {
		return f.In(field)
	}
	return err
}

// previewOf quotes one campaign's part. Shipping that the caller states is
// taken for it; in a preview that is harmless.
func (s *Service) previewOf(ctx context.Context, p *priced, t terms, stated *money.Cents) error {
	if stated == nil {
		return s.quote(ctx, p, t)
	}
	if err := stated.Check(); err != nil {
		return in(err, "shippingCents")
	}
	p.shipping = *stated
	return s.quoteTax(ctx, p, t)
}

// add returns what the part comes to.
func (q *TaxQuote) add(p priced, tip int) money.Cents {
	var chosen money.Cents
	for _, l := range p.lines {
		chosen += l.Amount
	}
	given := money.Percent(int64(tip)).Of(chosen) // rounded once for each pledge, as it is charged
	q.Subtotal += chosen
	q.Tip += given
	amount := chosen + given + p.shipping + p.tax.Tax
	q.Amount += amount
	q.Shipping += p.shipping
	q.Tax += p.tax.Tax
	if !p.tax.Status.Final() {
		q.Provisional = true
	}
	for _, m := range p.tax.Missing {
		if !slices.Contains(q.Missing, m) {
			q.Missing = append(q.Missing, m)
		}
	}
	q.Campaigns = append(q.Campaigns, CampaignTaxQuote{CampaignSlug: p.campaign.Slug, Quote: p.tax})
	return amount
}
