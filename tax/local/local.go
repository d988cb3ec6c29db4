// Package local implements tax.Provider for the United States and Canada with an
// address lookup, including local taxes. Another provider quotes everything else.
package local

import (
	"context"
	"errors"
	"strings"

	"github.com/pledgeworks/pledgeworks/tax"
)

// Provider implements tax.Provider. All fields are required.
type Provider struct {
	Lookup tax.Lookup
	// Outside quotes other countries and destinations where tax is not collected. It is also
	// used if the lookup fails.
	Outside tax.Provider
	// Collects reports whether tax is collected at a request's destination.
	Collects func(tax.Request) bool
}

const name = "local_tax_api"

// Quote implements tax.Provider. It fails like tax.Request.Bases.
func (p *Provider) Quote(ctx context.Context, r tax.Request) (tax.Quote, error) {
	country := strings.ToUpper(strings.TrimSpace(r.Destination.Country))
	if country != "US" && country != "CA" || !p.Collects(r) {
		return p.Outside.Quote(ctx, r)
	}
	b, err := r.Bases()
	if err != nil {
		return tax.Quote{}, err
	}
	l, err := p.Lookup.Rates(ctx, r.Destination)
	if missing := (tax.MissingError{}); errors.As(err, &missing) && len(missing) > 0 {
		return ask(missing, r.Destination), nil
	}
	if err != nil {
		return p.fallBack(ctx, r, err)
	}
	q := tax.Quote{Status: tax.Quoted, Provider: name, Jurisdiction: l.Place, Source: l.Source,
		AsOf: r.At.Format("2006-01-02"), Breakdown: []tax.Part{}}
	if strings.TrimSpace(r.Destination.Line1) == "" {
		q.Notice = "by the postal code only, which may cover several places"
	}
	if l.Rate().IsZero() {
		return q, nil
	}
	q.Base = b.Physical + b.Digital
	if q.ShippingTaxed = l.Shipping && b.Physical > 0 && b.Shipping > 0; q.ShippingTaxed {
		q.Base += b.Shipping
	}
	q.Tax, q.Breakdown = tax.Split(l.Rates, q.Base)
	return q, nil
}

// fallBack returns the quote of Outside. If it is final, its status becomes FallbackUsed and its
// notice starts with the reason.
func (p *Provider) fallBack(ctx context.Context, r tax.Request, why error) (tax.Quote, error) {
	q, err := p.Outside.Quote(ctx, r)
	if err != nil || !q.Status.Final() {
		return q, err
	}
	notice := "The address lookup failed: " + why.Error()
	if q.Notice != "" {
		notice += "; " + q.Notice
	}
	q.Status, q.Notice = tax.FallbackUsed, notice
	return q, nil
}

// ask returns a quote that asks for the parts of the address that the lookup needs.
func ask(missing tax.MissingError, to tax.Address) tax.Quote {
	question := tax.Question{Field: missing[0], Reason: tax.MissingField}
	if question.Field == "postalCode" && strings.EqualFold(strings.TrimSpace(to.Country), "US") {
		question = tax.ZIPQuestion(to.PostalCode)
	}
	q := tax.Ask(name, question)
	q.Missing = missing
	return q
}
