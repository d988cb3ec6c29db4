package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// Results are ordered: whole address, addresses with the prefix, names, cards. Pages
// respect the limit and continue where the previous one ended.
func TestFind_Order(t *testing.T) {
	s := newFixture(t)
	card := s.pledge(film, "a@example.org", "Ann")
	card.Card = &pledge.CardLabel{Last4: "4242"}
	s.save(pledge.Key(card.OrderID), card)
	var want []string
	for _, of := range []struct{ email, name string }{{"4242@example.org", ""}, {"4242b@example.org", ""},
		{"c@example.org", "4242 c"}, {"d@example.org", "4242 d"}, {"e@example.org", "4242 e"}} {
		want = append(want, s.pledge(film, of.email, of.name).OrderID)
	}
	want = append(want, card.OrderID)
	s.updateAll()
	for _, limit := range []int{1, 2, 3, 4, 5, 6} {
		var got []string
		for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
			page, err := s.Find(ctx, film, "4242", true, cursor, limit)
			if err != nil || len(page.Pledges) > limit {
				t.Fatalf("limit %d: page of %d, %v", limit, len(page.Pledges), err)
			}
			for _, p := range page.Pledges {
				got = append(got, p.OrderID)
			}
			cursor = page.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d: %s", limit, diff)
		}
	}
}

// An address's pledges to all campaigns are newest first, on full pages, without those
// that have no record.
func TestFindInAll_Pages(t *testing.T) {
	s := newFixture(t)
	const email = "ada@example.org"
	var want []string
	for i := range 5 {
		want = append(want, s.pledge([]string{film, "game"}[i%2], email, "").OrderID)
	}
	slices.Reverse(want)
	s.save(pledge.EmailKey(email), append(s.mine[email], "pw-gone"))
	for limit, sizes := range map[int][]int{1: {1, 1, 1, 1, 1}, 2: {2, 2, 1}, 4: {4, 1}, 5: {5}, 9: {5}} {
		var got []string
		var pages []int
		for cursor := "a:0"; cursor != ""; {
			page, err := s.FindInAll(ctx, email, cursor, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page.Pledges {
				got = append(got, p.OrderID)
			}
			pages, cursor = append(pages, len(page.Pledges)), page.Next
		}
		if !slices.Equal(got, want) || !slices.Equal(pages, sizes) {
			t.Errorf("limit %d: %v of %v, want %v of %v", limit, got, pages, want, sizes)
		}
	}
	if page, err := s.FindInAll(ctx, "pw-"+strings.Repeat("9", 26), "", 5); err != nil || len(page.Pledges) != 0 {
		t.Errorf("unknown order: %+v, %v", page, err)
	}
}

// A page reads a limited number of an address's pledges, and the next page continues
// until the matching one is found.
func TestFind_AddressWithManyPledges(t *testing.T) {
	s := newFixture(t)
	const email = "ada@example.org"
	first := s.pledge(film, email, "")
	all := []string{first.OrderID}
	for i := range 400 {
		all = append(all, fmt.Sprintf("pw-elsewhere%d", i))
	}
	s.save(pledge.EmailKey(email), all)
	pages, cursor := 0, ""
	for {
		s.read = 0
		page, err := s.Find(ctx, film, email, false, cursor, 5)
		if err != nil {
			t.Fatal(err)
		}
		if reads := s.read / 2; reads > 201 { // each read is counted twice; one is the list itself
			t.Errorf("page %d read %d records", pages, reads)
		}
		if pages++; len(page.Pledges) > 0 || pages > 5 {
			break
		}
		cursor = page.Next
	}
	if pages != 3 {
		t.Errorf("found on page %d", pages)
	}
}

// An address of maximum length can be found.
func TestFind_LongestAddress(t *testing.T) {
	s := newFixture(t)
	email := strings.Repeat("a", 64) + "@" + strings.Repeat(strings.Repeat("b", 62)+".", 3)
	email = (email + strings.Repeat("c", 254))[:254]
	p := s.pledge(film, email, "")
	s.updateAll()
	for _, text := range []string{email, email[:253], "aaa"} {
		if got := s.findIDs(text, 5); !slices.Equal(got, []string{p.OrderID}) {
			t.Errorf("%d bytes: found %v", len(text), got)
		}
	}
}
