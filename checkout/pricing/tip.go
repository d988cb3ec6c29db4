package pricing

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Limits of a tip that the supporter enters as an amount, in cents.
const (
	MinTip money.Cents = 50
	MaxTip money.Cents = 500_00
)

// splitTip returns each choice's tip. A percentage applies to every choice. An amount is split in
// proportion to the subtotals.
func splitTip(t pledge.Tip, choices []Choice) []pledge.Tip {
	tips := make([]pledge.Tip, len(choices))
	if t.Percent != 0 || t.Amount == 0 {
		for i := range tips {
			tips[i] = t
		}
		return tips
	}
	subtotals := make([]money.Cents, len(choices))
	for i, c := range choices {
		for _, l := range c.Lines {
			subtotals[i] += l.Amount
		}
	}
	for i, part := range money.Split(t.Amount, subtotals) {
		tips[i].Amount = part
	}
	return tips
}
