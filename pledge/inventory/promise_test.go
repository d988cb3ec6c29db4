package inventory_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Promises counts a pledge while it is unpaid. A changed pledge has the terms that were shown at
// the change.
func TestPromises(t *testing.T) {
	s := newFixture()
	first, later := start.AddDate(0, 1, 0), start.AddDate(0, 2, 0)
	book := func(id string, revision int, status pledge.Status, ends time.Time, goal money.Cents) {
		p := &pledge.Pledge{OrderID: id, Revision: revision, Email: id + "@example.org",
			Status: status, Charged: status == pledge.Charged,
			Promise: pledge.Promise{EndsAt: ends, Goal: goal}}
		campaign, platform := inventory.AccountsOf(p)
		if platform.Promise != nil {
			t.Error("the platform account has a promise")
		}
		s.book(t, campaign, "")
		s.book(t, campaign, "")
	}
	want := func(what string, want ...inventory.Promised) {
		t.Helper()
		got, err := s.Promises(ctx, "film")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]inventory.Promised{}, want...), got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	want("nobody")
	book("a", 1, pledge.Active, first, 5000)
	book("b", 1, pledge.Active, first.In(time.FixedZone("away", 3600)), 5000)
	book("c", 1, pledge.Active, first, 4000)
	book("old", 1, pledge.Active, time.Time{}, 0)
	at := func(ends time.Time, goal money.Cents, n int) inventory.Promised {
		return inventory.Promised{Promise: inventory.Promise{EndsAt: ends, Goal: goal}, Pledges: n}
	}
	want("three pledges", at(first, 4000, 1), at(first, 5000, 2))
	book("b", 2, pledge.Active, later, 5000)
	want("one changed", at(first, 4000, 1), at(first, 5000, 1), at(later, 5000, 1))
	book("a", 2, pledge.PaymentFailed, first, 5000)
	book("b", 3, pledge.Charged, later, 5000)
	book("c", 2, pledge.Cancelled, first, 4000)
	want("one left", at(first, 5000, 1))
	book("a", 3, pledge.Charged, first, 5000)
	want("all settled")
}
