package settlement

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// watched is a processor that calls a function before each charge.
type watched struct {
	psp.Processor
	look func(psp.NewCharge)
}

func (p watched) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	p.look(c)
	return p.Processor.Charge(ctx, c)
}

// The request is recorded before it is sent to the processor, and the response afterwards in
// the same record: for a success, a decline, an inconclusive answer, and the next attempt.
//
// Proves SET-10, SET-11 and KVR-12.
func TestGroupRecord(t *testing.T) {
	for _, tt := range []struct {
		card     string
		status   state.GroupStatus
		reported psp.Status
	}{
		{sim.CardOK, state.Succeeded, psp.Succeeded},
		{sim.CardChargeDeclined, state.Failed, psp.Declined},
		{sim.CardProcessing + ":3h", state.Submitted, psp.Pending},
	} {
		t.Run(string(tt.reported), func(t *testing.T) { recorded(t, tt.card, tt.status, tt.reported) })
	}
}

func recorded(t *testing.T, card string, status state.GroupStatus, reported psp.Status) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, card)
	w.deadline()
	key := "settlement-group:v1:film:" + state.GroupHash("film", "ana@example.org")
	stored := func() state.Group {
		g, ok, err := kv.Read[state.Group](w.ctx, w.svc.Store, key)
		w.ok(err)
		if !ok {
			t.Fatalf("there is no %s", key)
		}
		return g
	}
	looked := 0
	w.svc.Processor = watched{w.conn, func(c psp.NewCharge) {
		looked++
		for name, g := range map[string]state.Group{"object": *w.group("ana", "film"), "store": stored()} {
			if g.Status != state.Submitted || g.Key != c.Key || g.Amount != c.Amount ||
				g.Attempts != 1 || g.FirstSubmittedAt == nil ||
				g.CustomerID != c.CustomerID || g.PaymentMethodID != c.PaymentMethodID ||
				len(g.Orders) != 1 || g.Orders[0].ID != id {
				t.Errorf("before the charge %+v the %s has %+v", c, name, g)
			}
		}
	}}
	check := func(attempt int, status state.GroupStatus, reported psp.Status) {
		t.Helper()
		g := stored()
		made, err := w.sim.Processor().FindCharge(w.ctx, g.CustomerID, g.Key)
		w.ok(err)
		if looked != attempt || len(made) != 1 {
			t.Fatalf("after attempt %d: %d charges sent, the processor has %+v", attempt, looked, made)
		}
		if g.Generation != attempt || g.Status != status || g.PaymentIntentID != made[0].ID ||
			g.ProcessorStatus != reported || g.Version != 1 || g.Currency != money.USD {
			t.Errorf("the record after attempt %d is %+v", attempt, g)
		}
	}
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	check(1, status, reported)
	if status == state.Failed {
		w.newCard("ana", sim.CardOK, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
		check(2, state.Succeeded, psp.Succeeded)
	}
	w.now = w.now.Add(730*24*time.Hour - time.Minute)
	stored()
	w.now = w.now.Add(2 * time.Minute)
	if _, ok, err := kv.Read[state.Group](w.ctx, w.svc.Store, key); ok || err != nil {
		t.Errorf("the record exists after more than 730 days: %t, %v", ok, err)
	}
	if w.group("ana", "film") == nil {
		t.Error("the object's own record of the group expired")
	}
}

// One payment charges all pledges of a group, even if a batch visits fewer.
//
// Proves SET-17.
func TestSettle_WholeGroup(t *testing.T) {
	w := newFixture(t)
	var ids []string
	for range BatchSize + 5 {
		ids = append(ids, w.pledge("ana", "film", 100, sim.CardOK))
	}
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if books := w.sim.Entries(); len(books) != 1 || books[0].Amount != 3000 {
		t.Fatalf("charged: %+v", books)
	}
	for _, id := range ids {
		if p := w.pledgeByID(id); !p.Charged || p.Status != pledge.Charged ||
			p.PaymentIntentID != w.sim.Entries()[0].PaymentID {
			t.Errorf("%s is %s, charged by %q", id, p.Status, p.PaymentIntentID)
		}
	}
}

// A dry run changes nothing, in any state of the campaign.
//
// Proves SET-22, SET-31 and SET-32.
func TestDryRun_WritesNothing(t *testing.T) {
	w := smallCampaign(t, sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent})
	w.pledge("eve", "film", 600, "none")
	for _, stage := range []string{"before", "half way", "after"} {
		before, sent := w.db.Snapshot(), w.sim.Received("")
		r, err := w.svc.Settle(w.ctx, "film", true)
		w.ok(err)
		if !reflect.DeepEqual(before, w.db.Snapshot()) || w.sim.Received("") != sent {
			t.Errorf("%s: a dry run wrote or made a request", stage)
		}
		if !r.DryRun || r.Preview == nil || r.Result != nil || r.SkippedNoCustomer != 1 {
			t.Errorf("%s: the report is %+v", stage, r)
		}
		if stage == "before" &&
			(r.SupporterCount != 3 || r.PledgeCount != 4 || r.TotalAmount != 4800 || len(r.Supporters) != 3) {
			t.Errorf("before: the report is %+v", r.Preview)
		}
		if stage == "after" && r.SupporterCount != 0 {
			t.Errorf("after: the report is %+v", r.Preview)
		}
		_, err = w.svc.Settle(w.ctx, "film", false)
		w.ok(err)
		w.now = w.now.Add(time.Hour)
	}
}

// A dry run lists every skipped supporter with the reason, including those whose charge is open
// or needs an operator.
//
// Proves SET-32.
func TestDryRun_ListsSkippedSupporters(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardProcessing+":3h")
	w.pledge("bob", "film", 1000, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.pledge("bob", "film", 600, sim.CardOK)
	w.pledge("cleo", "film", 700, "none")
	w.pledge("dan", "film", 800, sim.CardOK)
	r, err := w.svc.Settle(w.ctx, "film", true)
	w.ok(err)
	got := []string{}
	for _, d := range r.Skipped {
		got = append(got, fmt.Sprintf("%s, %s, %s", d.Email, d.Status, d.Reason))
	}
	for _, s := range r.Supporters {
		got = append(got, s.Email+", to be charged")
	}
	slices.Sort(got)
	want := []string{
		"ana@example.org, pending, under_way", "bob@example.org, needs_attention, late_pledge",
		"cleo@example.org, skipped, no_customer", "dan@example.org, to be charged",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves SET-01 and SET-02.
func TestRefusals(t *testing.T) {
	w := newFixture(t)
	entryPoints := map[string]func(slug string) error{
		"settle":   func(slug string) error { _, err := w.svc.Settle(w.ctx, slug, false); return err },
		"dry run":  func(slug string) error { _, err := w.svc.Settle(w.ctx, slug, true); return err },
		"dispatch": func(slug string) error { _, err := w.svc.Dispatch(w.ctx, slug); return err },
		"batch":    func(slug string) error { _, err := w.svc.Batch(w.ctx, BatchRequest{CampaignSlug: slug}); return err },
	}
	all := func(slug string, code fault.Code) {
		t.Helper()
		for name, entry := range entryPoints {
			wantCode(t, name, entry(slug), code)
		}
	}
	w.pledge("ana", "film", 1999, sim.CardOK)
	all("nowhere", fault.NotFound)
	all("film", fault.Conflict)
	w.deadline()
	all("film", fault.Conflict)
	w.ok(w.svc.RetryCard(w.ctx, "film", "ana@example.org"))
	wantCode(t, "retry", w.svc.RetryCard(w.ctx, "nowhere", "ana@example.org"), fault.NotFound)
	wantCode(t, "batch without a campaign", entryPoints["batch"](""), fault.Invalid)
	w.pledge("bob", "film", 1, sim.CardOK)
	wantCode(t, "batch without a job", entryPoints["batch"]("film"), fault.Conflict)
	wantCode(t, "retry without an address", w.svc.RetryCard(w.ctx, "film", "nobody"), fault.Invalid)
	if n := len(w.conn.charges); n != 0 {
		t.Errorf("%d charges were sent", n)
	}
}

// An open checkout withholds the completion marker, and so does a pledge that cannot be charged.
//
// Proves SET-21.
func TestComplete_OpenCheckout(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.svc.Inventory.Hold(w.ctx, "film",
		inventory.Hold{ID: "h", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil))
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if _, ok := w.completedAt("film"); ok || r.CompletedAt != nil {
		t.Error("the campaign is marked as charged while a checkout is open")
	}
	w.pledge("bob", "film", 700, "none")
	w.ok(w.svc.Inventory.Release(w.ctx, "film", "h"))
	w.settle("film", false)
	if _, ok := w.completedAt("film"); ok {
		t.Error("the campaign is marked as charged with an active pledge")
	}
	w.cancel("bob", 0)
	w.runUntilDone()
	if _, ok := w.completedAt("film"); !ok {
		t.Error("the campaign is not marked as charged")
	}
}
