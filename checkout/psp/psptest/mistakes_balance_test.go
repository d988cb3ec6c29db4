package psptest

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// withBalance returns a processor that changes the query and the page of balance transactions.
func withBalance(p psp.Processor, query func(q *psp.BalanceQuery), change func(page *psp.BalancePage)) brokenProcessor {
	return brokenProcessor{balance: func(q psp.BalanceQuery) (psp.BalancePage, error) {
		if query != nil {
			query(&q)
		}
		page, err := p.BalanceTransactions(ctx, q)
		if change != nil {
			change(&page)
		}
		return page, err
	}}
}

// withTransactions returns a processor that changes each balance transaction.
func withTransactions(p psp.Processor, change func(b *psp.BalanceTransaction)) brokenProcessor {
	return withBalance(p, nil, func(page *psp.BalancePage) {
		for i := range page.Transactions {
			change(&page.Transactions[i])
		}
	})
}

// balanceMistakes are broken processors with wrong balance transactions.
var balanceMistakes = map[string]newBroken{
	"ignores the start of the balance's range": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, func(q *psp.BalanceQuery) { q.From = q.From.AddDate(-1, 0, 0) }, nil)
	},
	"includes the end of the balance's range": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, func(q *psp.BalanceQuery) {
			if !q.To.IsZero() {
				q.To = q.To.Add(1e9)
			}
		}, nil)
	},
	"limits a balance without an end": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, func(q *psp.BalanceQuery) {
			if q.To.IsZero() {
				q.To = q.To.Add(1e9)
			}
		}, nil)
	},
	"ignores the payout": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, func(q *psp.BalanceQuery) { q.PayoutID = "" }, nil)
	},
	"reads one page of the balance": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, nil, func(page *psp.BalancePage) { page.Next = "" })
	},
	"repeats a page of the balance": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, func(q *psp.BalanceQuery) { q.After = "" }, nil)
	},
	"reads the oldest transaction first": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, nil, func(page *psp.BalancePage) { slices.Reverse(page.Transactions) })
	},
	"drops the payout's own transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withBalance(p, nil, func(page *psp.BalancePage) {
			page.Transactions = slices.DeleteFunc(page.Transactions,
				func(b psp.BalanceTransaction) bool { return b.Category == psp.BalancePayout })
		})
	},
	"drops unknown categories": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) {
			if b.Category == "a_category_of_the_future" {
				b.Category = psp.BalanceOtherAdjustment
			}
		})
	},
	"takes a dispute for another adjustment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) {
			if b.DisputeID != "" {
				b.Category = psp.BalanceOtherAdjustment
			}
		})
	},
	"reports the net without the fee": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) { b.Net = b.Amount })
	},
	"reports positive amounts": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) { b.Amount = max(b.Amount, -b.Amount) })
	},
	"drops the fee of a dispute": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) {
			if b.DisputeID != "" {
				b.Fee, b.Net = money.Cents(0), b.Amount
			}
		})
	},
	"drops the payment of a charge's transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) {
			if b.Category == psp.BalanceCharge {
				b.PaymentID = ""
			}
		})
	},
	"drops the payment of a refund's transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) {
			if b.RefundID != "" {
				b.PaymentID = ""
			}
		})
	},
	"drops the charge of a dispute's transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) {
			if b.DisputeID != "" {
				b.ChargeID = ""
			}
		})
	},
	"drops the payout of a transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) { b.PayoutID = "" })
	},
	"drops the source of a transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withTransactions(p, func(b *psp.BalanceTransaction) { b.SourceID = "" })
	},
	"lists no balance if there is no response": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{balance: func(q psp.BalanceQuery) (psp.BalancePage, error) {
			page, err := p.BalanceTransactions(ctx, q)
			if fault.Is(err, fault.Unavailable) {
				err = nil
			}
			return page, err
		}}
	},
}
