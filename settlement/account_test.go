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

// otherAccount is a processor with a configurable account, mode and clock difference.
type otherAccount struct {
	psp.Processor
	mode   psp.Mode
	id     string
	off    time.Duration
	silent bool
	calls  int
}

func (t *otherAccount) Mode() psp.Mode { return t.mode }

func (t *otherAccount) Account(ctx context.Context) (psp.Account, error) {
	t.calls++
	if t.silent {
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
		processor otherAccount
		code      fault.Code // "" means charged
		text      string
	}{
		"same account": {otherAccount{mode: psp.Test, id: ours}, "", ""},
		"another account": {otherAccount{mode: psp.Test, id: "acct_other"}, fault.Conflict,
			"belongs to the account acct_simulated, mode test"},
		"another mode": {otherAccount{mode: psp.Live, id: ours}, fault.Conflict,
			"belongs to the account acct_simulated, mode test"},
		"no answer": {otherAccount{mode: psp.Test, silent: true},
			fault.Unavailable, "returned no account"},
		"clock ahead": {otherAccount{mode: psp.Test, id: ours, off: -15*time.Minute - 2*time.Second},
			fault.Conflict, "15m"},
		"clock behind": {otherAccount{mode: psp.Test, id: ours, off: 15*time.Minute + 2*time.Second},
			fault.Conflict, "15m"},
		"clock ahead by the allowed error":  {otherAccount{mode: psp.Test, id: ours, off: -15 * time.Minute}, "", ""},
		"clock behind by the allowed error": {otherAccount{mode: psp.Test, id: ours, off: 15 * time.Minute}, "", ""},
		"clock a month behind": {otherAccount{mode: psp.Test, id: ours, off: 31 * 24 * time.Hour},
			fault.Conflict, "744h"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			tt.processor.Processor = w.conn
			w.svc.Processor = &tt.processor
			for _, entry := range []string{"settle", "chain"} {
				_, err := w.enter(entry)
				if fault.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.text) {
					t.Fatalf("%s: %v", entry, err)
				}
			}
			if n := len(w.conn.charges); (n == 1) != (tt.code == "") {
				t.Errorf("%d charges were sent", n)
			}
			if calls := tt.processor.calls; (calls == 0) != (tt.processor.mode == psp.Live) {
				t.Errorf("the account was requested %d times", calls)
			}
		})
	}
}

// The first Bind ties the database to an account; later calls do not change it.
func TestBind_FirstUse(t *testing.T) {
	w := newFixture(t)
	before, err := w.svc.platform().Account(w.ctx)
	w.ok(err)
	if before == nil || before.ID != "acct_simulated" || before.Mode != psp.Test || !before.At.Equal(w.now) {
		t.Fatalf("%+v", before)
	}
	w.now = w.now.Add(time.Hour)
	_, err = w.svc.Bind(w.ctx)
	w.ok(err)
	w.svc.Processor = &otherAccount{Processor: w.conn, mode: psp.Test, id: "acct_other"}
	_, err = w.svc.Bind(w.ctx)
	wantCode(t, "another account", err, fault.Conflict)
	after, err := w.svc.platform().Account(w.ctx)
	w.ok(err)
	if *after != *before {
		t.Errorf("%+v, and then %+v", before, after)
	}
}

// Bind returns the processor's time. It fails if the database did not store the account.
func TestBind_ReturnsProcessorTime(t *testing.T) {
	w := newFixture(t)
	w.db.Restore(memkv.Snapshot{})
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == "bind" {
			return errDisconnected
		}
		return nil
	}
	if _, err := w.svc.Bind(w.ctx); err == nil {
		t.Error("Bind succeeded without storing the account")
	}
	w.conn.watch = nil
	if at, err := w.svc.Bind(w.ctx); err != nil || !at.Equal(w.now) {
		t.Errorf("the processor's time is %s, %v, want %s", at, err, w.now)
	}
}

// If two servers with different keys use a new database at once, the first one's account is kept.
func TestBind_ConcurrentFirstUses(t *testing.T) {
	w := newFixture(t)
	w.db.Restore(memkv.Snapshot{})
	first := w.service()
	w.svc.Processor = &otherAccount{Processor: w.conn, mode: psp.Test, id: "acct_other"}
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind != "bind" {
			return nil
		}
		w.conn.watch = nil
		_, err := first.Bind(w.ctx)
		return err
	}
	_, err := w.svc.Bind(w.ctx)
	wantCode(t, "the second server", err, fault.Conflict)
	if a, err := w.svc.platform().Account(w.ctx); err != nil || a.ID != "acct_simulated" {
		t.Errorf("the database belongs to %+v, %v", a, err)
	}
}
