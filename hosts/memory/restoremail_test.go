package memory_test

import (
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

const songFile = `---
title: One Song
start_date: 2026-11-01
goal_deadline: 2026-11-30
goal_amount: 20
published: true
tiers:
  - name: Download
    price: 20
---
`

// The database is restored to a time at which the mail about a declined charge was still queued. By
// then the supporter has added another card and has been charged. When the operator resumes
// charging as documented, Minute must not send the outdated mail.
func TestMinute_DiscardsOutdatedMailAfterRestore(t *testing.T) {
	h, err := memory.New(memory.Options{Campaigns: fstest.MapFS{"campaigns/song.md": {Data: []byte(songFile)}},
		Env: map[string]string{"SALES_TAX_RATE": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	cart := checkout.Cart{Items: []checkout.Item{{ID: "one-song__download"}}}
	pledge := func(email, card string) checkout.Started {
		t.Helper()
		s, err := h.Pledge(ctx, checkout.StartRequest{Cart: cart, Email: email}, card)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ana := pledge("ana@example.com", sim.CardChargeDeclined)
	pledge("bob@example.com", sim.CardOK)
	if err := h.Services.Minute(ctx); err != nil {
		t.Fatal(err)
	}
	h.Advance(30 * 24 * time.Hour)
	if _, err := h.Services.Settlement.Settle(ctx, "one-song", false); err != nil {
		t.Fatal(err)
	}
	backup := h.DB.Snapshot()
	tok, err := h.Token(ana.OrderID, "ana@example.com", "one-song")
	if err != nil {
		t.Fatal(err)
	}
	c, err := h.Services.Checkout.StartCard(ctx, checkout.CardRequest{Token: tok})
	if err != nil {
		t.Fatal(err)
	}
	h.Advance(time.Minute)
	if err := h.Sim.Complete(c.SessionID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	h.Deliver(ctx)
	if n := len(h.Sim.Entries()); n != 2 {
		t.Fatalf("%d payments", n)
	}
	h.DB.Restore(backup)
	if err := h.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := h.Services.Settlement.Switch().StopForRestore(ctx); err != nil {
		t.Fatal(err)
	}
	h.Advance(2 * time.Hour)
	if _, err := h.Services.Cron(ctx); err != nil { // charging is stopped, so the mail is deferred by an hour
		t.Fatal(err)
	}
	before, _ := h.Mails(ctx)
	h.Advance(59 * time.Minute)
	if _, err := h.Services.ResumeCharging(ctx, ""); err != nil {
		t.Fatal(err)
	}
	h.Advance(time.Minute) // just before the next hourly work
	if err := h.Services.Minute(ctx); err != nil {
		t.Fatal(err)
	}
	all, _ := h.Mails(ctx)
	for _, m := range all[len(before):] {
		t.Log(m.Kind, m.To)
	}
	if slices.ContainsFunc(all,
		func(m notify.Mail) bool { return m.Kind == notify.UpdateCard && m.To == "ana@example.com" }) {
		t.Error("ana was charged but got a mail about a declined card")
	}
}
