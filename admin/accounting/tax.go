package accounting

import (
	"cmp"
	"encoding/csv"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// TaxRow is the sales tax that was charged or refunded in a month, for one place and rate. Amounts of
// refunds are negative.
type TaxRow struct {
	taxKey
	Pledges int         // charges or refunds of pledges
	Taxable money.Cents // the amount that the tax was computed from
	Tax     money.Cents
}

// taxKey identifies a row. Rows sort by it, in the order of its fields.
type taxKey struct {
	Month   string // such as 2027-03, by the value date
	Kind    ledger.Kind
	Charged string // the month of the charge
	Country string // two letters of the shipping or billing address
	State   string
	Rule    string // provider and name of the tax, as in the pledge's explanation
	Rate    string // a fraction, such as 0.07875; "" if it is not known
}

func (k taxKey) compare(o taxKey) int {
	return cmp.Or(cmp.Compare(k.Month, o.Month), cmp.Compare(k.Kind, o.Kind), cmp.Compare(k.Charged, o.Charged),
		cmp.Compare(k.Country, o.Country), cmp.Compare(k.State, o.State), cmp.Compare(k.Rule, o.Rule),
		cmp.Compare(k.Rate, o.Rate))
}

// taxMove is a change of a pledge's tax: positive for the charge, negative for a refund.
type taxMove struct {
	month  string
	amount money.Cents
}

// CollectTax returns a campaign's sales tax by month, place and rate. A refund has the place and rate of its
// charge, and both months. The rows add up to the ledger's balance of the account Tax, also if the order of a
// pledge is lost: its rows have no place.
//
// CollectTax keeps the tax of each pledge in memory, about a hundred bytes. It fails with any error of the
// sequences.
func CollectTax(pledges iter.Seq2[*pledge.Pledge, error], entries Entries, zone *time.Location) ([]TaxRow, error) {
	moves, err := taxMoves(entries, zone)
	if err != nil {
		return nil, err
	}
	rows := taxRows{}
	for p, err := range pledges {
		if err != nil {
			return nil, err
		}
		rows.add(p, moves[p.OrderID])
		delete(moves, p.OrderID)
	}
	for _, lost := range moves {
		rows.add(&pledge.Pledge{}, lost)
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b TaxRow) int { return a.compare(b.taxKey) }), nil
}

// taxMoves returns the changes of each pledge's tax, the charge first.
func taxMoves(entries Entries, zone *time.Location) (map[string][]taxMove, error) {
	moves := map[string][]taxMove{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		for _, l := range e.Lines {
			if l.Account == Tax {
				moves[l.Pledge] = append(moves[l.Pledge], taxMove{e.ValueAt.In(zone).Format("2006-01"), -l.Amount})
			}
		}
	}
	return moves, nil
}

type taxRows map[taxKey]TaxRow

// taxShare is the part of a pledge's tax under one rule. Refunds are divided by the rest of the shares, so
// that a full refund ends at zero.
type taxShare struct {
	pledge.Derivation
	left money.Cents
}

// taxable returns the part of the base that corresponds to a part of the tax.
func (s taxShare) taxable(tax money.Cents) money.Cents {
	if s.Cents == 0 {
		return 0
	}
	return (s.Base*tax + s.Cents/2) / s.Cents
}

func (rows taxRows) add(p *pledge.Pledge, moves []taxMove) {
	if len(moves) == 0 {
		return
	}
	key := taxKey{Kind: ledger.Charge, Charged: moves[0].month}
	for _, a := range []*pledge.Address{p.BillingAddress, p.ShippingAddress} {
		if a != nil && a.Country != "" {
			key.Country, key.State = a.Country, a.State
		}
	}
	shares := taxShares(p, moves[0].amount)
	for n, move := range moves {
		if n > 0 {
			key.Kind = ledger.Refund
		}
		key.Month = move.month
		rows.book(key, shares, move.amount)
	}
}

// taxShares divides the charged tax of a pledge among the rules that it was computed by.
func taxShares(p *pledge.Pledge, charged money.Cents) []taxShare {
	var shares []taxShare
	var weights []money.Cents
	for _, d := range p.Explanation {
		if d.Amount == "tax" && d.Cents > 0 {
			shares, weights = append(shares, taxShare{Derivation: d}), append(weights, d.Cents)
		}
	}
	if len(shares) == 0 {
		return []taxShare{{left: charged}}
	}
	for i, c := range money.Split(charged, weights) {
		shares[i].left = c
	}
	return shares
}

// book adds a charge, or a refund, which lowers the rest of the shares.
func (rows taxRows) book(key taxKey, shares []taxShare, amount money.Cents) {
	left := make([]money.Cents, len(shares))
	for i, s := range shares {
		left[i] = s.left
	}
	for i, part := range money.Split(max(amount, -amount), left) {
		s := &shares[i]
		if part == 0 {
			continue
		}
		key.Rule, key.Rate = s.Rule, s.Rate
		row := rows[key]
		row.taxKey = key
		row.Pledges++
		if key.Kind == ledger.Charge {
			row.Tax, row.Taxable = row.Tax+part, row.Taxable+s.taxable(part)
		} else {
			row.Tax, row.Taxable = row.Tax-part, row.Taxable-s.taxable(s.left)+s.taxable(s.left-part)
			s.left -= part
		}
		rows[key] = row
	}
}

var taxColumns = []string{"month", "kind", "charged_month", "country", "state", "rule", "rate", "pledges", "taxable",
	"tax"}

// WriteTax writes rows as CSV (RFC 4180).
func WriteTax(w io.Writer, rows []TaxRow) error {
	out := [][]string{taxColumns}
	for _, r := range rows {
		out = append(out, []string{r.Month, string(r.Kind), r.Charged, r.Country, report.EscapeFormula(r.State),
			report.EscapeFormula(r.Rule), r.Rate, strconv.Itoa(r.Pledges), formatAmount(r.Taxable), formatAmount(r.Tax)})
	}
	return csv.NewWriter(w).WriteAll(out)
}
