package nethttp

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// ErrStopping is returned by Worker.ScheduleBatch after the Worker was stopped.
var ErrStopping = errors.New("nethttp: the worker is stopping")

// mailInterval is the maximum interval between runs of SendMails. It is short because supporters
// expect their confirmation soon after pledging.
const mailInterval = 2 * time.Second

// mailRequests is how many requests for broadcasts one run of SendMails may send to the mail
// provider, if this server is the leader.
const mailRequests = 100

// Worker does the background work of one server: settlement batches, the server's share of the mails
// and, while the server is the leader, the scheduled work. Work that has started is completed even if the Worker is stopped.
type Worker struct {
	log   *slog.Logger
	leads atomic.Bool

	mu       sync.Mutex
	waiting  []string // slugs with a requested batch, without duplicates
	stopping bool
	wake     chan struct{}
}

// NewWorker returns an idle Worker.
func NewWorker(log *slog.Logger) *Worker {
	return &Worker{log: log, wake: make(chan struct{}, 1)}
}

// ScheduleBatch schedules the next batch of a campaign's settlement. It fails with ErrStopping
// after the Worker was stopped. It is for compose.Deps.Next.
func (w *Worker) ScheduleBatch(_ context.Context, slug string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopping {
		return ErrStopping
	}
	if slices.Contains(w.waiting, slug) {
		return nil
	}
	w.waiting = append(w.waiting, slug)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return nil
}

// Run works until ctx is done, and then completes all work that has started.
func (w *Worker) Run(ctx context.Context, s *compose.Services) {
	// Work that has started gets a context that is not canceled.
	work := context.WithoutCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { w.runBatches(ctx, work, s) })
	all.Go(func() { w.schedule(ctx, work, s) })
	all.Go(func() { every(ctx, time.Minute, func() { w.report(work, "visits", s.Visits.Flush(work)) }) })
	all.Wait()
	w.report(work, "visits", s.Visits.Flush(work))
	w.report(work, "membership", s.Leave(work))
}

// schedule sends mails, and does the scheduled work while this server is the leader.
func (w *Worker) schedule(ctx, work context.Context, s *compose.Services) {
	var mails sync.WaitGroup
	defer mails.Wait()
	var sending sync.Once
	var leading *leadership
	var ended []string
	every(ctx, compose.HeartbeatInterval, func() {
		leads, err := s.Heartbeat(work)
		w.leads.Store(leads)
		sending.Do(func() { mails.Go(func() { w.sendMails(ctx, work, s) }) }) // a heartbeat divides the mails
		w.report(work, "membership", err)
		switch {
		case leads && leading == nil:
			w.log.InfoContext(work, "leading, starting the scheduled work")
			leading = w.startLeading(work, s)
		case !leads && leading != nil:
			w.log.WarnContext(work, "no longer leading, stopping the scheduled work")
			leading.end()
			leading = nil
		}
		if now := s.Membership.Holder().Ended; leading != nil && !slices.Equal(now, ended) {
			ended = now
			// Resume completes the work of servers that ended. It runs concurrently, so that heartbeats
			// are not delayed.
			leading.all.Go(func() { w.report(work, "resume", s.Resume(work)) })
		}
	})
	if leading != nil {
		leading.end()
	}
}

// leadership is a period in which this server is the leader.
type leadership struct {
	stop context.CancelFunc
	all  sync.WaitGroup
}

func (w *Worker) startLeading(work context.Context, s *compose.Services) *leadership {
	ctx, stop := context.WithCancel(work)
	r := &leadership{stop: stop}
	r.all.Go(func() { every(ctx, time.Minute, func() { w.report(work, "minute", s.Minute(work)) }) })
	r.all.Go(func() { every(ctx, time.Hour, func() { w.runCron(work, s) }) })
	return r
}

// sendMails sends this server's mails as soon as the provider's rate limit allows, and those of
// broadcasts while this server is the leader.
func (w *Worker) sendMails(ctx, work context.Context, s *compose.Services) {
	for {
		requests := 0
		if w.leads.Load() {
			requests = mailRequests
		}
		run, err := s.SendMails(work, requests)
		w.report(work, "mails", err)
		wait := min(run.Wait, mailInterval)
		if err != nil || wait == 0 && !run.More {
			wait = mailInterval
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// end stops the scheduled work and waits for work that has started.
func (r *leadership) end() {
	r.stop()
	r.all.Wait()
}

func (w *Worker) runCron(ctx context.Context, s *compose.Services) {
	report, err := s.Cron(ctx)
	w.report(ctx, "cron", err)
	w.log.InfoContext(ctx, "cron", "report", report)
}

func (w *Worker) runBatches(ctx, work context.Context, s *compose.Services) {
	for {
		select {
		case <-ctx.Done():
			w.stop()
			return
		case <-w.wake:
		}
		for slug := w.nextWaiting(); slug != "" && ctx.Err() == nil; slug = w.nextWaiting() {
			_, err := s.Settlement.Batch(work, settlement.BatchRequest{CampaignSlug: slug})
			w.report(work, "settlement batch", err)
		}
	}
}

func (w *Worker) nextWaiting() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		return ""
	}
	slug := w.waiting[0]
	w.waiting = w.waiting[1:]
	return slug
}

func (w *Worker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopping = true
}

func (w *Worker) report(ctx context.Context, what string, err error) {
	if err != nil {
		w.log.ErrorContext(ctx, "scheduled work failed", "work", what, "error", err)
	}
}

// every calls do immediately and at each interval, one call at a time.
func every(ctx context.Context, interval time.Duration, do func()) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
