package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

var ctx = context.Background()

// saveCard creates a customer with a card and returns both IDs.
func saveCard(t testing.TB, s *sim.Sim, card string) (customer, method string) {
	t.Helper()
	p := s.Processor()
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "cus-" + card, Email: "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	ses, err := p.StartSetup(ctx,
		psp.NewSetup{Key: "cs-" + customer, CustomerID: customer, UIMode: psp.Custom,
			ReturnURL: "https://example.com/done"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(ses.ID, card); err != nil {
		t.Fatal(err)
	}
	ses, err = p.Session(ctx, ses.ID)
	if err != nil {
		t.Fatal(err)
	}
	return customer, ses.PaymentMethodID
}

func charge(s *sim.Sim, customer, method, key string) psp.NewCharge {
	return psp.NewCharge{Key: key, Group: "settlement-group:v1:moon:" + customer, Amount: 2500, CustomerID: customer,
		PaymentMethodID: method, NotAfter: s.Now().Add(time.Hour)}
}

func TestCharge(t *testing.T) {
	for _, tt := range []struct {
		card string
		want psp.Status
		code string
	}{
		{sim.CardOK, psp.Succeeded, ""},
		{"4242 4242 4242 4242", psp.Succeeded, ""},
		{sim.CardChargeDeclined, psp.Declined, "card_declined"},
		{sim.CardAuthAlways, psp.NeedsAction, "authentication_required"},
		{sim.CardAuthUnlessSetUp, psp.Succeeded, ""},
		{sim.CardAuthInsufficient, psp.Declined, "card_declined"},
		{"decline_times:1", psp.Declined, "card_declined"},
		{"processing:1h", psp.Pending, ""},
		{"process_fails:1h", psp.Pending, ""},
		{"rolls_forward:1h", psp.Unknown, ""},
	} {
		t.Run(tt.card, func(t *testing.T) {
			s := sim.New(sim.Options{})
			cus, pm := saveCard(t, s, tt.card)
			o := s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
			if o.Status != tt.want || o.Code != tt.code {
				t.Errorf("got %+v, want %s %q", o, tt.want, tt.code)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
			successes := 0
			if tt.want == psp.Succeeded {
				successes = 1
			}
			if got := len(s.Entries()); got != successes {
				t.Errorf("%d entries in the books, want %d", got, successes)
			}
		})
	}
}
