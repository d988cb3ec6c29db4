package compose_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// A search recorded while the clock was wrong does not delay the next one.
func TestLostOrders_AfterWrongClock(t *testing.T) {
	h := newHost(t, memory.Options{})
	h.Services.Config.Settlement.Reconcile = true
	const key = "cron:lostOrders"
	if err := kv.Save(t.Context(), h.Services.Stores.Pledges, key,
		map[string]any{"at": h.Now().AddDate(0, 0, 40)}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Services.Cron(t.Context()); err != nil {
		t.Fatal(err)
	}
	last, _, err := kv.Read[struct{ At time.Time }](t.Context(), h.Services.Stores.Pledges, key)
	if err != nil || !last.At.Equal(h.Now()) {
		t.Errorf("last search at %s, %v, want %s", last.At, err, h.Now())
	}
}

// A card saved before a restore, whose order the database has lost, is a break in the campaign's
// books until an operator resolves it. A single search does not open a break, because the order may
// be in progress.
//
// Proves REC-20.
func TestLostOrders_OpenBreak(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, memory.Options{})
	h.Services.Config.Settlement.Reconcile = true
	cron := func(d time.Duration) {
		t.Helper()
		h.Advance(d)
		if _, err := h.Services.Cron(ctx); err != nil {
			t.Fatal(err)
		}
	}
	breaks := func() (found []string) {
		t.Helper()
		r, err := h.Services.Reconcile.Report(ctx, game)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r.Breaks {
			found = append(found, string(b.Kind)+" "+string(b.Severity)+" "+b.OrderIDs[0]+" "+b.Processor.String())
		}
		return found
	}
	pledge := func(email string) checkout.Started {
		t.Helper()
		started, err := h.Pledge(ctx, checkout.StartRequest{Email: email, Cart: bigCart()}, "")
		if err != nil {
			t.Fatal(err)
		}
		return started
	}
	want := func(when string, lost ...checkout.Started) {
		t.Helper()
		var all []string
		for _, s := range lost {
			all = append(all, string(reconcile.OrderLost)+" warning "+s.OrderID+" "+s.Amount.String())
		}
		if diff := cmp.Diff(all, breaks()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}

	pledge("kept@example.com")
	cron(time.Hour)
	backup := h.DB.Snapshot()
	first := pledge("first@example.com")
	cron(7 * time.Hour)
	want("nothing is lost")
	h.DB.Restore(backup)
	cron(7 * time.Hour)
	want("after one look")
	cron(time.Hour)
	want("before the next search is due")
	cron(7 * time.Hour)
	want("after two looks", first)
	for range 5 { // longer than a search reaches back
		cron(7 * time.Hour)
	}
	want("a day later", first)
	if r, err := h.Services.Reconcile.Report(ctx, game); err != nil || r.OpenBreaks != 1 || r.Critical != 0 {
		t.Errorf("%d open breaks, %d critical: %v", r.OpenBreaks, r.Critical, err)
	}
	if err := h.Services.Checkout.AskToPledgeAgain(ctx, first.SessionID); err != nil {
		t.Fatal(err)
	}
	cron(7 * time.Hour)
	want("after the supporter was asked to pledge again")
}
