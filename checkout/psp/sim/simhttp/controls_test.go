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

// Refunds, disputes and customer deletions work over HTTP, and each response
// contains the created object's ID.
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
		for _, name := range []string{"refund", "dispute"} {
			if id, ok := made[name].(string); ok && id != "" {
				names["{"+name+"}"] = id
			}
		}
	}
	r, err := s.Processor().Reversals(t.Context(), o.Payment.ID)
	if err != nil || len(r.Refunds) != 1 || r.Refunds[0].Amount != 1000 ||
		r.Refunds[0].Status != psp.RefundStatusSucceeded ||
		len(r.Disputes) != 1 || r.Disputes[0].Amount != 500 || r.Disputes[0].Reason != "duplicate" ||
		r.Disputes[0].Status != psp.DisputeStatusWon {
		t.Errorf("reversals %+v, %v", r, err)
	}
}
