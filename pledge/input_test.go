package pledge_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestParseEmail(t *testing.T) {
	for in, want := range map[string]string{
		" Ada.Lovelace+film@Example.ORG ": "ada.lovelace+film@example.org",
		"o'hara@sub.example.co":           "o'hara@sub.example.co",
		"jörg@müller.example":             "jörg@xn--mller-kva.example",
		"Jo\u0308rg@MU\u0308LLER.example": "jörg@xn--mller-kva.example",
		"jörg@XN--MLLER-KVA.example":      "jörg@xn--mller-kva.example",
		"ines@straße.example":             "ines@xn--strae-oqa.example",
		"ines@пример.рф":                  "ines@xn--e1afmkfd.xn--p1ai",
		"ines@例え。テスト":                     "ines@xn--r8jz45g.xn--zckzah",
		"ines@ｅｘａｍｐｌｅ.org":                "ines@example.org",
		"ines@i❤.ws":                      "ines@xn--i-7iq.ws",
		"ines@xn--zz.example":             "ines@xn--zz.example",
		"ines@a--b.example":               "ines@a--b.example",
		"ﬁ@example.org":                   "ﬁ@example.org",
		"a@b.co":                          "a@b.co",
		"az09@az09.az09":                  "az09@az09.az09",
		strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + ".org": strings.Repeat("a", 64) +
			"@" + strings.Repeat("b", 63) + ".org",
		ofLength(pledge.MaxEmail): ofLength(pledge.MaxEmail),
	} {
		if got, err := pledge.ParseEmail(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "ada", "@example.org", "ada@", "ada@example", "ada@@example.org", "ada@example..org",
		".ada@example.org", "ada.@example.org",
		"a b@example.org", "ada@exa mple.org", "ada@-example.org", "ada@example-.org", "ada@127.0.0.1",
		"ada@example.org\r\nBcc: eve@example.org",
		"<ada@example.org>", "ada@example.org,eve@example.org", "ada\u202e@example.org", "ada\u200b@example.org",
		"ada\u00a0@example.org", "ada@exam\u2028ple.org",
		"ada@mü_ller.example", "ada@mü llen.example", "ada@-mün.example", "ada@אa.example",
		"ada@münchen", "ada@\u0301a.example", "ada@ü..example",
		"a@" + strings.Repeat("ü", 60) + ".example", "\xff@example.org", strings.Repeat("a", 65) + "@example.org",
		"a@" + strings.Repeat("b", 64) + ".org", ofLength(pledge.MaxEmail + 1),
	} {
		got, err := pledge.ParseEmail(in)
		f := fault.Of(err)
		if f == nil || f.Code != fault.Invalid || f.Message != "Invalid email format" || f.Field != "email" || got != "" {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

// ofLength returns an email address of n bytes, with parts as long as possible.
func ofLength(n int) string {
	head := strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + "." + strings.Repeat("c", 63) + "."
	return head + strings.Repeat("d", n-len(head)-len(".org")) + ".org"
}

func FuzzParseEmail(f *testing.F) {
	for _, s := range []string{"ada@example.org", "A@B.CO", "İ@example.org", "a@b.c\n", "ﬀ@ß.example",
		"a@xn--.org", "ü@ü.example", "u\u0308@u\u0308.example", "a@例え。テスト"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := pledge.ParseEmail(s)
		if err != nil {
			return
		}
		again, err := pledge.ParseEmail(got)
		if err != nil || again != got {
			t.Errorf("%q: parsed %q, reparsed %q, %v", s, got, again, err)
		}
		if spellings := pledge.EmailSpellings(got); len(spellings) == 0 || spellings[0] != got {
			t.Errorf("spellings of %q: %q", got, spellings)
		}
		for _, spelling := range pledge.EmailSpellings(s) {
			if again := pledge.DeliveryEmail(spelling); again != got {
				t.Errorf("DeliveryEmail(%q) = %q, want %q", spelling, again, got)
			}
		}
		if len(got) > pledge.MaxEmail || strings.Count(got, "@") != 1 ||
			strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }) {
			t.Errorf("%q was accepted", got)
		}
	})
}

func TestEmailSpellings(t *testing.T) {
	for in, want := range map[string][]string{
		"Zoë@Example.org":        {"zoë@example.org", "zoe\u0308@example.org"},
		"zoe@xn--mller-kva.info": {"zoe@xn--mller-kva.info", "zoe@müller.info", "zoe@mu\u0308ller.info"},
		"zoe@müller.info":        {"zoe@xn--mller-kva.info", "zoe@müller.info", "zoe@mu\u0308ller.info"},
		"zoe@example.org":        {"zoe@example.org"},
		"zoe@xn--zz.example":     {"zoe@xn--zz.example"},
		"zoe":                    nil,
	} {
		if diff := cmp.Diff(want, pledge.EmailSpellings(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
	if got := pledge.DeliveryEmail("not an address"); got != "not an address" {
		t.Errorf("delivered to %q", got)
	}
}

// Addresses that differ in any letter belong to different supporters, since only the mail
// provider can decide which of them share a mailbox.
func TestEmailHash(t *testing.T) {
	of := func(written string) string {
		t.Helper()
		email, err := pledge.ParseEmail(written)
		if err != nil {
			t.Fatal(err)
		}
		h := pledge.EmailHash(email)
		if len(h) != 32 || strings.Trim(h, "0123456789abcdef") != "" {
			t.Errorf("EmailHash(%q) = %q", written, h)
		}
		return h
	}
	owner := map[string]string{}
	for _, written := range []string{
		"ada@example.org", "eve@example.org", "ada+film@example.org", "ada+disc@example.org",
		"ada+@example.org", "a.da@example.org",
		"ada@mail.example.org", "ada@example.com", "adá@example.org", "ada@müller.example", "ada@muller.example",
	} {
		if other, taken := owner[of(written)]; taken {
			t.Errorf("%q and %q have the same hash", written, other)
		}
		owner[of(written)] = written
	}
	for _, same := range []string{"ADA@example.org", "Ada@Example.ORG", " ada@example.org "} {
		if of(same) != of("ada@example.org") {
			t.Errorf("hash of %q differs from that of ada@example.org", same)
		}
	}
	for _, same := range []string{"ada@xn--mller-kva.example", "Ada@Mu\u0308ller.example", "ADA@MÜLLER.EXAMPLE"} {
		if of(same) != of("ada@müller.example") {
			t.Errorf("hash of %q differs from that of ada@müller.example", same)
		}
	}
}

func TestAddressClean(t *testing.T) {
	got, err := pledge.Address{Name: " Ada\x00 L. ", Line1: "1\r\nMain St", City: "Taos",
		State: "NM", PostalCode: "87571", Country: " us "}.Clean()
	want := pledge.Address{Name: "Ada L.", Line1: "1 Main St", City: "Taos", State: "NM",
		PostalCode: "87571", Country: "US"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	pasted := pledge.Address{Name: "\u00a0Ada\u2003 \tLovelace\u0085", Line1: "Calle\u00a0Mayor,\t7\v3",
		Line2: "a \x07 b\u2028c", City: "San\r\n\r\nJosé\u202f", PostalCode: "\u300028 013",
		Country: "ES\n", State: "\tMa\u00a0drid "}
	want = pledge.Address{Name: "Ada Lovelace", Line1: "Calle Mayor, 7 3", Line2: "a b c", City: "San José",
		PostalCode: "28 013", Country: "ES", State: "Ma drid"}
	if got, err := pasted.Clean(); err != nil || got != want {
		t.Errorf("pasted text: %+v, %v", got, err)
	}
	whole := pledge.Address{Line1: strings.Repeat("x", 120), Country: "AZ"}
	if got, err := whole.Clean(); err != nil || got != whole {
		t.Errorf("part of maximum length: %+v, %v", got, err)
	}
	if got, err := (pledge.Address{Country: "za"}).Clean(); err != nil || got.Country != "ZA" {
		t.Errorf("za: %+v, %v", got, err)
	}
	if empty, err := (pledge.Address{}).Clean(); err != nil || !empty.IsZero() {
		t.Errorf("empty address: %+v, %v", empty, err)
	}
	for field, bad := range map[string]pledge.Address{
		"country": {Country: "USA"}, "city": {City: strings.Repeat("é", 61)}, "line2": {Line2: strings.Repeat("x", 121)},
		"postalCode": {PostalCode: strings.Repeat("1", 200)},
	} {
		got, err := bad.Clean()
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != field || !got.IsZero() {
			t.Errorf("%s: %+v, %v", field, got, err)
		}
	}
}

func TestAddressClean_Phone(t *testing.T) {
	for given, want := range map[string]string{
		"": "", " +1\u00a0(575)  555-0100\n": "+1 (575) 555-0100", "030/123456": "030/123456",
		"12345": "12345", "+44 20 7946.0000": "+44 20 7946.0000",
		"+49 (0) 30 / 123 456 789": "+49 (0) 30 / 123 456 789", "123456789012345": "123456789012345",
	} {
		if got, err := (pledge.Address{Phone: given}).Clean(); err != nil || got.Phone != want {
			t.Errorf("%q: %q, %v", given, got.Phone, err)
		}
	}
	for _, bad := range []string{"1234", "1234567890123456", "+1 +1 5755550100", "575-555-0100 x12",
		"five five", "٠١٢٣٤٥", "1-2-3-4-5-6-7-8-9-0-1-2-3-4-5--"} {
		got, err := pledge.Address{Phone: bad}.Clean()
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "phone" || !got.IsZero() {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
	}
}

func TestAddressClean_State(t *testing.T) {
	for _, tt := range []struct{ country, state, want string }{
		{"US", "OH", "OH"}, {"us", " oh", "OH"}, {"US", "north dakota", "ND"}, {"US", "D.C.", "DC"},
		{"US", "AP", "AP"}, {"US", "", ""},
		{"CA", "Québec", "QC"}, {"CA", "quebec", "QC"}, {"BR", "São Paulo", "SP"}, {"BR", "Sao Paulo", "SP"},
		{"IT", "MI", "MI"}, {"AU", "N.S.W.", "NSW"},
		{"DE", "Bayern", "Bayern"}, {"NL", "Saba", "Saba"}, {"GB", "OH", ""}, {"NL", "New Hampshire", ""},
		{"ES", "Girona", "Girona"}, {"JP", "東京都", "東京都"}, {"MX", "OH", "OH"}, {"", "OH", "OH"},
	} {
		if got, err := (pledge.Address{Country: tt.country, State: tt.state}).Clean(); err != nil || got.State != tt.want {
			t.Errorf("%s in %s: got %q, %v", tt.state, tt.country, got.State, err)
		}
	}
	for _, tt := range []struct{ country, state string }{{"US", "Ontario"}, {"US", "ON"}, {"CA", "TX"},
		{"AU", "TX"}, {"IT", "Bayern"}, {"BR", "-"}, {"US", "O"}, {"US", "OHI"}} {
		got, err := pledge.Address{Country: tt.country, State: tt.state}.Clean()
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "state" || !got.IsZero() {
			t.Errorf("%s in %s: %+v, %v", tt.state, tt.country, got, err)
		}
	}
}

// Unknown country codes are rejected.
func TestCountries(t *testing.T) {
	for _, code := range []string{"", "ZZ", "UK", "EU", "XX", "A ", " A", "E A", "us", "USA", "DD", "SU", "AN"} {
		if pledge.IsCountry(code) {
			t.Errorf("%q was accepted as a country", code)
		}
	}
	count := 0
	for _, first := range letters {
		for _, second := range letters {
			code := string(first) + string(second)
			if _, err := (pledge.Address{Country: code}).Clean(); (err == nil) != pledge.IsCountry(code) {
				t.Errorf("%s: %v", code, err)
			}
			if pledge.IsCountry(code) {
				count++
			}
		}
	}
	if count != 250 { // ISO 3166-1, and Kosovo
		t.Errorf("%d countries", count)
	}
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func TestZIP(t *testing.T) {
	for code, want := range map[string]string{
		"87501": "87501", " 87501 ": "87501", "87501-1234": "87501", "87501 1234": "87501", "875011234": "87501",
		"": "", "8750": "", "875012": "", "8750A": "", "H2X 1Y4": "", "87501-": "87501",
	} {
		if got := (pledge.Address{PostalCode: code}).ZIP(); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}

func FuzzAddressClean(f *testing.F) {
	f.Add("Ada", "de")
	f.Add("\x00\xff\n", "ſs")
	f.Add("OH\u00a0", "us")
	f.Add("\u0085a\x00 \x00b", "de")
	f.Fuzz(func(t *testing.T, name, country string) {
		got, err := pledge.Address{Name: name, State: name, Country: country}.Clean()
		if err != nil {
			return
		}
		again, err := got.Clean()
		if err != nil || again != got || strings.ContainsFunc(got.Name, unicode.IsControl) ||
			strings.Join(strings.Fields(got.Name), " ") != got.Name {
			t.Errorf("%q, %q: %+v, cleaned again %+v, %v", name, country, got, again, err)
		}
	})
}

func TestAttributionClean(t *testing.T) {
	got := pledge.Attribution{
		Referral: " friend_of-ada.1 ", UTMSource: "<script>alert(1)</script>", UTMMedium: strings.Repeat("m", 100),
		UTMCampaign: "=HYPERLINK(1)", UTMContent: "ünïcode\x00 azAZ-09[/:@`{",
	}.Clean()
	want := pledge.Attribution{
		Referral: "friend_of-ada.1", UTMSource: "scriptalert1script", UTMMedium: strings.Repeat("m", 64),
		UTMCampaign: "HYPERLINK1", UTMContent: "ncode azAZ-09",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLanguage(t *testing.T) {
	for tag, want := range map[string]string{"es": "es", "ES-mx": "es", "en": "en", "": "en", "fr": "en", "est": "en"} {
		if got := pledge.Language(tag); got != want {
			t.Errorf("%q: got %q", tag, got)
		}
	}
}

// A pledge's ID is its order's ID, followed by the campaign's slug if the order covers several
// campaigns.
//
// Proves PLG-02.
func TestIDFor_OrderOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	id, err := pledge.NewOrderID(now, bytes.NewReader(make([]byte, 10)))
	if err != nil || len(id) != 29 || !strings.HasPrefix(id, "pw-") || id != strings.ToLower(id) {
		t.Fatalf("%q, %v", id, err)
	}
	later, err := pledge.NewOrderID(now.Add(time.Millisecond), bytes.NewReader(make([]byte, 10)))
	if err != nil || later <= id {
		t.Errorf("%q does not sort after %q, %v", later, id, err)
	}
	if _, err := pledge.NewOrderID(now, iotest.ErrReader(errors.New("dry"))); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without random bytes: %v", err)
	}
	long := strings.Repeat("a", 100)
	for pledgeID, slug := range map[string]string{id: "film", id + "-film": "film",
		id + "-a": "a", id + "-" + long: long} {
		if got := pledge.IDFor(id, slug, pledgeID != id); got != pledgeID {
			t.Errorf("got %q, want %q", got, pledgeID)
		}
		if order, err := pledge.OrderOf(pledgeID); err != nil || order != id {
			t.Errorf("%q: got order %q, %v", pledgeID, order, err)
		}
	}
	for _, bad := range []string{"", "pw-", id[:28], "PW" + id[2:], id + "-", id + "x", id + "-Film",
		id + "-a/b", id + "--" + strings.Repeat("a", 100), "pw-" + strings.Repeat("u", 26)} {
		if order, err := pledge.OrderOf(bad); !fault.Is(err, fault.Invalid) || order != "" {
			t.Errorf("%q: got order %q, %v", bad, order, err)
		}
	}
}

func FuzzOrderOf(f *testing.F) {
	for _, s := range []string{"pw-01arz3ndektsv4rrffq69g5fav", "pw-01arz3ndektsv4rrffq69g5fav-film",
		"pw-", "supporter:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		order, err := pledge.OrderOf(s)
		if err != nil {
			return
		}
		if again, err := pledge.OrderOf(order); err != nil || again != order || !strings.HasPrefix(s, order) {
			t.Errorf("%q: got order %q, whose order is %q, %v", s, order, again, err)
		}
	})
}
