// Package offline taxes by vendored rules: value added and goods and services
// taxes of countries and of territories that differ from their state, the
// provinces of Canada, the states of the United States without their local taxes.
// Every rate has dates and sources; data/ is meant to be read by a person.
//
// Rewards that are physical or digital are taxed, and what is given for no reward
// is not. Shipping is taxed where that is known. A tip never is. Tax is collected
// only where the operator says so: a table of rates is no duty to charge them.
package offline

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Provider is a tax.Provider that asks nobody.
type Provider struct {
	table   *table
	collect collected
}

var vendored = sync.OnceValues(load)

// New returns a provider that collects tax in these places: "DE", "US" for all of
// its states, "US-NM", "CA" for the taxes of the whole of it, "CA-QC" for the
// province's own too, "EU", or Everywhere. It fails with code Invalid for a place
// that no rule is known for.
func New(collect []string) (*Provider, error) {
	t, err := vendored()
	if err != nil {
		return nil, err
	}
	c, err := readCollected(t, collect)
	if err != nil {
		return nil, err
	}
	return &Provider{t, c}, nil
}

const name = "offline_rules"

// Quote implements tax.Provider. It fails as tax.Request.Bases does.
func (p *Provider) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	b, err := r.Bases()
	if err != nil {
		return tax.Quote{}, err
	}
	where, question := p.table.find(r)
	if question != nil {
		return tax.Ask(name, *question), nil
	}
	q := tax.Quote{Status: tax.Quoted, Provider: name, Breakdown: []tax.Part{}, Jurisdiction: where.place}
	rows := p.table.at(where.place, where.postal, r.At.Format(time.DateOnly))
	if len(rows) == 0 {
		q.Status, q.Source, q.Notice = tax.FallbackUsed, "no rule", "No rate is known for "+where.place+" on that day: no tax is added"
		return q, nil
	}
	q.Source, q.AsOf, q.Notice = rows[0].sources, rows[0].asOf, rows[0].note
	p.charge(&q, where, rows, b)
	return q, nil
}

// charge adds the taxes that are collected, with one rounding of their sum.
func (p *Provider) charge(q *tax.Quote, where spot, rows []row, b tax.Bases) {
	due := p.due(q, where, rows, &b)
	if len(due) == 0 {
		note(q, "Tax is not collected in "+q.Jurisdiction)
		return
	}
	if where.place == "US-NM" {
		q.Status = tax.FallbackUsed // its places add to it everywhere
	}
	rates := make([]tax.LocalRate, 0, len(due))
	for _, r := range due {
		rates = append(rates, tax.LocalRate{Label: label(r), Rate: r.rate})
	}
	if (tax.Local{Rates: rates}).Rate().IsZero() {
		return
	}
	q.Base, q.ShippingTaxed = base(rows[0], b)
	if rows[0].shipping == "" && b.Shipping > 0 {
		note(q, "Whether shipping is taxed is not known: it is not")
	}
	q.Tax, q.Breakdown = tax.Split(rates, q.Base)
}

// Collects reports whether every tax is collected where a request goes, so that
// whoever knows only their sum may answer. Where it cannot be told yet, it is not.
func (p *Provider) Collects(r tax.Request) bool {
	where, question := p.table.find(r)
	if question != nil {
		return false
	}
	rows := p.table.at(where.place, where.postal, r.At.Format(time.DateOnly))
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(r row) bool { return !p.collect.in(where.place, r.tax) })
}

// due are the taxes that are collected. Goods to Northern Ireland are the Union's,
// so they need its registration and all else the kingdom's; what is not collected
// leaves the bases.
func (p *Provider) due(q *tax.Quote, where spot, rows []row, b *tax.Bases) []row {
	collects := func(place string) []row {
		return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !p.collect.in(place, r.tax) })
	}
	own := collects(where.place)
	if where.goods == "" || b.Physical == 0 {
		return own
	}
	q.Jurisdiction = where.goods
	goods := collects(where.goods)
	if len(goods) == 0 {
		b.Physical, b.Shipping = 0, 0
	}
	if len(own) == 0 {
		b.Digital = 0
	}
	if b.Physical == 0 && b.Digital == 0 {
		return nil
	}
	return rows
}

func note(q *tax.Quote, text string) {
	if q.Notice != "" {
		text = q.Notice + "; " + text
	}
	q.Notice = text
}

// base is what is taxed. Shipping follows the goods it is for.
func base(r row, b tax.Bases) (money.Cents, bool) {
	sum := b.Physical
	if r.digital != no {
		sum += b.Digital
	}
	if r.shipping != yes || b.Physical == 0 || b.Shipping == 0 {
		return sum, false
	}
	return sum + b.Shipping, true
}

func label(r row) string {
	_, place, within := strings.Cut(r.place, "-")
	if !within {
		place = r.place
	}
	if r.tax == strings.ToUpper(r.tax) { // VAT, HST
		return place + " " + r.tax
	}
	return place + " " + strings.ToLower(r.tax)
}
