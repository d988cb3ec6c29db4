package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// terms are what a quote depends on beside the lines.
type terms struct {
	shipTo, billTo *pledge.Address
	option         string
	tip            int // percent
	at             time.Time
}

// priced is a choice with everything that is added to it.
type priced struct {
	choice
	totals      pledge.Totals
	explanation []pledge.Derivation // of every amount
	parcels     []ParcelQuote       // the campaign's, and the platform's where it sends something
	shipping    money.Cents         // of all parcels
	tax         tax.Quote
	delivery    string // fulfillment
}

// QuoteTimeout is what all quotes of one checkout together may take. Whoever has not
// answered by then is taken for a provider that is down.
const QuoteTimeout = 10 * time.Second

// price asks for shipping and tax, whose answers have to be final, and adds
// everything up.
func (s *Service) price(ctx context.Context, c choice, t terms) (priced, error) {
	p := priced{choice: c, delivery: c.fulfillment()}
	if p.delivery == "physical" {
		if err := complete(t.shipTo); err != nil {
			return priced{}, err
		}
	}
	if err := s.quote(ctx, &p, t); err != nil {
		return priced{}, err
	}
	_, address := t.taxedAt(p.fulfillment())
	if err := final(p.tax, address); err != nil {
		return priced{}, err
	}
	var err error
	if p.totals, err = pledge.Add(c.lines, p.tax.Tax, p.shipping, t.tip); err != nil {
		return priced{}, in(err, "items")
	}
	if err := checkCharge(p.totals.Amount); err != nil {
		return priced{}, err
	}
	p.explain()
	return p, nil
}

// checkCharge returns an error for a pledge that no single payment can be made for.
func checkCharge(amount money.Cents) error {
	switch {
	case amount < money.MinCharge:
		return fault.New(fault.Invalid, "A pledge is at least %s in total", money.MinCharge).In("items")
	case amount > money.MaxCharge:
		return fault.New(fault.Invalid, "A pledge is at most %s in total", money.MaxCharge).In("items")
	}
	return nil
}

// quote asks for shipping first, since it may be taxed.
func (s *Service) quote(ctx context.Context, p *priced, t terms) error {
	var err error
	if p.parcels, err = s.ship(ctx, p.choice, t); err != nil {
		return err
	}
	for _, parcel := range p.parcels {
		if p.shipping, err = money.Sum(p.shipping, parcel.Shipping); err != nil {
			return err
		}
	}
	return s.quoteTax(ctx, p, t)
}

func (s *Service) quoteTax(ctx context.Context, p *priced, t terms) error {
	lines := slices.Clone(p.lines)
	if p.shipping > 0 {
		lines = append(lines, pledge.Line{
			Kind: pledge.ShippingLine, Name: "Shipping", Quantity: 1,
			UnitPrice: p.shipping, Amount: p.shipping, Category: campaign.Physical,
		})
	}
	var err error
	p.tax, err = s.Tax.Quote(ctx, tax.Request{Destination: t.destination(p.fulfillment()), At: t.at, Lines: lines})
	return err
}

// destination is where the supply is taxed: where it is sent, or else where
// the supporter is.
func (t terms) destination(fulfillment string) pledge.Address {
	a, _ := t.taxedAt(fulfillment)
	return a
}

// taxedAt returns the address that decides about tax, and the field it was sent in. If
// there is none, it is the field that it has to be sent in.
func (t terms) taxedAt(fulfillment string) (pledge.Address, string) {
	order := []struct {
		field   string
		address *pledge.Address
	}{{"billingAddress", t.billTo}, {"shippingAddress", t.shipTo}}
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

// final returns an error unless the tax may be charged. It names the part of the address
// that has to be entered or corrected.
func final(q tax.Quote, address string) error {
	switch {
	case q.Status.Final():
		return nil
	case q.Status == tax.NeedsInput:
		return ask(q, address)
	}
	return fault.New(fault.Unavailable, "Tax cannot be calculated at the moment")
}

// untaxed is the error for an address that tax cannot be calculated for. Its details are
// the question, so that pages can put it in their language.
type untaxed struct {
	fault    *fault.Error
	question tax.Question
}

// Error returns the fault's text.
func (e untaxed) Error() string { return e.fault.Error() }

// Unwrap returns the fault that hosts answer with.
func (e untaxed) Unwrap() error { return e.fault }

// Details returns the question as the error's details.
func (e untaxed) Details() any { return e.question }

// ask returns the quote's question as an error about an address. Without a question the
// error has the provider's notice.
func ask(q tax.Quote, address string) error {
	if q.Question != nil {
		return refuse(fault.Conflict, *q.Question, address)
	}
	if q.Notice != "" && len(q.Missing) == 0 {
		return fault.New(fault.Conflict, "%s", q.Notice).In(address)
	}
	question := tax.Question{Field: "country", Reason: tax.MissingField}
	if len(q.Missing) > 0 {
		question.Field = q.Missing[0]
	}
	return refuse(fault.Conflict, question, address)
}

func refuse(code fault.Code, q tax.Question, address string) error {
	return untaxed{fault.New(code, "%s", q.Sentence()).In(address + "." + q.Field), q}
}

// complete reports whether something can be sent to the address.
func complete(a *pledge.Address) error {
	if a == nil {
		return fault.New(fault.Invalid, "A shipping address is required").In("shippingAddress")
	}
	if field := a.Missing(); field != "" {
		return fault.New(fault.Invalid, "The shipping address is incomplete").In("shippingAddress." + field)
	}
	if a.Country == "US" && a.ZIP() == "" {
		return refuse(fault.Invalid, tax.AskZIP(a.PostalCode), "shippingAddress")
	}
	return nil
}

// explain states how every amount came about.
func (p *priced) explain() {
	p.explanation = append(slices.Clone(p.reasons), p.taxReasons()...)
	for _, parcel := range p.parcels {
		p.explanation = append(p.explanation, parcel.derivation())
	}
	p.explanation = append(p.explanation, pledge.Derivation{
		Amount: "tipAmount", Cents: p.totals.TipAmount, Rule: "percent of subtotal",
		Rate: money.Percent(int64(p.totals.TipPercent)).String(), Base: p.totals.Subtotal, Rounding: money.RoundingRule,
	})
}

// taxReasons has one entry for each tax; they sum to the pledge's tax.
func (p *priced) taxReasons() []pledge.Derivation {
	q := p.tax
	if len(q.Breakdown) == 0 {
		return []pledge.Derivation{{Amount: "tax", Cents: q.Tax, Rule: q.Provider, Source: q.Source, Base: q.Base, AsOf: q.AsOf}}
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

// tip returns the tip that was chosen, within the bounds.
func (s *Service) tip(chosen *int, otherwise int) (int, error) {
	if chosen == nil {
		return otherwise, nil
	}
	if *chosen < 0 || *chosen > s.Settings.MaxTip {
		return 0, fault.New(fault.Invalid, "A tip is a whole percentage from 0 to %d", s.Settings.MaxTip).In("tipPercent")
	}
	return *chosen, nil
}

// address cleans an address, which may be nil.
func address(a *pledge.Address, field string) (*pledge.Address, error) {
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
