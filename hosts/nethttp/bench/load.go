// Package bench generates load on a service and reports the results. It measures servers that it
// starts itself or servers that are already running; hosts/nethttp/cmd/bench is its command line.
package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Op performs the n-th operation of a measurement.
type Op func(ctx context.Context, n int) error

// Load configures how an operation is repeated.
type Load struct {
	// Rate is the number of operations started per second, evenly spaced; 0 means as fast as the
	// clients can go.
	Rate float64
	// Clients is the number of concurrent operations.
	Clients int
	// For is the duration and Count the maximum number of operations; 0 means no limit.
	For   time.Duration
	Count int
	// Every is the number of operations between calls of Report, which gets the total and the rate
	// since the last call; 0 means never.
	Every  int
	Report func(done int64, perSecond float64)
}

// longest is the longest latency that is recorded; longer ones are recorded as this value.
const longest = 10 * time.Minute

// maxFailures is how many error messages a Result contains at most.
const maxFailures = 5

// Result is the result of a load.
type Result struct {
	Name     string
	Load     Load
	Took     time.Duration
	Good     int64
	Failed   int64
	Failures []string // the first few
	// Latency contains the latencies of successful operations in microseconds. With a rate, a
	// latency is measured from the time when the operation was due, even if no client was free, so
	// it includes the time spent waiting behind a slow operation.
	Latency *hdrhistogram.Histogram
}

// run is a running load.
type run struct {
	Load
	op       Op
	began    time.Time
	next     atomic.Int64
	mu       sync.Mutex
	result   *Result
	reported time.Time // when Report was last called
}

// Run repeats an operation as configured until Count operations have started, For has passed or ctx
// is done. It waits for the started operations and returns the result.
func (l Load) Run(ctx context.Context, name string, op Op) *Result {
	if l.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, l.For)
		defer stop()
	}
	r := &run{Load: l, op: op, began: time.Now(), result: &Result{
		Name: name, Load: l, Latency: hdrhistogram.New(1, longest.Microseconds(), 3),
	}}
	r.reported = r.began
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
		// Operations that have started are completed, so that their latency is recorded.
		err := r.op(context.WithoutCancel(ctx), n)
		r.note(time.Since(due), err)
	}
}

// wait waits until the n-th operation is due, and returns that time.
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
	r.Report(r.result.Good, float64(r.Every)/now.Sub(r.reported).Seconds())
	r.reported = now
}

// PerSecond returns the number of successful operations per second.
func (r *Result) PerSecond() float64 { return float64(r.Good) / r.Took.Seconds() }
