package settlement

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// watched calls a function before each charge.
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
// Proves SET-10, SET-11, KVR-12 and KVR-13.
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
			if g.Status != state.Submitted || g.Key != c.Key || g.Amount != c.Amount || g.Attempts != 1 || g.FirstSubmittedAt == nil ||
				g.CustomerID != c.CustomerID || g.PaymentMethodID != c.PaymentMethodID || len(g.Orders) != 1 || g.Orders[0].ID != id {
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
		if g.Generation != attempt || g.Status != status || g.PaymentIntentID != made[0].ID || g.ProcessorStatus != reported || g.Version != 1 || g.Currency != money.USD {
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
	w.now = w.now.Add(400*24*time.Hour - time.Minute)
	stored()
	w.now = w.now.Add(2 * time.Minute)
	if _, ok, err := kv.Read[state.Group](w.ctx, w.svc.Store, key); ok || err != nil {
		t.Errorf("the record exists after more than 400 days: %t, %v", ok, err)
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
		if p := w.pledgeByID(id); !p.Charged || p.Status != pledge.Charged || p.PaymentIntentID != w.sim.Entries()[0].PaymentID {
			t.Errorf("%s is %s, charged by %q", id, p.Status, p.PaymentIntentID)
		}
	}
}

// Each pledge gets its share of the processor's fee, and the shares add up.
//
// Proves SET-17, PLG-27, PLG-28 and PLG-48.
func TestFinancials(t *testing.T) {
	w := newFixture(t)
	ids := []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledge("ana", "film", 701, sim.CardOK), w.pledge("ana", "film", 333, sim.CardOK)}
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	entry := w.sim.Entries()[0]
	var sum pledge.Financials
	for _, id := range ids {
		p := w.pledgeByID(id)
		if !p.Charged || p.Status != pledge.Charged || p.PaymentIntentID != entry.PaymentID || p.ChargeID != entry.ChargeID ||
			p.BalanceTransactionID == "" || p.ProcessorAvailableAt == nil || p.Financials.Source != "actual" || p.Financials.Gross != p.Amount {
			t.Errorf("a pledge of the payment is %+v with %+v", p, p.Financials)
		}
		stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
		w.ok(err)
		if diff := cmp.Diff(*p, stored); diff != "" {
			t.Errorf("the record of %s (-object +store):\n%s", id, diff)
		}
		sum.Gross += p.Financials.Gross
		sum.Fee += p.Financials.Fee
		sum.Net += p.Financials.Net
	}
	want := pledge.Financials{Gross: 3534, Fee: entry.Fee, Net: entry.Net}
	if diff := cmp.Diff(want, sum); diff != "" || entry.Amount != 3534 {
		t.Errorf("the shares of %s (-want +got):\n%s", entry.Amount, diff)
	}
}

// The processor books a payment after it has answered. The fees are copied later, once, by
// reading only those payments of the campaign; a crash in the meantime is repaired.
//
// Proves REC-06, REC-07 and PLG-48.
func TestFillFinancials(t *testing.T) {
	start := func() *fixture {
		w := newFixture(t)
		w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true, AsyncCapture: true, BookAfter: time.Hour})
		w.conn.Processor = w.sim.Processor()
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.pledge("ana", "film", 701, sim.CardOK)
		w.pledge("bob", "film", 1000, sim.CardOK)
		w.pledge("cleo", "film", 1000, sim.CardChargeDeclined)
		w.pledge("dora", "album", 2500, sim.CardOK)
		w.deadline()
		w.settle("film", false)
		w.settle("album", false)
		return w
	}
	w := start()
	asked := w.sim.Received(sim.RetrieveIntent)
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			t.Errorf("the prefix %q was listed", op.Key)
		}
		return nil
	}
	if f, err := w.svc.FillFinancials(w.ctx, "film", 10); err != nil || f != (Filled{Checked: 2, Pending: true}) {
		t.Errorf("before the processor has the fees: %+v, %v", f, err)
	}
	w.now = w.now.Add(2 * time.Hour)
	if f, err := w.svc.FillFinancials(w.ctx, "film", 1); err != nil || f != (Filled{Checked: 1, Filled: 1, Pending: true}) {
		t.Errorf("one of two: %+v, %v", f, err)
	}
	w.conn.effects = 0
	for _, want := range []Filled{{Checked: 1, Filled: 1}, {}} {
		if f, err := w.svc.FillFinancials(w.ctx, "film", 10); err != nil || f != want {
			t.Errorf("the rest: %+v, %v, want %+v", f, err, want)
		}
	}
	if n := w.sim.Received(sim.RetrieveIntent) - asked; n != 2+1+1 {
		t.Errorf("%d payments were read", n)
	}
	effects := w.conn.effects
	for cut := 0; cut <= 2*effects; cut += stride() {
		w := start()
		w.now = w.now.Add(2 * time.Hour)
		w.conn.effects, w.conn.failAt = 0, cut
		_, _ = w.svc.FillFinancials(w.ctx, "film", 10)
		w.restart()
		w.now = w.now.Add(time.Hour)
		_, err := w.svc.FillFinancials(w.ctx, "film", 10)
		w.ok(err)
		for name, gross := range map[string]money.Cents{"ana": 3201, "bob": 1000} {
			w.checkCopy(name)
			fee, g := sim.Fee(gross), w.group(name, "film")
			want, sum := pledge.Financials{Gross: gross, Fee: fee, Net: gross - fee}, pledge.Financials{}
			if g.BalanceTransactionID == "" || g.AvailableAt == nil || g.Fee != want.Fee || g.Net != want.Net {
				t.Fatalf("cut at %d: the group of %s is %+v", cut, name, g)
			}
			for _, id := range w.pledgesOf[name] {
				p := w.pledgeByID(id)
				stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
				w.ok(err)
				if diff := cmp.Diff(*p, stored); diff != "" || p.Financials.Source != "actual" || p.BalanceTransactionID != g.BalanceTransactionID ||
					p.ProcessorAvailableAt == nil || !p.ProcessorAvailableAt.Equal(*g.AvailableAt) {
					t.Fatalf("cut at %d: %+v %s", cut, p.Financials, diff)
				}
				sum.Gross += p.Financials.Gross
				sum.Fee += p.Financials.Fee
				sum.Net += p.Financials.Net
			}
			if diff := cmp.Diff(want, sum); diff != "" {
				t.Fatalf("cut at %d: the shares of %s (-want +got):\n%s", cut, name, diff)
			}
		}
	}
}

// The fees of a payment are copied even if its supporter turns out to have paid by an earlier
// attempt too and operators have to decide, because its pledges are charged.
func TestFillFinancials_DoubleCharge(t *testing.T) {
	w := newFixture(t)
	w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true, AsyncCapture: true, BookAfter: time.Hour})
	w.conn.Processor = w.sim.Processor()
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	first := *w.group("ana", "film")
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.RecordResult(w.ctx, state.Lease{}, first, state.Result{Status: psp.Succeeded, PaymentID: first.PaymentIntentID, Amount: 2500, Received: 2500, Currency: money.USD})
	w.ok(err)
	w.now = w.now.Add(2 * time.Hour)
	if f, err := w.svc.FillFinancials(w.ctx, "film", 10); err != nil || f != (Filled{Checked: 1, Filled: 1}) {
		t.Errorf("%+v, %v", f, err)
	}
	if p, g := w.pledgeByID(id), w.group("ana", "film"); p.Financials.Fee != sim.Fee(2500) || g.Status != state.NeedsAttention || g.Reason != state.EarlierSucceeded {
		t.Errorf("the pledge has %+v, the group is %s (%s)", p.Financials, g.Status, g.Reason)
	}
}

// Late fees are read in parts, regardless of their number.
func TestFillFinancials_Limit(t *testing.T) {
	w := newFixture(t)
	w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true, AsyncCapture: true, BookAfter: time.Hour})
	w.conn.Processor = w.sim.Processor()
	w.run([]string{"crowd", "60", "film", "1000"})
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(2 * time.Hour)
	for _, want := range []Filled{{Checked: 30, Filled: 30, Pending: true}, {Checked: 26, Filled: 26, Pending: true}, {Checked: 4, Filled: 4}, {}} {
		if f, err := w.svc.FillFinancials(w.ctx, "film", max(want.Checked, 5)); err != nil || f != want {
			t.Errorf("%+v, %v, want %+v", f, err, want)
		}
	}
}

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
		if stored.Status != state.JobRunning || stored.EndedAt != nil || stored.Cursor == "" || stored.TotalCharged != len(w.conn.charges) {
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
	if job.Status != state.JobDone || job.Processed != 60 || job.Total != 60 || job.TotalCharged != 60 || job.AmountCharged != 60_000 ||
		job.BatchesCompleted != 3 || job.EndedAt == nil || job.StaleResumeCount != 0 {
		t.Errorf("the job ends as %+v", job)
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
		w.ok(w.sim.Order(fault))
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
		if p.Progress.StaleResumeCount != tt.stale || stored.StaleResumeCount != tt.stale || p.Progress.BatchesCompleted != i+1 {
			t.Errorf("batch %d: %+v, the record has %d stale resumptions", i+1, p.Progress, stored.StaleResumeCount)
		}
	}
	if n := strings.Count(log.String(), "unreachable"); n != 4 || strings.Count(log.String(), "\n") != n { // the fifth batch is the last
		t.Errorf("the log has the reason %d times:\n%s", n, log.String())
	}
}

// nextBatch runs the next batch of a job.
func (w *fixture) nextBatch(ctx context.Context, slug string) (Progress, error) {
	return w.svc.Batch(ctx, BatchRequest{CampaignSlug: slug})
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
		if stage == "before" && (r.SupporterCount != 3 || r.PledgeCount != 4 || r.TotalAmount != 4800 || len(r.Supporters) != 3) {
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
	w.ok(w.svc.Inventory.Hold(w.ctx, "film", inventory.Hold{ID: "h", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil))
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
