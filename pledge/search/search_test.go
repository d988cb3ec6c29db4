package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/search"
)

var ctx = context.Background()

const film = "film"

// fixture stores pledge records and a campaign's index.
type fixture struct {
	search.Index
	t    testing.TB
	all  []*pledge.Pledge
	ids  map[string][]string // by campaign
	mine map[string][]string // by address
	cut  func(memkv.Op) error
	wrote,
	read int
}

func newFixture(t testing.TB) *fixture {
	s := &fixture{t: t, ids: map[string][]string{}, mine: map[string][]string{}}
	db := memkv.New(memkv.Options{Now: func() time.Time { return time.Unix(1e9, 0) }, Fail: func(op memkv.Op) error {
		if op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete {
			s.wrote++
		} else {
			s.read++
		}
		if s.cut != nil {
			return s.cut(op)
		}
		return nil
	}})
	s.Index = search.Index{Store: db.Store(""), SegmentSize: 7}
	return s
}

func (s *fixture) save(key string, v any) {
	s.t.Helper()
	if err := kv.Save(ctx, s.Store, key, v); err != nil {
		s.t.Fatal(err)
	}
}

// enlist adds a pledge to the index, possibly without a record.
func (s *fixture) enlist(slug, id string) {
	s.t.Helper()
	s.ids[slug] = append(s.ids[slug], id)
	n := (len(s.ids[slug]) - 1) / 7
	s.save(pledge.IndexKey(slug, n), s.ids[slug][n*7:])
}

// pledge adds a pledge and its index entry.
func (s *fixture) pledge(slug, email, name string) *pledge.Pledge {
	s.t.Helper()
	p := &pledge.Pledge{
		OrderID: fmt.Sprintf("pw-%026d", len(s.all)), CampaignSlug: slug, Email: email,
		ShippingAddress: &pledge.Address{Name: name},
	}
	s.all = append(s.all, p)
	s.save(pledge.Key(p.OrderID), p)
	s.enlist(slug, p.OrderID)
	s.mine[email] = append(s.mine[email], p.OrderID)
	s.save(pledge.EmailKey(email), s.mine[email])
	return p
}

func (s *fixture) follow() {
	s.t.Helper()
	for {
		if n, err := s.Update(ctx, film, 10); err != nil {
			s.t.Fatal(err)
		} else if n == 0 {
			return
		}
	}
}

// findIDs returns the results of all pages.
func (s *fixture) findIDs(text string, limit int) (ids []string) {
	s.t.Helper()
	for cursor := ""; ; {
		page, err := s.Find(ctx, film, text, true, cursor, limit)
		if err != nil {
			s.t.Fatalf("%q: %v", text, err)
		}
		if len(page.Pledges) > limit {
			s.t.Errorf("%q: a page of %d", text, len(page.Pledges))
		}
		for _, p := range page.Pledges {
			ids = append(ids, p.OrderID)
		}
		if cursor = page.Next; cursor == "" {
			slices.Sort(ids)
			return ids
		}
	}
}

func TestFind_AddressSpellings(t *testing.T) {
	s := newFixture(t)
	old := s.pledge(film, "zoe@übung.example", "Zoe").OrderID
	newer := s.pledge(film, "zoe@xn--bung-zra.example", "Zoe").OrderID
	s.pledge(film, "zoe@example.net", "Zoe")
	s.follow()
	for _, text := range []string{"zoe@übung.example", "ZOE@U\u0308bung.example", "zoe@xn--bung-zra.example"} {
		if diff := cmp.Diff([]string{old, newer}, s.findIDs(text, 5)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if diff := cmp.Diff(s.findIDs("zoe@xn--bung-zra.example", 5), s.findIDs("zoe@übung.example", 1)); diff != "" {
		t.Error(diff)
	}
}

// A name is found only by the spellings that people type for it.
func TestFind_Names(t *testing.T) {
	for _, tc := range []struct {
		name      string
		finds     []string
		doesNot   []string
		alsoFinds string
	}{
		{name: "Ada Lovelace", finds: []string{"ada", "ADA", "lovelace", "Lovelace Ada", "ada lov", " love ", "a", "ada  lovelace"}, doesNot: []string{"da", "ada x", "lovelace b", "ace"}},
		{name: "Zoë Müller-Lüdenscheidt", finds: []string{"zoe", "ZOË", "zoe\u0308", "muller", "müller", "ludenscheidt zoe", "muller lud"}, doesNot: []string{"zoo", "mueller"}},
		{name: "Björn Strauß", finds: []string{"bjorn", "strauss", "STRAUSS", "strauß"}, doesNot: []string{"straus x"}},
		{name: "Łukasz Ærø", finds: []string{"lukasz", "aero", "ÆRØ"}, doesNot: []string{"ukasz"}},
		{name: "Nguyễn Thị Ánh", finds: []string{"nguyen", "anh", "thi anh"}, doesNot: []string{"nguyem"}},
		{name: "Sinéad O’Connor", finds: []string{"o'connor", "oconnor", "O’CONNOR"}, doesNot: []string{"connor"}},
		{name: "山田 太郎", finds: []string{"山", "山田", "太郎 山"}, doesNot: []string{"田"}},
		{name: "Ƀob Ἀλέξης", finds: []string{"ƀo", "ἀλέξ", "Ἀ"}, doesNot: []string{"αλεξ"}},
		{name: "Ελένη ΠΑΠΠΆΣ", finds: []string{"ελένη", "ΠΑΠΠΆΣ", "παππάς"}, doesNot: []string{"λένη"}},
		{name: "Ada 🦊", finds: []string{"🦊", "ada 🦊"}, doesNot: []string{"🐻", "🦊 b"}},
		{name: "Doe, J. (PhD)", finds: []string{"j. ph", "doe j", "phd"}, doesNot: []string{"...", "(", "-"}},
		{name: strings.Repeat("ab ", 40), finds: []string{"ab ab"}, doesNot: []string{"b"}},
		{name: strings.Repeat("a", 254), finds: []string{strings.Repeat("a", 254)}, doesNot: []string{strings.Repeat("a", 253) + "b"}},
	} {
		s := newFixture(t)
		p := s.pledge(film, "x@example.org", tc.name)
		s.follow()
		for _, text := range tc.finds {
			if got := s.findIDs(text, 10); !slices.Equal(got, []string{p.OrderID}) {
				t.Errorf("%q does not find %q: %v", text, tc.name, got)
			}
		}
		for _, text := range tc.doesNot {
			if got := s.findIDs(text, 10); len(got) != 0 {
				t.Errorf("%q finds %q", text, tc.name)
			}
		}
	}
}

func TestFind_AddressesAndOrders(t *testing.T) {
	s := newFixture(t)
	ada := s.pledge(film, "ada+film@example.org", "Eve")
	longer := s.pledge(film, "ada+film@example.org.uk", "")
	s.pledge("game", "ada+film@example.org", "Ada")
	for _, text := range []string{"ada+film@example.org", " ADA+film@Example.org "} {
		if got := s.findIDs(text, 5); !slices.Equal(got, []string{ada.OrderID}) {
			t.Errorf("before Update, %q finds %v", text, got)
		}
	}
	if got := s.findIDs("eve", 5); len(got) != 0 {
		t.Errorf("before Update, a name finds %v", got)
	}
	s.follow()
	for text, want := range map[string][]string{
		"ada+film@example.org": {ada.OrderID, longer.OrderID}, "ada+film@example.org.": {longer.OrderID},
		"ada": {ada.OrderID, longer.OrderID}, "ada+": {ada.OrderID, longer.OrderID}, "": {ada.OrderID, longer.OrderID}, " ": {ada.OrderID, longer.OrderID},
		"film@example.org": nil, "e": {ada.OrderID}, "\x00": nil, "e:": {ada.OrderID}, "n:": nil, "ada+film@example.org:pw-": nil,
		ada.OrderID: {ada.OrderID}, strings.ToUpper(ada.OrderID): {ada.OrderID}, ada.OrderID[:20]: nil, s.all[2].OrderID: nil,
	} {
		for _, limit := range []int{1, 2, 25} {
			if diff := cmp.Diff(want, s.findIDs(text, limit)); diff != "" {
				t.Errorf("%q with limit %d: %s", text, limit, diff)
			}
		}
	}
	for text, want := range map[string]int{"ada+film@example.org": 2, s.all[2].OrderID: 1, "nobody@example.org": 0} {
		if page, err := s.FindInAll(ctx, text, "", 5); err != nil || len(page.Pledges) != want {
			t.Errorf("FindInAll: %q finds %d, %v", text, len(page.Pledges), err)
		}
		if !search.IsExact(" " + strings.ToUpper(text)) {
			t.Errorf("%q is not exact", text)
		}
	}
	for _, text := range []string{"", "ada", "ada+film@", ada.OrderID[:20], "4242"} {
		if search.IsExact(text) {
			t.Errorf("%q is exact", text)
		}
	}
}

// Four digits find cards by their last digits if cards is set. A pledge that an address
// or name also matches is returned once, and a replaced card is not found.
func TestFind_Cards(t *testing.T) {
	s := newFixture(t)
	var ids []string
	for _, tc := range []struct{ email, name, last4 string }{
		{"a@example.org", "Ada", "4242"}, {"4242@example.org", "Ben", "4242"}, {"c@example.org", "4242 Cy", "4242"},
		{"d@example.org", "Dee", "0942"}, {"e@example.org", "Eve", ""}, {"4242f@example.org", "", "1111"},
		{"g@example.org", "Gus", "x_42"}, // a stored value that is not digits
	} {
		p := s.pledge(film, tc.email, tc.name)
		if tc.last4 != "" {
			p.Card = &pledge.CardLabel{Brand: "visa", Last4: tc.last4}
			s.save(pledge.Key(p.OrderID), p)
		}
		ids = append(ids, p.OrderID)
	}
	s.follow()
	for text, want := range map[string][]string{
		"4242": {ids[0], ids[1], ids[2], ids[5]}, " 0942 ": {ids[3]}, "1111": {ids[5]}, "9999": nil, "x_42": nil,
		"424": {ids[1], ids[2], ids[5]}, "42424": nil, "visa": nil, "c:4242": nil, "４２４２": nil,
	} {
		for _, limit := range []int{1, 2, 25} {
			if diff := cmp.Diff(want, s.findIDs(text, limit)); diff != "" {
				t.Errorf("%q with limit %d: %s", text, limit, diff)
			}
		}
	}
	if page, err := s.Find(ctx, film, "1111", false, "", 5); err != nil || len(page.Pledges) != 0 {
		t.Errorf("without cards: found %v, %v", page, err)
	}
	before := *s.all[0]
	s.all[0].Card = &pledge.CardLabel{Last4: "7777"}
	s.save(pledge.Key(ids[0]), s.all[0])
	if err := s.Store.Apply(ctx, search.Change(&before, s.all[0])); err != nil {
		t.Fatal(err)
	}
	if was, is := s.findIDs("4242", 5), s.findIDs("7777", 5); slices.Contains(was, ids[0]) || !slices.Equal(is, ids[:1]) {
		t.Errorf("the replaced card finds %v, the new one %v", was, is)
	}
}

// An order that covers several campaigns is found by its ID in each of them only.
func TestFind_OrderOfSeveralCampaigns(t *testing.T) {
	s := newFixture(t)
	order := "pw-" + strings.Repeat("7", 26)
	for _, slug := range []string{film, "game"} {
		s.save(pledge.Key(order+"-"+slug), &pledge.Pledge{OrderID: order + "-" + slug, CampaignSlug: slug, Email: "a@example.org"})
	}
	for _, text := range []string{order, order + "-film"} {
		if got := s.findIDs(text, 5); !slices.Equal(got, []string{order + "-film"}) {
			t.Errorf("%q finds %v", text, got)
		}
	}
	if got := s.findIDs(order+"-game", 5); len(got) != 0 {
		t.Errorf("a pledge to another campaign was found: %v", got)
	}
}

func TestFind_Refuses(t *testing.T) {
	s := newFixture(t)
	s.pledge(film, "ada@example.org", "Ada")
	for _, tc := range []struct{ slug, text, cursor, field string }{
		{film, strings.Repeat("x", 255), "", "q"}, {film, "ada", "z:", "cursor"}, {film, "ada", "e", "cursor"},
		{film, "ada", "e:\x00", "cursor"}, {film, "ada", "e:" + strings.Repeat("x", 1025), "cursor"},
		{film, "ada@example.org", "a:x", "cursor"}, {film, "ada@example.org", "a:-1", "cursor"},
		{"", "ada", "", "q"}, {"", "", "", "q"}, {"", "ada@example.org", "?", "cursor"}, {"", strings.Repeat("x", 255), "", "q"},
	} {
		_, err := s.Find(ctx, tc.slug, tc.text, true, tc.cursor, 5)
		if tc.slug == "" {
			_, err = s.FindInAll(ctx, tc.text, tc.cursor, 5)
		}
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tc.field {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	// A cursor for another part finds nothing.
	for _, cursor := range []string{"a:99", "e:zzz", "n:supporter-search:v1:game:", "a:9223372036854775807", "e:" + strings.Repeat("x", 1024)} {
		if page, err := s.Find(ctx, film, "ada@example.org", true, cursor, 5); err != nil || len(page.Pledges) != 0 || page.Next != "" {
			t.Errorf("%s: %+v, %v", cursor, page, err)
		}
	}
}

// When a pledge's name changes, its new search terms replace the old ones.
func TestChange_NameReplacesTerms(t *testing.T) {
	s := newFixture(t)
	p := s.pledge(film, "ada@example.org", "Ada Byron")
	s.follow()
	after := *p
	after.ShippingAddress = &pledge.Address{Name: "Ada Lovelace"}
	writes := search.Change(p, &after)
	if err := s.Store.Apply(ctx, writes); err != nil {
		t.Fatal(err)
	}
	// The old name finds nothing as soon as the record is written, regardless of the order of
	// writes.
	if got := s.findIDs("lovelace", 5); len(got) != 0 {
		t.Errorf("found by the old name: %v", got)
	}
	s.save(pledge.Key(p.OrderID), after)
	if byron, lovelace := s.findIDs("byron", 5), s.findIDs("lovelace", 5); len(byron) != 0 || len(lovelace) != 1 {
		t.Errorf("the old name finds %v, the new one %v", byron, lovelace)
	}
	if left := s.terms(); strings.Contains(left, "byron") {
		t.Errorf("the old name is stored: %s", left)
	}
	if again := search.Change(&after, &after); len(again) != 0 {
		t.Errorf("writes for an unchanged pledge: %v", again)
	}
}

func (s *fixture) terms() string {
	var all []string
	for e, err := range kv.All(ctx, s.Store, "supporter-search:v1:") {
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, e.Key)
	}
	return strings.Join(all, "\n")
}

// A rebuild leaves exactly the terms of the records, and pledges can be found while it
// runs.
func TestRebuild_LeavesExactTerms(t *testing.T) {
	s := newFixture(t)
	for i := range 20 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), fmt.Sprintf("Ada %d", i))
	}
	s.follow()
	want := s.terms()
	other := s.pledge("game", "g@example.org", "Gus")
	stale := []kv.Write{
		kv.Put("supporter-search:v1:film:n:gus:"+other.OrderID, []byte("1")),
		kv.Put("supporter-search:v1:film:n:eve:"+s.all[3].OrderID, []byte("1")), kv.Put("supporter-search:v1:film:e:gone@example.org:pw-x", []byte("1")),
		kv.Delete("supporter-search:v1:film:n:4 ada:" + s.all[4].OrderID), kv.Put("supporter-search:v1:film:odd", []byte("1")),
	}
	if err := s.Store.Apply(ctx, stale); err != nil {
		t.Fatal(err)
	}
	s.cut = func(op memkv.Op) error {
		if op.Kind == memkv.OpDelete && strings.Contains(want, op.Key) {
			t.Errorf("%s was not found during the rebuild", op.Key)
		}
		return nil
	}
	if err := s.Rebuild(ctx, film); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.terms()); diff != "" {
		t.Error(diff)
	}
}

// All pledges are processed, even if they need more than one batch.
func TestRebuild_ManyPledges(t *testing.T) {
	s := newFixture(t)
	s.SegmentSize = 2000
	var ids []string
	for i := range 1001 {
		p := &pledge.Pledge{OrderID: fmt.Sprintf("pw-%026d", i), CampaignSlug: film, Email: fmt.Sprintf("s%d@example.org", i)}
		s.save(pledge.Key(p.OrderID), p)
		ids = append(ids, p.OrderID)
	}
	s.save(pledge.IndexKey(film, 0), ids)
	if err := s.Rebuild(ctx, film); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.terms(), "\n") + 1; n != len(ids) {
		t.Errorf("%d of %d processed", n, len(ids))
	}
}

// A rebuild ends even if the Store returns stale progress.
func TestRebuild_StaleReads(t *testing.T) {
	now, calls := time.Unix(1e9, 0), 0
	db := memkv.New(memkv.Options{Now: func() time.Time { return now }, Stale: time.Minute, Fail: func(memkv.Op) error {
		if calls++; calls > 10000 {
			return errors.New("endless loop")
		}
		return nil
	}})
	s := newFixture(t)
	s.Index = search.Index{Store: db.Store(""), SegmentSize: 7}
	for i := range 20 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), fmt.Sprintf("Ada %d", i))
	}
	now = now.Add(time.Hour)
	if err := s.Rebuild(ctx, film); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if got := s.findIDs("ada", 50); len(got) != 20 {
		t.Errorf("found %d of 20", len(got))
	}
}

// A pledge can be listed before its record is written. It stays pending and does not
// block others.
func TestUpdate_LateRecord(t *testing.T) {
	s := newFixture(t)
	s.pledge(film, "a@example.org", "Ada")
	s.enlist(film, "pw-late")
	b := s.pledge(film, "b@example.org", "Bea")
	s.follow()
	if got := s.findIDs("bea", 5); !slices.Equal(got, []string{b.OrderID}) {
		t.Fatalf("the next pledge was not found: %v", got)
	}
	s.save(pledge.Key("pw-late"), &pledge.Pledge{OrderID: "pw-late", CampaignSlug: film, Email: "late@example.org"})
	s.follow()
	if got := s.findIDs("late@", 5); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	s.follow()
	s.wrote = 0
	if s.follow(); s.wrote != 0 {
		t.Errorf("the pledge is still pending: %d writes", s.wrote)
	}
	s.enlist(film, "pw-never")
	s.follow()
	c := s.pledge(film, "c@example.org", "Cy")
	if s.follow(); !slices.Equal(s.findIDs("cy", 5), []string{c.OrderID}) {
		t.Error("no pledge was found with the maximum number of late records")
	}
}

// The number of pending pledges is limited: no others are processed until some of them
// have records.
func TestUpdate_ManyLateRecords(t *testing.T) {
	s := newFixture(t)
	s.SegmentSize = 200
	var ids []string
	for i := range 150 {
		ids = append(ids, fmt.Sprintf("pw-%026d", i))
	}
	s.save(pledge.IndexKey(film, 0), ids)
	for _, want := range []int{100, 0} {
		if n, err := s.Update(ctx, film, 1000); err != nil || n != want {
			t.Errorf("processed %d, want %d, %v", n, want, err)
		}
	}
	for i, id := range ids {
		s.save(pledge.Key(id), &pledge.Pledge{OrderID: id, CampaignSlug: film, Email: fmt.Sprintf("s%d@example.org", i)})
	}
	s.follow()
	if got := s.findIDs("s", 50); !slices.Equal(got, ids) {
		t.Errorf("found %d of %d", len(got), len(ids))
	}
}

// A stale Store may list fewer pledges than were already processed.
func TestUpdate_StaleIndex(t *testing.T) {
	s := newFixture(t)
	for i := range 5 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), "")
	}
	s.follow()
	s.save(pledge.IndexKey(film, 0), s.ids[film][:3])
	if n, err := s.Update(ctx, film, 10); err != nil || n != 0 {
		t.Errorf("processed %d, %v", n, err)
	}
	s.pledge(film, "s5@example.org", "")
	s.follow()
	if got := s.findIDs("s", 10); len(got) != 6 {
		t.Errorf("found %d of 6", len(got))
	}
}

// After a failure at any point the next call continues, and a pledge whose name changed in
// between is found by its new name only.
func TestUpdate_FailureAtEveryWrite(t *testing.T) {
	for at := range 60 {
		s := newFixture(t)
		for i := range 12 {
			s.pledge(film, fmt.Sprintf("s%d@example.org", i), "Ada")
		}
		n := 0
		s.cut = func(op memkv.Op) error {
			if n++; n > at {
				return context.Canceled
			}
			return nil
		}
		_, _ = s.Update(ctx, film, 100)
		s.cut = nil
		s.follow()
		if got := s.findIDs("ada", 5); len(got) != 12 {
			t.Fatalf("failure at %d: found %d", at, len(got))
		}
	}
}

// If a name changes between reading the record and writing its terms, only the new name is found.
// If the record was deleted, the terms remain until the next rebuild.
func TestUpdate_NameChangesMeanwhile(t *testing.T) {
	s := newFixture(t)
	before := []*pledge.Pledge{s.pledge(film, "r@example.org", "Gone"), s.pledge(film, "s@example.org", "Byron"), s.pledge(film, "t@example.org", "Byron")}
	changed := false
	s.cut = func(op memkv.Op) error {
		if !strings.HasPrefix(op.Key, "supporter-search:v1:") || changed {
			return nil
		}
		changed = true
		for _, p := range before[1:] {
			after := *p
			after.ShippingAddress = &pledge.Address{Name: "Lovelace"}
			s.save(pledge.Key(p.OrderID), after)
			if err := s.Store.Apply(ctx, search.Change(p, &after)); err != nil {
				return err
			}
		}
		return s.Store.Apply(ctx, []kv.Write{kv.Delete(pledge.Key(before[0].OrderID))})
	}
	s.follow()
	left := s.terms()
	if !changed || strings.Contains(left, "byron") || strings.Count(left, "lovelace") != 2 || strings.Count(left, "\n") != 5 {
		t.Errorf("changed %t: %s", changed, left)
	}
}

// Update processes at most limit pledges. Without new pledges, it reads two records and writes
// nothing.
func TestUpdate_Limit(t *testing.T) {
	s := newFixture(t)
	for i := range 30 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), "")
	}
	for i, tc := range []struct{ limit, want int }{{12, 12}, {1, 1}, {0, 0}, {12, 12}, {12, 5}, {12, 0}} {
		if n, err := s.Update(ctx, film, tc.limit); err != nil || n != tc.want {
			t.Fatalf("run %d processed %d, want %d, %v", i, n, tc.want, err)
		}
	}
	s.read, s.wrote = 0, 0
	if _, err := s.Update(ctx, film, 12); err != nil || s.read > 4 || s.wrote != 0 { // each read is counted twice
		t.Errorf("without new pledges: %d reads, %d writes, %v", s.read, s.wrote, err)
	}
}

// naive reports whether a text should match a pledge, without using terms.
func naive(p *pledge.Pledge, text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" || strings.HasPrefix(p.Email, text) {
		return true
	}
	if strings.Contains(text, "@") {
		return false
	}
	plain := strings.NewReplacer("É", "e", "é", "e", "é", "e", "Ñ", "n", "ñ", "n", "Ø", "o", "ø", "o", "ß", "ss", "'", "", "\u0301", "", "-", " ", "+", " ", ".", " ")
	words := strings.Fields(plain.Replace(strings.ToLower(p.ShippingAddress.Name)))
	want := strings.Join(strings.Fields(plain.Replace(text)), " ")
	for range words {
		if want != "" && strings.HasPrefix(strings.Join(words, " "), want) {
			return true
		}
		words = append(words[1:], words[0])
	}
	return false
}

// Find returns exactly the pledges that a scan finds, each once, with any page size,
// and writes nothing.
func TestFind_MatchesScan(t *testing.T) {
	letters := []rune("aabbÉéÑñØøßE '-.+🦊山e\u0301")
	rapid.Check(t, func(rt *rapid.T) {
		s := newFixture(t)
		name := rapid.StringOfN(rapid.SampledFrom(letters), 0, 8, -1)
		local := rapid.StringMatching(`[ab]{1,3}([+.][ab]{1,2})?`)
		for range rapid.IntRange(0, 25).Draw(rt, "pledges") {
			slug := rapid.SampledFrom([]string{film, film, film, "game"}).Draw(rt, "campaign")
			s.pledge(slug, local.Draw(rt, "email")+rapid.SampledFrom([]string{"@a.org", "@a.org.uk"}).Draw(rt, "domain"), name.Draw(rt, "name"))
		}
		s.follow()
		s.wrote = 0
		for range 5 {
			text := rapid.OneOf(name, local, rapid.Just(""), rapid.Custom(func(t *rapid.T) string { return local.Draw(t, "local") + "@a.o" }),
				rapid.Custom(func(t *rapid.T) string { return strings.ToUpper(local.Draw(t, "local")) + "@a.org" })).Draw(rt, "text")
			var want []string
			for _, p := range s.all {
				if p.CampaignSlug == film && naive(p, text) {
					want = append(want, p.OrderID)
				}
			}
			if diff := cmp.Diff(want, s.findIDs(text, rapid.IntRange(1, 9).Draw(rt, "page"))); diff != "" {
				rt.Errorf("%q (-scan +search): %s", text, diff)
			}
		}
		if s.wrote != 0 {
			rt.Errorf("searching wrote %d times", s.wrote)
		}
	})
}
