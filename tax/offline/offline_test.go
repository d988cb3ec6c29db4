package offline_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/offline"
	"github.com/pledgeworks/pledgeworks/tax/taxtest"
)

func everywhere(t testing.TB) *offline.Provider { return collecting(t, offline.Everywhere) }

func collecting(t testing.TB, places ...string) *offline.Provider {
	t.Helper()
	p, err := offline.New(places)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// to parses "US NY 10001": country, state or "-", postal code.
func to(s string) pledge.Address {
	f := append(strings.Fields(s), "", "", "")
	return pledge.Address{Country: f[0], State: strings.ReplaceAll(strings.TrimPrefix(f[1], "-"), "_", " "),
		PostalCode: strings.ReplaceAll(f[2], "_", " ")}
}

func lines(physical, digital, shipping money.Cents) []pledge.Line {
	out := []pledge.Line{}
	for _, l := range []pledge.Line{
		{Kind: pledge.TierLine, Category: campaign.Physical, Amount: physical},
		{Kind: pledge.CampaignAddOnLine, Category: campaign.Digital, Amount: digital},
		{Kind: pledge.ShippingLine, Category: campaign.Physical, Amount: shipping},
	} {
		if l.Amount > 0 {
			out = append(out, l)
		}
	}
	return out
}

func ask(t testing.TB, p *offline.Provider, where, at string, l []pledge.Line) tax.Quote {
	t.Helper()
	q, err := p.Quote(t.Context(), tax.Request{Destination: to(where), At: day(at), Lines: l})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestProvider_Conformance(t *testing.T) {
	for _, p := range []*offline.Provider{everywhere(t), collecting(t, "DE", "US-NY", "CA"), collecting(t)} {
		h := taxtest.Harness{Provider: p, At: day("2026-11-20")}
		for _, where := range []string{"", "US", "US NY 10001", "US TX 73301", "US NM 87501", "DE - 10115",
			"DE - 78266", "DE", "GB - BT1_1AA", "GB - SW1A_1AA",
			"CA QC H2X_1Y4", "CA", "BR - 01000", "ZZ", "US - 06390", "FR - 97100"} {
			h.Destinations = append(h.Destinations, to(where))
		}
		taxtest.Run(t, h)
	}
}

// A postal code is only asked for if mail to the country requires one.
func TestQuote_AsksForRequiredPostalCodes(t *testing.T) {
	p := everywhere(t)
	for i := range 26 * 26 {
		a := pledge.Address{Name: "Ada", Line1: "1 Shore Road", City: "Port", State: "West",
			Country: string([]byte{'A' + byte(i/26), 'A' + byte(i%26)})}
		if a.Missing() != "" {
			continue
		}
		q, err := p.Quote(t.Context(), tax.Request{Destination: a, At: day("2026-11-20"), Lines: lines(100_00, 0, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if len(q.Missing) > 0 {
			t.Errorf("%s: tax is missing %v", a.Country, q.Missing)
		}
	}
}

// Cases that are often calculated wrongly, in cents: 100 dollars of goods, 50 of
// downloads, 10 of shipping.
//
// Proves TAX-14, TAX-15.
func TestQuote_DifficultCases(t *testing.T) {
	const goods, downloads, shipping = 10_000, 5_000, 1_000
	for _, tt := range []struct {
		where, at string
		tax       money.Cents
		shipping  bool
	}{
		{"US LA 70112", "2024-12-31", 445, false}, // downloads were exempt then
		{"US LA 70112", "2025-01-01", 750, false},
		{"US LA 70112", "2030-01-01", 713, false}, // 712.5
		{"US SD 57101", "2023-06-30", 720, true},
		{"US SD 57101", "2026-11-20", 672, true},
		{"US SD 57101", "2027-06-30", 672, true},
		{"US SD 57101", "2027-07-01", 720, true},
		{"US NJ 07030", "2026-11-20", 1060, true}, // 6.625 %
		{"US MO 63101", "2026-11-20", 423, false}, // 4.225 %: 422.5
		{"US MN 55401", "2026-11-20", 1100, true}, // 6.875 %
		{"US KS 66101", "2023-06-30", 715, true},
		{"US KS 66101", "2023-07-01", 650, false},
		{"US MI 48201", "2023-04-25", 660, true},
		{"US MI 48201", "2023-04-26", 600, false},
		{"US DC 20001", "2026-09-30", 960, true},
		{"US DC 20001", "2026-10-01", 1120, true},
		{"US TX 73301", "2026-11-20", 1000, true},
		{"US CA 94105", "2026-11-20", 725, false},
		{"US UT 84101", "2026-11-20", 915, false},
		{"US VA 23219", "2026-11-20", 530, false},
		{"US OR 97201", "2026-11-20", 0, false},
		{"US AK 99501", "2026-11-20", 0, false},
		{"US PR 00901", "2026-11-20", 1725, false},
		{"PR - 00901", "2026-11-20", 1725, false},
		{"CA QC H2X_1Y4", "2026-11-20", 2246, false}, // rounded once: 2246.25
		{"CA ON M5V_2T6", "2026-11-20", 1950, false},
		{"CA NS B3H_1A1", "2025-03-31", 2250, false},
		{"CA NS B3H_1A1", "2025-04-01", 2100, false},
		{"CA NU X0A_0H0", "2026-11-20", 750, false},
		{"DE - 10115", "2026-11-20", 3040, true},
		{"DE - 78266", "2026-11-20", 0, false}, // Büsingen
		{"DE - 27498", "2026-11-20", 0, false}, // Heligoland
		{"AT - 1010", "2026-11-20", 3200, true},
		{"AT - 6691", "2026-11-20", 3040, true}, // Jungholz
		{"AT - 6992", "2026-11-20", 3040, true}, // Mittelberg
		{"ES - 28001", "2026-11-20", 3360, true},
		{"ES - 35001", "2026-11-20", 0, false}, // Canary Islands
		{"ES - 38001", "2026-11-20", 0, false},
		{"ES - 51001", "2026-11-20", 0, false}, // Ceuta
		{"ES - 52001", "2026-11-20", 0, false}, // Melilla
		{"IT - 20121", "2026-11-20", 3520, true},
		{"IT - 23041", "2026-11-20", 0, false},      // Livigno
		{"IT - 23030", "2026-11-20", 3520, true},    // Valfurva and others; formerly also Livigno
		{"PT - 9000-017", "2026-11-20", 3520, true}, // Madeira
		{"PT - 9500-001", "2026-11-20", 2560, true}, // Azores
		{"FR - 97110", "2026-11-20", 1360, true},    // Guadeloupe
		{"GP", "2026-11-20", 1360, true},
		{"FR - 97300", "2026-11-20", 0, false}, // Guyane
		{"MC - 98000", "2026-11-20", 3200, true},
		{"GB - SW1A_1AA", "2026-11-20", 3200, true},
		{"GB - BT1_1AA", "2026-11-20", 3200, true},
		{"EE - 10111", "2025-06-30", 3520, true},
		{"EE - 10111", "2025-07-01", 3840, true},
		{"RO - 010011", "2025-08-01", 3360, true},
		{"SK - 81101", "2024-12-31", 3200, true},
		{"SK - 81101", "2025-01-01", 3680, true},
		{"FI - 00100", "2024-09-01", 4080, true},
		{"CH - 8001", "2023-12-31", 1155, false},
		{"CH - 8001", "2024-01-01", 1215, false},
		{"SG - 018956", "2026-11-20", 1350, false},
		{"HK", "2026-11-20", 0, false}, {"QA", "2026-11-20", 0, false}, {"KW", "2026-11-20", 0, false},
	} {
		q := ask(t, everywhere(t), tt.where, tt.at, lines(goods, downloads, shipping))
		if q.Status != tax.Quoted || q.Tax != tt.tax || q.ShippingTaxed != tt.shipping || q.Source == "" || q.AsOf == "" {
			t.Errorf("%s on %s: %s, %d cents, shipping taxed: %t, source %q of %q, want %d and %t", tt.where,
				tt.at, q.Status, q.Tax, q.ShippingTaxed, q.Source, q.AsOf, tt.tax, tt.shipping)
		}
	}
}

// With binary floating point, these taxes would be a cent too low.
func TestQuote_ExactWhereFloatsAreNot(t *testing.T) {
	if q := ask(t, everywhere(t), "US CA 94105", "2026-11-20", lines(200, 0, 0)); q.Tax != 15 { // 14.5
		t.Errorf("7.25 percent of 200: %d", q.Tax)
	}
	if got := mustPercent(t, "8.625").Of(1200); got != 104 { // 103.5
		t.Errorf("8.625 percent of 1200: %d", got)
	}
}

func mustPercent(t *testing.T, s string) money.Rate {
	t.Helper()
	r, err := money.ParsePercent(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Proves TAX-23.
func TestQuote_Questions(t *testing.T) {
	for where, want := range map[string][]string{
		"": {"country"}, "US": {"postalCode"}, "US - 0639": {"postalCode"}, "US - 06390": {"state"},
		"US NJ 06390": {"state"}, "US - 00000": {"postalCode"}, "US XX 00000": {"postalCode"},
		"US - ABCDE": {"postalCode"}, "US NY 100011": {"postalCode"}, "CA": {"postalCode"}, "CA - 9": {"postalCode"},
		"DE": {"postalCode"}, "GB": {"postalCode"}, "ES": {"postalCode"}, "US XX": {"postalCode"},
		// Either the state or the postal code may be wrong.
		"US NY 06103": {"state"}, "US Texas 87501": {"state"}, "US Nuevo 87501": {"state"},
		"CA ON H2X_1Y4": {"state"}, "CA Yukon X1A_1A1": {"state"},
	} {
		q := ask(t, everywhere(t), where, "2026-11-20", lines(100, 0, 0))
		contradicts := want[0] == "state" && where != "US - 06390"
		if q.Status != tax.NeedsInput || !cmp.Equal(q.Missing, want) || q.Tax != 0 ||
			(q.Question.Reason == tax.OtherState) != contradicts || q.Question.Field != want[0] {
			t.Errorf("%q: %s, missing %v, want %v, %q", where, q.Status, q.Missing, want, q.Notice)
		}
	}
	for where, jurisdiction := range map[string]string{
		"US NY 06390": "US-NY", "US CT 06390": "US-CT", "US Connecticut 06390": "US-CT", "US NY": "US-NY",
		"US NY 00000": "US-NY", "US - 10001-1234": "US-NY", "CA ON": "CA-ON",
		"CA Québec H2X_1Y4": "CA-QC", "US new_york 10001": "US-NY", "US north_Carolina": "US-NC", "CA - x1a_1a1": "CA-NT",
		"CA - X0C": "CA-NU", "us ny 10001": "US-NY", "GB - JE2_3AB": "JE", "GB - BT1_1AA": "XI",
		"CA QC K1A_0S9": "CA-QC", "CA ON K1A_0A6": "CA-ON", "CA ON H0M_1A0": "CA-ON",
		"CA SK R8A_0A1": "CA-SK", "CA - R8A_0A1": "CA-MB",
	} {
		if q := ask(t, everywhere(t), where, "2026-11-20", lines(100, 0, 0)); !q.Status.Final() ||
			q.Jurisdiction != jurisdiction {
			t.Errorf("%q: %s of %s, want %s", where, q.Status, q.Jurisdiction, jurisdiction)
		}
	}
}

// Unknown rates, partial rates and unknown shipping rules are reported.
func TestQuote_UnknownRules(t *testing.T) {
	for where, notice := range map[string]string{
		"BR - 01000": "No rate is known for BR", "US AE 09001": "No rate is known",
		"US VI 00801": "No rate is known", "US NM 87501": "state part only",
		"US NY 10001": "local taxes are not included", "CH - 8001": "Shipping is not taxed, because the rule is unknown",
		"ES - 35001": "IGIC",
	} {
		q := ask(t, everywhere(t), where, "2026-11-20", lines(100, 0, 100))
		if !q.Status.Final() || !strings.Contains(q.Notice, notice) {
			t.Errorf("%s: %s, %q", where, q.Status, q.Notice)
		}
		if known := !strings.Contains(notice, "No rate") && where != "US NM 87501"; known != (q.Status == tax.Quoted) {
			t.Errorf("%s: %s", where, q.Status)
		}
	}
}

// Taxes are labeled by place, and further notices follow the table's note.
func TestQuote_LabelsAndNotices(t *testing.T) {
	for where, want := range map[string]struct {
		labels []string
		notice string
	}{
		"DE - 10115":    {[]string{"DE VAT"}, ""},
		"US NJ 07030":   {[]string{"NJ sales tax"}, ""},
		"CA QC H2X_1Y4": {[]string{"QC GST", "QC QST"}, "Shipping is not taxed, because the rule is unknown"},
		"US NY 10001":   {nil, "local taxes are not included; Tax is not collected in US-NY"},
	} {
		q := ask(t, collecting(t, "DE", "US-NJ", "CA-QC"), where, "2026-11-20", lines(100, 0, 100))
		var labels []string
		for _, part := range q.Breakdown {
			labels = append(labels, part.Label)
		}
		if !cmp.Equal(labels, want.labels) || q.Notice != want.notice {
			t.Errorf("%s: %v, %q", where, labels, q.Notice)
		}
	}
}

// Tax is collected where parcels are shipped from: in the country, or in the state of
// the ZIP code.
func TestOrigin_CountryOrState(t *testing.T) {
	for _, tt := range []struct {
		country, zip string
		regional     bool
		want         string
	}{
		{"US", "87501", true, "US-NM"}, {"US", "87501", false, "US"}, {"US", "", true, "US"},
		{"US", "06390", true, "US"}, {"US", "00901", true, "PR"},
		{"DE", "10115", true, "DE"}, {"DE", "10115", false, "DE"},
	} {
		if got := offline.Origin(tt.country, tt.zip, tt.regional); got != tt.want {
			t.Errorf("from %s %s, regional: %t: %s, want %s", tt.country, tt.zip, tt.regional, got, tt.want)
		}
	}
}

// If shipping is free or taxed, there is no notice about it.
func TestQuote_NoShippingNotice(t *testing.T) {
	for where, shipping := range map[string]money.Cents{"CH - 8001": 0, "DE - 10115": 100} {
		if q := ask(t, everywhere(t), where, "2026-11-20", lines(100, 0, shipping)); strings.Contains(q.Notice, "shipping") {
			t.Errorf("%s: %q", where, q.Notice)
		}
	}
}

// Taxes are only collected in the configured places.
func TestQuote_CollectedPlaces(t *testing.T) {
	for _, tt := range []struct {
		places, where string
		tax           money.Cents
	}{
		{"", "DE - 10115", 0}, {"DE", "DE - 10115", 1900}, {"DE", "FR - 75001", 0},
		{"EU", "FR - 75001", 2000}, {"eu", "CH - 8001", 0},
		{"US", "US NY 10001", 400}, {"US-NY", "US NY 10001", 400}, {"US-NY", "US NJ 07030", 0},
		{"CA", "CA QC H2X_1Y4", 500}, {"CA,CA-QC", "CA QC H2X_1Y4", 1498}, {"CA-QC", "CA QC H2X_1Y4", 1498},
		{"CA", "CA ON M5V_2T6", 1300}, {"CA-BC", "CA ON M5V_2T6", 0},
		{"GB", "GB - SW1A_1AA", 2000}, {"GB", "GB - BT1_1AA", 0}, {"EU", "GB - BT1_1AA", 2000},
		{"XI", "GB - BT1_1AA", 2000}, {"EU", "GB - SW1A_1AA", 0},
		{"everywhere", "JP - 100", 1000},
	} {
		q := ask(t, collecting(t, strings.FieldsFunc(tt.places, func(r rune) bool { return r == ',' })...),
			tt.where, "2026-11-20", lines(10_000, 0, 0))
		if q.Status != tax.Quoted || q.Tax != tt.tax {
			t.Errorf("collecting in %q, to %s: %s, %d cents, want %d", tt.places, tt.where, q.Status, q.Tax, tt.tax)
		}
		if (tt.tax == 0) != strings.Contains(q.Notice, "Tax is not collected in") {
			t.Errorf("collecting in %q, to %s: %q", tt.places, tt.where, q.Notice)
		}
	}
	// Downloads to Northern Ireland are taxed by the United Kingdom, goods under EU rules.
	for places, want := range map[string]money.Cents{"GB": 1000, "XI": 2200, "GB,XI": 3200} {
		if q := ask(t, collecting(t, strings.Split(places, ",")...), "GB - BT1_1AA", "2026-11-20",
			lines(10_000, 5_000, 1_000)); q.Tax != want {
			t.Errorf("collecting in %s: %d, want %d", places, q.Tax, want)
		}
	}
	for _, bad := range []string{"Germany", "US-XX", "Q", ""} {
		if _, err := offline.New([]string{bad}); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "collect" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A provider that only knows the sum of a place's taxes may quote if all of them are
// collected.
func TestCollects_AllTaxesOfPlace(t *testing.T) {
	for _, tt := range []struct {
		places, where string
		want          bool
	}{
		{"CA", "CA ON M5V_2T6", true}, {"CA", "CA BC V5K_0A1", false}, {"CA,CA-BC", "CA BC V5K_0A1", true},
		{"US-NY", "US NY 10001", true},
		{"US-NJ", "US NY 10001", false}, {"US", "US - 06390", false}, {"US", "US VI 00801", false},
		{"everywhere", "US", false},
	} {
		if got := collecting(t, strings.Split(tt.places, ",")...).
			Collects(tax.Request{Destination: to(tt.where), At: day("2026-11-20")}); got != tt.want {
			t.Errorf("collecting in %s, to %s: %t", tt.places, tt.where, got)
		}
	}
}

// Amounts without a reward are gifts.
func TestQuote_GiftsAreNotTaxed(t *testing.T) {
	q := ask(t, everywhere(t), "DE - 10115", "2026-11-20", []pledge.Line{
		{Kind: pledge.CustomLine, Amount: 5000}, {Kind: pledge.SupportLine, Amount: 5000},
		{Kind: pledge.TipLine, Amount: 700},
		{Kind: pledge.SupportLine, Category: campaign.Digital, Amount: 100},
	})
	if q.Base != 100 || q.Tax != 19 {
		t.Errorf("tax %d, base %d", q.Tax, q.Base)
	}
}

// For any cart and destination, the parts add up, more taxed items never reduce the
// tax, and the order of lines does not matter.
func TestQuote_Properties(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	countries := strings.Fields("US CA DE GB FR ES AT IT PT CH BR JP AU XX PR RE")
	p := everywhere(t)
	for range 20_000 {
		where := pledge.Address{Country: countries[rng.IntN(len(countries))],
			State: string([]byte{byte('A' + rng.IntN(26)), byte('A' + rng.IntN(26))})}
		for range rng.IntN(8) {
			where.PostalCode += string("0123456789ABCHTX -"[rng.IntN(18)])
		}
		at := day("2020-01-01").AddDate(0, 0, rng.IntN(5000))
		var cart []pledge.Line
		for range rng.IntN(6) {
			kinds := []pledge.LineKind{pledge.TierLine, pledge.SupportLine, pledge.CustomLine, pledge.CampaignAddOnLine,
				pledge.PlatformAddOnLine, pledge.ShippingLine, pledge.TipLine}
			categories := []campaign.Category{campaign.Physical, campaign.Digital, ""}
			cart = append(cart,
				pledge.Line{Kind: kinds[rng.IntN(7)], Category: categories[rng.IntN(3)], Amount: money.Cents(rng.IntN(1_000_000))})
		}
		quote := func(l []pledge.Line) tax.Quote {
			q, err := p.Quote(t.Context(), tax.Request{Destination: where, At: at, Lines: l})
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		q := quote(cart)
		var sum money.Cents
		for _, part := range q.Breakdown {
			sum += part.Tax
		}
		if sum != q.Tax || q.Tax < 0 || q.Tax > q.Base {
			t.Fatalf("to %+v: the breakdown totals %s, quote %+v", where, sum, q)
		}
		turned := make([]pledge.Line, 0, len(cart))
		for i := range cart {
			turned = append(turned, cart[len(cart)-1-i])
		}
		if other := quote(turned); other.Tax != q.Tax || other.Base != q.Base {
			t.Fatalf("to %+v: %s in one order, %s in another", where, q.Tax, other.Tax)
		}
		if more := quote(append(cart,
			pledge.Line{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 999})); more.Tax < q.Tax {
			t.Fatalf("to %+v: adding an item lowers the tax from %s to %s", where, q.Tax, more.Tax)
		}
	}
}

func BenchmarkQuote(b *testing.B) {
	p := everywhere(b)
	r := tax.Request{Destination: to("CA QC H2X_1Y4"), At: day("2026-11-20"), Lines: lines(10_000, 5_000, 1_000)}
	for b.Loop() {
		if _, err := p.Quote(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}
