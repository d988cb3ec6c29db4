package psptest

import (
	"context"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// withPayments returns a processor that changes the payments in all responses.
func withPayments(p psp.Processor, change func(*psp.Payment)) brokenProcessor {
	l := withListedPayments(p, change)
	l.charge = func(ctx context.Context, c psp.NewCharge) psp.Outcome {
		o := p.Charge(ctx, c)
		change(&o.Payment)
		return o
	}
	l.pay = func(id string) (psp.Payment, error) {
		got, err := p.Payment(ctx, id)
		change(&got)
		return got, err
	}
	return l
}

// withListedPayments returns a processor that changes the payments in lists.
func withListedPayments(p psp.Processor, change func(*psp.Payment)) brokenProcessor {
	each := func(list []psp.Payment) {
		for i := range list {
			change(&list[i])
		}
	}
	return brokenProcessor{
		find: func(customer, group string) ([]psp.Payment, error) {
			found, err := p.FindCharge(ctx, customer, group)
			each(found)
			return found, err
		},
		list: func(q psp.PaymentQuery) (psp.PaymentPage, error) {
			page, err := p.Payments(ctx, q)
			each(page.Payments)
			return page, err
		},
	}
}

// withOutcomes returns a processor that changes the outcomes of charges.
func withOutcomes(p psp.Processor, change func(c psp.NewCharge, o *psp.Outcome)) brokenProcessor {
	return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
		o := p.Charge(ctx, c)
		change(c, &o)
		return o
	}}
}

// withRefusedAs returns a processor that reports a rejected charge with another status.
func withRefusedAs(p psp.Processor, s psp.Status) brokenProcessor {
	return withOutcomes(p, func(_ psp.NewCharge, o *psp.Outcome) {
		if o.Status == psp.Refused {
			o.Status = s
		}
	})
}

// withReversals returns a processor that changes the reversals of payments.
func withReversals(p psp.Processor, change func(*psp.Reversals)) brokenProcessor {
	return brokenProcessor{reversals: func(id string) (psp.Reversals, error) {
		r, err := p.Reversals(ctx, id)
		change(&r)
		return r, err
	}}
}

// mistakes are broken processors with wrong payment amounts, reversals, customers or rejected
// charges.
var mistakes = map[string]func(p psp.Processor, b *SimBench) brokenProcessor{
	"copies the captured amount from the amount": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) {
			if got.Status == psp.Succeeded {
				got.Received = got.Amount
			}
		})
	},
	"copies the captured amount from the amount in lists": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withListedPayments(p, func(got *psp.Payment) {
			if got.Status == psp.Succeeded {
				got.Received = got.Amount
			}
		})
	},
	"reports a captured amount before the capture": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) {
			if got.Status != psp.Succeeded {
				got.Received = got.Amount
			}
		})
	},
	"reports its own mode for every payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) { got.Mode = psp.Test })
	},
	"drops the mode": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) { got.Mode = "" })
	},
	"drops the campaign": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) { got.Campaign = "" })
	},
	"reports the requested card": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withOutcomes(p, func(c psp.NewCharge, o *psp.Outcome) { o.Payment.PaymentMethodID = c.PaymentMethodID })
	},
	"reports no card": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) { got.PaymentMethodID = "" })
	},
	"reports the requested customer": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withOutcomes(p, func(c psp.NewCharge, o *psp.Outcome) { o.Payment.CustomerID = c.CustomerID })
	},
	"reports the requested group": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withOutcomes(p, func(c psp.NewCharge, o *psp.Outcome) { o.Payment.Group = c.Group })
	},
	"reports the requested amount": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withOutcomes(p, func(c psp.NewCharge, o *psp.Outcome) { o.Payment.Amount = c.Amount })
	},
	"ignores refunds": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) { got.Refunded = 0 })
	},
	"ignores refunds in lists": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withListedPayments(p, func(got *psp.Payment) { got.Refunded = 0 })
	},
	"counts refunds that failed": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) {
			r, _ := p.Reversals(ctx, got.ID)
			got.Refunded = 0
			for _, f := range r.Refunds {
				got.Refunded += f.Amount
			}
		})
	},
	"does not count pending refunds": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) {
			r, _ := p.Reversals(ctx, got.ID)
			for _, f := range r.Refunds {
				if f.Status == psp.RefundStatusPending {
					got.Refunded -= f.Amount
				}
			}
		})
	},
	"reports full refunds only": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) {
			if got.Refunded < got.Received {
				got.Refunded = 0
			}
		})
	},
	"ignores disputes": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) { got.Disputed = false })
	},
	"ignores disputes in lists": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withListedPayments(p, func(got *psp.Payment) { got.Disputed = false })
	},
	"ignores won disputes": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayments(p, func(got *psp.Payment) {
			r, _ := p.Reversals(ctx, got.ID)
			got.Disputed = slices.ContainsFunc(r.Disputes,
				func(d psp.Dispute) bool { return d.Status != psp.DisputeStatusWon })
		})
	},
	"reports a rejected request as not started": func(p psp.Processor,
		b *SimBench) brokenProcessor {
		return withRefusedAs(p, psp.NotStarted)
	},
	"reports a rejected request as unknown": func(p psp.Processor,
		b *SimBench) brokenProcessor {
		return withRefusedAs(p, psp.Unknown)
	},
	"reports a rejected request as declined": func(p psp.Processor,
		b *SimBench) brokenProcessor {
		return withRefusedAs(p, psp.Declined)
	},
	"omits the code of a rejected request": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withOutcomes(p, func(_ psp.NewCharge, o *psp.Outcome) {
			if o.Status == psp.Refused {
				o.Code = ""
			}
		})
	},
	"exposes the processor's message about a charge": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withOutcomes(p, func(_ psp.NewCharge, o *psp.Outcome) {
			if o.Status == psp.Refused {
				o.DeclineCode = "the request of ada@example.org"
			}
		})
	},
	"exposes the processor's message about an update": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			err := p.UpdateCustomer(ctx, id, key, metadata)
			if fault.Is(err, fault.Invalid) {
				return fault.New(fault.Invalid, "The request of ada@example.org is not accepted")
			}
			return err
		}}
	},
	"reads one page of refunds": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) { r.Refunds = r.Refunds[:min(3, len(r.Refunds))] })
	},
	"reads one page of disputes": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) { r.Disputes = r.Disputes[:min(3, len(r.Disputes))] })
	},
	"reads refunds only": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) { r.Disputes = nil })
	},
	"reads the oldest refund first": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) { slices.Reverse(r.Refunds) })
	},
	"reads the oldest dispute first": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) { slices.Reverse(r.Disputes) })
	},
	"omits failed refunds": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) {
			r.Refunds = slices.DeleteFunc(r.Refunds,
				func(f psp.Refund) bool { return f.Status == psp.RefundStatusFailed })
		})
	},
	"reports a pending refund as succeeded": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) {
			for i := range r.Refunds {
				if r.Refunds[i].Status == psp.RefundStatusPending {
					r.Refunds[i].Status = psp.RefundStatusSucceeded
				}
			}
		})
	},
	"reports every dispute as open": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withReversals(p, func(r *psp.Reversals) {
			for i := range r.Disputes {
				r.Disputes[i].Status = psp.DisputeStatusNeedsResponse
			}
		})
	},
	"reads the reversals of every payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{reversals: func(id string) (psp.Reversals, error) {
			r, err := p.Reversals(ctx, id)
			for _, e := range b.Sim.Entries() {
				if e.PaymentID != id {
					other, _ := p.Reversals(ctx, e.PaymentID)
					r.Refunds = append(r.Refunds, other.Refunds...)
				}
			}
			return r, err
		}}
	},
	"returns no reversals for an unknown payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{reversals: func(id string) (psp.Reversals, error) {
			r, err := p.Reversals(ctx, id)
			if fault.Is(err, fault.NotFound) {
				err = nil
			}
			return r, err
		}}
	},
	"returns no reversals if there is no response": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{reversals: func(id string) (psp.Reversals, error) {
			r, err := p.Reversals(ctx, id)
			if fault.Is(err, fault.Unavailable) {
				err = nil
			}
			return r, err
		}}
	},
	"replaces a customer's metadata": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			all := map[string]string{"orderId": "", "state": "", "note": ""}
			maps.Copy(all, metadata)
			return p.UpdateCustomer(ctx, id, key, all)
		}}
	},
	"keeps an entry whose value is empty": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			given := map[string]string{}
			for k, v := range metadata {
				if v != "" {
					given[k] = v
				}
			}
			return p.UpdateCustomer(ctx, id, key, given)
		}}
	},
	"uses a new key for every update": func(p psp.Processor, b *SimBench) brokenProcessor {
		n := 0
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			n++
			return p.UpdateCustomer(ctx, id, key+string(rune('a'+n%20)), metadata)
		}}
	},
	"generates a key for an update": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			if key == "" {
				key = "made-up"
			}
			return p.UpdateCustomer(ctx, id, key, metadata)
		}}
	},
	"updates a deleted customer": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			if err := p.UpdateCustomer(ctx, id, key, metadata); !fault.Is(err, fault.NotFound) {
				return err
			}
			return nil
		}}
	},
	"updates nothing": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{update: func(id, key string, metadata map[string]string) error {
			return p.UpdateCustomer(ctx, id, key, nil)
		}}
	},
	"ignores the time range of customers": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			q.From, q.To = q.From.AddDate(-1, 0, 0), q.To.AddDate(1, 0, 0)
			return p.Customers(ctx, q)
		}}
	},
	"includes the end of the range": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			q.To = q.To.Add(1e9)
			return p.Customers(ctx, q)
		}}
	},
	"lists one page of customers": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			page, err := p.Customers(ctx, q)
			page.Next = ""
			return page, err
		}}
	},
	"repeats a page of customers": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			q.After = ""
			return p.Customers(ctx, q)
		}}
	},
	"lists the oldest customer first": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			page, err := p.Customers(ctx, q)
			slices.Reverse(page.Customers)
			return page, err
		}}
	},
	"lists customers without metadata": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			page, err := p.Customers(ctx, q)
			for i := range page.Customers {
				page.Customers[i].Metadata = nil
			}
			return page, err
		}}
	},
	"lists no customers if there is no response": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{customers: func(q psp.CustomerQuery) (psp.CustomerPage, error) {
			page, err := p.Customers(ctx, q)
			if fault.Is(err, fault.Unavailable) {
				err = nil
			}
			return page, err
		}}
	},
	"rejects amounts at the limits": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			if c.Amount > money.MaxCharge-1 || c.Amount < money.MinCharge+1 {
				return psp.Outcome{Status: psp.Refused, Code: "amount"}
			}
			return p.Charge(ctx, c)
		}}
	},
}
