// Package nmgrt implements tax.Provider for New Mexico's gross receipts tax, which
// differs by place. It uses a built-in table of towns and, for complete street
// addresses, the state's address service, which determines the exact place. A rate that may
// be another place's is marked as an estimate.
//
// The tax is on the seller's receipts, including shipping and downloads.
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

// Provider implements tax.Provider for New Mexico; Outside quotes everything else.
type Provider struct {
	Outside tax.Provider
	// Lookup is used for complete addresses. It may be nil.
	Lookup tax.Lookup
	// Base is the rate for unknown places: the state's part of the tax, which applies
	// everywhere. The operator configures it, because no table here has a confirmed rate.
	Base money.Rate
}

const (
	name  = "nm_grt"
	label = "NM gross receipts tax"
)

// found is a rate and its source. With status NeedsInput the place is unknown, and
// missing has the parts that the state's service needs.
type found struct {
	status        tax.Status
	missing       []string
	rate          money.Rate
	place         string
	sources, asOf string
	notice        string
}

// Quote implements tax.Provider. It fails like tax.Request.Bases.
func (p *Provider) Quote(ctx context.Context, r tax.Request) (tax.Quote, error) {
	if !inNewMexico(r) {
		return p.Outside.Quote(ctx, r)
	}
	b, err := r.Bases()
	if err != nil {
		return tax.Quote{}, err
	}
	zip := r.Destination.ZIP()
	if zip == "" {
		return tax.Ask(name, tax.ZIPQuestion(r.Destination.PostalCode)), nil
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
	q := tax.Quote{Status: f.status, Provider: name, Breakdown: []tax.Part{}, Jurisdiction: f.place,
		Source: f.sources, AsOf: f.asOf, Notice: f.notice}
	if f.rate.IsZero() {
		return q, nil
	}
	q.Base, q.ShippingTaxed = b.Physical+b.Digital+b.Shipping, b.Shipping > 0
	q.Tax = f.rate.Of(q.Base)
	q.Breakdown = append(q.Breakdown, tax.Part{Label: label, Rate: f.rate, Base: q.Base, Tax: q.Tax})
	return q, nil
}

// inNewMexico reports whether the destination is in New Mexico. Its ZIP codes begin with 870
// to 884, and some ZIP codes of neighboring states extend into it. Without a ZIP code, the
// given state decides. If the ZIP code contradicts the state, inNewMexico returns false.
func inNewMexico(r tax.Request) bool {
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

// find looks up the rate with the service, then in the table. If neither has it, find returns the
// base rate, or status NeedsInput if the service needs more of the address.
func (p *Provider) find(ctx context.Context, r tax.Request, zip string) (found, error) {
	notice, missing := "", tax.MissingError{}
	if p.Lookup != nil {
		l, err := p.Lookup.Rates(ctx, r.Destination)
		if err == nil {
			return found{status: tax.Quoted, rate: l.Rate(), place: l.Place, sources: l.Source,
				asOf: r.At.Format(time.DateOnly)}, nil
		}
		if !errors.As(err, &missing) {
			notice = "The state's address service failed: " + err.Error() + "; "
		}
	}
	t, err := vendored()
	if err != nil {
		return found{}, err
	}
	m, ok := t.find(zip, r.Destination.City)
	switch {
	case !ok && len(missing) > 0: // do not guess if the service only needs more of the address
		return found{status: tax.NeedsInput, missing: missing}, nil
	case !ok:
		return found{status: tax.FallbackUsed, rate: p.Base, place: "US-NM", sources: "NM_GRT_BASE_RATE",
			asOf:   r.At.Format(time.DateOnly),
			notice: notice + "unknown place for the ZIP code, so only the base rate is charged"}, nil
	case m.why == "" && notice == "":
		return found{status: tax.Quoted, rate: m.place.rate, place: m.place.String(),
			sources: m.place.sources, asOf: m.place.asOf}, nil
	}
	return found{status: tax.FallbackUsed, rate: m.place.rate, place: m.place.String(),
		sources: m.place.sources, asOf: m.place.asOf,
		notice: strings.TrimSuffix(notice+m.why, "; ")}, nil
}

// String returns the place as shown in a quote.
func (p place) String() string {
	if p.code == "" {
		return "NM " + p.name
	}
	return fmt.Sprintf("NM %s %s", p.code, p.name)
}
