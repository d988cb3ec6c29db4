package simulation

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Plan says what goes wrong in a history: everything that the seed draws, or
// some of it.
type Plan struct {
	Seed uint64 `json:"seed"`
	// Only, where it is not nil, are the faults that are left: the numbers of
	// the chances at which they befall.
	Only []int `json:"only,omitempty"`
}

// Fault is one thing that went wrong.
type Fault struct {
	Chance int    `json:"chance"`
	What   string `json:"what"`
}

// chances are where something may go wrong, numbered as they come. Whether it
// does depends on the seed and the number alone, so that leaving one fault out
// does not draw the others anew.
type chances struct {
	plan   Plan
	until  time.Time // nothing goes wrong from then on
	count  int
	befell []Fault
}

var errInjected = errors.New("the effect failed, as ordered")

// draw returns a number below n that is the seed's and the chance's own.
func (c *chances) draw(salt uint64, n int) int {
	x := c.plan.Seed*0x9e3779b97f4a7c15 ^ uint64(c.count)*0xbf58476d1ce4e5b9 ^ salt*0x94d049bb133111eb
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return int(x % uint64(n))
}

// strikes decides about the next chance: so many of a thousand go wrong.
func (c *chances) strikes(now time.Time, permille int) bool {
	c.count++
	if !now.Before(c.until) || c.draw(1, 1000) >= permille {
		return false
	}
	return c.plan.Only == nil || slices.Contains(c.plan.Only, c.count)
}

func (c *chances) befall(format string, args ...any) string {
	f := Fault{c.count, fmt.Sprintf(format, args...)}
	c.befell = append(c.befell, f)
	return f.What
}

// How many of a thousand effects go wrong, by what they are.
const (
	storeFaults     = 12
	commandFaults   = 10
	processorFaults = 90
	deliveryFaults  = 180
	mailFaults      = 40
	crashes         = 4
	stalls          = 4
	outageFaults    = 5
)

var processorKinds = []sim.FaultKind{
	sim.DropRequest, sim.DropAnswer, sim.CutAnswer, sim.Garble, sim.BadGateway, sim.BadGatewayAfter, sim.Delay,
	sim.RateLimit, sim.KeyInUse, sim.LockTimeout, sim.ServerError, sim.ServerErrorAfter,
}

var paymentKinds = []sim.FaultKind{sim.Decline, sim.Challenge, sim.RollForward, sim.RollBack}
