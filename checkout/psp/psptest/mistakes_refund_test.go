package psptest

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// withRefunds returns a processor that changes the requests for refunds.
func withRefunds(p psp.Processor, change func(n *psp.NewRefund)) brokenProcessor {
	return brokenProcessor{refund: func(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
		change(&n)
		return p.Refund(ctx, n)
	}}
}

// withRefundOutcomes returns a processor that changes the outcomes of refunds.
func withRefundOutcomes(p psp.Processor, change func(n psp.NewRefund, o *psp.RefundOutcome)) brokenProcessor {
	return brokenProcessor{refund: func(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
		o := p.Refund(ctx, n)
		change(n, &o)
		return o
	}}
}

// withEveryRefund returns a processor that changes refunds in outcomes and lists.
func withEveryRefund(p psp.Processor, change func(f *psp.Refund)) brokenProcessor {
	l := withReversals(p, func(r *psp.Reversals) {
		for i := range r.Refunds {
			change(&r.Refunds[i])
		}
	})
	l.refund = func(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
		o := p.Refund(ctx, n)
		change(&o.Refund)
		return o
	}
	return l
}

// refundMistakes are broken processors with wrong refunds.
var refundMistakes = map[string]newBroken{
	"refunds under a new key every time": func(p psp.Processor, b *SimBench) brokenProcessor {
		n := 0
		return withRefunds(p, func(r *psp.NewRefund) {
			n++
			if r.Key != "" {
				r.Key += string(rune('a' + n%20))
			}
		})
	},
	"makes the refund's key of the amount": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefunds(p, func(r *psp.NewRefund) {
			if r.Key != "" {
				r.Key = r.PaymentID + r.Amount.String()
			}
		})
	},
	"generates a key for a refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefunds(p, func(r *psp.NewRefund) {
			if r.Key == "" {
				r.Key = "made-up"
			}
		})
	},
	"sends a refund without its ID": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefunds(p, func(r *psp.NewRefund) {
			if r.ID == "" {
				r.ID = "made-up"
			}
		})
	},
	"replaces the refund's ID with the metadata's": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefunds(p, func(r *psp.NewRefund) {
			if id := r.Metadata[psp.RefundKey]; id != "" {
				r.ID = id
			}
		})
	},
	"refunds all that remains": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefunds(p, func(r *psp.NewRefund) { r.Amount = 12345 })
	},
	"sends a late refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefunds(p, func(r *psp.NewRefund) { r.NotAfter = b.Now().Add(time.Hour) })
	},
	"reports a late refund as not started": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(n psp.NewRefund, o *psp.RefundOutcome) {
			if b.Now().After(n.NotAfter) {
				o.Status = psp.NotStarted
			}
		})
	},
	"ignores a canceled refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{refund: func(_ context.Context, n psp.NewRefund) psp.RefundOutcome {
			return p.Refund(ctx, n)
		}}
	},
	"repeats a refund after an unknown outcome": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{refund: func(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
			o := p.Refund(ctx, n)
			if o.Status == psp.Unknown && !b.Now().After(n.NotAfter) {
				o = p.Refund(ctx, n)
			}
			return o
		}}
	},
	"reports a refund without a response as refused": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Unknown {
				o.Status, o.Refusal = psp.Refused, psp.RefusalOther
			}
		})
	},
	"reports a refund without a response as not started": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Unknown {
				o.Status = psp.NotStarted
			}
		})
	},
	"reports a refund that was not started as unknown": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.NotStarted {
				o.Status = psp.Unknown
			}
		})
	},
	"drops the delay of a refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) { o.RetryAfter = 0 })
	},
	"reports no rejected key for a refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) { o.Barred = false })
	},
	"reports a refund's mismatch as refused": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Mismatch {
				o.Status = psp.Refused
			}
		})
	},
	"reports a rejected refund as unknown": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Refused {
				o.Status, o.Refusal = psp.Unknown, ""
			}
		})
	},
	"does not classify refusals": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Refusal != "" {
				o.Refusal = psp.RefusalOther
			}
		})
	},
	"drops the code of a refused refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) { o.Code = "" })
	},
	"exposes the processor's message about a refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Refused {
				o.Code = "the request of ada@example.org"
			}
		})
	},
	"reports the requested refund's amount": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(n psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Accepted {
				o.Refund.Amount = n.Amount
			}
		})
	},
	"reports every accepted refund as succeeded": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withRefundOutcomes(p, func(_ psp.NewRefund, o *psp.RefundOutcome) {
			if o.Status == psp.Accepted {
				o.Refund.Status = psp.RefundStatusSucceeded
			}
		})
	},
	"drops our ID of a refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.OurID = "" })
	},
	"drops the parts of a refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.Parts = "" })
	},
	"takes the processor's refund ID for ours": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) {
			if f.OurID == "" && f.ID != "" {
				f.OurID = f.ID
			}
		})
	},
	"drops the refund's payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.PaymentID = "" })
	},
	"drops the refund's charge": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.ChargeID = "" })
	},
	"drops the failure reason": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.FailureReason = "" })
	},
	"drops the refund's balance transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.BalanceTransactionID = "" })
	},
	"drops the balance transaction of a failure": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.FailureBalanceTransactionID = "" })
	},
	"reports a reason for every refund": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withEveryRefund(p, func(f *psp.Refund) { f.Reason = "fraudulent" })
	},
}
