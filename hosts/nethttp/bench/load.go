// Package bench puts load on a service and reports what came of it. It is what `pledged
// bench` does, against servers of its own or any host.
package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Op is the n-th doing of what is measured.
type Op func(ctx context.Context, n int) error

// Load says how an operation is repeated.
type Load struct {
	// Rate is how many begin a second, evenly; 0 is as many as the clients manage.
	Rate float64
	// Clients is how many go on at a time.
	Clients int
	// For is how long it lasts, Count how many there are at most; 0 is no bound.
	For   time.Duration
	Count int
	// Every is after how many Report is told how many were done, and how many a second
	// since it was told last; 0 is never.
	Every  int
	Report func(done int64, perSecond float64)
}

// longest is the longest latency that is told apart; what takes longer counts as this.
const longest = 10 * time.Minute

// maxFailures is how many failures are told by name.
const maxFailures = 5

// Result is what came of a load.
type Result struct {
	Name     string
	Load     Load
	Took     time.Duration
	Good     int64
	Failed   int64
	Failures []string // some of them
	// Latency is in microseconds, of those that ended well. With a rate it is counted from
	// the moment at which one was due, whether a client was free for it or not: what waits
	// behind a slow one is slow too.
	Latency *hdrhistogram.Histogram
}

// run is one load under way.
type run struct {
	Load
	op     Op
	began  time.Time
	next   atomic.Int64
	mu     sync.Mutex
	result *Result
	told   time.Time // when Report was told last
}

// Run does an operation under a load.
func (l Load) Run(ctx context.Context, name string, op Op) *Result {
	if l.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, l.For)
		defer stop()
	}
	r := &run{Load: l, op: op, began: time.Now(), result: &Result{
		Name: name, Load: l, Latency: hdrhistogram.New(1, longest.Microseconds(), 3),
	}}
	r.told = r.began
	var all sync.WaitGroup
	for range max(1, l.Clients) {
		all.Go(func() { r.client(ctx) })
	}
	all.Wait()
	r.result.Took = time.Since(r.began)
	return r.result
}

func (r *run) client(ctx context.Context) {
	for {
		n := int(r.next.Add(1)) - 1
		if r.Count > 0 && n >= r.Count {
			return
		}
		due, ok := r.wait(ctx, n)
		if !ok {
			return
		}
		// What has begun is finished, so that its latency counts.
		err := r.op(context.WithoutCancel(ctx), n)
		r.note(time.Since(due), err)
	}
}

// wait returns when the n-th is due, and when that was.
func (r *run) wait(ctx context.Context, n int) (due time.Time, ok bool) {
	if r.Rate <= 0 {
		return time.Now(), ctx.Err() == nil
	}
	due = r.began.Add(time.Duration(float64(n) / r.Rate * float64(time.Second)))
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return due, false
	case <-timer.C:
		return due, ctx.Err() == nil
	}
}

func (r *run) note(took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.result.Good++
		_ = r.result.Latency.RecordValue(max(1, min(took, longest).Microseconds())) // within its bounds
		r.report()
		return
	}
	if r.result.Failed++; len(r.result.Failures) < maxFailures {
		r.result.Failures = append(r.result.Failures, err.Error())
	}
}

func (r *run) report() {
	if r.Every <= 0 || r.result.Good%int64(r.Every) != 0 {
		return
	}
	now := time.Now()
	r.Report(r.result.Good, float64(r.Every)/now.Sub(r.told).Seconds())
	r.told = now
}

// PerSecond is how many ended well.
func (r *Result) PerSecond() float64 { return float64(r.Good) / r.Took.Seconds() }
