package settlement

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// settledFixture returns a fixture in which the film is settled and may become idle.
func settledFixture(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(MinIdleAge)
	return w
}

// putState adds records to the state of an object.
func (w *fixture) putState(o kv.Object, records map[string]any) {
	w.t.Helper()
	was := w.db.Snapshot()
	for key, v := range records {
		b, err := json.Marshal(v)
		w.ok(err)
		was.Objects[o] = append(was.Objects[o], kv.Entry{Key: key, Value: b}) // the last entry of a key counts
	}
	w.db.RestoreObject(o, was)
}

// failCommand makes commands of a kind fail before they have an effect.
func (w *fixture) failCommand(kind string) {
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == kind && !op.After {
			return fault.New(fault.Unavailable, "No answer")
		}
		return nil
	}
}

// A campaign is settled when nothing is left to do and no further work can follow. Until then
// its cards are kept, and the jobs visit it.
func TestSettled(t *testing.T) {
	for name, tt := range map[string]struct {
		setup func(t *testing.T) *fixture
		want  bool
	}{
		"all charged": {settledFixture, true},
		"too early to become idle": {func(t *testing.T) *fixture {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.settle("film", false)
			w.now = w.now.Add(MinIdleAge - Margin - time.Second)
			return w
		}, false},
		"goal missed": {func(t *testing.T) *fixture {
			w := newFixture(t)
			w.pledge("ana", "film", 500, sim.CardOK)
			w.deadline()
			w.now = w.now.Add(MinIdleAge)
			return w
		}, true},
		"not charged yet": {func(t *testing.T) *fixture {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
		"goal raised after all were charged": {func(t *testing.T) *fixture {
			w := settledFixture(t)
			w.campaign("film").Goal = 900_000
			w.pledge("bob", "film", 700, sim.CardOK)
			return w
		}, false},
		"completion not recorded": {func(t *testing.T) *fixture {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.failCommand("complete")
			_, err := w.svc.Settle(w.ctx, "film", false)
			wantCode(t, "settlement without completion", err, fault.Unavailable)
			w.conn.watch = nil
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
		"late pledge": {func(t *testing.T) *fixture {
			w := settledFixture(t)
			w.pledge("bob", "film", 700, sim.CardOK)
			return w
		}, false},
		"declined card may be replaced": {func(t *testing.T) *fixture {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.pledge("bob", "film", 700, sim.CardChargeDeclined)
			w.deadline()
			w.settle("film", false)
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
		"visit requested": {func(t *testing.T) *fixture {
			w := settledFixture(t)
			w.ok(w.svc.requestVisit(w.ctx, "film", "supporter"))
			return w
		}, false},
		"job running": {func(t *testing.T) *fixture {
			w := settledFixture(t)
			w.failCommand("checkpoint")
			_, err := w.svc.Dispatch(w.ctx, "film")
			wantCode(t, "batch without checkpoint", err, fault.Unavailable)
			w.conn.watch = nil
			return w
		}, false},
		"job done": {func(t *testing.T) *fixture {
			w := settledFixture(t)
			w.batches("chain", "film")
			return w
		}, true},
		"fees not available yet": {func(t *testing.T) *fixture {
			w := newFixture(t)
			w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true,
				AsyncCapture: true, BookAfter: 48 * time.Hour})
			w.conn.Processor = w.sim.Processor()
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.settle("film", false)
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := tt.setup(t)
			got, err := w.svc.Settled(w.ctx, w.campaign("film"))
			if err != nil || got != tt.want {
				t.Errorf("settled: %t, %v, want %t", got, err, tt.want)
			}
		})
	}
}

// A failed read is returned as an error and never treated as an answer.
func TestSettled_FailedReads(t *testing.T) {
	reads := map[string]func(w *fixture) error{
		"settled": func(w *fixture) error { _, err := w.svc.Settled(w.ctx, w.campaign("film")); return err },
		"active":  func(w *fixture) error { _, err := w.svc.ActiveCampaigns(w.ctx); return err },
		"due":     func(w *fixture) error { _, err := w.svc.DueCampaigns(w.ctx); return err },
		"broken":  func(w *fixture) error { _, err := w.svc.BrokenPromises(w.ctx, w.campaign("film")); return err },
		"stopped": func(w *fixture) error { _, err := w.svc.ChargingOff(w.ctx); return err },
		"retried": func(w *fixture) error { return w.svc.RetryCard(w.ctx, "film", email("ana")) },
	}
	for name, do := range reads {
		for failing := 1; ; failing++ {
			w := settledFixture(t)
			w.campaign("film").Goal-- // so that the promises are checked
			queries := 0
			w.conn.watch = func(op memkv.Op) error {
				if op.Kind != memkv.OpQuery {
					return nil
				}
				if queries++; queries == failing {
					return fault.New(fault.Unavailable, "No answer")
				}
				return nil
			}
			err := do(w)
			if queries < failing {
				if failing == 1 || err != nil {
					t.Errorf("%s: %d queries, %v", name, queries, err)
				}
				break
			}
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s: with query %d failing: %v", name, failing, err)
			}
		}
	}
}

func (w *fixture) active() []string {
	w.t.Helper()
	slugs := []string{}
	all, err := w.svc.ActiveCampaigns(w.ctx)
	w.ok(err)
	for _, c := range all {
		slugs = append(slugs, c.Slug)
	}
	slices.Sort(slugs)
	return slugs
}

// makeIdle makes both campaigns idle for a day.
func (w *fixture) makeIdle() {
	w.t.Helper()
	was, err := w.svc.IdleStates(w.ctx)
	w.ok(err)
	for _, slug := range []string{"film", "album"} {
		r := was[slug]
		r.Slug = slug
		ok, err := w.svc.SetIdle(w.ctx, r, w.now.Add(day))
		if err != nil || !ok {
			w.t.Fatalf("%s does not become idle: %t, %v", slug, ok, err)
		}
	}
}

// An idle campaign is visited again when its idle period ends, when it changes, and when its
// deadline is moved.
func TestSetIdle_Wake(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(w *fixture)
		want   []string
	}{
		"nothing":                {func(*fixture) {}, []string{}},
		"just under a day later": {func(w *fixture) { w.now = w.now.Add(day - 1) }, []string{}},
		"a day later":            {func(w *fixture) { w.now = w.now.Add(day) }, []string{"album", "film"}},
		"one campaign changed":   {func(w *fixture) { w.ok(w.svc.Wake(w.ctx, "film")) }, []string{"film"}},
		"deadline moved":         {func(w *fixture) { w.edit("2026-04-01", 20) }, []string{"film"}},
		"charging stopped and resumed": {func(w *fixture) {
			_, err := w.svc.Switch().Stop(w.ctx, "a doubt")
			w.ok(err)
			_, err = w.svc.Switch().Resume(w.ctx)
			w.ok(err)
		}, []string{"album", "film"}},
		"resume without a stop": {func(w *fixture) {
			_, err := w.svc.Switch().Resume(w.ctx)
			w.ok(err)
		}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := settledFixture(t)
			w.makeIdle()
			tt.change(w)
			if diff := cmp.Diff(tt.want, w.active()); diff != "" {
				t.Errorf("active campaigns (-want +got):\n%s", diff)
			}
		})
	}
}

// A change after the check keeps a campaign active.
func TestSetIdle_WokenMeanwhile(t *testing.T) {
	w := settledFixture(t)
	w.makeIdle()
	was, err := w.svc.IdleStates(w.ctx)
	w.ok(err)
	for _, happens := range []func() error{
		func() error { return w.svc.Wake(w.ctx, "film") },
		func() error { _, err := w.svc.Switch().Stop(w.ctx, "a doubt"); return err },
		func() error { _, err := w.svc.Switch().Resume(w.ctx); return err },
	} {
		w.ok(happens())
	}
	if ok, err := w.svc.SetIdle(w.ctx, was["film"], w.now.Add(day)); ok || err != nil {
		t.Errorf("became idle: %t, %v", ok, err)
	}
}

// IdleStates returns every campaign's record, however many there are.
func TestIdleStates_Pages(t *testing.T) {
	for _, many := range []int{kv.MaxPage, kv.MaxPage + 1} {
		w := newFixture(t)
		records := map[string]any{}
		for i := range many {
			records[fmt.Sprintf("rest/%04d", i)] = state.IdleState{Woken: i}
		}
		w.putState(kv.Object{Class: state.ClassName, Name: "*platform"}, records)
		rests, err := w.svc.IdleStates(w.ctx)
		last := fmt.Sprintf("%04d", many-1)
		if err != nil || len(rests) != many || rests[last].Woken != many-1 || rests[last].Slug != last {
			t.Errorf("%d of %d states, the last %+v, %v", len(rests), many, rests[last], err)
		}
	}
}
