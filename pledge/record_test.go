package pledge_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func full() pledge.Pledge {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	totals := pledge.Totals{Subtotal: 100, Tax: 8, Shipping: 3, TipPercent: 5, TipAmount: 5,
		Amount: 116, CampaignSubtotal: 100}
	return pledge.Pledge{
		OrderID: "pw-1", Email: "ada@example.org", CampaignSlug: "night-shift", Revision: 1,
		Totals: totals, Currency: money.USD,
		ValueTime: at, BookedAt: at, UpdatedAt: at, ProcessorAvailableAt: &at,
		CustomerID: "cus_1", PaymentMethodID: "pm_1", SetupIntentID: "seti_1", CardSavedAt: at,
		Status: pledge.Charged, Charged: true, History: []pledge.Entry{{Type: "created", Totals: totals, At: at}},
		Attribution:     pledge.Attribution{Referral: "r", UTMSource: "s", UTMMedium: "m", UTMCampaign: "c", UTMContent: "x"},
		FulfillmentType: "physical", PreferredLang: "en",
		PaymentIntentID: "pi_1", ChargeID: "ch_1", BalanceTransactionID: "txn_1",
		Financials: &pledge.Financials{Gross: 116, Fee: 33, Net: 83, Source: "actual"}, ChargedAt: &at,
	}
}

func object(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The JSON of a pledge has all specified fields, with the specified names.
//
// Proves PLG-03, PLG-06, PLG-07, PLG-08, PLG-09, PLG-10, PLG-11, PLG-12, PLG-13, PLG-15, PLG-16,
// PLG-17, PLG-18, PLG-20, PLG-23, PLG-24, PLG-25, PLG-26, PLG-27, PLG-28, PLG-29, PLG-30, PLG-31,
// PLG-32, PLG-33, PLG-34, PLG-35, PLG-36, PLG-37, MON-08, MON-13.
func TestRecord(t *testing.T) {
	const at = "2026-03-01T12:00:00Z"
	got := object(t, full())
	for field, want := range map[string]any{
		"orderId": "pw-1", "email": "ada@example.org", "campaignSlug": "night-shift",
		"subtotal": 100.0, "tax": 8.0, "shipping": 3.0, "tipPercent": 5.0, "tipAmount": 5.0, "amount": 116.0,
		"currency": "usd", "valueTime": at, "bookedAt": at, "processorAvailableAt": at,
		"pspCustomerId": "cus_1", "pspPaymentMethodId": "pm_1", "pspSetupIntentId": "seti_1",
		"pledgeStatus": "charged", "charged": true,
		"pspPaymentIntentId": "pi_1", "pspChargeId": "ch_1", "pspBalanceTransactionId": "txn_1",
		"pspFinancials": map[string]any{"grossAmount": 116.0, "feeAmount": 33.0, "netAmount": 83.0, "source": "actual"},
		"attribution": map[string]any{"referral": "r", "utmSource": "s", "utmMedium": "m",
			"utmCampaign": "c", "utmContent": "x"},
		"fulfillmentType": "physical", "preferredLang": "en",
		"history": []any{map[string]any{
			"type": "created", "subtotal": 100.0, "tax": 8.0, "shipping": 3.0, "tipPercent": 5.0, "tipAmount": 5.0,
			"amount": 116.0, "campaignSubtotal": 100.0, "at": at,
		}},
	} {
		if diff := cmp.Diff(want, got[field]); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
	least := object(t, pledge.Pledge{History: []pledge.Entry{{Type: "created"}}})
	for _, o := range []map[string]any{least, least["history"].([]any)[0].(map[string]any)} {
		for _, field := range []string{"subtotal", "tax", "shipping", "tipAmount", "amount"} {
			if o[field] != 0.0 {
				t.Errorf("empty %s is encoded as %v: %v", field, o[field], o)
			}
		}
	}
	b, err := json.Marshal(full())
	if err != nil || regexp.MustCompile(`:-?\d+[.eE]`).Match(b) {
		t.Errorf("an amount is not an integer: %s, %v", b, err)
	}
}

func TestRecord_RoundTrip(t *testing.T) {
	want := full()
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got pledge.Pledge
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves MON-15, VER-04.
func TestRecordWithoutCurrency(t *testing.T) {
	for record, want := range map[string]string{`{}`: "usd", `{"currency":""}`: "usd",
		`{"currency":"usd"}`: "usd", `{"currency":"eur"}`: "eur"} {
		var p pledge.Pledge
		if err := json.Unmarshal([]byte(record), &p); err != nil || p.Currency != want {
			t.Errorf("%s: currency %q, %v", record, p.Currency, err)
		}
	}
	for _, record := range []string{`{"amount":1.5}`, `{"amount":"1"}`, `{"tax":null}`} {
		var p pledge.Pledge
		if err := json.Unmarshal([]byte(record), &p); err == nil {
			t.Errorf("%s decoded as %+v", record, p.Totals)
		}
	}
}

// Proves PLG-37.
func TestStatuses(t *testing.T) {
	claim := &pledge.Claim{Group: "g", Generation: 1}
	for _, tc := range []struct {
		p            pledge.Pledge
		open, unpaid bool
	}{
		{pledge.Pledge{Status: "active"}, true, true},
		{pledge.Pledge{Status: "active", Settlement: claim}, false, true},
		{pledge.Pledge{Status: "payment_failed"}, false, true},
		{pledge.Pledge{Status: "payment_failed", Recovery: &pledge.Recovery{Lane: pledge.Wait}}, false, true},
		{pledge.Pledge{Status: "payment_failed", Recovery: &pledge.Recovery{Lane: pledge.Dropped}}, false, false},
		{pledge.Pledge{Status: "cancelled"}, false, false},
		{pledge.Pledge{Status: "charged", Charged: true}, false, false},
		{pledge.Pledge{Status: "active", Charged: true}, false, false},
	} {
		if tc.p.Open() != tc.open || tc.p.Unpaid() != tc.unpaid {
			t.Errorf("%s, charged %t: open %t, unpaid %t", tc.p.Status, tc.p.Charged, tc.p.Open(), tc.p.Unpaid())
		}
	}
}

func TestRecord_HistoryKeepsTotals(t *testing.T) {
	p := full()
	later := p.BookedAt.Add(time.Hour)
	p.Totals.Subtotal = 200
	p.Record("modified", later)
	if p.Revision != 2 || !p.UpdatedAt.Equal(later) || p.History[0].Subtotal != 100 ||
		p.History[1].Subtotal != 200 || p.History[1].Type != "modified" {
		t.Errorf("%+v", p)
	}
}

func TestKeys(t *testing.T) {
	got := map[string]string{
		"pledge": pledge.Key("pw-1"), "email": pledge.EmailKey("ada@example.org"), "index": pledge.IndexKey("film", 0),
		"segment": pledge.IndexKey("film", 12), "stats": pledge.StatsKey("film"), "stock": pledge.InventoryKey("film"),
		"add-ons": pledge.AddOnsSoldKey, "charged": pledge.ChargedKey("film"),
	}
	want := map[string]string{
		"pledge": "pledge:pw-1", "email": "email:ada@example.org", "index": "campaign-pledges:film",
		"segment": "campaign-pledges:film:000012", "stats": "stats:film", "stock": "tier-inventory:film",
		"add-ons": "add-on-inventory-sold:v1", "charged": "campaign-charged:film",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if keys := slices.Sorted(maps.Values(got)); len(slices.Compact(keys)) != len(want) {
		t.Error("two records have the same key")
	}
}
