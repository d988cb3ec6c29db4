package rehearsal_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/rehearsal"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// slow is a processor that delays each card lookup until the test permits it.
type slow struct {
	psp.Processor
	asked  chan<- struct{}
	answer <-chan struct{}
}

func (s slow) Card(ctx context.Context, id string) (psp.Card, error) {
	s.asked <- struct{}{}
	select {
	case <-s.answer:
		return s.Processor.Card(ctx, id)
	case <-ctx.Done():
		return psp.Card{}, ctx.Err()
	}
}

// newSlowRunner returns a Runner for a fixture whose processor is slow.
func (h *fixture) newSlowRunner() (r *rehearsal.Runner, asked <-chan struct{}, answer chan<- struct{}) {
	asking, answers := make(chan struct{}, 9), make(chan struct{})
	return rehearsal.NewRunner(func() rehearsal.Options {
		o := h.options()
		o.Processor = slow{h.Processor, asking, answers}
		return o
	}, slog.New(slog.DiscardHandler)), asking, answers
}

// Only one rehearsal runs at a time, and its result is kept.
func TestRehearsal_Exclusive(t *testing.T) {
	h := newFixture(t)
	h.pledge("a@example.com", sim.CardExpires+":1h")
	r, asked, answer := h.newSlowRunner()
	if got := r.Last("film").Status; got != httpapi.RehearsalNone {
		t.Errorf("before the first rehearsal: %s", got)
	}
	if err := r.Start("film"); err != nil {
		t.Fatal(err)
	}
	<-asked
	if got := r.Last("film"); got.Status != httpapi.RehearsalRunning || !got.StartedAt.Equal(h.now) || got.EndedAt != nil {
		t.Errorf("while it runs: %+v", got)
	}
	if err := r.Start("film"); !fault.Is(err, fault.Conflict) {
		t.Errorf("concurrent rehearsal: %v", err)
	}
	close(answer)
	r.Wait()
	last := r.Last("film")
	f, ok := last.Forecast.(rehearsal.Forecast)
	if !ok || last.Status != httpapi.RehearsalDone || last.EndedAt == nil || last.Read != 1 ||
		last.Cards != 1 || kinds(f)[rehearsal.CardExpires] != "a@example.com" {
		t.Errorf("after it: %+v", last)
	}
	if err := r.Start("unknown"); err != nil {
		t.Fatal(err)
	}
	r.Wait()
	if got := r.Last("unknown"); got.Status != httpapi.RehearsalFailed || got.Error == "" {
		t.Errorf("failed rehearsal: %+v", got)
	}
}

// A server that is stopping deletes its copy and starts no other rehearsal.
func TestRehearsal_Interrupted(t *testing.T) {
	h := newFixture(t)
	h.pledge("a@example.com", sim.CardOK)
	r, asked, _ := h.newSlowRunner()
	if err := r.Start("film"); err != nil {
		t.Fatal(err)
	}
	<-asked
	r.Close()
	if left, err := filepath.Glob(filepath.Join(h.Config.Server.DataDir, "rehearsal-*")); err != nil || len(left) != 0 {
		t.Errorf("%v are left: %v", left, err)
	}
	if got := r.Last("film").Status; got != httpapi.RehearsalFailed {
		t.Errorf("status = %s", got)
	}
	if err := r.Start("film"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("begun afterwards: %v", err)
	}
}
