package wiretest

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// wantQuery checks the query of a request.
func wantQuery(t *testing.T, got, want string) {
	t.Helper()
	values, err := url.ParseQuery(got)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := url.QueryUnescape(values.Encode()); text != want {
		t.Errorf("query %s, want %s", text, want)
	}
}

// readBalance checks the request for balance transactions and how each kind of source is read.
func readBalance(t *testing.T, m Maker) {
	const head = `{"id":"txn_1","object":"balance_transaction","amount":-500,"fee":1500,"net":-2000,"currency":"usd",` +
		`"type":"adjustment","reporting_category":"some_category","created":1700000000,"available_on":1700086400`
	base := psp.BalanceTransaction{ID: "txn_1", Category: "some_category", Amount: -500, Fee: 1500, Net: -2000,
		Currency: "usd", CreatedAt: time.Unix(1_700_000_000, 0).UTC(), AvailableAt: time.Unix(1_700_086_400, 0).UTC()}
	with := func(change func(b *psp.BalanceTransaction)) psp.BalanceTransaction {
		b := base
		change(&b)
		return b
	}
	for source, want := range map[string]psp.BalanceTransaction{
		``:                base,
		`,"source":null`:  base,
		`,"source":"x_1"`: with(func(b *psp.BalanceTransaction) { b.SourceID = "x_1" }),
		`,"source":{"id":"ch_1","object":"charge","payment_intent":"pi_1"}`: with(func(b *psp.BalanceTransaction) {
			b.SourceID, b.ChargeID, b.PaymentID = "ch_1", "ch_1", "pi_1"
		}),
		`,"source":{"id":"ch_1","object":"charge","payment_intent":null}`: with(func(b *psp.BalanceTransaction) {
			b.SourceID, b.ChargeID = "ch_1", "ch_1"
		}),
		`,"source":{"id":"re_1","object":"refund","charge":"ch_1","payment_intent":"pi_1"}`: with(
			func(b *psp.BalanceTransaction) {
				b.SourceID, b.RefundID, b.ChargeID, b.PaymentID = "re_1", "re_1", "ch_1", "pi_1"
			}),
		`,"source":{"id":"du_1","object":"dispute","charge":"ch_1","payment_intent":"pi_1"}`: with(
			func(b *psp.BalanceTransaction) {
				b.SourceID, b.DisputeID, b.ChargeID, b.PaymentID = "du_1", "du_1", "ch_1", "pi_1"
			}),
		`,"source":{"id":"po_1","object":"payout"}`: with(func(b *psp.BalanceTransaction) {
			b.SourceID, b.PayoutID = "po_1", "po_1"
		}),
		`,"source":{"id":"tu_1","object":"topup"}`: with(func(b *psp.BalanceTransaction) { b.SourceID = "tu_1" }),
		`,"source":{"id":"new_1","object":"something_new","payment_intent":"pi_1"}`: with(
			func(b *psp.BalanceTransaction) { b.SourceID = "new_1" }),
	} {
		p, s := newScripted(t, m, ok(`{"object":"list","data":[`+head+source+`}],"has_more":false}`))
		got, err := p.BalanceTransactions(t.Context(), psp.BalanceQuery{From: base.CreatedAt,
			To: base.CreatedAt.Add(time.Second), PayoutID: "po_9", After: "txn_0", Limit: 7})
		if diff := cmp.Diff([]psp.BalanceTransaction{want}, got.Transactions); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", source, err, diff)
		}
		if s.requests[0] != "GET https://api.stripe.com/v1/balance_transactions" {
			t.Errorf("request %s", s.requests[0])
		}
		wantQuery(t, s.queries[0], "created[gte]=1700000000&created[lt]=1700000001&expand[0]=data.source&"+
			"limit=7&payout=po_9&starting_after=txn_0")
	}
	p, s := newScripted(t, m, ok(`{"object":"list","data":[],"has_more":false}`))
	if _, err := p.BalanceTransactions(t.Context(), psp.BalanceQuery{Limit: 7}); err != nil {
		t.Fatal(err)
	}
	wantQuery(t, s.queries[0], "expand[0]=data.source&limit=7")
}
