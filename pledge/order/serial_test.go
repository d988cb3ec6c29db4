package order_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// atOnce calls all functions concurrently and returns their errors in order.
func atOnce(calls ...func() error) []error {
	type answer struct {
		i   int
		err error
	}
	answers, begin := make(chan answer), make(chan struct{})
	for i, call := range calls {
		go func() {
			<-begin
			answers <- answer{i, call()}
		}()
	}
	close(begin)
	errs := make([]error, len(calls))
	for range calls {
		a := <-answers
		errs[a.i] = a.err
	}
	return errs
}

// If a checkout is confirmed and abandoned concurrently, the first call succeeds and the other
// fails.
//
// Proves INV-10.
func TestConfirm_RacesWithAbandon(t *testing.T) {
	for range 50 {
		d := newFixture(t)
		o := d.open("film")
		errs := atOnce(
			func() error { return d.confirm(orderID, "cs_1", o.Hash, card(saved), false) },
			func() error { return d.Abandon(ctx, orderID, "cs_1") },
		)
		want := []string{string(order.Confirmed), "", string(fault.Conflict)}
		if errs[0] != nil {
			want = []string{string(order.Abandoned), string(fault.Gone), ""}
		}
		got := d.must(d.Get(ctx, orderID))
		if diff := cmp.Diff(want,
			[]string{string(got.State), string(fault.CodeOf(errs[0])), string(fault.CodeOf(errs[1]))}); diff != "" {
			t.Fatal(diff)
		}
		if made := len(got.Pledges) == 1; made != (errs[0] == nil) {
			t.Fatalf("%s order has the pledges %v", got.State, got.Pledges)
		}
	}
}

// If a hundred callers modify the same revision concurrently, exactly one succeeds.
//
// Proves INV-10.
func TestModify_ConcurrentCallers(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	calls := make([]func() error, 100)
	for i := range calls {
		ch := change(t, money.Cents(2000+i))
		calls[i] = func() error { _, err := d.Modify(ctx, orderID, 1, fmt.Sprint(i), ch); return err }
	}
	winner := -1
	for i, err := range atOnce(calls...) {
		switch {
		case err != nil:
			d.wantError("modifying an old revision", err, fault.Conflict)
		case winner >= 0:
			t.Errorf("callers %d and %d both succeeded", winner, i)
		default:
			winner = i
		}
	}
	p := d.pledge(orderID)
	if diff := cmp.Diff([]string{"created", "modified"}, events(p)); diff != "" ||
		p.Subtotal != money.Cents(2000+winner) || p.Status != pledge.Active {
		t.Errorf("after the change by caller %d: %+v: %s", winner, p, diff)
	}
}
