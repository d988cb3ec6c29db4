package rehearsal

import (
	"context"
	"log/slog"
	"sync"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Runner runs rehearsals in the background, one at a time, and keeps each campaign's last rehearsal
// while the process runs. The caller must close it.
type Runner struct {
	options func() Options
	log     *slog.Logger

	ctx  context.Context //nolint:containedctx // cancelled by Close
	stop context.CancelFunc
	runs sync.WaitGroup

	mu   sync.Mutex
	busy string // the campaign being rehearsed, "" for none
	last map[string]httpapi.Rehearsal
}

// NewRunner returns a Runner. options returns the inputs of each rehearsal.
func NewRunner(options func() Options, log *slog.Logger) *Runner {
	r := &Runner{options: options, log: log, last: map[string]httpapi.Rehearsal{}}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// Start implements httpapi.Rehearsals.
func (r *Runner) Start(slug string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return fault.New(fault.Unavailable, "The service is stopping")
	}
	if r.busy != "" {
		return fault.New(fault.Conflict, "A rehearsal of %s is already running", r.busy)
	}
	o := r.options()
	began := o.Now().UTC()
	r.busy = slug
	r.last[slug] = httpapi.Rehearsal{CampaignSlug: slug, Status: httpapi.RehearsalRunning, StartedAt: &began}
	r.runs.Go(func() { r.run(o, slug) })
	return nil
}

// Last implements httpapi.Rehearsals.
func (r *Runner) Last(slug string) httpapi.Rehearsal {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.last[slug]; ok {
		return last
	}
	return httpapi.Rehearsal{CampaignSlug: slug, Status: httpapi.RehearsalNone}
}

// Wait waits until no rehearsal is running.
func (r *Runner) Wait() { r.runs.Wait() }

// Close cancels a running rehearsal and waits until its copy is deleted.
func (r *Runner) Close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.runs.Wait()
}

func (r *Runner) run(o Options, slug string) {
	o.Progress = func(done, of int) {
		r.change(slug, func(last *httpapi.Rehearsal) { last.Read, last.Cards = done, of })
	}
	f, err := Run(r.ctx, o, slug)
	ended := o.Now().UTC()
	r.change(slug, func(last *httpapi.Rehearsal) {
		last.EndedAt = &ended
		if err != nil {
			last.Status, last.Error = httpapi.RehearsalFailed, publicMessage(err)
			return
		}
		last.Status, last.Forecast = httpapi.RehearsalDone, f
	})
	if err != nil {
		r.log.Warn("rehearsal failed", "campaign", slug, "error", err.Error())
	}
	r.mu.Lock()
	r.busy = ""
	r.mu.Unlock()
}

func (r *Runner) change(slug string, how func(*httpapi.Rehearsal)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last[slug]
	how(&last)
	r.last[slug] = last
}

// publicMessage returns the part of an error that clients may see.
func publicMessage(err error) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	return "See the service's log"
}
