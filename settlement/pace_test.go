package settlement

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var supporters = flag.Int("supporters", 3000, "how many supporters are settled against the clock")

// clock is virtual time for concurrent use.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// If the processor accepts a hundred requests a second, settlement uses the whole rate and is
// never rejected.
func TestPace_UsesTheProcessorsRate(t *testing.T) {
	const perSecond = 100
	n := *supporters
	if testing.Short() {
		n = min(n, 500)
	}
	w := newFixture(t)
	for i := range n {
		w.pledge(fmt.Sprintf("fan%06d", i), "film", 1000, sim.CardOK)
	}
	w.deadline()
	start := w.now
	received, refused := w.sim.Received(""), 0
	w.sim.SetLimit(perSecond)
	turns := 0
	w.svc.Processor = outcomes{pace.New(w.sim.Processor(), func(context.Context, psp.Operation) error {
		if turns++; turns > perSecond { // the first second's requests are available at once
			w.now = w.now.Add(time.Second / perSecond)
		}
		return nil
	}), func(o psp.Outcome) {
		if o.Status == psp.NotStarted {
			refused++
		}
	}}
	out := w.batches("chain", "film")
	if got := len(w.sim.Entries()); got != n || refused > 0 {
		t.Fatalf("%d of %d supporters are charged, %d requests were refused: %s", got, n, refused, out[len(out)-1])
	}
	received = w.sim.Received("") - received
	took := w.now.Sub(start)
	used := float64(received-perSecond) / (took.Seconds() * perSecond)
	if used < 0.95 || received < n {
		t.Errorf("%d requests in %s: %.1f %% of the rate", received, took, 100*used)
	}
	t.Logf("%d supporters, %d requests in %s of virtual time: %.1f %% of the rate", n, received, took, 100*used)
}

// outcomes is a processor that passes the outcome of each charge to a function.
type outcomes struct {
	psp.Processor
	see func(psp.Outcome)
}

func (p outcomes) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	o := p.Processor.Charge(ctx, c)
	p.see(o)
	return o
}

// Charges of different supporters run concurrently, with the same result.
//
// Proves SET-05.
func TestSettle_ConcurrentCharges(t *testing.T) {
	w := newFixture(t)
	now := &clock{}
	for i := range 200 {
		w.pledge(fmt.Sprintf("fan%03d", i), "film", money.Cents(1000+i), []string{sim.CardOK, sim.CardOK, sim.CardOK,
			sim.CardOK, sim.CardOK, sim.CardOK, sim.CardChargeDeclined, sim.CardAuthAlways}[i%8])
	}
	w.deadline()
	now.now = w.now
	var several atomic.Bool
	w.svc.Now = now.read
	w.svc.Together = func(n int, do func(int)) {
		if n > 1 {
			several.Store(true)
		}
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { do(i) })
		}
		wg.Wait()
	}
	var out []string
	var others sync.WaitGroup
	for range 2 { // and another run settles at the same time
		others.Go(func() { _, _ = w.svc.Settle(w.ctx, "film", false) })
	}
	others.Wait()
	now.pass(time.Hour)
	out = w.batches("chain", "film")
	if !several.Load() || len(w.sim.Entries()) != 150 {
		t.Errorf("concurrent: %t, %d charges: %v", several.Load(), len(w.sim.Entries()), out)
	}
	if err := w.sim.Check(); err != nil {
		t.Error(err)
	}
	for i, name := range w.names {
		want := pledge.Charged
		if i%8 > 5 {
			want = pledge.PaymentFailed
		}
		if p := w.pledgeByID(w.pledgesOf[name][0]); p.Status != want {
			t.Errorf("the pledge of %s is %s, want %s", name, p.Status, want)
		}
	}
}
