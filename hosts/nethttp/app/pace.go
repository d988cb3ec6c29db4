package app

import (
	"context"
	"sync"

	"golang.org/x/time/rate"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
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

// paced keeps the calls of this process below the processor's limits.
func paced(p psp.Processor) psp.Processor {
	limits := pace.LimitsOf(p.Mode())
	bucket := func(perSecond int) *rate.Limiter { return rate.NewLimiter(rate.Limit(perSecond), perSecond) }
	account, each := bucket(limits.Account), map[psp.Operation]*rate.Limiter{}
	for _, op := range psp.Operations() {
		each[op] = bucket(limits.Operation)
	}
	return pace.New(p, func(ctx context.Context, op psp.Operation) error {
		if err := each[op].Wait(ctx); err != nil {
			return err
		}
		return account.Wait(ctx)
	})
}
