package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// Double charges are found before single payments are read.
//
// Proves REC-13.
func TestReconcile_DoubleChargesFirst(t *testing.T) {
	o := newFixture(t)
	for i := range 30 {
		o.pledge(fmt.Sprintf("fan%d", i), 2500, sim.CardOK)
	}
	twice := o.pledge("twice", 2500, sim.CardOK)
	o.now = afterDeadline
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	again := o.pay(twice, 2, 2500)
	r := o.run(1)
	b, found := find(r, reconcile.ChargedTwice)
	if !found || b.PaymentID != again || !r.Truncated || r.Retrieved != 1 {
		t.Errorf("after one payment was read: %+v", r)
	}
}

// Each part of a pass makes a bounded number of requests, and the number of parts depends only
// on the number of pledges. At one part a minute, a hundred thousand pledges take less than a
// day.
func TestPass_Parts(t *testing.T) {
	const many, most, day = 1040, 100_000, 24 * 60
	o := newFixture(t)
	for i := range many {
		o.pledge(fmt.Sprintf("fan%d", i), 2500, sim.CardOK)
	}
	o.now = afterDeadline
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	parts, begun := 0, o.now
	for {
		o.conn.reads, o.conn.lists = 0, 0
		r := o.run(0)
		if parts++; o.conn.reads > reconcile.MaxRetrievals || o.conn.lists > reconcile.MaxRetrievals/100 {
			t.Errorf("part %d reads %d payments and %d pages", parts, o.conn.reads, o.conn.lists)
		}
		if o.now = o.now.Add(time.Minute); !r.Truncated {
			if r.Checked != many || r.Listed != many || r.OpenBreaks != 0 || !r.ReconciledAt.After(begun) {
				t.Errorf("the pass: %+v", r)
			}
			break
		}
	}
	each := reconcile.MaxRetrievals
	if want := 2 * (many/each + 1); parts > want {
		t.Errorf("%d parts for %d pledges, want at most %d", parts, many, want)
	}
	if minutes := 2 * (most/each + 1); minutes > day {
		t.Errorf("%d pledges take %d minutes", most, minutes)
	}
}

// The passes of a round share the limit for single reads exactly, and read each page of the
// processor's list once. A page that failed is read again.
func TestRound_SharesReads(t *testing.T) {
	const many = 49 // with one more pledge, nine passes leave one payment to read
	o := newFixture(t)
	for i := range many {
		o.pledge(fmt.Sprintf("fan%d", i), 2500, sim.CardOK)
	}
	o.now = afterDeadline
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	c, err := o.rec.Catalogue().Campaign("film")
	o.ok(err)
	round, err := o.rec.Round(ctx, c)
	o.ok(err)
	o.conn.readsFail = true
	if _, _, err := round.Run(ctx, c); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without an answer: %v", err)
	}
	o.conn.readsFail, o.conn.lists, o.conn.reads = false, 0, 0
	passes := 0
	for {
		r, ok, err := round.Run(ctx, c)
		o.ok(err)
		if !ok || passes > reconcile.MaxRetrievals/many+1 {
			break
		}
		if passes++; r.Listed != many || r.OpenBreaks != 0 {
			t.Errorf("pass %d: %+v", passes, r)
		}
		if passes == 1 {
			o.pledge("late", 2500, sim.CardOK)
			lists := o.conn.lists
			_, err := o.settle.Settle(ctx, "film", false)
			o.ok(err)
			o.conn.lists = lists // do not count settlement's lists
		}
	}
	if o.conn.reads != reconcile.MaxRetrievals || o.conn.lists != 1 {
		t.Errorf("%d passes read %d payments, want %d, and %d pages", passes, o.conn.reads,
			reconcile.MaxRetrievals, o.conn.lists)
	}
}
