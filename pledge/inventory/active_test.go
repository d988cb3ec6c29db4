package inventory_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// activeSupporters returns the number of pledges of each supporter with an active pledge, by hash.
// It reads pages of limit pledges.
func activeSupporters(t *testing.T, c inventory.Client, limit int) map[string]int {
	t.Helper()
	got, after := map[string]int{}, ""
	for {
		page, err := c.Active(ctx, "film", after, limit)
		if err != nil {
			t.Fatal(err)
		}
		pledges := 0
		for _, sup := range page.Supporters {
			if got[sup.Hash] != 0 || pledges >= max(limit, 1) {
				t.Errorf("limit %d: %s after %d pledges, %d seen before", limit, sup.Hash, pledges, got[sup.Hash])
			}
			got[sup.Hash] = len(sup.Pledges)
			pledges += len(sup.Pledges)
		}
		if after = page.Next; after == "" {
			return got
		}
	}
}

// Active returns exactly the supporters with an active pledge, with all their pledges, even after
// changes and repeated or late bookings.
func TestActive_AfterChanges(t *testing.T) {
	s := newFixture()
	statuses := []pledge.Status{pledge.Active, pledge.Charged, pledge.PaymentFailed, pledge.Cancelled, pledge.Active}
	want := func() map[string]int {
		active, all := map[string]bool{}, map[string]int{}
		for i := range 40 {
			hash := pledge.EmailHash(fmt.Sprintf("s%d@example.org", i*i%13))
			all[hash]++
			active[hash] = active[hash] || statuses[i%len(statuses)] == pledge.Active
		}
		for hash, is := range active {
			if !is {
				delete(all, hash)
			}
		}
		return all
	}
	book := func(revision int, status func(i int) pledge.Status) {
		for i := range 40 {
			a := account(fmt.Sprintf("p%02d", i), revision, 1)
			a.Email, a.Status = fmt.Sprintf("s%d@example.org", i*i%13), status(i)
			s.book(t, a, "")
		}
	}
	check := func(when string, want map[string]int) {
		t.Helper()
		for _, limit := range []int{-1, 1, 2, 4, 6, 7, 39, 40, 41, 1000} {
			if diff := cmp.Diff(want, activeSupporters(t, s.Client, limit)); diff != "" {
				t.Errorf("%s, limit %d: %s", when, limit, diff)
			}
		}
	}
	now := func(i int) pledge.Status { return statuses[i%len(statuses)] }
	book(1, func(int) pledge.Status { return pledge.Active })
	book(2, now)
	check("after changes", want())
	book(2, now)
	book(1, func(int) pledge.Status { return pledge.Active })
	check("after late bookings", want())
	book(3, func(int) pledge.Status { return pledge.Charged })
	check("after settlement", map[string]int{})
	book(4, func(i int) pledge.Status {
		return map[bool]pledge.Status{true: pledge.Active, false: pledge.Charged}[i == 3]
	})
	check("with a late one", map[string]int{pledge.EmailHash("s9@example.org"): len(s.pledgesOf(t, "s9@example.org"))})
}

// Failed returns exactly the supporters with a failed payment, with all their pledges.
func TestFailed_Pages(t *testing.T) {
	s := newFixture()
	statuses := []pledge.Status{pledge.Active, pledge.PaymentFailed, pledge.Charged, pledge.Cancelled}
	for i, email := range []string{"a", "b", "b", "c", "c", "d"} {
		a := account(fmt.Sprint("p", i), 1, 1)
		a.Email, a.Status = email+"@example.org", statuses[i%len(statuses)]
		s.book(t, a, "")
	}
	want := map[string]int{pledge.EmailHash("b@example.org"): 2, pledge.EmailHash("d@example.org"): 1}
	for _, limit := range []int{1, 2, 6, 7} {
		got := map[string]int{}
		for after := ""; ; {
			page, err := s.Failed(ctx, "film", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, sup := range page.Supporters {
				got[sup.Hash] = len(sup.Pledges)
			}
			if after = page.Next; after == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

func (s *fixture) pledgesOf(t *testing.T, email string) []string {
	t.Helper()
	sup, err := s.Supporter(ctx, "film", pledge.EmailHash(email))
	if err != nil {
		t.Fatal(err)
	}
	return sup.Pledges
}

// Accounts older than the index of active pledges are not in it. Until all of them are settled,
// Active returns all supporters.
func TestActive_AccountsOlderThanIndex(t *testing.T) {
	db := memkv.New(memkv.Options{Now: func() time.Time { return start }, Classes: []*kv.Class{inventory.NewClass()}})
	s := &fixture{Client: inventory.Client{Coordinator: db.Coordinator()}}
	for i := range 5 {
		s.book(t, account(fmt.Sprint("old", i), 1, 1), "")
	}
	object, backup := kv.Object{Class: inventory.ClassName, Name: "film"}, db.Snapshot()
	backup.Objects[object] = slices.DeleteFunc(backup.Objects[object],
		func(e kv.Entry) bool { return strings.HasPrefix(e.Key, "active/") })
	for i, e := range backup.Objects[object] {
		if e.Key == "totals" {
			backup.Objects[object][i].Value = bytes.Replace(e.Value, []byte(`,"indexed":5`), nil, 1)
		}
	}
	db.RestoreObject(object, backup)
	for i := range 3 {
		s.book(t, account(fmt.Sprint("new", i), 1, 1), "")
	}
	if got := activeSupporters(t, s.Client, 3); len(got) != 8 {
		t.Errorf("%d of 8 supporters", len(got))
	}
	for i := range 6 { // each new pledge fails once and is then repaired
		a := account(fmt.Sprint("new", i/2), 2+i%2, 1)
		if i%2 == 0 {
			a.Status = pledge.PaymentFailed
		}
		s.book(t, a, "")
	}
	if got := activeSupporters(t, s.Client, 3); len(got) != 8 {
		t.Errorf("after failures: %d of 8 supporters", len(got))
	}
	for i := range 5 {
		a := account(fmt.Sprint("old", i), 2, 1)
		a.Status = pledge.Charged
		s.book(t, a, "")
		if got, want := len(activeSupporters(t, s.Client, 3)), map[bool]int{true: 3, false: 8}[i == 4]; got != want {
			t.Errorf("%d settled: %d supporters, want %d", i+1, got, want)
		}
	}
}
