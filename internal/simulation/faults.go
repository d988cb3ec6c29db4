package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Plan selects the faults of a history: all that the seed draws, or some of them.
type Plan struct {
	Seed uint64 `json:"seed"`
	// Only, if not nil, lists the faults to keep, by the number of their chance.
	Only []int `json:"only,omitempty"`
}

// Fault is a fault that occurred.
type Fault struct {
	Chance int    `json:"chance"`
	What   string `json:"what"`
}

// faultInjector numbers the points at which a fault may occur. Whether it occurs
// depends only on the seed and the number, so that omitting one fault does not
// change the others.
type faultInjector struct {
	plan     Plan
	until    time.Time // no faults occur from then on
	count    int
	recorded []Fault
}

var errInjected = errors.New("injected failure")

// draw returns a number below n that depends only on the seed and the chance.
func (c *faultInjector) draw(salt uint64, n int) int {
	x := c.plan.Seed*0x9e3779b97f4a7c15 ^ uint64(c.count)*0xbf58476d1ce4e5b9 ^ salt*0x94d049bb133111eb
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return int(x % uint64(n))
}

// strikes reports whether a fault occurs at the next chance, with a probability of permille in a
// thousand.
func (c *faultInjector) strikes(now time.Time, permille int) bool {
	c.count++
	if !now.Before(c.until) || c.draw(1, 1000) >= permille {
		return false
	}
	return c.plan.Only == nil || slices.Contains(c.plan.Only, c.count)
}

func (c *faultInjector) recordFault(format string, args ...any) string {
	f := Fault{c.count, fmt.Sprintf(format, args...)}
	c.recorded = append(c.recorded, f)
	return f.What
}

// Fault rates per thousand effects.
const (
	storeFaults     = 12
	commandFaults   = 10
	rareFaults      = 1 // of the store and of commands, in histories that charge a crowd without responses
	processorFaults = 90
	deliveryFaults  = 180
	mailFaults      = 40
	crashes         = 4
	stalls          = 4
	outageFaults    = 5
	overtaking      = 500
)

var processorKinds = []sim.FaultKind{
	sim.DropRequest, sim.DropAnswer, sim.CutAnswer, sim.CorruptBody, sim.BadGateway, sim.BadGatewayAfter, sim.Delay,
	sim.RateLimit, sim.KeyInUse, sim.LockTimeout, sim.ServerError, sim.ServerErrorAfter,
}

var paymentKinds = []sim.FaultKind{sim.Decline, sim.Challenge, sim.RollForward, sim.RollBack}

// crashRate returns the rate per thousand at which a server crashes at an effect.
func (b bias) crashRate(label string) int {
	switch {
	case b.sleeps, b.silent:
		return 0 // a crashed server would not resume and would send few requests
	case b.changesDie && isChange(label, "did do order/"):
		return 400
	case b.changesDie && strings.HasPrefix(label, "did put PLEDGES pledge:"):
		return 100
	}
	return crashes
}

// isChange reports whether an effect's label has a prefix and names a supporter's change of a
// pledge.
func isChange(label, begins string) bool {
	return strings.HasPrefix(label, begins) && (strings.HasSuffix(label, " cancel") || strings.HasSuffix(label, " modify"))
}

// stallRate returns the rate per thousand at which a process stalls at an effect, and the maximum
// duration in minutes.
//
// Stalls of charge requests are shorter, because a key's age cannot be checked again between the
// last check and the request's first byte. S8 holds only for stalls within the hour that
// settlement keeps in reserve, minus the difference between two clocks.
func (b bias) stallRate(label string) (permille, minutes int) {
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
	case b.edge && isChange(label, "do order/"): // until its hold is treated as abandoned
		return 400, 150
	}
	return stalls, 120
}

// deliveryFaultRate returns the rate of webhook faults per thousand deliveries.
func (b bias) deliveryFaultRate() int {
	if b.lateCards {
		return 600
	}
	return deliveryFaults
}

// deliveryFault returns the kind of a webhook fault from a drawn number. If cards are late,
// webhooks are late instead of lost.
func (b bias) deliveryFault(drawn int) int {
	if b.lateCards && drawn < 2 {
		return 2 // late, but not lost
	}
	return drawn
}

// webhookDelay returns how many minutes a webhook is late. Late cards arrive
// while their campaigns are settled.
func (b bias) webhookDelay(drawn int) int {
	if b.lateCards {
		return 50 + drawn%100
	}
	return 1 + drawn
}

// missedRunRate returns the rate per thousand at which a timer's run is skipped.
func (b bias) missedRunRate() int {
	switch {
	case b.edge:
		return 600
	case b.changesDie:
		return 900
	}
	return 30
}
