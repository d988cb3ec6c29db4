// Package seeddata fills a database with the pledges of many supporters, in the state after a
// confirmed checkout, for load and memory tests.
package seeddata

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// atOnce is the number of pledges created in parallel.
const atOnce = 32

// Fill writes the pledges of n supporters of the campaign "film" to an SQLite file, with cards saved at
// a simulated processor. It writes no projections.
func Fill(ctx context.Context, s *sim.Sim, file string, n int) (err error) {
	db, err := sqlitekv.Open(ctx, file, sqlitekv.Options{Now: time.Now, Classes: compose.Classes()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	orders, stock := order.Client{Coordinator: db.Coordinator()}, inventory.Client{Coordinator: db.Coordinator()}
	errs := make([]error, atOnce)
	var workers sync.WaitGroup
	for worker := range atOnce {
		workers.Go(func() {
			for i := worker; i < n && errs[worker] == nil; i += atOnce {
				errs[worker] = createPledge(ctx, s, orders, stock, i)
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

func createPledge(ctx context.Context, s *sim.Sim, orders order.Client, stock inventory.Client, i int) error {
	p := s.Processor()
	id, email := fmt.Sprintf("pw-%026d", i), fmt.Sprintf("fan%06d@example.org", i)
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "customer:" + id, Email: email})
	if err != nil {
		return err
	}
	session, err := p.StartSetup(ctx,
		psp.NewSetup{Key: "setup:" + id, CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://example.org/"})
	if err != nil {
		return err
	}
	if err := s.Complete(session.ID, sim.CardOK); err != nil {
		return err
	}
	session, err = p.Session(ctx, session.ID)
	if err != nil {
		return err
	}
	const amount = money.Cents(2500)
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	if err != nil {
		return err
	}
	now := time.Now().AddDate(0, 0, -20)
	o, err := orders.Open(ctx,
		order.Manifest{OrderID: id, Email: email, Currency: money.USD, Nonce: id, BookedAt: now, Amount: amount,
			Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "film", Lines: lines, Totals: totals}}})
	if err != nil {
		return err
	}
	if err := orders.Attach(ctx, id, session.ID); err != nil {
		return err
	}
	card := order.Card{CustomerID: session.CustomerID, PaymentMethodID: session.PaymentMethodID,
		SetupIntentID: session.SetupIntentID, SavedAt: now}
	if _, _, err := orders.Confirm(ctx, id, session.ID, o.Hash, card, false); err != nil {
		return err
	}
	made, err := orders.Pledge(ctx, id)
	if err != nil {
		return err
	}
	account, _ := inventory.AccountsOf(made)
	_, err = stock.Book(ctx, "film", account, "")
	return err
}
