// Package offline implements tax.Provider with built-in rules: value added tax and
// goods and services tax of countries and of territories with their own rules, the
// provinces of Canada, and the states of the United States without local taxes. Every
// rate in the files of folder data has dates and sources, so that a person can check it.
//
// Physical and digital rewards are taxed; gifts without a reward are not. Shipping is
// taxed where the rule is known to require it. Tips are never taxed. Tax is only
// collected where the operator has enabled it.
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

// Provider implements tax.Provider without external requests.
type Provider struct {
	table   *table
	collect collected
}

// vendored returns the built-in table, which is read once.
var vendored = sync.OnceValues(load)

// New returns a provider that collects tax in the given places: "DE", "US" for all
// states, "US-NM", "CA" for Canada's national taxes, "CA-QC" for the province's as
// well, "EU", or Everywhere. It fails with code Invalid for a place without a known
// rule.
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

// Quote implements tax.Provider. It fails like tax.Request.Bases.
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
	rows := p.table.ratesOn(where.place, where.postal, r.At.Format(time.DateOnly))
	if len(rows) == 0 {
		q.Status, q.Source, q.Notice = tax.FallbackUsed, "no rule",
			"No rate is known for "+where.place+" on this date, so no tax is added"
		return q, nil
	}
	q.Source, q.AsOf, q.Notice = rows[0].sources, rows[0].asOf, rows[0].note
	p.addTaxes(&q, where, rows, b)
	return q, nil
}

// addTaxes adds the collected taxes to the quote and rounds their sum once.
func (p *Provider) addTaxes(q *tax.Quote, where spot, rows []row, b tax.Bases) {
	due := p.collectedTaxes(q, where, rows, &b)
	if len(due) == 0 {
		addNotice(q, "Tax is not collected in "+q.Jurisdiction)
		return
	}
	if where.place == "US-NM" {
		q.Status = tax.FallbackUsed // every place adds a local tax to the state's part
	}
	rates := make([]tax.LocalRate, 0, len(due))
	for _, r := range due {
		rates = append(rates, tax.LocalRate{Label: label(r), Rate: r.rate})
	}
	if (tax.LocalRates{Rates: rates}).Rate().IsZero() {
		return
	}
	q.Base, q.ShippingTaxed = base(rows[0], b)
	if rows[0].shipping == "" && b.Shipping > 0 {
		addNotice(q, "Shipping is not taxed, because the rule is unknown")
	}
	q.Tax, q.Breakdown = tax.Split(rates, q.Base)
}

// Collects reports whether all taxes of the destination are collected, so that a
// provider that only knows their sum may quote. It returns false if the destination is
// not clear yet.
func (p *Provider) Collects(r tax.Request) bool {
	where, question := p.table.find(r)
	if question != nil {
		return false
	}
	rows := p.table.ratesOn(where.place, where.postal, r.At.Format(time.DateOnly))
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(r row) bool { return !p.collect.includes(where.place, r.tax) })
}

// collectedTaxes returns the rows whose taxes are collected. It removes amounts whose tax is not
// collected from the bases. Goods shipped to Northern Ireland are taxed under EU rules, which
// requires a registration in the EU; everything else is taxed by the United Kingdom.
func (p *Provider) collectedTaxes(q *tax.Quote, where spot, rows []row, b *tax.Bases) []row {
	collects := func(place string) []row {
		return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !p.collect.includes(place, r.tax) })
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

// addNotice appends a text to the quote's notice.
func addNotice(q *tax.Quote, text string) {
	if q.Notice != "" {
		text = q.Notice + "; " + text
	}
	q.Notice = text
}

// base returns the taxable amount and whether it includes shipping. Shipping is only taxed together
// with physical goods.
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

// label returns the label of a tax, such as "ON HST" or "NY sales tax".
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
