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

var night = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC) // two hours after the deadline

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

// A payment is compared with all the pledges that it charged, and with no others of their
// supporter.
//
// Proves REC-14.
func TestAmounts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		pledges  []money.Cents
		payments []money.Cents // 0: the pledge is charged by the first
		booked   money.Cents   // of the expected break, if any
	}{
		{"two by one payment", []money.Cents{2500, 700}, []money.Cents{3200, 0}, 0},
		{"two by one that lacks a cent", []money.Cents{2500, 700}, []money.Cents{3199, 0}, 3200},
		{"two by one with a cent more", []money.Cents{2500, 700}, []money.Cents{3201, 0}, 3200},
		{"each by its own", []money.Cents{2500, 700}, []money.Cents{2500, 700}, 0},
		{"one of the two by too much", []money.Cents{2500, 700}, []money.Cents{3200, 700}, 2500},
	} {
		o := newOffice(t)
		o.now = night
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
		o.pledge("ana", 900, sim.CardOK) // which is not charged
		r := o.run(0)
		b, found := find(r, reconcile.AmountDiffers)
		if found != (tt.booked > 0) || found != (r.OpenBreaks > 0) || b.Booked != tt.booked || found && (b.Processor != tt.payments[0] || b.PaymentID != first) {
			t.Errorf("%s: %+v", tt.name, b)
		}
	}
}

// The payment of a charged pledge has succeeded or is a break, whatever else its status is. So is
// a payment that the processor does not have or refuses to return.
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
		o := newOffice(t)
		p := o.pledge("ana", 2500, sim.CardOK)
		o.now = night
		paid := o.pay(p, 1, 2500)
		o.chargedBy(p, paid)
		o.wire.says = func(p psp.Payment) (psp.Payment, error) {
			if tt.code != "" {
				return psp.Payment{}, fault.New(tt.code, "There is no such payment")
			}
			p.Status = tt.status
			return p, nil
		}
		r := o.run(0)
		b, found := find(r, tt.want)
		if found != (tt.want != "") || found != (r.OpenBreaks > 0) || found && (b.PaymentID != paid || !slices.Equal(b.OrderIDs, []string{p.OrderID}) || b.Booked != 2500) {
			t.Errorf("%s%s: %+v", tt.status, tt.code, r.Breaks)
		}
		if o.wire.says = nil; found {
			later := o.run(0)
			if stored, _, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key()); later.OpenBreaks != 0 || err != nil || stored.Status != reconcile.Resolved {
				t.Errorf("%s%s, put right: %+v, %v", tt.status, tt.code, stored, err)
			}
		}
	}
}

// A payment has two hours until its pledges have to record it.
func TestTimeForTelling(t *testing.T) {
	o := newOffice(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	o.now = night
	paid := o.pay(p, 1, 2500)
	for _, tt := range []struct {
		after  time.Duration
		breaks int
	}{{2*time.Hour - time.Second, 0}, {2 * time.Hour, 1}} {
		o.now = night.Add(tt.after)
		if r := o.run(0); r.OpenBreaks != tt.breaks || r.Processor != 2500 || r.Booked != 0 || tt.breaks > 0 && r.Breaks[0].PaymentID != paid {
			t.Errorf("after %s: %+v", tt.after, r)
		}
	}
}

// unheard returns an office in which a charge succeeded without being booked, with the charge's
// group at rest.
func unheard(t *testing.T) (o *office, id string) {
	o = newOffice(t)
	id = o.pledge("ana", 2500, sim.CardOK).OrderID
	o.now = night
	o.ok(o.sim.Order(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
	o.wire.deaf = true
	defer func() { o.wire.deaf = false }()
	if _, err := o.settle.Settle(ctx, "film", false); err != nil || len(o.sim.Entries()) != 1 {
		t.Fatalf("%v, %+v", err, o.sim.Entries())
	}
	o.now = o.now.Add(3 * time.Hour)
	return o, id
}

// A payment that its group records counts as not booked while one of its pledges differs: it is
// not charged, charged by another payment, or missing.
//
// Proves REC-13.
func TestPledgesThatSayOtherwise(t *testing.T) {
	for name, plant := range map[string]func(o *office, id string){
		"not charged": func(*office, string) {},
		"not charged, though its group is": func(o *office, id string) {
			o.fail = func(op memkv.Op) error {
				if op.Kind == memkv.OpDo && op.Command.Kind == "charge" {
					return fault.New(fault.Unavailable, "The database is gone")
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
		"charged by another payment": func(o *office, id string) {
			p, err := o.rec.Orders.Pledge(ctx, id)
			o.ok(err)
			o.chargedBy(p, "pi_other")
		},
		"not there": func(o *office, id string) {
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
		o, id := unheard(t)
		plant(o, id)
		b, found := find(o.run(0), reconcile.NotBooked)
		if !found || !slices.Equal(b.OrderIDs, []string{id}) || b.PaymentID != o.sim.Entries()[0].PaymentID || b.Booked != 2500 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// A pledge that was claimed by a run that crashed before its charge is not a break.
func TestClaimedAndNoMore(t *testing.T) {
	o := newOffice(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	_, err := o.rec.Orders.Claim(ctx, p.OrderID, state.GroupHash("film", p.Email), 1)
	o.ok(err)
	o.now = night.Add(3 * time.Hour)
	if r := o.run(0); r.OpenBreaks != 0 || r.Checked != 1 {
		t.Errorf("%+v", r)
	}
}

// A run crashes at each of its reads and effects in turn and returns an error; the next run has
// the same result, and so do the records.
func TestCrash(t *testing.T) {
	n, at := 0, 0
	fail := func(op memkv.Op) error {
		if n++; n == at {
			return fault.New(fault.Unavailable, "The database is gone")
		}
		return nil
	}
	plant := func() *office {
		o, _ := unheard(t)
		o.chargedBy(o.pledge("nameless", 2500, sim.CardOK), "")
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

// However many breaks there are, all are kept and counted, two hundred are shown, and all are
// resolved when they are gone.
//
// Proves REC-20.
func TestManyBreaks(t *testing.T) {
	const many = 230
	o := newOffice(t)
	if r, err := o.rec.Report(ctx, "film"); err != nil || r.Truncated || r.Attempted || r.ReconciledAt != nil {
		t.Errorf("before the first run: %+v, %v", r, err)
	}
	o.now = night
	for i := range many {
		p := o.pledge(fmt.Sprintf("fan%d", i), 2500, sim.CardOK)
		o.chargedBy(p, o.pay(p, 1, 2500))
	}
	o.wire.lost = true
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
	o.wire.lost = false
	o.now = o.now.Add(time.Hour)
	if again := o.run(0); again.OpenBreaks != 0 || len(again.Breaks) != 0 || again.OldestBreak != nil {
		t.Errorf("an hour later %d breaks are open", again.OpenBreaks)
	}
	for _, b := range r.Breaks {
		if stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key()); err != nil || !ok || stored.Status != reconcile.Resolved {
			t.Fatalf("the record of %s: %+v, %v", b.Key(), stored, err)
		}
	}
}

// A break that is found again while its record is written has the record written again.
func TestTwoRunsAtOnce(t *testing.T) {
	o := newOffice(t)
	o.now = night
	o.chargedBy(o.pledge("nameless", 2500, sim.CardOK), "")
	o.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && !op.After && op.Command.Kind == "reconcile-copied" {
			o.fail = func(op memkv.Op) error { // the other run crashes before it writes anything
				if op.Kind == memkv.OpPut {
					return fault.New(fault.Unavailable, "The machine is gone")
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

// A run whose pass was continued by another run does not count.
func TestOvertaken(t *testing.T) {
	for _, tt := range []struct {
		name    string
		own     int // payments that the run reads
		others  func(o *office)
		checked int
		pass    int
	}{
		{"by one that did its part", 500, func(o *office) { o.run(1) }, 1, 1},
		{"by one that went further", 1, func(o *office) { o.run(500) }, 3, 1},
		{"by the next pass", 1, func(o *office) {
			o.run(500)
			o.fail = func(op memkv.Op) error {
				if op.Kind == memkv.OpDo && op.Command.Kind == "reconcile-note" {
					return fault.New(fault.Unavailable, "The machine is gone")
				}
				return nil
			}
			if _, err := o.rec.Run(ctx, "film", 500); !fault.Is(err, fault.Unavailable) {
				t.Errorf("the run that dies: %v", err)
			}
			o.fail = nil
		}, 0, 2},
	} {
		o := newOffice(t)
		o.now = night
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
