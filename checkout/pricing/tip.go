package pricing

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Limits of a tip that the supporter enters as an amount, in cents.
const (
	MinTip money.Cents = 50
	MaxTip money.Cents = 500_00
)

// splitTip returns each choice's tip. A percentage applies to every choice. An amount is
// split in proportion to the subtotals, and the cents left by rounding down go to the
// largest, so that the parts add up.
func splitTip(t pledge.Tip, choices []Choice) []pledge.Tip {
	tips := make([]pledge.Tip, len(choices))
	subtotals := make([]money.Cents, len(choices))
	var sum money.Cents
	for i, c := range choices {
		tips[i] = t
		for _, l := range c.Lines {
			subtotals[i] += l.Amount
		}
		sum += subtotals[i]
	}
	if t.Percent != 0 || t.Amount == 0 || sum == 0 {
		return tips
	}
	left := t.Amount
	for i, s := range subtotals {
		tips[i].Amount = t.Amount * s / sum
		left -= tips[i].Amount
	}
	tips[slices.Index(subtotals, slices.Max(subtotals))].Amount += left
	return tips
}
