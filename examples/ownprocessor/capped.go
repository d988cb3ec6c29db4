// Package ownprocessor wraps a payment processor: it rejects charges above a limit, regardless of
// campaign files, and counts charges. It passes the tests of checkout/psp/psptest. A client of
// another payment company implements the same methods and runs the same tests.
package ownprocessor

import (
	"context"
	"sync/atomic"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Capped rejects charges above Ceiling without sending them.
type Capped struct {
	psp.Processor
	Ceiling money.Cents

	charges atomic.Int64
}

// Charge implements psp.Processor. A charge above the limit is a permanent decline,
// which is not retried with the same amount.
func (c *Capped) Charge(ctx context.Context, n psp.NewCharge) psp.Outcome {
	if n.Amount > c.Ceiling {
		return psp.Outcome{Status: psp.Declined, Code: "above_ceiling"}
	}
	c.charges.Add(1)
	return c.Processor.Charge(ctx, n)
}

// Charges returns the number of charges sent to the wrapped processor.
func (c *Capped) Charges() int64 { return c.charges.Load() }
