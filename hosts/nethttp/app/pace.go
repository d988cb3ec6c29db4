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

// maxConcurrent is how many supporters are charged concurrently: enough to use the processor's rate
// limit at a latency of half a second.
const maxConcurrent = 16

// runParallel runs n calls, maxConcurrent at a time.
func runParallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, maxConcurrent)
	for i := range n {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			do(i)
		})
	}
	wg.Wait()
}

// minShare is the smallest share of a limit that Grant sets.
const minShare = pace.Whole / 20

// budget keeps this process's calls within its share of the processor's rate limits. It implements
// compose.Budget; until Grant is called, the share is the whole limit.
type budget map[psp.Operation]*bucket

// bucket is one rate limit.
type bucket struct {
	limit   float64 // the whole limit, in requests per second
	limiter *rate.Limiter
	asked   atomic.Int64 // calls since the last call of Wants
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
	return &bucket{limit: limit, limiter: rate.NewLimiter(rate.Limit(limit), burst(limit))}
}

// burst returns the burst size: the requests of half a second.
func burst(perSecond float64) int { return max(1, int(perSecond/2)) }

func (b *bucket) wait(ctx context.Context) error {
	b.asked.Add(1)
	b.waiting.Add(1)
	defer b.waiting.Add(-1)
	return b.limiter.Wait(ctx)
}

func (b budget) wait(ctx context.Context, op psp.Operation) error {
	if err := b[op].wait(ctx); err != nil {
		return err
	}
	return b[pace.Account].wait(ctx)
}

// Wants returns the share of each limit that was used since its last call, or the whole limit if
// calls are waiting.
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

// Grant sets this process's share of each limit, at least minShare.
func (b budget) Grant(parts pace.Parts) {
	for op, of := range b {
		perSecond := of.limit * float64(max(minShare, parts[op])) / pace.Whole
		of.limiter.SetLimit(rate.Limit(perSecond))
		of.limiter.SetBurst(burst(perSecond))
	}
}

// rateLimited returns the processor with its calls limited to this process's share of the rate
// limits, and sets a.budget. A processor with another URL has no limits unless they are configured.
func (a *App) rateLimited(p psp.Processor) psp.Processor {
	c := a.Config.Processor
	if c.API != "" && c.RequestsPerSecond == 0 {
		return p
	}
	b := newBudget(pace.LimitsOf(p.Mode(), c.RequestsPerSecond))
	a.budget = b
	return pace.New(p, b.wait)
}
