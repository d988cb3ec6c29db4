package httpapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// By the rules, a quote without an address asks for it and a checkout keeps the
// answer that was shown, and so does the mail.
//
// Proves TAX-07, TAX-23.
func TestTaxByRules(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"TAX_PROVIDER": "offline_rules", "TAX_COLLECT": "everywhere"}})
	quote := func(body map[string]any) checkout.TaxQuote {
		t.Helper()
		return decode[checkout.TaxQuote](t, e.post("/tax/quote", body))
	}
	nowhere := quote(map[string]any{"subtotalCents": 10_000})
	if !nowhere.Provisional || !cmp.Equal(nowhere.Missing, []string{"country"}) || nowhere.Tax != 0 {
		t.Errorf("without an address: %+v", nowhere)
	}
	for _, tt := range []struct {
		body map[string]any
		tax  money.Cents
	}{
		{map[string]any{"subtotalCents": 10_000, "shippingAddress": pledge.Address{Country: "US", PostalCode: "07030"}}, 663},
		{map[string]any{"subtotalCents": 10_000, "shippingCents": 1_000, "shippingAddress": pledge.Address{Country: "US", PostalCode: "07030"}}, 729},
		{map[string]any{"subtotalCents": 10_000, "shippingCents": 1_000, "shippingAddress": pledge.Address{Country: "US", PostalCode: "66101"}}, 650},
	} {
		if q := quote(tt.body); q.Provisional || q.Tax != tt.tax {
			t.Errorf("%v: %+v, want %d cents", tt.body, q, tt.tax)
		}
	}
	cart := gameCart(1)
	s := e.start("a@example.com", cart)
	if want := decode[checkout.TaxQuote](t, e.post("/tax/quote", cart)); s.Campaigns[0].Tax != want.Tax || want.Campaigns[0].Quote.Status != tax.FallbackUsed {
		t.Errorf("the checkout has %s, quoted was %+v", s.Campaigns[0].Tax, want)
	}
	pledged, _ := e.pledge("b@example.com", cart, cardOK)
	mails, err := e.Mails(t.Context())
	if err != nil || len(mails) != 1 || !strings.Contains(mails[0].Text, "Tax: "+pledged.Campaigns[0].Tax.String()) {
		t.Errorf("the mails say another tax than %s: %+v, %v", pledged.Campaigns[0].Tax, mails, err)
	}
	cart.ShippingAddress = nil
	e.wantStatus(e.post("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"}), 400)
}
