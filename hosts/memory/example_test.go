package memory_test

import (
	"context"
	"fmt"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// The example simulates sixty days of a campaign. One card is good, one needs the bank's approval,
// one has insufficient funds, and the processor's response to the first charge is lost.
func Example_sixtyDays() {
	ctx := context.Background()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h, err := memory.New(memory.Options{Seed: 7, Start: start, Campaigns: fstest.MapFS{
		"campaigns/film.md": {Data: []byte(`---
title: Film
slug: film
published: true
start_date: 2026-03-01
goal_deadline: 2026-04-29
goal_amount: 70
recovery: {grace_days: 7, retry_days: [3]}
tiers:
  - {id: seat, name: Seat, price: 25, category: digital}
---
`)}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	pledged := map[string]checkout.Started{}
	for email, card := range map[string]string{
		"good@example.org": sim.CardOK, "strict@example.org": sim.CardAuthAlways,
		"poor@example.org": sim.CardAuthInsufficient,
	} {
		cart := checkout.Cart{CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat"}}}
		if pledged[email], err = h.Pledge(ctx, checkout.StartRequest{Cart: cart, Email: email}, card); err != nil {
			fmt.Println(err)
			return
		}
	}
	show := func(when string) {
		fmt.Printf("%s: %d charges\n", when, len(h.Sim.Entries()))
		for _, email := range []string{"good@example.org", "strict@example.org", "poor@example.org"} {
			p, err := h.Services.Checkout.Orders.Pledge(ctx, pledged[email].Campaigns[0].OrderID)
			if err != nil {
				fmt.Println(err)
				return
			}
			recovery := ""
			if p.Recovery != nil {
				recovery = ", " + string(p.Recovery.Lane)
			}
			fmt.Printf("  %s is %s%s\n", email, p.Status, recovery)
		}
	}
	pass := func(days int) {
		if err := h.Pass(ctx, time.Duration(days)*24*time.Hour); err != nil {
			fmt.Println(err)
		}
	}

	pass(58)
	show("two days before the end")
	if err := h.Sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}); err != nil {
		fmt.Println(err)
	}
	pass(3)
	show("after the last night")
	strict, err := h.Services.Settlement.Group(ctx, "film",
		state.OwnGroupHash("film", pledged["strict@example.org"].OrderID))
	if err != nil || h.Sim.Authenticate(strict.PaymentIntentID) != nil {
		fmt.Println("nothing to approve", err)
	}
	pass(14)
	show("two weeks later")
	// Output:
	// two days before the end: 0 charges
	//   good@example.org is active
	//   strict@example.org is active
	//   poor@example.org is active
	// after the last night: 1 charges
	//   good@example.org is charged
	//   strict@example.org is payment_failed, approve
	//   poor@example.org is payment_failed, wait
	// two weeks later: 2 charges
	//   good@example.org is charged
	//   strict@example.org is charged
	//   poor@example.org is payment_failed, dropped
}
