package psptest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// listCustomers returns the customers of all pages of a query.
func listCustomers(t testing.TB, p psp.Processor, q psp.CustomerQuery) []psp.Customer {
	t.Helper()
	var all []psp.Customer
	for range 100 {
		page, err := p.Customers(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Customers) > q.Limit {
			t.Fatalf("page limit %d, got %d customers", q.Limit, len(page.Customers))
		}
		all = append(all, page.Customers...)
		if page.Next == "" {
			return all
		}
		q.After = page.Next
	}
	t.Fatalf("no last page after %d customers", len(all))
	return nil
}

// recentCustomers returns a query for the customers created up to a day before or after the bench's
// time.
func recentCustomers(b Bench) psp.CustomerQuery {
	return psp.CustomerQuery{From: b.Now().AddDate(0, 0, -1), To: b.Now().AddDate(0, 0, 1), Limit: 100}
}

func customersListed(t testing.TB, p psp.Processor, b Bench) {
	first := b.Now().Truncate(time.Second).UTC()
	var want []psp.Customer
	for i := range 8 {
		key := fmt.Sprintf("customer-%d", i)
		want = append(want, psp.Customer{ID: newCustomer(t, p, key), Metadata: map[string]string{"orderId": key},
			CreatedAt: b.Now().Truncate(time.Second).UTC()})
		b.Advance(time.Minute)
	}
	b.DeleteCustomer(t, want[4].ID)
	want = slices.Delete(want[1:7], 3, 4)
	slices.Reverse(want)
	q := psp.CustomerQuery{From: first.Add(time.Minute), To: first.Add(7 * time.Minute)}
	for _, q.Limit = range []int{100, 2, 5, 1} {
		if diff := cmp.Diff(want, listCustomers(t, p, q)); diff != "" {
			t.Errorf("page limit %d (-want +got):\n%s", q.Limit, diff)
		}
	}
	q.From = q.To
	if none := listCustomers(t, p, q); len(none) != 0 {
		t.Errorf("empty interval: %+v", none)
	}
}

func customerUpdated(t testing.TB, p psp.Processor, b Bench) {
	id, other := newCustomer(t, p, "a"), newCustomer(t, p, "b")
	for i, step := range []struct{ given, want map[string]string }{
		{map[string]string{"state": "1", "note": "x"}, map[string]string{"orderId": "a", "state": "1", "note": "x"}},
		{map[string]string{"state": "2"}, map[string]string{"orderId": "a", "state": "2", "note": "x"}},
		{map[string]string{"note": ""}, map[string]string{"orderId": "a", "state": "2"}},
		{map[string]string{"orderId": "c"}, map[string]string{"orderId": "c", "state": "2"}},
	} {
		if err := p.UpdateCustomer(ctx, id, fmt.Sprintf("update-%d", i), step.given); err != nil {
			t.Fatal(err)
		}
		got := map[string]map[string]string{}
		for _, c := range listCustomers(t, p, recentCustomers(b)) {
			got[c.ID] = c.Metadata
		}
		if diff := cmp.Diff(map[string]map[string]string{id: step.want, other: {"orderId": "b"}}, got); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.given, diff)
		}
	}
}

func customerUpdateKey(t testing.TB, p psp.Processor, b Bench) {
	id := newCustomer(t, p, "a")
	for _, step := range []struct{ key, state string }{{"one", "1"}, {"two", "2"}, {"one", "1"}} {
		if err := p.UpdateCustomer(ctx, id, step.key, map[string]string{"state": step.state}); err != nil {
			t.Fatal(err)
		}
	}
	if got := listCustomers(t, p, recentCustomers(b)); len(got) != 1 || got[0].Metadata["state"] != "2" {
		t.Errorf("a repeated key was applied again: %+v", got)
	}
	wantCode(t, p.UpdateCustomer(ctx, id, "one", map[string]string{"state": "3"}), fault.Invalid)
	breakFor(t, b, RequestLost)
	wantCode(t, p.UpdateCustomer(ctx, id, "three", map[string]string{"state": "3"}), fault.Unavailable)
	b.Clear()
	if err := p.UpdateCustomer(ctx, id, "three", map[string]string{"state": "3"}); err != nil {
		t.Errorf("repeated update: %v", err)
	}
	if got := listCustomers(t, p, recentCustomers(b)); len(got) != 1 || got[0].Metadata["state"] != "3" {
		t.Errorf("retried update: %+v", got)
	}
}

func customerMissing(t testing.TB, p psp.Processor, b Bench) {
	deleted := newCustomer(t, p, "a")
	b.DeleteCustomer(t, deleted)
	for _, id := range []string{"cus_nobody", deleted} {
		wantCode(t, p.UpdateCustomer(ctx, id, "update "+id, map[string]string{"state": "1"}), fault.NotFound)
	}
	if got := listCustomers(t, p, recentCustomers(b)); len(got) != 0 {
		t.Errorf("a deleted customer is listed: %+v", got)
	}
}
