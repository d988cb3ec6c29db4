package rehearsal

import (
	"context"
	"log/slog"
	"sync"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Room is where rehearsals are played for those who don't wait for them: one at a time,
// and the last one of each campaign is remembered for as long as the process runs. Close it.
type Room struct {
	options func() Options
	log     *slog.Logger

	ctx  context.Context //nolint:containedctx // of what runs in the room; Close ends it
	stop context.CancelFunc
	runs sync.WaitGroup

	mu   sync.Mutex
	busy string // the campaign that is rehearsed, "" for none
	last map[string]httpapi.Rehearsal
}

// NewRoom returns a room whose rehearsals are made of what options answers.
func NewRoom(options func() Options, log *slog.Logger) *Room {
	r := &Room{options: options, log: log, last: map[string]httpapi.Rehearsal{}}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// Start implements httpapi.Rehearsals.
func (r *Room) Start(slug string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return fault.New(fault.Unavailable, "The service is about to end")
	}
	if r.busy != "" {
		return fault.New(fault.Conflict, "A rehearsal of %s is under way", r.busy)
	}
	o := r.options()
	began := o.Now().UTC()
	r.busy = slug
	r.last[slug] = httpapi.Rehearsal{CampaignSlug: slug, Status: httpapi.RehearsalRunning, StartedAt: &began}
	r.runs.Go(func() { r.play(o, slug) })
	return nil
}

// Last implements httpapi.Rehearsals.
func (r *Room) Last(slug string) httpapi.Rehearsal {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.last[slug]; ok {
		return last
	}
	return httpapi.Rehearsal{CampaignSlug: slug, Status: httpapi.RehearsalNone}
}

// Wait waits for what runs.
func (r *Room) Wait() { r.runs.Wait() }

// Close breaks off what runs and waits for it, so that its copy is removed.
func (r *Room) Close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.runs.Wait()
}

func (r *Room) play(o Options, slug string) {
	o.Progress = func(done, of int) {
		r.change(slug, func(last *httpapi.Rehearsal) { last.Read, last.Cards = done, of })
	}
	f, err := Run(r.ctx, o, slug)
	ended := o.Now().UTC()
	r.change(slug, func(last *httpapi.Rehearsal) {
		last.EndedAt = &ended
		if err != nil {
			last.Status, last.Error = httpapi.RehearsalFailed, words(err)
			return
		}
		last.Status, last.Forecast = httpapi.RehearsalDone, f
	})
	if err != nil {
		r.log.Warn("a rehearsal failed", "campaign", slug, "error", err.Error())
	}
	r.mu.Lock()
	r.busy = ""
	r.mu.Unlock()
}

func (r *Room) change(slug string, how func(*httpapi.Rehearsal)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last[slug]
	how(&last)
	r.last[slug] = last
}

// words are what may be said of an error: a fault's own, which name nobody.
func words(err error) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	return "The service's log says why"
}
