package memory

import (
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// The processor calls Options.Outside before every request with an effect, and does not send the
// request if Outside returns an error.
func TestProcessor_OutsideBeforeEffects(t *testing.T) {
	s := sim.New(sim.Options{})
	refused := errors.New("the machine is down")
	asked := 0
	p := processor{s.Processor(), Options{Outside: func() error { asked++; return refused }}}
	ctx := t.Context()
	calls := map[string]func() error{
		"CreateCustomer": func() error { _, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "k"}); return err },
		"StartSetup":     func() error { _, err := p.StartSetup(ctx, psp.NewSetup{Key: "k"}); return err },
		"ExpireSession":  func() error { _, err := p.ExpireSession(ctx, "cs_1", "k"); return err },
		"DetachCard":     func() error { return p.DetachCard(ctx, "pm_1", "k") },
		"UpdateCustomer": func() error { return p.UpdateCustomer(ctx, "cus_1", "k", map[string]string{"state": "1"}) },
		"CancelPayment":  func() error { _, err := p.CancelPayment(ctx, "pi_1", "k"); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, refused) {
			t.Errorf("%s: %v, want the error of Outside", name, err)
		}
	}
	o := p.Charge(ctx, psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus_1",
		PaymentMethodID: "pm_1", NotAfter: s.Now().Add(time.Hour)})
	if o.Status != psp.Unknown {
		t.Errorf("Charge: %+v, want unknown", o)
	}
	if sent := s.Received(""); sent != 0 || asked != len(calls)+1 {
		t.Errorf("%d requests arrived, Outside was called %d times for %d calls", sent, asked, len(calls)+1)
	}
}
