package compose_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A campaign that missed its goal and was closed accepts no pledges again, even if its file has a
// later deadline, because they could never be charged.
func TestCheckContent_ClosedCampaignStaysClosed(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, memory.Options{})
	text, err := os.ReadFile("../../examples/site/campaigns/" + game + ".md")
	if err != nil {
		t.Fatal(err)
	}
	extended, err := campaignfile.Load(fstest.MapFS{"campaigns/" + game + ".md": {
		Data: []byte(strings.Replace(string(text), "goal_deadline: 2026-11-21", "goal_deadline: 2026-12-30", 1)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	one := bigCart()
	quantity := 1
	one.Items[0].Quantity = &quantity
	if _, err := h.Pledge(ctx, checkout.StartRequest{Email: "a@example.com", Cart: one}, ""); err != nil {
		t.Fatal(err)
	}
	if found, err := h.Services.CheckContent(ctx, extended); err != nil || len(found) > 0 {
		t.Errorf("while the campaign is live: %v, %v", found, err)
	}
	for range 6 { // closed 48 hours after its deadline
		h.Advance(24 * time.Hour)
		if _, err := h.Services.Cron(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if closed, err := h.Services.Settlement.Closed(ctx, game); err != nil || !closed {
		t.Fatalf("closed: %t, %v", closed, err)
	}
	found, err := h.Services.CheckContent(ctx, extended)
	if err != nil || len(found) != 1 || found[0].Slug != game || !fault.Is(found[0].Err, fault.Conflict) {
		t.Errorf("with a later deadline: %v, %v", found, err)
	}
	if found, err := h.Services.CheckContent(ctx, h.Services.Campaigns()); err != nil || len(found) > 0 {
		t.Errorf("with its original file: %v, %v", found, err)
	}
	behind := newMachine(t, h, "behind")
	behind.off = -10 * 24 * time.Hour
	found, err = behind.s.CheckContent(ctx, behind.s.Campaigns())
	if err != nil || len(found) != 1 || !errors.Is(found[0].Err, compose.ErrClock) {
		t.Errorf("with its original file and a clock that is behind: %v, %v", found, err)
	}
}
