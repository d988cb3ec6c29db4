package compose_test

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Cron deletes the cards of a campaign that missed its goal once. Only then does the campaign
// become idle.
func TestCron_DeletesCards(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, memory.Options{})
	cart := bigCart()
	one := 1
	cart.Items[0].Quantity = &one
	started, err := h.Pledge(ctx, checkout.StartRequest{Email: "a@example.com", Cart: cart}, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := h.Services.Campaigns().Campaign(game)
	if err != nil {
		t.Fatal(err)
	}
	h.Advance(c.EndsAt(h.Config.Site.Timezone.Location()).Add(settlement.Closing - time.Hour).Sub(h.Now()))
	cards := func() (forgotten int, attached bool) {
		t.Helper()
		r, err := h.Services.Cron(ctx)
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Services.Checkout.Orders.Pledge(ctx, started.Campaigns[0].OrderID)
		if err != nil {
			t.Fatal(err)
		}
		card, err := h.Services.Processor.Card(ctx, p.PaymentMethodID)
		if err != nil || (card.CustomerID == "") != (p.CardForgottenAt != nil) {
			t.Fatalf("%+v, %v, forgotten %v", card, err, p.CardForgottenAt)
		}
		return r.Forgotten, card.CustomerID != ""
	}
	rests := func() bool {
		t.Helper()
		all, err := h.Services.Settlement.IdleStates(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return all[game].Cards
	}
	if n, attached := cards(); n != 0 || !attached || rests() {
		t.Errorf("an hour too early: %d forgotten, attached %t, idle %t", n, attached, rests())
	}
	h.Advance(2 * time.Hour)
	if n, attached := cards(); n != 0 || !attached {
		t.Errorf("closed: %d forgotten, attached %t", n, attached)
	}
	h.Advance(settlement.Reopening)
	if n, attached := cards(); n != 1 || attached {
		t.Errorf("in time: %d forgotten, attached %t", n, attached)
	}
	h.Advance(5 * time.Hour)
	if n, _ := cards(); n != 0 || rests() {
		t.Errorf("while a run may still be writing: %d forgotten, idle %t", n, rests())
	}
	h.Advance(time.Hour)
	if n, _ := cards(); n != 0 || !rests() {
		t.Errorf("six hours later: %d forgotten, idle %t", n, rests())
	}
	if v := view(t, h, started.Campaigns[0].OrderID, "a@example.com"); v.Outcome != "missed" ||
		v.CanUpdateCard || v.CardForgottenAt == nil || v.DueNow != 0 {
		t.Errorf("supporter's view = %+v", v)
	}
}

func view(t *testing.T, h *memory.Host, pledgeID, email string) checkout.PledgeView {
	t.Helper()
	tok, err := h.Services.Checkout.Links.Signer.Sign(token.Claims{Scope: token.Manage, OrderID: pledgeID, Email: email,
		CampaignSlug: game, Expires: h.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Services.Checkout.View(context.Background(), tok)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// After a failed charge the supporter sees the reason and the amount due, and a new card is charged
// immediately. A card that is added when nothing is due is deleted.
func TestPledgeView_FailedCharge(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, memory.Options{})
	started, err := h.Pledge(ctx, checkout.StartRequest{Email: "a@example.com", Cart: bigCart()}, sim.CardAuthInsufficient)
	if err != nil {
		t.Fatal(err)
	}
	id := started.Campaigns[0].OrderID
	if v := view(t, h, id, "a@example.com"); v.Outcome != "" || v.DueNow != 0 || v.DeclineReason != "" {
		t.Errorf("before the deadline: %+v", v)
	}
	h.Advance(72 * time.Hour)
	if _, err := h.Services.Cron(ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	v := view(t, h, id, "a@example.com")
	if v.Outcome != "funded" || v.DueNow != v.Amount || v.Amount == 0 || v.DeclineReason != pledge.InsufficientFunds {
		t.Errorf("after the deadline: outcome %q, %s due of %s, %q", v.Outcome, v.DueNow, v.Amount, v.DeclineReason)
	}
	tok := func() string {
		tok, err := h.Services.Checkout.Links.Signer.Sign(token.Claims{Scope: token.Manage, OrderID: id,
			Email: "a@example.com", CampaignSlug: game, Expires: h.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		return tok
	}()
	var sessions []string
	for range 2 {
		s, err := h.Services.Checkout.StartCard(ctx, checkout.CardRequest{Token: tok})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s.SessionID)
	}
	for i, session := range sessions {
		h.Advance(time.Minute)
		if err := h.Sim.Complete(session, sim.CardOK); err != nil {
			t.Fatal(err)
		}
		h.Deliver(ctx)
		s, err := h.Services.Processor.Session(ctx, session)
		if err != nil {
			t.Fatal(err)
		}
		card, err := h.Services.Processor.Card(ctx, s.PaymentMethodID)
		if charged := view(t, h, id, "a@example.com").Charged; err != nil || !charged || (card.CustomerID != "") != (i == 0) {
			t.Errorf("card %d: %+v, %v, charged %t", i+1, card, err, charged)
		}
	}
}
