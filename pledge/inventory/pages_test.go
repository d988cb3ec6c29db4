package inventory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
)

func TestDue(t *testing.T) {
	s := newFixture()
	for i, id := range []string{"c", "a", "b"} {
		h := hold(id)
		h.Due = start.Add(time.Duration(i) * time.Minute)
		if err := s.Hold(ctx, "film", h, disc(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	due := func(after time.Duration, limit int, want ...string) {
		t.Helper()
		holds, err := s.Due(ctx, "film", start.Add(after), limit)
		var ids []string
		for _, h := range holds {
			ids = append(ids, h.Pledge)
		}
		if diff := cmp.Diff(want, ids); err != nil || diff != "" {
			t.Errorf("after %s: %v %s", after, err, diff)
		}
	}
	due(0, 10)
	due(time.Hour, 10, "c", "a", "b")
	due(time.Hour, 2, "c", "a")
	due(90*time.Second, 10, "c", "a")
	if ok, err := s.Extend(ctx, "film", "hold-c", start.Add(2*time.Hour)); !ok || err != nil {
		t.Errorf("extending: %t, %v", ok, err)
	}
	due(time.Hour, 10, "a", "b")
	s.book(t, account("a", 1, 1), "hold-a")
	due(3*time.Hour, 10, "b", "c")
	if ok, err := s.Extend(ctx, "film", "hold-a", start.Add(2*time.Hour)); ok || err != nil {
		t.Errorf("extending a booked hold: %t, %v", ok, err)
	}
	s.want(t, "tier/disc", 1, 2)
	// a server with a wrong clock
	if ok, err := s.Extend(ctx, "film", "hold-c", start.Add(53*24*time.Hour)); !ok || err != nil {
		t.Errorf("extending by weeks: %t, %v", ok, err)
	}
	due(-time.Hour, 10, "c")
	due(3*time.Hour, 10, "b", "c")
	due(3*time.Hour, 1, "b")
	due(52*24*time.Hour, 10, "b")
}

// A supporter's pledges are never split over pages, and every supporter is on exactly
// one page.
func TestSupporters_Pages(t *testing.T) {
	s := newFixture()
	want := map[string]int{}
	for i := range 60 {
		a := account(fmt.Sprintf("p%02d", i), 1, 1)
		a.Email = fmt.Sprintf("s%d@example.org", i*i%13)
		want[pledge.EmailHash(a.Email)]++
		s.book(t, a, "")
	}
	for _, limit := range []int{-1, 0, 1, 2, 3, 5, 7, 59, 60, 61, 500, 1000} {
		got, after := map[string]int{}, ""
		for {
			page, err := s.Supporters(ctx, "film", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			pledges := 0
			for _, sup := range page.Supporters {
				if got[sup.Hash] != 0 {
					t.Fatalf("limit %d: %s is on two pages", limit, sup.Hash)
				}
				if pledges >= max(limit, 1) {
					t.Errorf("limit %d: %s after %d pledges on a page", limit, sup.Hash, pledges)
				}
				got[sup.Hash] = len(sup.Pledges)
				pledges += len(sup.Pledges)
			}
			if after = page.Next; after == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
	hash := pledge.EmailHash("s0@example.org")
	one, err := s.Supporter(ctx, "film", hash)
	if err != nil || one.Hash != hash || len(one.Pledges) != want[hash] {
		t.Errorf("one supporter: %+v, %v", one, err)
	}
	nobody, err := s.Supporter(ctx, "film", strings.Repeat("0", 32))
	if err != nil || len(nobody.Pledges) != 0 {
		t.Errorf("unknown supporter: %+v, %v", nobody, err)
	}
}

func TestListed(t *testing.T) {
	s := newFixture()
	var want []string
	for i := range 25 {
		id := fmt.Sprintf("p%02d", (i*7)%25)
		want = append(want, id)
		if b := s.book(t, account(id, 1, 1), ""); b.Number != i {
			t.Errorf("%s has number %d, want %d", id, b.Number, i)
		}
	}
	var got []string
	for from := 0; ; from += 10 {
		page, err := s.Listed(ctx, "film", from, 10)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		if len(page) < 10 {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Lists that are read in pages of 500 are complete if the last page is exactly full, and if the
// list has one more entry.
func TestClient_FullPages(t *testing.T) {
	s := newFixture()
	email, hash := "ada+film@example.org", pledge.EmailHash("ada+film@example.org")
	for i := range 501 {
		a := account(fmt.Sprintf("p%03d", i), 1, 0)
		a.Email, a.Units = email, map[string]int{fmt.Sprintf("tier/%03d", i): 1}
		s.book(t, a, "")
		n := i + 1
		if n != 1 && n < 500 {
			continue
		}
		if got := len(s.snapshot(t, "film").Stock); got != n {
			t.Errorf("%d items of %d", got, n)
		}
		if one, err := s.Supporter(ctx, "film", hash); err != nil || len(one.Pledges) != n {
			t.Errorf("supporter has %d pledges, want %d, %v", len(one.Pledges), n, err)
		}
		page, err := s.Supporters(ctx, "film", "", 500)
		if err != nil || len(page.Supporters) != 1 || len(page.Supporters[0].Pledges) != n || page.Next != "" {
			t.Errorf("%d pledges: %d supporters, next %q, %v", n, len(page.Supporters), page.Next, err)
		}
		first, err := s.Listed(ctx, "film", 0, 1000)
		if err != nil || len(first) != min(n, 500) {
			t.Errorf("listed %d of %d, %v", len(first), n, err)
		}
		if rest, err := s.Listed(ctx, "film", 500, 500); err != nil || len(rest) != max(n-500, 0) {
			t.Errorf("listed %d more of %d, %v", len(rest), n, err)
		}
	}
}
