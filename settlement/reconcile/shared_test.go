package reconcile_test

import (
	"context"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// One payment settles one charge: two supporters charged by the same payment are a break.
func TestReconcile_PaymentSharedBySupporters(t *testing.T) {
	o := newFixture(t)
	ana, bob := o.pledge("ana", 2500, sim.CardOK), o.pledge("bob", 2500, sim.CardOK)
	o.now = afterDeadline
	paid := o.pay(ana, 1, 2500)
	o.chargedBy(ana, paid)
	o.chargedBy(bob, paid)
	o.now = afterDeadline.Add(3 * time.Hour)
	r := o.run(0)
	b, found := find(r, reconcile.OtherCharge)
	if !found || b.OrderIDs[0] != bob.OrderID || b.Severity != reconcile.Critical || r.Difference != -2500 {
		t.Errorf("difference %s, breaks %+v", r.Difference, r.Breaks)
	}
}

func TestReconcile_PaymentOfTheOtherMode(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	o.now = afterDeadline
	o.chargedBy(p, o.pay(p, 1, 2500))
	o.now = afterDeadline.Add(3 * time.Hour)
	o.conn.replace = func(p psp.Payment) (psp.Payment, error) {
		p.Mode = psp.Live
		return p, nil
	}
	if diff := gocmp.Diff(1, countByKind(o.run(0))[reconcile.OtherCharge]); diff != "" {
		t.Errorf("breaks (-want +got):\n%s", diff)
	}
}

// Less was captured than was booked for the pledge.
func TestReconcile_AmountReceived(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	o.now = afterDeadline
	o.ok(o.sim.InjectFaults(sim.Fault{Kind: sim.PartialCapture, Op: sim.CreateIntent}))
	o.chargedBy(p, o.pay(p, 1, 2500))
	o.now = afterDeadline.Add(3 * time.Hour)
	r := o.run(0)
	if b, found := find(r, reconcile.AmountDiffers); !found || b.Booked != 2500 ||
		b.Processor != 1250 || r.Difference != -1250 {
		t.Errorf("difference %s, breaks %+v", r.Difference, r.Breaks)
	}
}

// The payment of a charged pledge is missing from the processor's list, although it can be
// read: the totals differ without another finding. While a charge is recent, its payment may
// still appear in the list.
func TestReconcile_TotalsDiffer(t *testing.T) {
	o := newFixture(t)
	o.pledge("ana", 2500, sim.CardOK)
	o.now = afterDeadline
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	honest := o.conn.Processor
	o.conn.Processor = unlisted{honest}
	for _, tt := range []struct {
		after time.Duration
		found int
	}{{0, 0}, {2*time.Hour - time.Second, 0}, {2 * time.Hour, 1}, {3 * time.Hour, 1}} {
		o.now = afterDeadline.Add(tt.after)
		if got := countByKind(o.run(0))[reconcile.TotalsDiffer]; got != tt.found {
			t.Errorf("after %s: %d breaks, want %d", tt.after, got, tt.found)
		}
	}
	o.conn.Processor = honest
	if r := o.run(0); r.OpenBreaks != 0 || r.Difference != 0 {
		t.Errorf("with the payment on the list: %+v", r.Breaks)
	}
}

// unlisted is a processor that lists no payments.
type unlisted struct{ psp.Processor }

func (unlisted) Payments(context.Context, psp.PaymentQuery) (psp.PaymentPage, error) {
	return psp.PaymentPage{}, nil
}

// The break of a supporter who was charged twice closes when one payment is refunded.
func TestReconcile_ChargedTwiceUntilRefunded(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 2500, sim.CardOK)
	o.now = afterDeadline
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	second := o.pay(p, 2, 2500)
	for _, tt := range []struct {
		refund int64
		open   int
	}{{0, 1}, {1000, 1}, {1500, 0}} {
		if tt.refund > 0 {
			_, err := o.sim.Refund(second, money.Cents(tt.refund))
			o.ok(err)
		}
		o.now = o.now.Add(3 * time.Hour)
		r := o.run(0)
		if got := countByKind(r)[reconcile.ChargedTwice]; got != tt.open ||
			tt.open == 0 && (r.OpenBreaks != 0 || r.Difference != 0) {
			t.Errorf("%d cents more refunded: difference %s, breaks %+v", tt.refund, r.Difference, r.Breaks)
		}
	}
}

// A refund of a pledge's payment does not change the amount that was charged.
func TestReconcile_RefundOfABookedPayment(t *testing.T) {
	o := newFixture(t)
	o.pledge("ana", 2500, sim.CardOK)
	o.now = afterDeadline
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	_, err = o.sim.Refund(o.sim.Entries()[0].PaymentID, 2500)
	o.ok(err)
	o.now = afterDeadline.Add(3 * time.Hour)
	if r := o.run(0); r.OpenBreaks != 0 || r.Difference != 0 {
		t.Errorf("difference %s, breaks %+v", r.Difference, r.Breaks)
	}
}
