// Package ownprocessor is a processor of one's own around another: it keeps a ceiling that
// no single charge may pass, whatever a campaign's file says, and counts what was asked. It
// passes the suite that every processor passes, so that checkout and settlement can rely on
// it as on the one inside. A processor that talks to another company has the same
// methods and runs the same suite.
package ownprocessor

import (
	"context"
	"sync/atomic"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Capped refuses charges above its ceiling before they leave.
type Capped struct {
	psp.Processor
	Ceiling money.Cents

	charges atomic.Int64
}

// Charge implements psp.Processor. A refusal for good is told apart from one that may pass:
// nothing is tried again until somebody gives the supporter another amount.
func (c *Capped) Charge(ctx context.Context, n psp.NewCharge) psp.Outcome {
	if n.Amount > c.Ceiling {
		return psp.Outcome{Status: psp.Declined, Code: "above_ceiling"}
	}
	c.charges.Add(1)
	return c.Processor.Charge(ctx, n)
}

// Charges is how many charges have left.
func (c *Capped) Charges() int64 { return c.charges.Load() }
