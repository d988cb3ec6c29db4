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

// readAccountLists checks the requests for disputes, payouts and early fraud warnings of the account, and
// how their objects are read. Names that the library does not know are kept.
func readAccountLists(t *testing.T, m Maker) {
	at := func(seconds int64) time.Time { return time.Unix(1_700_000_000+seconds, 0).UTC() }
	for name, tt := range map[string]struct {
		path, object string
		want         any
	}{
		"dispute": {"/v1/disputes", `{"id":"du_1","object":"dispute","amount":500,"currency":"usd","status":"a_new_status",` +
			`"reason":"a_new_reason","created":1700000300,"evidence_details":{"due_by":0},"charge":"ch_1",` +
			`"payment_intent":"pi_1","is_charge_refundable":true,"network_reason_code":"4853"}`,
			psp.Dispute{ID: "du_1", PaymentID: "pi_1", ChargeID: "ch_1", Amount: 500, Currency: "usd",
				Status: "a_new_status", Reason: "a_new_reason", NetworkReasonCode: "4853", Refundable: true,
				CreatedAt: at(300)}},
		"dispute of a card": {"/v1/disputes", `{"id":"du_1","object":"dispute","amount":500,"currency":"usd",` +
			`"status":"lost","reason":"fraudulent","created":1700000300,"evidence_details":{"due_by":1700000900},` +
			`"charge":{"id":"ch_1","object":"charge"},"payment_intent":{"id":"pi_1","object":"payment_intent"},` +
			`"payment_method_details":{"type":"card","card":{"brand":"visa","case_type":"chargeback","network_reason_code":"10.4"}}}`,
			psp.Dispute{ID: "du_1", PaymentID: "pi_1", ChargeID: "ch_1", Amount: 500, Currency: "usd",
				Status: psp.DisputeStatusLost, Reason: "fraudulent", NetworkReasonCode: "10.4", CreatedAt: at(300),
				EvidenceDueBy: at(900)}},
		"dispute without a payment": {"/v1/disputes", `{"id":"du_1","object":"dispute","charge":"ch_1",` +
			`"payment_intent":null,"created":1700000300}`,
			psp.Dispute{ID: "du_1", ChargeID: "ch_1", CreatedAt: at(300)}},
		"payout": {"/v1/payouts", `{"id":"po_1","object":"payout","amount":700,"currency":"usd","status":"paid",` +
			`"automatic":true,"reconciliation_status":"completed","arrival_date":1700000400,"created":1700000300,` +
			`"balance_transaction":"txn_1","failure_balance_transaction":null}`,
			psp.Payout{ID: "po_1", Amount: 700, Currency: "usd", Status: psp.PayoutStatusPaid, Automatic: true,
				ReconciliationStatus: psp.ReconciliationCompleted, ArrivalDate: at(400), CreatedAt: at(300),
				BalanceTransactionID: "txn_1"}},
		"failed payout": {"/v1/payouts", `{"id":"po_1","object":"payout","amount":700,"currency":"usd","status":"failed",` +
			`"automatic":false,"reconciliation_status":"not_applicable","arrival_date":1700000400,"created":1700000300,` +
			`"balance_transaction":"txn_1","failure_balance_transaction":"txn_2"}`,
			psp.Payout{ID: "po_1", Amount: 700, Currency: "usd", Status: psp.PayoutStatusFailed,
				ReconciliationStatus: psp.ReconciliationNotApplicable, ArrivalDate: at(400), CreatedAt: at(300),
				BalanceTransactionID: "txn_1", FailureBalanceTransactionID: "txn_2"}},
		"early fraud warning": {"/v1/radar/early_fraud_warnings", `{"id":"issfr_1","object":"radar.early_fraud_warning",` +
			`"actionable":true,"charge":"ch_1","payment_intent":"pi_1","fraud_type":"made_with_stolen_card","created":1700000300}`,
			psp.FraudWarning{ID: "issfr_1", PaymentID: "pi_1", ChargeID: "ch_1", Actionable: true,
				Reason: "made_with_stolen_card", CreatedAt: at(300)}},
	} {
		p, s := newScripted(t, m, ok(`{"object":"list","data":[`+tt.object+`],"has_more":false}`))
		got, err := readFirst(t, p, tt.want, at(0), at(1))
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if s.requests[0] != "GET https://api.stripe.com"+tt.path {
			t.Errorf("%s: request %s", name, s.requests[0])
		}
		wantQuery(t, s.queries[0], "created[gte]=1700000000&created[lt]=1700000001&limit=7&starting_after=x_0")
		p, s = newScripted(t, m, ok(`{"object":"list","data":[],"has_more":false}`))
		if got, err := readFirst(t, p, tt.want, time.Time{}, time.Time{}); err != nil || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		wantQuery(t, s.queries[0], "limit=7&starting_after=x_0")
	}
}

// readFirst returns the first object of the list whose objects have the type of like, or nil.
func readFirst(t *testing.T, p psp.Processor, like any, from, to time.Time) (any, error) {
	t.Helper()
	switch like.(type) {
	case psp.Dispute:
		page, err := p.Disputes(t.Context(), psp.DisputeQuery{From: from, To: to, After: "x_0", Limit: 7})
		return first(page.Disputes), err
	case psp.Payout:
		page, err := p.Payouts(t.Context(), psp.PayoutQuery{From: from, To: to, After: "x_0", Limit: 7})
		return first(page.Payouts), err
	}
	page, err := p.FraudWarnings(t.Context(), psp.FraudWarningQuery{From: from, To: to, After: "x_0", Limit: 7})
	return first(page.Warnings), err
}

func first[T any](all []T) any {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}
