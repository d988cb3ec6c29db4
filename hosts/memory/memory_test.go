package memory_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/internal/responses"
	"github.com/pledgeworks/pledgeworks/notify"
)

var site = os.DirFS("../../examples/site")

// The example runs a campaign from the first pledge to the settlement, without waiting.
func Example() {
	ctx := context.Background()
	campaigns := fstest.MapFS{"campaigns/song.md": {Data: []byte(`---
title: One Song
start_date: 2026-11-01
goal_deadline: 2026-11-30
goal_amount: 20
published: true
tiers:
  - name: Download
    price: 20
---
`)}}
	h, err := memory.New(memory.Options{Campaigns: campaigns, Env: map[string]string{"SALES_TAX_RATE": "0"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	cart := checkout.Cart{Items: []checkout.Item{{ID: "one-song__download"}}}
	if _, err := h.Pledge(ctx, checkout.StartRequest{Cart: cart, Email: "fan@example.com"}, sim.CardOK); err != nil {
		fmt.Println(err)
		return
	}
	h.Advance(30 * 24 * time.Hour)
	report, err := h.Services.Settlement.Settle(ctx, "one-song", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.SupportersCharged, "supporter charged", report.TotalCharged)
	fmt.Println(len(h.Sim.Entries()), "charge at the processor")
	// Output:
	// 1 supporter charged $20.00
	// 1 charge at the processor
}

func TestHost_Webhook(t *testing.T) {
	h, err := memory.New(memory.Options{Campaigns: site})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	started, err := h.Services.Checkout.Start(ctx, checkout.StartRequest{Email: "a@example.com",
		Cart: checkout.Cart{Items: []checkout.Item{{ID: "night-ferry__digital-premiere"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sim.Complete(started.SessionID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	if n := h.Deliver(ctx); n == 0 {
		t.Fatal("no webhook was accepted")
	}
	mails, err := h.Mails(ctx)
	if err != nil || len(mails) != 1 || mails[0].Kind != notify.Confirmation {
		t.Fatalf("mails: %+v, %v", mails, err)
	}
	token, err := h.Token(started.OrderID, "a@example.com", "night-ferry")
	if err != nil {
		t.Fatal(err)
	}
	if r := h.Request(ctx, "GET", "/pledge", "token="+token, nil); r.Status != 200 {
		t.Errorf("status %d: %s", r.Status, r.Body)
	}
}

// Hosts with the same seed generate the same identifiers and secrets.
func TestHost_Deterministic(t *testing.T) {
	start := func(seed uint64) string {
		h, err := memory.New(memory.Options{Campaigns: site, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		s, err := h.Services.Checkout.Start(t.Context(), checkout.StartRequest{Email: "a@example.com",
			Cart: checkout.Cart{Items: []checkout.Item{{ID: "night-ferry__digital-premiere"}}}})
		if err != nil {
			t.Fatal(err)
		}
		return s.OrderID + s.SessionID + s.Token
	}
	if a, b := start(7), start(7); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if start(7) == start(8) {
		t.Error("different seeds generate the same values")
	}
}

// Proves SEC-09, SEC-10, SEC-11, SEC-12, ERR-01.
func TestResponses(t *testing.T) {
	h, err := memory.New(memory.Options{Campaigns: site})
	if err != nil {
		t.Fatal(err)
	}
	over := func(h *memory.Host) func(testing.TB, responses.Request) responses.Response {
		return func(t testing.TB, ask responses.Request) responses.Response {
			var header []string
			for name, value := range ask.Header {
				header = append(header, name, value)
			}
			r := h.Request(t.Context(), ask.Method, ask.Path, "", []byte(ask.Body), header...)
			return responses.Response{Status: r.Status, Header: http.Header(r.Header), Body: r.Body}
		}
	}
	is := responses.Host{Ask: over(h), Site: string(h.Config.Site.Base), Slug: "night-ferry"}
	responses.Run(t, is)

	fresh, err := memory.New(memory.Options{Campaigns: site}) // no failed attempts yet
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a file", func(t *testing.T) {
		is.Check(t, "GET", over(fresh)(t, responses.Request{Method: "GET", Path: "/admin/audit.csv",
			Header: map[string]string{"X-Admin-Key": fresh.Config.Secrets.Admin.Reveal()}}), 200)
	})

	bare, err := memory.New(memory.Options{Campaigns: site, WithoutRateLimit: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("no rate limit store", func(t *testing.T) {
		is.Check(t, "GET", over(bare)(t, responses.Request{Method: "GET", Path: "/readyz"}), 503)
	})
}

func TestNew_Errors(t *testing.T) {
	for name, o := range map[string]memory.Options{
		"Campaigns is required": {},
		"SITE_BASE":             {Campaigns: site, Env: map[string]string{"SITE_BASE": "nowhere"}},
		"campaigns/x.md": {
			Campaigns: fstest.MapFS{"campaigns/x.md": {Data: []byte("---\ntitle: X\ngoal_amount: much\n---\n")}}},
	} {
		if _, err := memory.New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
