package settlement

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// shares splits what a payment brought over its pledges, in the order of the
// parts: the fee in proportion to the amounts, to the cent by the largest
// remainder, and the net as what is left of each.
func (g *Group) shares() []pledge.Financials {
	actual := g.BalanceTransactionID != ""
	weights := make([]money.Cents, 0, len(g.Orders))
	for _, o := range g.Orders {
		weights = append(weights, o.Amount)
	}
	fees := split(g.Fee, weights)
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

// split divides a total in proportion to the weights, which are not negative.
// The parts add up to the total. With weights up to money.Max no product
// overflows.
func split(total money.Cents, weights []money.Cents) []money.Cents {
	parts := make([]money.Cents, len(weights))
	var sum money.Cents
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		return parts
	}
	left := total
	remainders := make([]money.Cents, len(weights))
	for i, w := range weights {
		parts[i], remainders[i] = total*w/sum, total*w%sum
		left -= parts[i]
	}
	largest := make([]int, len(weights))
	for i := range largest {
		largest[i] = i
	}
	slices.SortStableFunc(largest, func(a, b int) int { return int(remainders[b] - remainders[a]) })
	for _, i := range largest[:left] {
		parts[i]++
	}
	return parts
}
