package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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
	rareFaults      = 1 // of the store and of commands, where a crowd is charged in silence
	processorFaults = 90
	deliveryFaults  = 180
	mailFaults      = 40
	crashes         = 4
	stalls          = 4
	outageFaults    = 5
	overtaking      = 500
)

var processorKinds = []sim.FaultKind{
	sim.DropRequest, sim.DropAnswer, sim.CutAnswer, sim.Garble, sim.BadGateway, sim.BadGatewayAfter, sim.Delay,
	sim.RateLimit, sim.KeyInUse, sim.LockTimeout, sim.ServerError, sim.ServerErrorAfter,
}

var paymentKinds = []sim.FaultKind{sim.Decline, sim.Challenge, sim.RollForward, sim.RollBack}

// deaths is how many of a thousand times a server dies at an effect.
func (b bent) deaths(label string) int {
	switch {
	case b.sleeps, b.silent:
		return 0 // who is dead does not wake, and sends little
	case b.changesDie && isChange(label, "did do order/"):
		return 400
	case b.changesDie && strings.HasPrefix(label, "did put PLEDGES pledge:"):
		return 100
	}
	return crashes
}

// isChange reports whether a supporter's change of a pledge is what begins so.
func isChange(label, begins string) bool {
	return strings.HasPrefix(label, begins) && (strings.HasSuffix(label, " cancel") || strings.HasSuffix(label, " modify"))
}

// standstill is how many of a thousand processes stand still at an effect, and for how
// many minutes at the most. Between the last look at a key's age and the first byte of
// the request nothing can look again: there the promise holds for pauses within the hour
// that settlement keeps in reserve, less what two clocks may differ.
func (b bent) standstill(label string) (permille, minutes int) {
	switch {
	case strings.HasPrefix(label, "> POST /v1/payment_intents") && b.farBehind:
		return stalls, 10
	case strings.HasPrefix(label, "> POST /v1/payment_intents"):
		return stalls, 30
	case b.sleeps && strings.HasPrefix(label, "did do settlement/") && strings.HasSuffix(label, " attempt"):
		return 150, 40 * 60
	case (b.farBehind || b.lateCards) && strings.HasPrefix(label, "do order/") && strings.HasSuffix(label, " claim"):
		return 300, 14
	case b.overtaken && strings.HasPrefix(label, "do settlement/") && strings.HasSuffix(label, " tell"):
		return 500, 480
	case b.edge && isChange(label, "do order/"): // until its reservation is taken for dead
		return 400, 150
	}
	return stalls, 120
}

// deliveries is how many of a thousand webhooks go wrong.
func (b bent) deliveries() int {
	if b.lateCards {
		return 600
	}
	return deliveryFaults
}

// delivery is how one goes wrong.
func (b bent) delivery(drawn int) int {
	if b.lateCards && drawn < 2 {
		return 2 // late, and not lost
	}
	return drawn
}

// lateness is how many minutes a webhook is late: those of late cards come while their
// campaigns are settled.
func (b bent) lateness(drawn int) int {
	if b.lateCards {
		return 50 + drawn%100
	}
	return 1 + drawn
}

// missed is how many of a thousand runs of a timer do not take place.
func (b bent) missed() int {
	switch {
	case b.edge:
		return 600
	case b.changesDie:
		return 900
	}
	return 30
}
