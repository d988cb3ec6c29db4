package reconcile_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

var afterDeadline = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC) // by two hours

// find returns the open break of a kind, if there is exactly one.
func find(r reconcile.Report, kind reconcile.Kind) (found reconcile.Break, ok bool) {
	n := 0
	for _, b := range r.Breaks {
		if b.Kind == kind {
			found, n = b, n+1
		}
	}
	return found, n == 1
}

// A payment is compared with all the pledges that it charged, and not with the supporter's
// other pledges.
//
// Proves REC-14.
func TestAmounts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		pledges  []money.Cents
		payments []money.Cents // 0: the first payment charges the pledge too
		booked   money.Cents   // of the expected break, if any
	}{
		{"two pledges, one payment", []money.Cents{2500, 700}, []money.Cents{3200, 0}, 0},
		{"two pledges, payment a cent short", []money.Cents{2500, 700}, []money.Cents{3199, 0}, 3200},
		{"two pledges, payment a cent over", []money.Cents{2500, 700}, []money.Cents{3201, 0}, 3200},
		{"each by its own", []money.Cents{2500, 700}, []money.Cents{2500, 700}, 0},
		{"two payments, one of them too large", []money.Cents{2500, 700}, []money.Cents{3200, 700}, 2500},
	} {
		o := newFixture(t)
		o.now = afterDeadline
		var first string
		for i, amount := range tt.pledges {
			p, by := o.pledge("ana", amount, sim.CardOK), first
			if tt.payments[i] > 0 {
				by = o.pay(p, i+1, tt.payments[i])
			}
			o.chargedBy(p, by)
			if first == "" {
				first = by
			}
		}
		o.pledge("ana", 900, sim.CardOK) // not charged
		r := o.run(0)
		b, found := find(r, reconcile.AmountDiffers)
		if found != (tt.booked > 0) || found != (r.OpenBreaks > 0) || b.Booked != tt.booked ||
			found && (b.Processor != tt.payments[0] || b.PaymentID != first) {
			t.Errorf("%s: %+v", tt.name, b)
		}
	}
}

// The payment of a charged pledge must have succeeded; with any other status it is a break. A
// payment that the processor does not have, or refuses to return, is a break too.
//
// Proves REC-12, REC-16 and REC-20.
func TestPaymentsOfChargedPledges(t *testing.T) {
	for _, tt := range []struct {
		status psp.Status
		code   fault.Code
		want   reconcile.Kind
	}{
		{status: psp.Succeeded},
		{status: psp.Declined, want: reconcile.NotSucceeded},
		{status: psp.NeedsAction, want: reconcile.NotSucceeded},
		{status: psp.Canceled, want: reconcile.NotSucceeded},
		{status: psp.Pending, want: reconcile.NotSucceeded},
		{status: psp.Unknown, want: reconcile.NotSucceeded},
		{code: fault.NotFound, want: reconcile.Unavailable},
		{code: fault.Invalid, want: reconcile.Unavailable},
	} {
		o := newFixture(t)
		p := o.pledge("ana", 2500, sim.CardOK)
		o.now = afterDeadline
		paid := o.pay(p, 1, 2500)
		o.chargedBy(p, paid)
		o.conn.replace = func(p psp.Payment) (psp.Payment, error) {
			if tt.code != "" {
				return psp.Payment{}, fault.New(tt.code, "There is no such payment")
			}
			p.Status = tt.status
			return p, nil
		}
		r := o.run(0)
		b, found := find(r, tt.want)
		if found != (tt.want != "") || found != (r.OpenBreaks > 0) ||
			found && (b.PaymentID != paid || !slices.Equal(b.OrderIDs, []string{p.OrderID}) || b.Booked != 2500) {
			t.Errorf("%s%s: %+v", tt.status, tt.code, r.Breaks)
		}
		if o.conn.replace = nil; found {
			later := o.run(0)
			if stored, _, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key()); later.OpenBreaks != 0 ||
				err != nil || stored.Status != reconcile.Resolved {
				t.Errorf("%s%s, corrected: %+v, %v", tt.status, tt.code, stored, err)
			}
		}
	}
}

// A payment is not a break until its pledges had two hours to record it.
func TestReconcile_BookingTime(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	o.now = afterDeadline
	paid := o.pay(p, 1, 2500)
	for _, tt := range []struct {
		after  time.Duration
		breaks int
	}{{2*time.Hour - time.Second, 0}, {2 * time.Hour, 1}} {
		o.now = afterDeadline.Add(tt.after)
		if r := o.run(0); r.OpenBreaks != tt.breaks || r.Processor != 2500 || r.Booked != 0 ||
			tt.breaks > 0 && r.Breaks[0].PaymentID != paid {
			t.Errorf("after %s: %+v", tt.after, r)
		}
	}
}

// unbookedPayment returns a fixture in which a charge succeeded without being booked, three
// hours ago, and the charged pledge's ID.
func unbookedPayment(t *testing.T) (o *fixture, id string) {
	o = newFixture(t)
	id = o.pledge("ana", 2500, sim.CardOK).OrderID
	o.now = afterDeadline
	o.ok(o.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
	o.conn.lookupsFail = true
	defer func() { o.conn.lookupsFail = false }()
	if _, err := o.settle.Settle(ctx, "film", false); err != nil || len(o.sim.Entries()) != 1 {
		t.Fatalf("%v, %+v", err, o.sim.Entries())
	}
	o.now = o.now.Add(3 * time.Hour)
	return o, id
}

// A payment counts as not booked while one of its pledges differs, even if its group records
// it: the pledge is not charged, charged by another payment, or missing.
//
// Proves REC-13.
func TestReconcile_PledgeDiffersFromGroup(t *testing.T) {
	for name, plant := range map[string]func(o *fixture, id string){
		"not charged": func(*fixture, string) {},
		"not charged although its group is": func(o *fixture, id string) {
			o.fail = func(op memkv.Op) error {
				if op.Kind == memkv.OpDo && op.Command.Kind == "charge" {
					return fault.New(fault.Unavailable, "The database does not answer")
				}
				return nil
			}
			_, err := o.settle.Settle(ctx, "film", false)
			o.ok(err)
			p, err := o.rec.Orders.Pledge(ctx, id)
			o.ok(err)
			g, err := o.settle.Group(ctx, "film", p.Settlement.Group)
			if err != nil || g.Status != state.Succeeded || p.Charged {
				o.Fatalf("the group is %+v, the pledge %s, %v", g, p.Status, err)
			}
		},
		"charged by another payment": func(o *fixture, id string) {
			p, err := o.rec.Orders.Pledge(ctx, id)
			o.ok(err)
			o.chargedBy(p, "pi_other")
		},
		"missing": func(o *fixture, id string) {
			reads := 0
			o.fail = func(op memkv.Op) error {
				if op.Kind == memkv.OpQuery && op.Command.Kind == "get-pledge" && op.Object.Name == id {
					if reads++; reads == 1 {
						return fault.New(fault.NotFound, "There is no such pledge")
					}
				}
				return nil
			}
		},
	} {
		o, id := unbookedPayment(t)
		plant(o, id)
		b, found := find(o.run(0), reconcile.NotBooked)
		if !found || !slices.Equal(b.OrderIDs, []string{id}) || b.PaymentID != o.sim.Entries()[0].PaymentID ||
			b.Booked != 2500 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// A pledge that was claimed by a run that crashed before its charge is not a break.
func TestReconcile_ClaimedPledge(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	_, err := o.rec.Orders.Claim(ctx, p.OrderID, state.GroupHash("film", p.Email), 1)
	o.ok(err)
	o.now = afterDeadline.Add(3 * time.Hour)
	if r := o.run(0); r.OpenBreaks != 0 || r.Checked != 1 {
		t.Errorf("%+v", r)
	}
}

// A run crashes at each of its reads and effects in turn and returns an error. The next run
// has the same result and writes the same records.
func TestReconcile_CrashAnywhere(t *testing.T) {
	n, at := 0, 0
	fail := func(op memkv.Op) error {
		if n++; n == at {
			return fault.New(fault.Unavailable, "The database does not answer")
		}
		return nil
	}
	plant := func() *fixture {
		o, _ := unbookedPayment(t)
		o.chargedBy(o.pledge("bob", 2500, sim.CardOK), "")
		n, o.fail = 0, fail
		return o
	}
	at = 0
	o := plant()
	want := countByKind(o.run(0))
	effects := n
	for at = 1; at <= effects; at++ {
		o := plant()
		if r, err := o.rec.Run(ctx, "film", 0); !fault.Is(err, fault.Unavailable) {
			t.Errorf("effect %d of %d fails: %v, %+v", at, effects, err, r)
		}
		o.now = o.now.Add(time.Hour)
		r := o.run(0)
		if diff := gocmp.Diff(want, countByKind(r)); diff != "" {
			t.Errorf("after effect %d of %d failed (-want +got):\n%s", at, effects, diff)
		}
		for _, b := range r.Breaks {
			stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key())
			if diff := gocmp.Diff(b, stored); err != nil || !ok || diff != "" || b.Occurrences > 2 {
				t.Errorf("after effect %d of %d failed, the record: %v %s", at, effects, err, diff)
			}
		}
	}
	if len(want) != 2 || effects < 10 {
		t.Errorf("%d effects, %v", effects, want)
	}
}

// However many breaks there are, all are stored and counted, two hundred are shown, and all
// are resolved when their causes are gone.
//
// Proves REC-20.
func TestReconcile_ManyBreaks(t *testing.T) {
	const many = 230
	o := newFixture(t)
	if r, err := o.rec.Report(ctx, "film"); err != nil || r.Truncated || r.Attempted || r.ReconciledAt != nil {
		t.Errorf("before the first run: %+v, %v", r, err)
	}
	o.now = afterDeadline
	for i := range many {
		p := o.pledge(fmt.Sprintf("fan%d", i), 2500, sim.CardOK)
		o.chargedBy(p, o.pay(p, 1, 2500))
	}
	o.conn.notFound = true
	written := 0
	o.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && !op.After {
			written++
		}
		return nil
	}
	r := o.run(0)
	if written != many {
		t.Errorf("%d records are written", written)
	}
	if r.OpenBreaks != many || r.Critical != many || len(r.Breaks) != 200 || !r.OldestBreak.Equal(o.now) {
		t.Errorf("%d breaks, %d critical, %d shown, the oldest of %s", r.OpenBreaks, r.Critical, len(r.Breaks), r.OldestBreak)
	}
	o.conn.notFound = false
	o.now = o.now.Add(time.Hour)
	if again := o.run(0); again.OpenBreaks != 0 || len(again.Breaks) != 0 || again.OldestBreak != nil {
		t.Errorf("an hour later %d breaks are open", again.OpenBreaks)
	}
	for _, b := range r.Breaks {
		if stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key()); err != nil ||
			!ok || stored.Status != reconcile.Resolved {
			t.Fatalf("the record of %s: %+v, %v", b.Key(), stored, err)
		}
	}
}

// If a break is found again while its record is being written, the record is written again.
func TestReconcile_ConcurrentRuns(t *testing.T) {
	o := newFixture(t)
	o.now = afterDeadline
	o.chargedBy(o.pledge("bob", 2500, sim.CardOK), "")
	o.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && !op.After && op.Command.Kind == "reconcile-copied" {
			o.fail = func(op memkv.Op) error { // the other run crashes before it writes anything
				if op.Kind == memkv.OpPut {
					return fault.New(fault.Unavailable, "The machine does not answer")
				}
				return nil
			}
			_, err := o.rec.Run(ctx, "film", 0)
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("the other run: %v", err)
			}
			o.fail = nil
		}
		return nil
	}
	r := o.run(0)
	stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[0].Key())
	if diff := gocmp.Diff(r.Breaks[0], stored); err != nil || !ok || diff != "" || stored.Occurrences != 2 {
		t.Errorf("the record: %v %s", err, diff)
	}
}

// A run is not counted if another run continued its pass in the meantime.
func TestReconcile_OvertakenRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		own     int // payments that the run reads
		others  func(o *fixture)
		checked int
		pass    int
	}{
		{"by a run of the same part", 500, func(o *fixture) { o.run(1) }, 1, 1},
		{"by a run of more parts", 1, func(o *fixture) { o.run(500) }, 3, 1},
		{"by the next pass", 1, func(o *fixture) {
			o.run(500)
			o.fail = func(op memkv.Op) error {
				if op.Kind == memkv.OpDo && op.Command.Kind == "reconcile-note" {
					return fault.New(fault.Unavailable, "The machine does not answer")
				}
				return nil
			}
			if _, err := o.rec.Run(ctx, "film", 500); !fault.Is(err, fault.Unavailable) {
				t.Errorf("the run that crashes: %v", err)
			}
			o.fail = nil
		}, 0, 2},
	} {
		o := newFixture(t)
		o.now = afterDeadline
		for range 3 {
			p := o.pledge("ana", 2500, sim.CardOK)
			o.chargedBy(p, o.pay(p, o.orders, 2500))
		}
		o.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && !op.After && op.Command.Kind == "reconcile-note" {
				o.fail = nil
				tt.others(o)
			}
			return nil
		}
		if r := o.run(tt.own); r.Checked != tt.checked || r.Pass != tt.pass || r.Truncated == (tt.checked == 3) {
			t.Errorf("overtaken %s: %+v", tt.name, r)
		}
	}
}
