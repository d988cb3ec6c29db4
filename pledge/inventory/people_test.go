package inventory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// A person with two pledges counts once, and not at all if both are cancelled.
func TestSupporters_CountsPeople(t *testing.T) {
	c := newFixture()
	revision := 0
	book := func(id, email string, status pledge.Status, want int) {
		t.Helper()
		revision++
		a := inventory.Account{Pledge: id, Revision: revision, Email: email, Status: status}
		for range 2 {
			b, err := c.Book(context.Background(), "film", a, "")
			if err != nil || b.Totals.Supporters() != want {
				t.Errorf("%s of %s, status %s: %d supporters, %v, want %d", id, email, status, b.Totals.Supporters(), err, want)
			}
		}
	}
	book("pw-1", "ana@example.org", pledge.Active, 1)
	book("pw-2", "ana@example.org", pledge.Active, 1)
	book("pw-3", "bob@example.org", pledge.Active, 2)
	book("pw-1", "ana@example.org", pledge.Cancelled, 2)
	book("pw-2", "ana@example.org", pledge.Charged, 2)
	book("pw-3", "bob@example.org", pledge.Cancelled, 1)
	book("pw-4", "bob@example.org", pledge.PaymentFailed, 2)
	for i := range 3 {
		book(fmt.Sprint("pw-", 5+i), "cleo@example.org", pledge.Active, 3)
	}
}

// A person counts once, regardless of their cancelled pledges.
func TestSupporters_ManyCancelledPledges(t *testing.T) {
	s := newFixture()
	var b inventory.Booked
	for i := range 502 {
		a := inventory.Account{Pledge: fmt.Sprintf("pw-%03d", i), Revision: 1, Email: "ana@example.org",
			Status: pledge.Cancelled}
		if i >= 500 {
			a.Status = pledge.Active
		}
		b = s.book(t, a, "")
	}
	if n := b.Totals.Supporters(); n != 1 || b.OnlyPledge {
		t.Errorf("%d supporters, OnlyPledge %t", n, b.OnlyPledge)
	}
}

// If some accounts are older than the count of people, Supporters counts pledges.
func TestSupporters_OlderAccounts(t *testing.T) {
	old := inventory.Totals{Statuses: map[pledge.Status]int{pledge.Active: 5, pledge.Charged: 2, pledge.Cancelled: 9},
		People: 1, CountedPledges: 3}
	if n := old.Supporters(); n != 7 {
		t.Errorf("%d supporters, want 7", n)
	}
}
