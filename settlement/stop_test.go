package settlement

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// While charging is stopped or switched off, no entry point charges. Requests that were stored
// in the meantime are handled afterwards.
func TestStop(t *testing.T) {
	for name, tt := range map[string]struct{ off, on func(w *fixture) }{
		"stopped": {
			func(w *fixture) { _, err := w.svc.Switch().Stop(w.ctx, "a doubt"); w.ok(err) },
			func(w *fixture) { _, err := w.svc.Switch().Resume(w.ctx); w.ok(err) },
		},
		"no mail":  {func(w *fixture) { w.svc.Mute = true }, func(w *fixture) { w.svc.Mute = false }},
		"disabled": {func(w *fixture) { w.svc.Disabled = true }, func(w *fixture) { w.svc.Disabled = false }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.pledge("bob", "film", 700, sim.CardChargeDeclined)
			w.deadline()
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			w.pledge("cleo", "film", 900, sim.CardOK)
			tt.off(w)
			w.newCard("bob", sim.CardOK, 0)
			before := len(w.conn.charges)
			_, err = w.svc.Settle(w.ctx, "film", false)
			wantCode(t, "settled", err, fault.Conflict)
			_, err = w.svc.Dispatch(w.ctx, "film")
			wantCode(t, "dispatched", err, fault.Conflict)
			_, err = w.svc.Batch(w.ctx, BatchRequest{CampaignSlug: "film"})
			wantCode(t, "the next batch", err, fault.Conflict)
			w.ok(w.svc.RetryCard(w.ctx, "film", email("bob")))
			if is, err := w.svc.ChargingOff(w.ctx); !is || err != nil {
				t.Errorf("idle: %t, %v", is, err)
			}
			if n := len(w.conn.charges) - before; n != 0 {
				t.Fatalf("%d charges were sent", n)
			}
			tt.on(w)
			_, err = w.svc.Dispatch(w.ctx, "film")
			w.ok(err)
			if n := len(w.conn.charges) - before; n != 2 || w.group("bob", "film").Status != state.Succeeded {
				t.Errorf("afterwards %d charges were sent", n)
			}
		})
	}
}

// A stop takes effect during a run: no charge is sent after it.
func TestStop_DuringARun(t *testing.T) {
	w := newFixture(t)
	for _, name := range []string{"ana", "bob", "cleo", "dan"} {
		w.pledge(name, "film", 2500, sim.CardOK)
	}
	w.deadline()
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "booked" && op.After && len(w.conn.charges) == 2 {
			_, err := w.svc.Switch().Stop(w.ctx, "a doubt")
			return err
		}
		return nil
	}
	_, err := w.svc.Settle(w.ctx, "film", false)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "a doubt") {
		t.Errorf("stopped during the run: %v", err)
	}
	if n := len(w.conn.charges); n != 2 {
		t.Errorf("%d charges were sent", n)
	}
	w.conn.watch = nil
	_, err = w.svc.Switch().Resume(w.ctx)
	w.ok(err)
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if n := len(w.conn.charges); n != 4 {
		t.Errorf("finally %d charges were sent", n)
	}
}

// If charging is stopped while a supporter's new card is charged, the card has not failed: the
// visit request is kept.
func TestRetryCard_StoppedDuringCharge(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.newCard("ana", sim.CardOK, 0)
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "submit" && op.After {
			w.conn.watch = nil
			_, err := w.svc.Switch().Stop(w.ctx, "a doubt")
			return err
		}
		return nil
	}
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if w.pledgeByID(id).Charged {
		t.Fatal("charged after the stop")
	}
	_, err := w.svc.Switch().Resume(w.ctx)
	w.ok(err)
	w.settle("film", false)
	if !w.pledgeByID(id).Charged {
		t.Error("not charged after charging was resumed")
	}
}

func TestSwitch(t *testing.T) {
	w := newFixture(t)
	s := w.svc.Switch()
	for reason, want := range map[string]fault.Code{"": fault.Invalid, strings.Repeat("x", 501): fault.Invalid,
		"<b>": fault.Invalid} {
		if _, err := s.Stop(w.ctx, reason); fault.CodeOf(err) != want || fault.Of(err).Field != "reason" {
			t.Errorf("%.5s, %d bytes: %v", reason, len(reason), err)
		}
	}
	if was, err := s.Resume(w.ctx); was != nil || err != nil {
		t.Errorf("resumed without a stop: %v, %v", was, err)
	}
	first, err := s.Stop(w.ctx, "a doubt")
	w.ok(err)
	w.now = w.now.Add(time.Hour)
	for name, get := range map[string]func() (state.Stopped, error){
		"again": func() (state.Stopped, error) { return s.Stop(w.ctx, "another") },
		"asked": func() (state.Stopped, error) { is, err := s.Stopped(w.ctx); return *is, err },
	} {
		got, err := get()
		w.ok(err)
		if diff := cmp.Diff(first, got); diff != "" || got.Reason != "a doubt" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	was, err := s.Resume(w.ctx)
	w.ok(err)
	if diff := cmp.Diff(&first, was); diff != "" {
		t.Errorf("resumed:\n%s", diff)
	}
	if is, err := s.Stopped(w.ctx); is != nil || err != nil {
		t.Errorf("afterwards: %v, %v", is, err)
	}
}

// After a restore, what happened after the backup has to be checked, whether charging was stopped
// before the restore or is stopped again after it.
func TestStop_Restore(t *testing.T) {
	stop := func(w *fixture) error { _, err := w.svc.Switch().Stop(w.ctx, "a doubt"); return err }
	restored := func(w *fixture) error { return w.svc.Switch().StopForRestore(w.ctx) }
	for name, tt := range map[string]struct {
		stops  []func(w *fixture) error
		reason string
	}{
		"stop, then restore": {[]func(w *fixture) error{stop, restored}, "a doubt"},
		"restore, then stop": {[]func(w *fixture) error{restored, stop}, "the database was restored from a backup"},
	} {
		w := newFixture(t)
		for _, do := range tt.stops {
			w.ok(do(w))
		}
		if is, err := w.svc.Switch().Stopped(w.ctx); err != nil || !is.Restored || is.Reason != tt.reason {
			t.Errorf("%s: %+v, %v", name, is, err)
		}
	}
}
