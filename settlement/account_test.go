package settlement

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// teller is a processor that reports another account, mode or time.
type teller struct {
	psp.Processor
	mode  psp.Mode
	id    string
	off   time.Duration
	deaf  bool
	asked int
}

func (t *teller) Mode() psp.Mode { return t.mode }

func (t *teller) Account(ctx context.Context) (psp.Account, error) {
	t.asked++
	if t.deaf {
		return psp.Account{}, fault.New(fault.Unavailable, "The processor did not answer")
	}
	a, err := t.Processor.Account(ctx)
	a.ID, a.At = t.id, a.At.Add(t.off)
	return a, err
}

// A database belongs to one account in one mode, and charges need a correct clock.
func TestBind_AccountModeAndClock(t *testing.T) {
	const ours = "acct_simulated"
	for name, tt := range map[string]struct {
		teller teller
		code   fault.Code // "" means charged
		says   string
	}{
		"as it was":                {teller{mode: psp.Test, id: ours}, "", ""},
		"another account":          {teller{mode: psp.Test, id: "acct_other"}, fault.Conflict, "belongs to the account acct_simulated, mode test"},
		"another mode":             {teller{mode: psp.Live, id: ours}, fault.Conflict, "belongs to the account acct_simulated, mode test"},
		"no answer":                {teller{mode: psp.Test, deaf: true}, fault.Unavailable, "returned no account"},
		"a clock that is ahead":    {teller{mode: psp.Test, id: ours, off: -15*time.Minute - 2*time.Second}, fault.Conflict, "15m"},
		"a clock that is behind":   {teller{mode: psp.Test, id: ours, off: 15*time.Minute + 2*time.Second}, fault.Conflict, "15m"},
		"a clock a little ahead":   {teller{mode: psp.Test, id: ours, off: -15 * time.Minute}, "", ""},
		"a clock a little behind":  {teller{mode: psp.Test, id: ours, off: 15 * time.Minute}, "", ""},
		"a clock of another month": {teller{mode: psp.Test, id: ours, off: 31 * 24 * time.Hour}, fault.Conflict, "744h"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			tt.teller.Processor = w.line
			w.svc.Processor = &tt.teller
			for _, door := range []string{"settle", "chain"} {
				_, err := w.enter(door)
				if fault.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
					t.Fatalf("%s: %v", door, err)
				}
			}
			if n := len(w.line.charges); (n == 1) != (tt.code == "") {
				t.Errorf("%d charges were sent", n)
			}
			if asked := tt.teller.asked; (asked == 0) != (tt.teller.mode == psp.Live) {
				t.Errorf("the processor was asked %d times", asked)
			}
		})
	}
}

// The first use ties the database to an account, later ones do not.
func TestBind_FirstUse(t *testing.T) {
	w := newWorld(t)
	before, err := w.svc.platform().Account(w.ctx)
	w.ok(err)
	if before == nil || before.ID != "acct_simulated" || before.Mode != psp.Test || !before.At.Equal(w.now) {
		t.Fatalf("%+v", before)
	}
	w.now = w.now.Add(time.Hour)
	_, err = w.svc.Bind(w.ctx)
	w.ok(err)
	w.svc.Processor = &teller{Processor: w.line, mode: psp.Test, id: "acct_other"}
	_, err = w.svc.Bind(w.ctx)
	wantCode(t, "another account", err, fault.Conflict)
	after, err := w.svc.platform().Account(w.ctx)
	w.ok(err)
	if *after != *before {
		t.Errorf("%+v, and then %+v", before, after)
	}
}

// The first use also returns the processor's time and allows charging, unless the database did
// not store the account.
func TestBind_ReturnsProcessorTime(t *testing.T) {
	w := newWorld(t)
	w.db.Restore(memkv.Snapshot{})
	w.line.watch = func(op memkv.Op) error {
		if op.Command.Kind == "bind" {
			return errCut
		}
		return nil
	}
	if _, err := w.svc.Bind(w.ctx); err == nil {
		t.Error("it is bound, and nobody wrote it down")
	}
	w.line.watch = nil
	if at, err := w.svc.Bind(w.ctx); err != nil || !at.Equal(w.now) {
		t.Errorf("the processor's time is %s, %v, want %s", at, err, w.now)
	}
}

// If two servers with different keys use a new database at once, the first one's account is kept.
func TestBind_ConcurrentFirstUses(t *testing.T) {
	w := newWorld(t)
	w.db.Restore(memkv.Snapshot{})
	first := w.service()
	w.svc.Processor = &teller{Processor: w.line, mode: psp.Test, id: "acct_other"}
	w.line.watch = func(op memkv.Op) error {
		if op.Command.Kind != "bind" {
			return nil
		}
		w.line.watch = nil
		_, err := first.Bind(w.ctx)
		return err
	}
	_, err := w.svc.Bind(w.ctx)
	wantCode(t, "the second", err, fault.Conflict)
	if a, err := w.svc.platform().Account(w.ctx); err != nil || a.ID != "acct_simulated" {
		t.Errorf("it belongs to %+v, %v", a, err)
	}
}
