package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/search"
)

func TestFind_AddressSpellings(t *testing.T) {
	s := newFixture(t)
	old := s.pledge(film, "zoe@übung.example", "Zoe").OrderID
	newer := s.pledge(film, "zoe@xn--bung-zra.example", "Zoe").OrderID
	s.pledge(film, "zoe@example.net", "Zoe")
	s.updateAll()
	for _, text := range []string{"zoe@übung.example", "ZOE@U\u0308bung.example", "zoe@xn--bung-zra.example"} {
		if diff := cmp.Diff([]string{old, newer}, s.findIDs(text, 5)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if diff := cmp.Diff(s.findIDs("zoe@xn--bung-zra.example", 5), s.findIDs("zoe@übung.example", 1)); diff != "" {
		t.Error(diff)
	}
}

// A name is found by its usual spellings, and not by others.
func TestFind_Names(t *testing.T) {
	for _, tc := range []struct {
		name      string
		finds     []string
		doesNot   []string
		alsoFinds string
	}{
		{name: "Ada Lovelace", finds: []string{"ada", "ADA", "lovelace", "Lovelace Ada", "ada lov", " love ",
			"a", "ada  lovelace"}, doesNot: []string{"da", "ada x", "lovelace b", "ace"}},
		{name: "Zoë Müller-Lüdenscheidt", finds: []string{"zoe", "ZOË", "zoe\u0308", "muller", "müller",
			"ludenscheidt zoe", "muller lud"}, doesNot: []string{"zoo", "mueller"}},
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
		{name: strings.Repeat("a", 254), finds: []string{strings.Repeat("a", 254)},
			doesNot: []string{strings.Repeat("a", 253) + "b"}},
	} {
		s := newFixture(t)
		p := s.pledge(film, "x@example.org", tc.name)
		s.updateAll()
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
	s.updateAll()
	for text, want := range map[string][]string{
		"ada+film@example.org": {ada.OrderID, longer.OrderID}, "ada+film@example.org.": {longer.OrderID},
		"ada": {ada.OrderID, longer.OrderID}, "ada+": {ada.OrderID, longer.OrderID},
		"": {ada.OrderID, longer.OrderID}, " ": {ada.OrderID, longer.OrderID},
		"film@example.org": nil, "e": {ada.OrderID}, "\x00": nil, "e:": {ada.OrderID},
		"n:": nil, "ada+film@example.org:pw-": nil,
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
	s.updateAll()
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

// The ID of an order that covers several campaigns finds, in each of them, only that campaign's
// pledge.
func TestFind_OrderOfSeveralCampaigns(t *testing.T) {
	s := newFixture(t)
	order := "pw-" + strings.Repeat("7", 26)
	for _, slug := range []string{film, "game"} {
		s.save(pledge.Key(order+"-"+slug),
			&pledge.Pledge{OrderID: order + "-" + slug, CampaignSlug: slug, Email: "a@example.org"})
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
		{"", "ada", "", "q"}, {"", "", "", "q"}, {"", "ada@example.org", "?", "cursor"},
		{"", strings.Repeat("x", 255), "", "q"},
	} {
		_, err := s.Find(ctx, tc.slug, tc.text, true, tc.cursor, 5)
		if tc.slug == "" {
			_, err = s.FindInAll(ctx, tc.text, tc.cursor, 5)
		}
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tc.field {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	// A cursor that was not returned for this search finds nothing.
	for _, cursor := range []string{"a:99", "e:zzz", "n:supporter-search:v1:game:",
		"a:9223372036854775807", "e:" + strings.Repeat("x", 1024)} {
		if page, err := s.Find(ctx, film, "ada@example.org", true, cursor, 5); err != nil ||
			len(page.Pledges) != 0 || page.Next != "" {
			t.Errorf("%s: %+v, %v", cursor, page, err)
		}
	}
}

// matches reports whether a text should find a pledge. It does not use terms.
func matches(p *pledge.Pledge, text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" || strings.HasPrefix(p.Email, text) {
		return true
	}
	if strings.Contains(text, "@") {
		return false
	}
	plain := strings.NewReplacer("É", "e", "é", "e", "é", "e", "Ñ", "n", "ñ", "n", "Ø", "o", "ø", "o",
		"ß", "ss", "'", "", "\u0301", "", "-", " ", "+", " ", ".", " ")
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
			s.pledge(slug, local.Draw(rt, "email")+rapid.SampledFrom([]string{"@a.org", "@a.org.uk"}).Draw(rt, "domain"),
				name.Draw(rt, "name"))
		}
		s.updateAll()
		s.wrote = 0
		for range 5 {
			text := rapid.OneOf(name, local, rapid.Just(""),
				rapid.Custom(func(t *rapid.T) string { return local.Draw(t, "local") + "@a.o" }),
				rapid.Custom(func(t *rapid.T) string { return strings.ToUpper(local.Draw(t, "local")) + "@a.org" })).Draw(rt,
				"text")
			var want []string
			for _, p := range s.all {
				if p.CampaignSlug == film && matches(p, text) {
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
