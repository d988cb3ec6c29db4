// Package nmgrt taxes New Mexico's gross receipts by place. It starts from a
// vendored table of towns; with a whole street address it asks the state's address
// service, which knows the very place. What is only near is an estimate and says so.
//
// The tax is on the seller's receipts: delivery and downloads are in it.
package nmgrt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Provider is a tax.Provider for New Mexico; another answers for all else.
type Provider struct {
	Outside tax.Provider
	// Lookup is asked about whole addresses. It may be nil.
	Lookup tax.Lookup
	// State answers where no place is known: with the state's part of the tax, which is
	// due in all of them.
	State tax.Provider
}

const (
	name  = "nm_grt"
	label = "NM gross receipts tax"
)

// found is where a rate comes from. With status NeedsInput no place is known, and
// missing is what the state's service would have to be told.
type found struct {
	status        tax.Status
	missing       []string
	rate          money.Rate
	place         string
	sources, asOf string
	notice        string
}

// Quote implements tax.Provider. It fails as tax.Request.Bases does.
func (p *Provider) Quote(ctx context.Context, r tax.Request) (tax.Quote, error) {
	if !here(r) {
		return p.Outside.Quote(ctx, r)
	}
	b, err := r.Bases()
	if err != nil {
		return tax.Quote{}, err
	}
	q := tax.Quote{Status: tax.NeedsInput, Provider: name, Breakdown: []tax.Part{}}
	zip := zipOf(r)
	if zip == "" {
		q.Missing = []string{"postalCode"}
		return q, nil
	}
	f, err := p.find(ctx, r, zip)
	if err != nil {
		return tax.Quote{}, err
	}
	if f.status == tax.NeedsInput {
		return p.nowhere(ctx, r, f)
	}
	q.Status, q.Jurisdiction, q.Source, q.AsOf, q.Notice = f.status, f.place, f.sources, f.asOf, f.notice
	if f.rate.IsZero() {
		return q, nil
	}
	q.Base, q.ShippingTaxed = b.Physical+b.Digital+b.Shipping, b.Shipping > 0
	q.Tax = f.rate.Of(q.Base)
	q.Breakdown = append(q.Breakdown, tax.Part{Label: label, Rate: f.rate, Base: q.Base, Tax: q.Tax})
	return q, nil
}

// here reports whether something goes to New Mexico: its ZIP codes begin with 870
// to 884, and without one the state decides.
func here(r tax.Request) bool {
	a := r.Destination
	if !strings.EqualFold(strings.TrimSpace(a.Country), "US") {
		return false
	}
	if code := strings.TrimSpace(a.PostalCode); code != "" {
		return code >= "870" && code < "885"
	}
	return strings.EqualFold(strings.TrimSpace(a.State), "NM")
}

// zipOf is the five digits of a ZIP code, or "".
func zipOf(r tax.Request) string {
	zip, _, _ := strings.Cut(strings.TrimSpace(r.Destination.PostalCode), "-")
	if len(zip) != 5 || strings.Trim(zip, "0123456789") != "" {
		return ""
	}
	return zip
}

// nowhere asks for the rest of the address where the service could tell by it, and
// else leaves the answer to the state's part.
func (p *Provider) nowhere(ctx context.Context, r tax.Request, f found) (tax.Quote, error) {
	if len(f.missing) > 0 {
		return tax.Quote{Status: tax.NeedsInput, Missing: f.missing, Provider: name, Breakdown: []tax.Part{}}, nil
	}
	q, err := p.State.Quote(ctx, r)
	q.Provider = name
	if q.Status.Final() {
		q.Status, q.Notice = tax.FallbackUsed, f.notice+"no place is known for the ZIP code: the state's part alone is taken"
	}
	return q, err
}

// unsaid are the fields of a whole address that are empty.
func unsaid(to tax.Address) []string {
	var fields []string
	for _, f := range []struct{ name, value string }{{"line1", to.Line1}, {"city", to.City}} {
		if strings.TrimSpace(f.value) == "" {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// find asks the service, then the table, and says which.
func (p *Provider) find(ctx context.Context, r tax.Request, zip string) (found, error) {
	notice, missing := "", []string(nil)
	if p.Lookup != nil {
		l, err := p.Lookup.Rates(ctx, r.Destination)
		if err == nil {
			return found{status: tax.Quoted, rate: l.Rate(), place: l.Place, sources: l.Source, asOf: r.At.Format("2006-01-02")}, nil
		}
		if errors.Is(err, tax.ErrNotWhole) {
			missing = unsaid(r.Destination)
		} else {
			notice = "The state's address service gave no answer: " + err.Error() + "; "
		}
	}
	t, err := vendored()
	if err != nil {
		return found{}, err
	}
	m, ok := t.find(zip, r.Destination.City)
	switch {
	case !ok:
		return found{status: tax.NeedsInput, missing: missing, notice: notice}, nil
	case m.why == "" && notice == "":
		return found{status: tax.Quoted, rate: m.place.rate, place: m.place.String(), sources: m.place.sources, asOf: m.place.asOf}, nil
	}
	return found{status: tax.FallbackUsed, rate: m.place.rate, place: m.place.String(), sources: m.place.sources, asOf: m.place.asOf,
		notice: strings.TrimSuffix(notice+m.why, "; ")}, nil
}

// String is the place as a quote names it.
func (p place) String() string {
	if p.code == "" {
		return "NM " + p.name
	}
	return fmt.Sprintf("NM %s %s", p.code, p.name)
}
