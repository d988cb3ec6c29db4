package state

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The possible results of a confirmable payment.
func TestApply_Confirmable(t *testing.T) {
	wanted := Group{Status: Submitted, Generation: 1, Amount: 2500, Currency: "usd", Attempts: 1}
	wanted.apply(Result{Status: psp.NeedsAction, PaymentID: "pi_1", Code: "authentication_required"}, noon)
	wanted.Booked = true
	if wanted.Status != Failed || !wanted.Confirmable || wanted.AskedAt == nil {
		t.Fatalf("%+v", wanted)
	}
	for _, tt := range []struct {
		name        string
		fact        Result
		want        GroupStatus
		confirmable bool
		booked      bool
	}{
		{"still wanted", Result{Status: psp.NeedsAction, PaymentID: "pi_1", FromLookup: true}, Failed, true, true},
		{"refused when present", Result{Status: psp.Declined, PaymentID: "pi_1", FromLookup: true}, Failed, true, true},
		{"being worked on", Result{Status: psp.Pending, PaymentID: "pi_1", FromLookup: true}, Failed, true, true},
		{"no answer", Result{Status: psp.Unknown}, Failed, true, true},
		{"canceled", Result{Status: psp.Canceled, PaymentID: "pi_1", FromLookup: true}, Failed, false, true},
		{"confirmed", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Received: 2500,
			Currency: "usd", FromLookup: true}, Succeeded, false, false},
		{"confirmed for less", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2499, Received: 2499,
			Currency: "usd", FromLookup: true}, NeedsAttention, true, true},
		{"confirmed for more", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2501, Received: 2501,
			Currency: "usd", FromLookup: true}, NeedsAttention, true, true},
	} {
		g := wanted
		g.apply(tt.fact, noon.Add(time.Hour))
		if g.Status != tt.want || g.Confirmable != tt.confirmable || g.Booked != tt.booked {
			t.Errorf("%s: %s, confirmable %t, booked %t", tt.name, g.Status, g.Confirmable, g.Booked)
		}
		if g.Code != "authentication_required" && tt.fact.Status == psp.Canceled {
			t.Errorf("%s: the failure's code was lost", tt.name)
		}
	}
}

// A known success of an earlier attempt survives an answer about another charge.
func TestGroup_EarlierSuccessAndAnotherAnswer(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	g := Group{Status: Submitted, Generation: 2, Attempts: 1, Amount: 700, Currency: money.USD,
		History: []Attempt{{Generation: 1, Status: Failed}}}
	g.applyEarlier(1, Result{Status: psp.Succeeded, PaymentID: "pi_1", FromLookup: true}, now)
	if g.Reason != EarlierSucceeded {
		t.Fatal(g.Reason)
	}
	g.apply(Result{FromLookup: true, Status: psp.Declined, PaymentID: "pi_2", Differs: "livemode"}, now)
	g.apply(Result{FromLookup: true, Status: psp.Declined, PaymentID: "pi_2"}, now)
	if g.Status == Failed {
		t.Errorf("the attempt is %s (%s), so another attempt may follow although the first was paid", g.Status, g.Reason)
	}
}

func TestCompare(t *testing.T) {
	hash := HashOf("film", "ana")
	g := Group{CampaignSlug: "film", Hash: hash, Generation: 2, CustomerID: "cus_1", PaymentMethodID: "pm_1"}
	right := psp.Payment{ID: "pi_1", Mode: psp.Test, Status: psp.Succeeded, Group: AttemptKey("film", hash, 2),
		Campaign: "film", CustomerID: "cus_1", PaymentMethodID: "pm_1"}
	for name, tc := range map[string]struct {
		change func(p *psp.Payment)
		want   string
	}{
		"the charge": {func(*psp.Payment) {}, ""},
		"no payment": {func(p *psp.Payment) { *p = psp.Payment{} }, ""},
		"live":       {func(p *psp.Payment) { p.Mode = psp.Live }, "livemode"},
		"another group": {func(p *psp.Payment) {
			p.Group = AttemptKey("film", HashOf("film", "bob"), 2)
		}, "metadata.settlementGroup"},
		"a later attempt": {func(p *psp.Payment) { p.Group = AttemptKey("film", hash, 3) },
			"metadata.settlementGroup"},
		"no group":                        {func(p *psp.Payment) { p.Group = "" }, "metadata.settlementGroup"},
		"another campaign":                {func(p *psp.Payment) { p.Campaign = "album" }, "metadata.campaignSlug"},
		"another customer":                {func(p *psp.Payment) { p.CustomerID = "cus_2" }, "customer"},
		"another card":                    {func(p *psp.Payment) { p.PaymentMethodID = "pm_2" }, "payment_method"},
		"declined payment without a card": {func(p *psp.Payment) { p.Status, p.PaymentMethodID = psp.Declined, "" }, ""},
		"earlier attempt with another card": {
			func(p *psp.Payment) { p.Group, p.PaymentMethodID = AttemptKey("film", hash, 1), "pm_0" }, ""},
	} {
		p := right
		tc.change(&p)
		if got := g.Compare(p, psp.Test); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// A repeated notice that the supporter has to approve the payment changes only the time of the
// lookup.
func TestApply_RepeatedAction(t *testing.T) {
	waiting := Group{Status: Failed, Confirmable: true, Generation: 1, PaymentIntentID: "pi_1", UpdatedAt: noon}
	action := Result{Status: psp.NeedsAction, PaymentID: "pi_1", FromLookup: true}
	later := noon.Add(time.Hour)
	for name, tt := range map[string]struct {
		g       Group
		result  Result
		updated bool
	}{
		"the same":          {waiting, action, false},
		"another payment":   {waiting, Result{Status: psp.NeedsAction, PaymentID: "pi_2", FromLookup: true}, true},
		"another charge":    {waiting, Result{Status: psp.NeedsAction, PaymentID: "pi_1", Differs: "customer"}, true},
		"pending":           {waiting, Result{Status: psp.Pending, PaymentID: "pi_1"}, true},
		"before it failed":  {waiting.with(func(g *Group) { g.Status = Submitted }), action, true},
		"after it canceled": {waiting.with(func(g *Group) { g.Confirmable = false }), action, true},
	} {
		g := tt.g
		g.apply(tt.result, later)
		if got := g.UpdatedAt.Equal(later); got != tt.updated {
			t.Errorf("%s: updated %t, want %t", name, got, tt.updated)
		}
	}
}
