package browser_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

var crowd = flag.Int("crowd", 0, "measure the dashboard with a campaign that has this many supporters")

// TestCrowd prints the dashboard's response times for a large campaign. It does not fail on slow ones.
func TestCrowd(t *testing.T) {
	if *crowd == 0 {
		t.Skip("run with make crowd")
	}
	chromium(t)
	base, secret := serveDemo(t, false, io.Discard, func(ctx context.Context, a *app.App) error {
		start := time.Now()
		defer func() { t.Logf("created %d pledges in %v", *crowd, time.Since(start).Round(time.Second)) }()
		return seedPledges(ctx, a, "night-ferry", *crowd)
	})
	runScriptAt(t, "stories", "crowd.mjs", base, secret)
}

// seedPledges creates the pledges of n supporters with the same commands as a confirmed checkout, and
// rebuilds the projections. It does not call Stripe, so the cards cannot be charged.
func seedPledges(ctx context.Context, a *app.App, slug string, n int) error {
	const workers = 32
	var group sync.WaitGroup
	failed := make(chan error, workers)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < n; i += workers {
				if err := createPledge(ctx, a, slug, i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failed)
	if err := <-failed; err != nil {
		return err
	}
	_, err := a.Services.Projector.Rebuild(ctx, slug)
	return err
}

// first and last are the supporters' first and last names. Many supporters share each name.
var (
	first = []string{"Ada", "Ben", "Cleo", "Dora", "Eli", "Fay", "Gus", "Hana", "Ivo", "June", "Kit"}
	last  = []string{"Archer", "Baker", "Carter", "Draper", "Fisher", "Gardner", "Hunter", "Mason",
		"Potter", "Sawyer", "Taylor", "Weaver", "Wright"}
)

func createPledge(ctx context.Context, a *app.App, slug string, i int) error {
	c, now := a.Services.Checkout, a.Services.Now()
	id, name := fmt.Sprintf("pw-%026d", i), first[i%len(first)]+" "+last[i%len(last)]
	const amount = money.Cents(2500)
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Contribution", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	if err != nil {
		return err
	}
	o, err := c.Orders.Open(ctx, order.Manifest{
		OrderID: id, Email: fmt.Sprintf("s%d@example.org", i), Currency: money.USD, Nonce: id, BookedAt: now, Amount: amount,
		ShippingAddress: &pledge.Address{Name: name, Line1: "1 Shore Road", City: "Taos",
			State: "NM", PostalCode: "87571", Country: "US"},
		Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: slug, Lines: lines, Totals: totals}},
	})
	if err != nil {
		return err
	}
	session := "cs_" + id
	if err := c.Orders.Attach(ctx, id, session); err != nil {
		return err
	}
	card := order.Card{CustomerID: "cus_" + id, PaymentMethodID: "pm_" + id, SetupIntentID: "seti_" + id, SavedAt: now}
	if _, _, err := c.Orders.Confirm(ctx, id, session, o.Hash, card, false); err != nil {
		return err
	}
	made, err := c.Orders.Pledge(ctx, id)
	if err != nil {
		return err
	}
	account, _ := inventory.AccountsOf(made)
	_, err = c.Inventory.Book(ctx, slug, account, "")
	return err
}
