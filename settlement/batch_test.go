package settlement

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A batch is bounded. Its checkpoint is durable in both places before the next batch is
// requested, and the lease is released.
//
// Proves SET-06, SET-24, SET-27 and KVR-11.
func TestBatch_CheckpointBeforeNext(t *testing.T) {
	w := newFixture(t)
	w.run([]string{"crowd", "60", "film", "1000"})
	w.deadline()
	var seen []int
	w.svc.Next = func(ctx context.Context, slug string) error {
		st, err := state.Client{Coordinator: w.db.Coordinator(), Slug: slug}.Overview(ctx)
		w.ok(err)
		stored, ok, err := kv.Read[state.Job](ctx, w.svc.Store, "settlement-job:"+slug)
		w.ok(err)
		if diff := cmp.Diff(*st.Job, stored); !ok || diff != "" {
			t.Errorf("the job (-object +store):\n%s", diff)
		}
		if stored.Status != state.JobRunning || stored.EndedAt != nil || stored.Cursor == "" ||
			stored.TotalCharged != len(w.conn.charges) {
			t.Errorf("the checkpoint after %d charges is %+v", len(w.conn.charges), stored)
		}
		if seen = append(seen, stored.Processed); len(seen) > 10 {
			return errors.New("the job does not end")
		}
		_, err = w.svc.Batch(ctx, BatchRequest{CampaignSlug: slug})
		return err
	}
	_, err := w.svc.Dispatch(w.ctx, "film")
	w.ok(err)
	if diff := cmp.Diff([]int{25, 50}, seen); diff != "" {
		t.Errorf("pledges visited (-want +got):\n%s", diff)
	}
	job, _, err := kv.Read[state.Job](w.ctx, w.svc.Store, state.JobKey("film"))
	w.ok(err)
	if job.Status != state.JobDone || job.Processed != 60 || job.Total != 60 ||
		job.TotalCharged != 60 || job.AmountCharged != 60_000 ||
		job.BatchesCompleted != 3 || job.EndedAt == nil || job.StaleResumeCount != 0 {
		t.Errorf("the job ends as %+v", job)
	}
	for _, after := range []time.Duration{-time.Minute, time.Minute} {
		w.now = job.EndedAt.Add(730*24*time.Hour + after)
		if _, ok, _ := kv.Read[state.Job](w.ctx, w.svc.Store, state.JobKey("film")); ok != (after < 0) {
			t.Errorf("%s after 730 days the copy exists: %t", after, ok)
		}
	}
}

// Groups that earlier runs left open count the same as new ones. Due steps of failures are
// determined once for all of them, because there may be many.
//
// Proves SET-06.
func TestBatch_Bounded(t *testing.T) {
	w := newFixture(t)
	w.run([]string{"crowd", "60", "film", "1000"})
	w.deadline()
	for i := range 42 {
		fault := sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}
		if i%15 == 14 { // more without an answer would open the breaker
			fault.Kind, fault.For = sim.Delay, time.Millisecond
		}
		w.ok(w.sim.InjectFaults(fault))
	}
	w.batches("chain", "film")
	listed := 0
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == "failures" {
			listed++
		}
		return nil
	}
	for range 4 {
		p, err := w.svc.Dispatch(w.ctx, "film")
		w.ok(err)
		if p.BatchProcessed != min(25, 40+40-p.Progress.Processed+p.BatchProcessed) {
			t.Errorf("batch %d visits %d pledges, %d in total", p.Progress.CurrentBatch, p.BatchProcessed, p.Progress.Processed)
		}
	}
	if listed != 1 {
		t.Errorf("the failures were listed %d times", listed)
	}
}

// If the next batch cannot be requested, the hourly job or an operator continues, and the
// interruption is recorded.
//
// Proves SET-25.
func TestBatch_BrokenChain(t *testing.T) {
	w := newFixture(t)
	var log bytes.Buffer
	w.svc.Log = slog.New(slog.NewTextHandler(&log, nil))
	w.run([]string{"crowd", "110", "film", "1000"})
	w.deadline()
	w.svc.Next = func(context.Context, string) error { return errors.New("unreachable") }
	for i, tt := range []struct {
		after time.Duration
		entry func(context.Context, string) (Progress, error)
		stale int
	}{
		{0, w.svc.Dispatch, 0},
		{30 * time.Minute, w.svc.Dispatch, 0},
		{30 * time.Minute, w.nextBatch, 0},
		{31 * time.Minute, w.svc.Dispatch, 1},
		{31 * time.Minute, w.nextBatch, 2},
	} {
		w.now = w.now.Add(tt.after)
		p, err := tt.entry(w.ctx, "film")
		w.ok(err)
		stored, _, err := kv.Read[state.Job](w.ctx, w.svc.Store, state.JobKey("film"))
		w.ok(err)
		if p.Progress.StaleResumeCount != tt.stale || stored.StaleResumeCount != tt.stale ||
			p.Progress.BatchesCompleted != i+1 {
			t.Errorf("batch %d: %+v, the record has %d stale resumptions", i+1, p.Progress, stored.StaleResumeCount)
		}
	}
	// the fifth batch is the last
	if n := strings.Count(log.String(), "unreachable"); n != 4 || strings.Count(log.String(), "\n") != n {
		t.Errorf("the log has the reason %d times:\n%s", n, log.String())
	}
}

// nextBatch runs the next batch of a job.
func (w *fixture) nextBatch(ctx context.Context, slug string) (Progress, error) {
	return w.svc.Batch(ctx, BatchRequest{CampaignSlug: slug})
}
