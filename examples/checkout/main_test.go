package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// The program's own routes take a pledge and charge it after the deadline.
func TestShop(t *testing.T) {
	catalogue, err := campaignfile.Load(os.DirFS("../site"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s, err := newShop(catalogue, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	routes := s.routes()
	call := func(path, signature string, body []byte, want int) map[string]any {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header.Set("Psp-Signature", signature)
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("%s answered %d: %s", path, w.Code, w.Body)
		}
		var out map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	cart := `{"campaignSlug":"tidepool-traders","email":"reader@example.org","items":[{"id":"tidepool-traders__the-game","quantity":20}],
		"shippingAddress":{"name":"A Reader","line1":"1 Main St","city":"Taos","state":"NM","postalCode":"87571","country":"US"}}`
	started := call("/shop/pledge", "", []byte(cart), http.StatusOK)
	if err := s.processor.Complete(started["sessionId"].(string), sim.CardOK); err != nil {
		t.Fatal(err)
	}
	for _, d := range s.processor.Due() {
		call("/shop/webhook", d.Signature, d.Body, http.StatusOK)
	}
	call("/back-office/settle/tidepool-traders", "", nil, http.StatusConflict)
	now = now.AddDate(0, 0, 3)
	report := call("/back-office/settle/tidepool-traders", "", nil, http.StatusOK)
	books := s.processor.Books()
	if len(books) != 1 || report["totalCharged"] != float64(books[0].Amount) {
		t.Errorf("report %v, books %v", report, books)
	}
	call("/shop/pledge", "", []byte(`{`), http.StatusBadRequest)
}
