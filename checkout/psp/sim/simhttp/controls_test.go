package simhttp_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
)

// Refunds, disputes, early fraud warnings, payouts, adjustments and customer deletions work over HTTP, and
// each response contains the created object's ID.
func TestControls_Reversals(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	srv := httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{}))
	defer srv.Close()
	if err := s.Adopt("cus_1", "pm_1", sim.CardRefundPending); err != nil {
		t.Fatal(err)
	}
	o := s.Processor().Charge(t.Context(),
		psp.NewCharge{Key: "k", Group: "g", Amount: 2500, CustomerID: "cus_1", PaymentMethodID: "pm_1",
			NotAfter: s.Now()})
	if o.Status != psp.Succeeded {
		t.Fatalf("%+v", o)
	}
	names := map[string]string{"{payment}": o.Payment.ID}
	for _, tt := range []struct {
		path, body string
		status     int
		has        string
	}{
		{"refund", `{"payment":"pi_none"}`, 404, `"field":"payment"`},
		{"refund", `{"payment":"{payment}","amount":2501}`, 400, `"field":"amount"`},
		{"refund", `{"payment":"{payment}","amount":1000}`, 200, `"refund":"re_`},
		{"settle-refund", `{"refund":"re_none","succeeds":true}`, 404, `"field":"refund"`},
		{"settle-refund", `{"refund":"{refund}","succeeds":true}`, 200, "done"},
		{"settle-refund", `{"refund":"{refund}","succeeds":true}`, 409, "already succeeded"},
		{"dispute", `{"payment":"pi_none"}`, 404, `"field":"payment"`},
		{"dispute", `{"payment":"{payment}","amount":500,"reason":"duplicate"}`, 200, `"dispute":"du_`},
		{"close-dispute", `{"dispute":"du_none"}`, 404, `"field":"dispute"`},
		{"close-dispute", `{"dispute":"{dispute}","won":true}`, 200, "done"},
		{"fraud-warning", `{"payment":"pi_none"}`, 404, `"field":"payment"`},
		{"fraud-warning", `{"payment":"{payment}","reason":"misc"}`, 200, `"warning":"issfr_`},
		{"dispute", `{"payment":"{payment}","status":"won"}`, 400, `"field":"status"`},
		{"dispute", `{"payment":"{payment}","status":"warning_needs_response","refundable":true,"amount":1,"networkReasonCode":"30"}`,
			200, `"dispute":"du_`},
		{"move-dispute", `{"dispute":"du_none","status":"lost"}`, 404, `"field":"dispute"`},
		{"move-dispute", `{"dispute":"{dispute}","status":"lost"}`, 409, `"field":"dispute"`},
		{"move-dispute", `{"dispute":"{dispute}","status":"warning_closed"}`, 200, "done"},
		{"payout", ``, 409, "available"},
		{"payout", `{"amount":1}`, 409, "available"},
		{"adjust", `{"category":"charge","amount":1}`, 400, `"field":"category"`},
		{"adjust", `{"category":"topup","amount":9000,"fee":100}`, 200, `"transaction":"txn_`},
		{"payout", `{"amount":1}`, 200, `"payout":"po_`},
		{"payout", ``, 200, `"payout":"po_`},
		{"fail-payout", `{"payout":"po_none"}`, 404, `"field":"payout"`},
		{"fail-payout", `{"payout":"{payout}"}`, 200, "done"},
		{"delete-customer", `{"customer":"cus_none"}`, 404, `"field":"customer"`},
		{"delete-customer", `{"customer":"cus_1"}`, 200, "done"},
		{"delete-customer", `{"customer":"cus_1"}`, 404, `"field":"customer"`},
	} {
		for name, id := range names {
			tt.body = strings.ReplaceAll(tt.body, name, id)
		}
		status, body := post(t, srv.URL+"/_sim/"+tt.path, tt.body)
		if status != tt.status || !strings.Contains(body, tt.has) {
			t.Errorf("%s %s: %d %s, want %d with %s", tt.path, tt.body, status, body, tt.status, tt.has)
		}
		var made map[string]any
		if err := json.Unmarshal([]byte(body), &made); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"refund", "dispute", "payout"} {
			if id, ok := made[name].(string); ok && id != "" {
				names["{"+name+"}"] = id
			}
		}
	}
	r, err := s.Processor().Reversals(t.Context(), o.Payment.ID)
	if err != nil || len(r.Refunds) != 1 || r.Refunds[0].Amount != 1000 ||
		r.Refunds[0].Status != psp.RefundStatusSucceeded ||
		len(r.Disputes) != 2 || r.Disputes[1].Amount != 500 || r.Disputes[1].Reason != "duplicate" ||
		r.Disputes[1].Status != psp.DisputeStatusWon || r.Disputes[0].NetworkReasonCode != "30" ||
		r.Disputes[0].Status != psp.DisputeStatusWarningClosed {
		t.Errorf("reversals %+v, %v", r, err)
	}
	page, err := s.Processor().Payouts(t.Context(), psp.PayoutQuery{Limit: 10})
	if err != nil || len(page.Payouts) != 2 || page.Payouts[0].Status != psp.PayoutStatusFailed ||
		!page.Payouts[0].Automatic || page.Payouts[1].Amount != 1 {
		t.Errorf("payouts %+v, %v", page, err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}
