package app

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// sideBySide is how many supporters are charged at a time: enough to use up the
// processor's rate at a latency of half a second.
const sideBySide = 16

// together runs n calls, sideBySide at a time.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, sideBySide)
	for i := range n {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			do(i)
		})
	}
	wg.Wait()
}

// least is what a server may use before it has a part of its own, in thousandths.
const least = pace.Whole / 20

// budget keeps the calls of this process below its part of the processor's limits. It
// implements compose.Budget; until it is granted a part, it has the whole.
type budget map[psp.Operation]*bucket

// bucket is one limit.
type bucket struct {
	limit   float64 // the whole, in requests a second
	turns   *rate.Limiter
	asked   atomic.Int64 // since Wants was asked last
	waiting atomic.Int64
}

func newBudget(l pace.Limits) budget {
	b := budget{pace.Account: newBucket(l.Account)}
	for _, op := range psp.Operations() {
		b[op] = newBucket(l.Operation)
	}
	return b
}

func newBucket(limit float64) *bucket {
	return &bucket{limit: limit, turns: rate.NewLimiter(rate.Limit(limit), burst(limit))}
}

// burst is what may leave at once: half a second's.
func burst(perSecond float64) int { return max(1, int(perSecond/2)) }

func (b *bucket) wait(ctx context.Context) error {
	b.asked.Add(1)
	b.waiting.Add(1)
	defer b.waiting.Add(-1)
	return b.turns.Wait(ctx)
}

func (b budget) wait(ctx context.Context, op psp.Operation) error {
	if err := b[op].wait(ctx); err != nil {
		return err
	}
	return b[pace.Account].wait(ctx)
}

// Wants is the whole where a call waits, and otherwise what was used.
func (b budget) Wants() pace.Parts {
	wants := pace.Parts{}
	for op, of := range b {
		perSecond := float64(of.asked.Swap(0)) / compose.HeartbeatInterval.Seconds()
		wants[op] = min(pace.Whole, int(pace.Whole*perSecond/of.limit))
		if of.waiting.Load() > 0 {
			wants[op] = pace.Whole
		}
	}
	return wants
}

// Grant sets the rates.
func (b budget) Grant(parts pace.Parts) {
	for op, of := range b {
		perSecond := of.limit * float64(max(least, parts[op])) / pace.Whole
		of.turns.SetLimit(rate.Limit(perSecond))
		of.turns.SetBurst(burst(perSecond))
	}
}

// paced keeps the calls of all servers together below the processor's limits. One that
// runs beside the service has none, unless the configuration says so.
func (a *App) paced(p psp.Processor) psp.Processor {
	c := a.Config.Processor
	if c.API != "" && c.RequestsPerSecond == 0 {
		return p
	}
	b := newBudget(pace.LimitsOf(p.Mode(), c.RequestsPerSecond))
	a.budget = b
	return pace.New(p, b.wait)
}
