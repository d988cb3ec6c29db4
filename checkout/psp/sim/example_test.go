package sim_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// A supporter saves a card now and is charged once the campaign is funded.
func Example() {
	ctx := context.Background()
	s := sim.New(sim.Options{})
	p := s.Processor()

	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "order-1:customer", Email: "ada@example.com"})
	if err != nil {
		log.Fatal(err)
	}
	session, err := p.StartSetup(ctx, psp.NewSetup{Key: "order-1:setup", CustomerID: customer,
		UIMode: psp.Custom, ReturnURL: "https://example.com/thanks"})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Complete(session.ID, sim.CardOK); err != nil { // done by the supporter in the browser
		log.Fatal(err)
	}
	if session, err = p.Session(ctx, session.ID); err != nil {
		log.Fatal(err)
	}

	charge := psp.NewCharge{Key: "moon:ada:1", Group: "moon:ada", Amount: 2500, CustomerID: customer,
		PaymentMethodID: session.PaymentMethodID, NotAfter: s.Now().Add(psp.SafeAge)}
	fmt.Println(p.Charge(ctx, charge).Status)
	fmt.Println(p.Charge(ctx, charge).Status) // the same key returns the same response and charges nothing
	for _, e := range s.Entries() {
		fmt.Println(e.Group, e.Amount, "less", e.Fee)
	}
	fmt.Println(s.Check())
	// Output:
	// succeeded
	// succeeded
	// moon:ada $25.00 less $1.03
	// <nil>
}

// A fault affects the next call of its operation. Here the charge is made, but its response is
// lost.
func ExampleSim_InjectFaults() {
	ctx := context.Background()
	s := sim.New(sim.Options{})
	p := s.Processor()
	customer, method := supporter(s)

	if err := s.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}); err != nil {
		log.Fatal(err)
	}
	charge := psp.NewCharge{Key: "moon:ada:1", Group: "moon:ada", Amount: 2500, CustomerID: customer,
		PaymentMethodID: method, NotAfter: s.Now().Add(psp.SafeAge)}
	fmt.Println(p.Charge(ctx, charge).Status)

	found, err := p.FindCharge(ctx, customer, charge.Group)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found), found[0].Status, found[0].Amount)
	// Output:
	// unknown
	// 1 succeeded $25.00
}

// Webhooks are queued until they are fetched and retried until they get a 2xx
// response.
func ExampleSim_Due() {
	s := sim.New(sim.Options{WebhookSecret: "whsec_example", WebhookURL: "https://example.com/webhooks/psp"})
	supporter(s)
	deliver := func(status int) {
		for _, d := range s.Due() {
			hint, err := s.Processor().Verify(d.Body, d.Signature, "whsec_example", s.Now())
			if err != nil {
				log.Fatal(err)
			}
			if hint.Type == psp.SessionCompleted {
				fmt.Println("attempt", d.Attempt, hint.Type, hint.Mode)
			}
			s.RecordResponse(d, status)
		}
	}
	deliver(503)
	s.Advance(time.Minute)
	deliver(200)
	s.Advance(72 * time.Hour)
	deliver(200)
	// Output:
	// attempt 1 checkout.session.completed test
	// attempt 2 checkout.session.completed test
}

// supporter creates a customer with a valid card.
func supporter(s *sim.Sim) (customer, method string) {
	ctx, p := context.Background(), s.Processor()
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "order-1:customer", Email: "ada@example.com"})
	if err != nil {
		log.Fatal(err)
	}
	session, err := p.StartSetup(ctx, psp.NewSetup{Key: "order-1:setup", CustomerID: customer, UIMode: psp.Custom})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Complete(session.ID, sim.CardOK); err != nil {
		log.Fatal(err)
	}
	if session, err = p.Session(ctx, session.ID); err != nil {
		log.Fatal(err)
	}
	return customer, session.PaymentMethodID
}
