package pricing

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// TaxQuoteRequest requests a preview of a cart's tax. Subtotal is used if the cart has neither
// items nor a custom amount.
type TaxQuoteRequest struct {
	Cart
	Subtotal *money.Cents `json:"subtotalCents,omitempty"` // cents
	Shipping *money.Cents `json:"shippingCents,omitempty"` // cents; nil with items is quoted
}

// TaxQuote is a preview of a cart's tax. Provisional is set while the tax is not final: then
// Missing names the address fields that are needed, if any.
type TaxQuote struct {
	Subtotal money.Cents `json:"subtotalCents"`
	Shipping money.Cents `json:"shippingCents"`
	Tax      money.Cents `json:"taxCents"`
	Tip      money.Cents `json:"tipCents"`
	// Amount is the total. It does not include tax that is still unknown.
	Amount      money.Cents        `json:"amountCents"`
	Provisional bool               `json:"provisional"`
	Missing     []string           `json:"missing"`
	Campaigns   []CampaignTaxQuote `json:"campaigns"`
}

// CampaignTaxQuote is one campaign's part of a TaxQuote. Amount is its total and does not include
// tax that is still unknown.
type CampaignTaxQuote struct {
	CampaignSlug string      `json:"campaignSlug,omitempty"`
	Subtotal     money.Cents `json:"subtotalCents"`
	Shipping     money.Cents `json:"shippingCents"`
	Tip          money.Cents `json:"tipCents"`
	Amount       money.Cents `json:"amountCents"`
	Quote        tax.Quote   `json:"taxDetails"`
}

// QuoteTax previews a cart's tax. An incomplete address makes the quote provisional and is not an
// error. With final tax, a campaign's part that is too small or too large to be charged is
// rejected, as by Price; a mere subtotal is not.
func (pr Pricer) QuoteTax(ctx context.Context, r TaxQuoteRequest) (TaxQuote, error) {
	in, choices, err := pr.previewCart(ctx, r)
	if err != nil {
		return TaxQuote{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	out := TaxQuote{Missing: []string{}}
	inputs := in.split(choices)
	for i, c := range choices {
		p := Priced{Choice: c, Delivery: c.fulfillment()}
		if err := pr.quotePreview(ctx, &p, inputs[i], r.statedShipping()); err != nil {
			return TaxQuote{}, err
		}
		amount := out.add(p, inputs[i].Tip)
		if err := checkCharge(amount); err != nil && !r.subtotalOnly() && p.tax.Status.Final() {
			return TaxQuote{}, err
		}
	}
	return out, nil
}

// subtotalOnly reports whether the request has neither items nor a custom amount.
func (r TaxQuoteRequest) subtotalOnly() bool { return len(r.Items) == 0 && r.CustomAmount == nil }

// statedShipping returns the request's shipping amount, 0 if there is only a subtotal, or nil if
// shipping has to be quoted.
func (r TaxQuoteRequest) statedShipping() *money.Cents {
	if r.Shipping == nil && r.subtotalOnly() {
		return new(money.Cents)
	}
	return r.Shipping
}

// previewCart resolves the request's cart. A subtotal is treated as one physical
// item of that price.
func (pr Pricer) previewCart(ctx context.Context, r TaxQuoteRequest) (Inputs, []Choice, error) {
	in, err := pr.Inputs(r.Cart)
	if err != nil {
		return Inputs{}, nil, err
	}
	if !r.subtotalOnly() {
		sel, err := r.Cart.Select()
		if err != nil {
			return Inputs{}, nil, err
		}
		choices, err := pr.Choose(ctx, sel, allTiersOpen)
		return in, choices, err
	}
	if r.Subtotal == nil {
		return Inputs{}, nil, fault.New(fault.Invalid, "Subtotal is required").In("subtotalCents")
	}
	if err := r.Subtotal.Check(); err != nil {
		return Inputs{}, nil, withField(err, "subtotalCents")
	}
	l := pledge.Line{Kind: pledge.TierLine, Name: "Subtotal", Quantity: 1, UnitPrice: *r.Subtotal,
		Amount: *r.Subtotal, Category: campaign.Physical}
	return in, []Choice{{Campaign: &campaign.Campaign{}, Lines: []pledge.Line{l}}}, nil
}

func withField(err error, field string) error {
	if f := fault.Of(err); f != nil {
		return f.In(field)
	}
	return err
}

// quotePreview quotes one campaign's part. It uses the client's shipping amount if there is one,
// which is safe because the quote is only a preview.
func (pr Pricer) quotePreview(ctx context.Context, p *Priced, in Inputs, stated *money.Cents) error {
	if stated == nil {
		return pr.quoteAmounts(ctx, p, in)
	}
	if err := stated.Check(); err != nil {
		return withField(err, "shippingCents")
	}
	p.shipping = *stated
	return pr.quoteTax(ctx, p, in)
}

// add adds one campaign's part and returns the part's total.
func (q *TaxQuote) add(p Priced, tip pledge.Tip) money.Cents {
	var chosen money.Cents
	for _, l := range p.Lines {
		chosen += l.Amount
	}
	given := tip.Of(chosen) // rounded once per pledge, as it is charged
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
	q.Campaigns = append(q.Campaigns, CampaignTaxQuote{
		CampaignSlug: p.Campaign.Slug, Subtotal: chosen, Shipping: p.shipping, Tip: given, Amount: amount, Quote: p.tax,
	})
	return amount
}
