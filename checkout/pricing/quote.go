package pricing

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Inputs are the inputs of a quote other than the lines.
type Inputs struct {
	ShipTo, BillTo *pledge.Address
	Option         string // shipping option
	Tip            pledge.Tip
	At             time.Time
}

// split returns the inputs of each choice of a cart: its share of the tip, and the shipping option.
// If only other campaigns of the cart offer the option, the choice has its default option.
func (in Inputs) split(choices []Choice) []Inputs {
	offers := func(c Choice) bool {
		return slices.Contains(c.Campaign.Shipping.Options, in.Option) &&
			slices.ContainsFunc(c.sent, shipping.Item.IsShipped)
	}
	all := slices.Repeat([]Inputs{in}, len(choices))
	for i, tip := range splitTip(in.Tip, choices) {
		all[i].Tip = tip
		if !offers(choices[i]) && slices.ContainsFunc(choices, offers) {
			all[i].Option = ""
		}
	}
	return all
}

// Priced is a choice with its totals.
type Priced struct {
	Choice
	Totals      pledge.Totals
	Explanation []pledge.Derivation // one entry for every amount
	Parcels     []ParcelQuote       // the campaign's, and the platform's if it sends anything
	Delivery    string              // "physical", "digital" or "none"
	shipping    money.Cents         // total of all parcels
	tax         tax.Quote
}

// QuoteTimeout limits all quotes of one checkout together. A provider that
// does not respond in time is treated as down.
const QuoteTimeout = 10 * time.Second

// priceChoice quotes shipping and tax, both of which have to be final, and
// computes the totals.
func (pr Pricer) priceChoice(ctx context.Context, c Choice, in Inputs) (Priced, error) {
	p := Priced{Choice: c, Delivery: c.fulfillment()}
	if p.Delivery == "physical" {
		if err := checkShippingAddress(in.ShipTo); err != nil {
			return Priced{}, err
		}
	}
	if err := pr.quoteAmounts(ctx, &p, in); err != nil {
		return Priced{}, err
	}
	_, address := in.taxAddress(p.fulfillment())
	if err := checkFinal(p.tax, address); err != nil {
		return Priced{}, err
	}
	var err error
	if p.Totals, err = pledge.CalculateTotals(c.Lines, p.tax.Tax, p.shipping, in.Tip); err != nil {
		return Priced{}, withField(err, "items")
	}
	if err := checkCharge(p.Totals.Amount); err != nil {
		return Priced{}, err
	}
	p.setExplanation()
	return p, nil
}

// checkCharge returns an error for an amount that cannot be charged in one
// payment.
func checkCharge(amount money.Cents) error {
	switch {
	case amount < money.MinCharge:
		return fault.New(fault.Invalid, "The pledge total must be at least %s", money.MinCharge).In("items")
	case amount > money.MaxCharge:
		return fault.New(fault.Invalid, "The pledge total must be at most %s", money.MaxCharge).In("items")
	}
	return nil
}

// quoteAmounts quotes shipping, then tax, since shipping may be taxed.
func (pr Pricer) quoteAmounts(ctx context.Context, p *Priced, in Inputs) error {
	var err error
	if p.Parcels, err = pr.quoteParcels(ctx, p.Choice, in); err != nil {
		return err
	}
	for _, parcel := range p.Parcels {
		if p.shipping, err = money.Sum(p.shipping, parcel.Shipping); err != nil {
			return err
		}
	}
	return pr.quoteTax(ctx, p, in)
}

func (pr Pricer) quoteTax(ctx context.Context, p *Priced, in Inputs) error {
	lines := slices.Clone(p.Lines)
	if p.shipping > 0 {
		lines = append(lines, pledge.Line{
			Kind: pledge.ShippingLine, Name: "Shipping", Quantity: 1,
			UnitPrice: p.shipping, Amount: p.shipping, Category: campaign.Physical,
		})
	}
	var err error
	p.tax, err = pr.Tax.Quote(ctx, tax.Request{Destination: in.destination(p.fulfillment()), At: in.At, Lines: lines})
	return err
}

// destination returns the address that determines the tax: for physical goods the shipping address
// first, otherwise the billing address first.
func (in Inputs) destination(fulfillment string) pledge.Address {
	a, _ := in.taxAddress(fulfillment)
	return a
}

// taxAddress returns the address that determines the tax, and its request field. Without an
// address, it returns the zero address and the field to send.
func (in Inputs) taxAddress(fulfillment string) (pledge.Address, string) {
	order := []struct {
		field   string
		address *pledge.Address
	}{{"billingAddress", in.BillTo}, {"shippingAddress", in.ShipTo}}
	if fulfillment == "physical" {
		slices.Reverse(order)
	}
	for _, o := range order {
		if o.address != nil && !o.address.IsZero() {
			return *o.address, o.field
		}
	}
	return pledge.Address{}, order[0].field
}

// checkFinal returns an error unless the tax may be charged. The error names the
// address field to add or correct.
func checkFinal(q tax.Quote, address string) error {
	switch {
	case q.Status.Final():
		return nil
	case q.Status == tax.NeedsInput:
		return addressError(q, address)
	}
	return fault.New(fault.Unavailable, "Tax cannot be calculated at the moment")
}

// taxAddressError reports that tax cannot be calculated for an address. Its details are the
// question to the supporter, so that pages can localize it.
type taxAddressError struct {
	fault    *fault.Error
	question tax.Question
}

// Error returns the fault's text.
func (e taxAddressError) Error() string { return e.fault.Error() }

// Unwrap returns the underlying fault.
func (e taxAddressError) Unwrap() error { return e.fault }

// Details returns the question as the error's details.
func (e taxAddressError) Details() any { return e.question }

// addressError returns an error with code Conflict about an address: the quote's question;
// otherwise, if fields are missing, a question for the first of them; otherwise the provider's
// notice; otherwise a question for the country.
func addressError(q tax.Quote, address string) error {
	if q.Question != nil {
		return newTaxAddressError(fault.Conflict, *q.Question, address)
	}
	if q.Notice != "" && len(q.Missing) == 0 {
		return fault.New(fault.Conflict, "%s", q.Notice).In(address)
	}
	question := tax.Question{Field: "country", Reason: tax.MissingField}
	if len(q.Missing) > 0 {
		question.Field = q.Missing[0]
	}
	return newTaxAddressError(fault.Conflict, question, address)
}

func newTaxAddressError(code fault.Code, q tax.Question, address string) error {
	return taxAddressError{fault.New(code, "%s", q.Sentence()).In(address + "." + q.Field), q}
}

// checkShippingAddress returns an error if the address is missing or incomplete.
func checkShippingAddress(a *pledge.Address) error {
	if a == nil {
		return fault.New(fault.Invalid, "A shipping address is required").In("shippingAddress")
	}
	if field := a.Missing(); field != "" {
		return fault.New(fault.Invalid, "The shipping address is incomplete").In("shippingAddress." + field)
	}
	if a.Country == "US" && a.ZIP() == "" {
		return newTaxAddressError(fault.Invalid, tax.ZIPQuestion(a.PostalCode), "shippingAddress")
	}
	return nil
}

// setExplanation sets Explanation, which derives every amount.
func (p *Priced) setExplanation() {
	p.Explanation = append(slices.Clone(p.reasons), p.taxReasons()...)
	for _, parcel := range p.Parcels {
		p.Explanation = append(p.Explanation, parcel.derivation())
	}
	p.Explanation = append(p.Explanation, tipReason(p.Totals))
}

func tipReason(t pledge.Totals) pledge.Derivation {
	if t.TipPercent == 0 && t.TipAmount > 0 {
		return pledge.Derivation{Amount: "tipAmount", Cents: t.TipAmount, Rule: "chosen by the supporter"}
	}
	return pledge.Derivation{
		Amount: "tipAmount", Cents: t.TipAmount, Rule: "percent of subtotal",
		Rate: money.Percent(int64(t.TipPercent)).String(), Base: t.Subtotal, Rounding: money.RoundingRule,
	}
}

// taxReasons returns one entry per tax. The entries sum to the pledge's tax.
func (p *Priced) taxReasons() []pledge.Derivation {
	q := p.tax
	if len(q.Breakdown) == 0 {
		return []pledge.Derivation{{Amount: "tax", Cents: q.Tax, Rule: q.Provider, Source: q.Source,
			Base: q.Base, AsOf: q.AsOf}}
	}
	reasons := make([]pledge.Derivation, 0, len(q.Breakdown))
	for _, part := range q.Breakdown {
		reasons = append(reasons, pledge.Derivation{
			Amount: "tax", Cents: part.Tax, Rule: q.Provider + ": " + part.Label, Source: q.Source,
			Rate: part.Rate.String(), Base: part.Base, Rounding: money.RoundingRule, AsOf: q.AsOf,
		})
	}
	return reasons
}

// ParseAddress returns an address in normal form, or nil for nil or an empty address. It fails with
// code Invalid and the address's field.
func ParseAddress(a *pledge.Address, field string) (*pledge.Address, error) {
	if a == nil {
		return nil, nil
	}
	clean, err := a.Clean()
	if f := fault.Of(err); f != nil {
		return nil, f.In(field + "." + f.Field)
	}
	if err != nil || clean.IsZero() {
		return nil, err
	}
	return &clean, nil
}
