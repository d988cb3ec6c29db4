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

// settled returns a world in which the film is settled and may become idle.
func settled(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(MinIdleAge)
	return w
}

// plant puts records into the state of an object.
func (w *world) plant(o kv.Object, records map[string]any) {
	w.t.Helper()
	was := w.db.Snapshot()
	for key, v := range records {
		b, err := json.Marshal(v)
		w.ok(err)
		was.Objects[o] = append(was.Objects[o], kv.Entry{Key: key, Value: b}) // the last entry of a key counts
	}
	w.db.RestoreObject(o, was)
}

// refusing makes commands of a kind fail before they have an effect.
func (w *world) refusing(kind string) {
	w.line.watch = func(op memkv.Op) error {
		if op.Command.Kind == kind && !op.After {
			return fault.New(fault.Unavailable, "No answer")
		}
		return nil
	}
}

// A campaign is settled when nothing is left to do and nothing can follow; until then its cards
// are kept, and the jobs visit it.
func TestSettled(t *testing.T) {
	for name, tt := range map[string]struct {
		story func(t *testing.T) *world
		want  bool
	}{
		"all is charged": {settled, true},
		"a moment before it is calm": {func(t *testing.T) *world {
			w := newWorld(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.settle("film", false)
			w.now = w.now.Add(MinIdleAge - Margin - time.Second)
			return w
		}, false},
		"it missed its goal": {func(t *testing.T) *world {
			w := newWorld(t)
			w.pledge("ana", "film", 500, sim.CardOK)
			w.deadline()
			w.now = w.now.Add(MinIdleAge)
			return w
		}, true},
		"nobody is charged yet": {func(t *testing.T) *world {
			w := newWorld(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
		"its goal was raised when all were charged": {func(t *testing.T) *world {
			w := settled(t)
			w.campaign("film").Goal = 900_000
			w.pledge("bob", "film", 700, sim.CardOK)
			return w
		}, false},
		"nobody has noted that all are charged": {func(t *testing.T) *world {
			w := newWorld(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.refusing("complete")
			_, err := w.svc.Settle(w.ctx, "film", false)
			wantCode(t, "a settlement that died at its end", err, fault.Unavailable)
			w.line.watch = nil
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
		"a late pledge": {func(t *testing.T) *world {
			w := settled(t)
			w.pledge("bob", "film", 700, sim.CardOK)
			return w
		}, false},
		"a card that may still be replaced": {func(t *testing.T) *world {
			w := newWorld(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.pledge("bob", "film", 700, sim.CardChargeDeclined)
			w.deadline()
			w.settle("film", false)
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
		"somebody is to be looked at": {func(t *testing.T) *world {
			w := settled(t)
			w.ok(w.svc.requestVisit(w.ctx, "film", "somebody"))
			return w
		}, false},
		"a job that is under way": {func(t *testing.T) *world {
			w := settled(t)
			w.refusing("checkpoint")
			_, err := w.svc.Dispatch(w.ctx, "film")
			wantCode(t, "a batch that died at its end", err, fault.Unavailable)
			w.line.watch = nil
			return w
		}, false},
		"a job that is done": {func(t *testing.T) *world {
			w := settled(t)
			w.batches("chain", "film")
			return w
		}, true},
		"the processor's figures are to come": {func(t *testing.T) *world {
			w := newWorld(t)
			w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true, AsyncCapture: true, BookAfter: 48 * time.Hour})
			w.line.Processor = w.sim.Processor()
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.settle("film", false)
			w.now = w.now.Add(MinIdleAge)
			return w
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := tt.story(t)
			got, err := w.svc.Settled(w.ctx, w.campaign("film"))
			if err != nil || got != tt.want {
				t.Errorf("it is settled: %t, %v, want %t", got, err, tt.want)
			}
		})
	}
}

// A failed read never counts as an answer: no campaign is then settled, idle, due or kept to
// its promise.
func TestSettled_FailedReads(t *testing.T) {
	ask := map[string]func(w *world) error{
		"settled": func(w *world) error { _, err := w.svc.Settled(w.ctx, w.campaign("film")); return err },
		"active":  func(w *world) error { _, err := w.svc.ActiveCampaigns(w.ctx); return err },
		"due":     func(w *world) error { _, err := w.svc.DueCampaigns(w.ctx); return err },
		"broken":  func(w *world) error { _, err := w.svc.BrokenPromises(w.ctx, w.campaign("film")); return err },
		"stopped": func(w *world) error { _, err := w.svc.ChargingOff(w.ctx); return err },
		"retried": func(w *world) error { return w.svc.RetryCard(w.ctx, "film", email("ana")) },
	}
	for name, do := range ask {
		for lost := 1; ; lost++ {
			w := settled(t)
			w.campaign("film").Goal-- // so that the promises are checked
			asked := 0
			w.line.watch = func(op memkv.Op) error {
				if op.Kind != memkv.OpQuery {
					return nil
				}
				if asked++; asked == lost {
					return fault.New(fault.Unavailable, "No answer")
				}
				return nil
			}
			err := do(w)
			if asked < lost {
				if lost == 1 || err != nil {
					t.Errorf("%s: %d questions, %v", name, asked, err)
				}
				break
			}
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s: without the answer to question %d: %v", name, lost, err)
			}
		}
	}
}

func (w *world) active() []string {
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
func (w *world) makeIdle() {
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

// An idle campaign is visited again when its time is over, when it changes, and when its
// deadline is moved.
func TestSetIdle_Wake(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(w *world)
		want    []string
	}{
		"nothing":               {func(*world) {}, []string{}},
		"a moment of the day":   {func(w *world) { w.now = w.now.Add(day - 1) }, []string{}},
		"the whole day":         {func(w *world) { w.now = w.now.Add(day) }, []string{"album", "film"}},
		"a change of one":       {func(w *world) { w.ok(w.svc.Wake(w.ctx, "film")) }, []string{"film"}},
		"a deadline that moved": {func(w *world) { w.edit("2026-04-01", 20) }, []string{"film"}},
		"charging is resumed": {func(w *world) {
			_, err := w.svc.Switch().Stop(w.ctx, "a doubt")
			w.ok(err)
			_, err = w.svc.Switch().Resume(w.ctx)
			w.ok(err)
		}, []string{"album", "film"}},
		"what goes on is resumed": {func(w *world) {
			_, err := w.svc.Switch().Resume(w.ctx)
			w.ok(err)
		}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := settled(t)
			w.makeIdle()
			tt.happens(w)
			if diff := cmp.Diff(tt.want, w.active()); diff != "" {
				t.Errorf("active are (-want +got):\n%s", diff)
			}
		})
	}
}

// A change after the check keeps a campaign active.
func TestSetIdle_WokenMeanwhile(t *testing.T) {
	w := settled(t)
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
		t.Errorf("it becomes idle: %t, %v", ok, err)
	}
}

// IdleStates returns every campaign's record, however many there are.
func TestIdleStates_Pages(t *testing.T) {
	for _, many := range []int{kv.MaxPage, kv.MaxPage + 1} {
		w := newWorld(t)
		records := map[string]any{}
		for i := range many {
			records[fmt.Sprintf("rest/%04d", i)] = state.IdleState{Woken: i}
		}
		w.plant(kv.Object{Class: state.ClassName, Name: "*platform"}, records)
		rests, err := w.svc.IdleStates(w.ctx)
		last := fmt.Sprintf("%04d", many-1)
		if err != nil || len(rests) != many || rests[last].Woken != many-1 || rests[last].Slug != last {
			t.Errorf("%d of %d are known, the last %+v, %v", len(rests), many, rests[last], err)
		}
	}
}
