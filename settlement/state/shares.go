package state

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Shares divides a payment's amounts among its pledges, in the order of the parts. The fee is
// divided in proportion to the amounts, to the cent, by the largest remainder method; each net
// amount is the part's amount minus its fee. Until the processor has the fee, only the gross
// amounts are set.
func (g *Group) Shares() []pledge.Financials {
	actual := g.BalanceTransactionID != ""
	weights := make([]money.Cents, 0, len(g.Orders))
	for _, o := range g.Orders {
		weights = append(weights, o.Amount)
	}
	fees := money.Split(g.Fee, weights)
	out := make([]pledge.Financials, 0, len(g.Orders))
	for i, o := range g.Orders {
		f := pledge.Financials{Gross: o.Amount, Source: "pending"}
		if actual {
			f.Fee, f.Net, f.Source = fees[i], o.Amount-fees[i], "actual"
		}
		out = append(out, f)
	}
	return out
}
