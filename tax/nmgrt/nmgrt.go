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
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Provider is a tax.Provider for New Mexico; another answers for all else.
type Provider struct {
	Outside tax.Provider
	// Lookup is asked about whole addresses. It may be nil.
	Lookup tax.Lookup
	// Base is the rate where no place is known: the state's part of the tax, which is due
	// in all of them. The operator states it, because no table here is sure of it.
	Base money.Rate
}

const (
	name  = "nm_grt"
	label = "NM gross receipts tax"
)

// found is where a rate comes from. With status NeedsInput no place is known, and
// missing is what the state's service has to be told.
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
	zip := r.Destination.ZIP()
	if zip == "" {
		return tax.Ask(name, tax.AskZIP(r.Destination.PostalCode)), nil
	}
	f, err := p.find(ctx, r, zip)
	if err != nil {
		return tax.Quote{}, err
	}
	if f.status == tax.NeedsInput {
		q := tax.Ask(name, tax.Question{Field: f.missing[0], Reason: tax.MissingField})
		q.Missing = f.missing
		return q, nil
	}
	q := tax.Quote{Status: f.status, Provider: name, Breakdown: []tax.Part{}, Jurisdiction: f.place, Source: f.sources, AsOf: f.asOf, Notice: f.notice}
	if f.rate.IsZero() {
		return q, nil
	}
	q.Base, q.ShippingTaxed = b.Physical+b.Digital+b.Shipping, b.Shipping > 0
	q.Tax = f.rate.Of(q.Base)
	q.Breakdown = append(q.Breakdown, tax.Part{Label: label, Rate: f.rate, Base: q.Base, Tax: q.Tax})
	return q, nil
}

// here reports whether something goes to New Mexico: its ZIP codes begin with 870
// to 884, and some of its neighbors' lie there as well. Without one the state decides. A
// ZIP code beside another state is for the other provider to ask about.
func here(r tax.Request) bool {
	a := r.Destination
	if !strings.EqualFold(strings.TrimSpace(a.Country), "US") {
		return false
	}
	written := zipcode.State(a.State) == "NM"
	switch code := strings.TrimSpace(a.PostalCode); {
	case code == "":
		return written
	case strings.TrimSpace(a.State) == "":
		return code >= "870" && code < "885"
	default:
		return written && (code >= "870" && code < "885" || zipcode.Accepts(a.ZIP(), "NM"))
	}
}

// find asks the service, then the table, and says which.
func (p *Provider) find(ctx context.Context, r tax.Request, zip string) (found, error) {
	notice, missing := "", tax.Missing{}
	if p.Lookup != nil {
		l, err := p.Lookup.Rates(ctx, r.Destination)
		if err == nil {
			return found{status: tax.Quoted, rate: l.Rate(), place: l.Place, sources: l.Source, asOf: r.At.Format(time.DateOnly)}, nil
		}
		if !errors.As(err, &missing) {
			notice = "The state's address service gave no answer: " + err.Error() + "; "
		}
	}
	t, err := vendored()
	if err != nil {
		return found{}, err
	}
	m, ok := t.find(zip, r.Destination.City)
	switch {
	case !ok && len(missing) > 0: // nothing is guessed that the service could tell
		return found{status: tax.NeedsInput, missing: missing}, nil
	case !ok:
		return found{status: tax.FallbackUsed, rate: p.Base, place: "US-NM", sources: "NM_GRT_BASE_RATE", asOf: r.At.Format(time.DateOnly),
			notice: notice + "no place is known for the ZIP code: the base rate alone is taken"}, nil
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
