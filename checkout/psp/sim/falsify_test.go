package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// A false response is wrong in one respect, for a charge, its replay and a read. The next response
// and the books are correct.
func TestFaults_FalseAnswers(t *testing.T) {
	for kind, change := range map[sim.FaultKind]func(*psp.Payment){
		sim.Misreport:     func(p *psp.Payment) { p.Amount, p.Received, p.Financials.Gross = 2501, 2501, 2501 },
		sim.OtherCustomer: func(p *psp.Payment) { p.CustomerID = sim.OtherCustomerID },
		sim.OtherMethod:   func(p *psp.Payment) { p.PaymentMethodID = sim.OtherMethodID },
		sim.OtherGroup:    func(p *psp.Payment) { p.Group = "settlement-group:other" },
		sim.OtherMode:     func(p *psp.Payment) { p.Mode = psp.Live },
		sim.ShortCapture:  func(p *psp.Payment) { p.Received = 1250 },
	} {
		t.Run(string(kind), func(t *testing.T) {
			s := sim.New(sim.Options{})
			cus, pm := saveCard(t, s, sim.CardOK)
			p, n := s.Processor(), charge(s, cus, pm, "k")
			truth := func() psp.Payment { return p.Charge(ctx, n).Payment }
			for name, read := range map[string]func() psp.Payment{
				"charge": truth,
				"read": func() psp.Payment {
					got, err := p.Payment(ctx, truth().ID)
					if err != nil {
						t.Fatal(err)
					}
					return got
				},
				"page": func() psp.Payment {
					page, err := p.Payments(ctx,
						psp.PaymentQuery{From: s.Now(), To: s.Now().AddDate(0, 0, 1), Limit: 10})
					if err != nil || len(page.Payments) != 1 {
						t.Fatalf("%+v, %v", page, err)
					}
					return page.Payments[0]
				},
			} {
				want := truth()
				op := map[string]sim.Op{"charge": sim.CreateIntent, "read": sim.RetrieveIntent,
					"page": sim.ListIntents}[name]
				if err := s.InjectFaults(sim.Fault{Kind: kind, Op: op}); err != nil {
					t.Fatal(err)
				}
				got, later := read(), read()
				if diff := cmp.Diff(want, later); diff != "" {
					t.Errorf("%s: next response (-want +got):\n%s", name, diff)
				}
				change(&want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if err := s.Check(); err != nil || len(s.Entries()) != 1 || s.Entries()[0].Amount != 2500 {
				t.Errorf("books %+v, %v", s.Entries(), err)
			}
		})
	}
}

// A rejected request does nothing, and its key is not stored.
func TestFaults_Refuse(t *testing.T) {
	for code, want := range map[string]string{"": "parameter_unknown", "amount_too_large": "amount_too_large"} {
		s := sim.New(sim.Options{})
		cus, pm := saveCard(t, s, sim.CardOK)
		if err := s.InjectFaults(sim.Fault{Kind: sim.Refuse, Code: code}); err != nil {
			t.Fatal(err)
		}
		n := charge(s, cus, pm, "k")
		if o := s.Processor().Charge(ctx, n); o.Status != psp.Refused || o.Code != want || o.RequestID == "" {
			t.Errorf("outcome %+v, want refused with %s", o, want)
		}
		if books := s.Entries(); len(books) != 0 {
			t.Errorf("a rejected request was charged: %+v", books)
		}
		if o := s.Processor().Charge(ctx, n); o.Status != psp.Succeeded {
			t.Errorf("sent again: %+v", o)
		}
	}
}

// The charge, later reads and the books agree on the amount of a partial capture.
func TestPartialCapture(t *testing.T) {
	for name, tt := range map[string]struct {
		card     string
		fault    []sim.Fault
		captured int64
	}{
		"card":                             {card: "partial:600", captured: 600},
		"card with limit of one cent":      {card: "partial:1", captured: 1},
		"card with limit above the amount": {card: "partial:2501", captured: 2500},
		"fault": {card: sim.CardOK,
			fault: []sim.Fault{{Kind: sim.PartialCapture}}, captured: 1250},
	} {
		t.Run(name, func(t *testing.T) {
			s := sim.New(sim.Options{})
			cus, pm := saveCard(t, s, tt.card)
			if err := s.InjectFaults(tt.fault...); err != nil {
				t.Fatal(err)
			}
			o := s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
			if p := o.Payment; o.Status != psp.Succeeded || p.Amount != 2500 || int64(p.Received) != tt.captured ||
				p.Financials.Gross != p.Received {
				t.Errorf("outcome %+v", o)
			}
			read, err := s.Processor().Payment(ctx, o.Payment.ID)
			if diff := cmp.Diff(o.Payment, read); err != nil || diff != "" {
				t.Errorf("Payment: %v (-want +got):\n%s", err, diff)
			}
			if books := s.Entries(); len(books) != 1 || books[0].Amount != o.Payment.Received ||
				books[0].Fee != sim.Fee(o.Payment.Received) {
				t.Errorf("books %+v", books)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A storm injects false responses, rejections and partial captures only if its Kinds include
// them.
func TestStorm_FalseAnswersOnlyIfNamed(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true, Seed: 7})
	cus, pm := saveCard(t, s, sim.CardOK)
	if err := s.SetStorm(sim.Storm{Calls: 1000}); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		o := s.Processor().Charge(ctx, charge(s, cus, pm, string(rune('a'+i))))
		p := o.Payment
		if o.Status == psp.Refused || o.Status == psp.Succeeded &&
			(p.Amount != 2500 || p.Received != 2500 || p.CustomerID != cus || p.PaymentMethodID != pm ||
				p.Mode != psp.Test) {
			t.Fatalf("outcome with a default storm: %+v", o)
		}
	}
	s.ClearFaults()
	for _, kind := range []sim.FaultKind{sim.Misreport, sim.OtherCustomer, sim.OtherMethod, sim.OtherGroup,
		sim.OtherMode, sim.ShortCapture, sim.Refuse, sim.PartialCapture} {
		if err := s.SetStorm(sim.Storm{Calls: 1000, Kinds: []sim.FaultKind{kind}}); err != nil {
			t.Fatal(err)
		}
		n := charge(s, cus, pm, "named "+string(kind))
		o := s.Processor().Charge(ctx, n)
		p := o.Payment
		if o.Status == psp.Succeeded && p.Amount == n.Amount && p.Received == n.Amount && p.CustomerID == cus &&
			p.PaymentMethodID == pm && p.Group == n.Group && p.Mode == psp.Test {
			t.Errorf("%s was not injected: %+v", kind, o)
		}
	}
}
