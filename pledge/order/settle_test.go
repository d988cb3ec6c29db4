package order_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

func chargedBy(transaction string) order.Charged {
	ch := order.Charged{
		PaymentIntentID: "pi_1", ChargeID: "ch_1", At: start.Add(time.Hour),
		Financials: pledge.Financials{Gross: 1500, Source: "pending"},
	}
	if transaction != "" {
		available := start.Add(48 * time.Hour)
		ch.BalanceTransactionID, ch.AvailableAt = transaction, &available
		ch.Financials = pledge.Financials{Gross: 1500, Fee: 71, Net: 1429, Source: "actual"}
	}
	return ch
}

func (d *fixture) claim(generation int) {
	d.Helper()
	if p, err := d.Claim(ctx, orderID, "group", generation); err != nil || p.Charged {
		d.Fatal(p, err)
	}
}

// A pledge cannot be modified or cancelled once it is claimed.
//
// Proves PLG-62, PLG-63.
func TestClaim_BlocksChanges(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	d.claim(1)
	d.claim(1)
	for _, state := range []string{"claimed", "charged"} {
		_, err := d.Modify(ctx, orderID, d.pledge(orderID).Revision, "modify-"+state, change(t, 2500))
		d.wantError(state+", modify", err, fault.Conflict)
		_, err = d.Cancel(ctx, orderID, "cancel-"+state, time.Time{})
		d.wantError(state+", cancel", err, fault.Conflict)
		_, err = d.Claim(ctx, orderID, "group", 2)
		d.wantError(state+", another attempt", err, fault.Conflict)
		_, err = d.Claim(ctx, orderID, "another", 1)
		d.wantError(state+", another group", err, fault.Conflict)
		if _, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("")); err != nil {
			t.Fatal(err)
		}
	}
}

// A charged pledge has Stripe's IDs and figures. Figures that Stripe reports later are added once.
//
// Proves PLG-19, PLG-23, PLG-24, PLG-25, PLG-26, PLG-27, PLG-28, PLG-29, PLG-48.
func TestCharge(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	_, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy(""))
	d.wantError("without a claim", err, fault.Conflict)
	d.claim(1)
	p, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy(""))
	if err != nil {
		t.Fatal(err)
	}
	if !p.Charged || p.Status != pledge.Charged || p.PaymentIntentID != "pi_1" || p.ChargeID != "ch_1" ||
		!p.ChargedAt.Equal(start.Add(time.Hour)) || p.ProcessorAvailableAt != nil ||
		*p.Financials != chargedBy("").Financials {
		t.Errorf("charged: %+v", p)
	}
	for _, transaction := range []string{"txn_1", "txn_1", "", "txn_2"} {
		if _, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy(transaction)); err != nil {
			t.Fatal(err)
		}
	}
	p = d.pledge(orderID)
	want := pledge.Financials{Gross: 1500, Fee: 71, Net: 1429, Source: "actual"}
	if diff := cmp.Diff(want, *p.Financials); diff != "" || p.BalanceTransactionID != "txn_1" ||
		!p.ProcessorAvailableAt.Equal(start.Add(48*time.Hour)) {
		t.Error(diff, p.BalanceTransactionID, p.ProcessorAvailableAt)
	}
	if diff := cmp.Diff([]string{"created", "charged"}, events(p)); diff != "" {
		t.Error(diff)
	}
	other := chargedBy("")
	other.PaymentIntentID = "pi_2"
	_, err = d.MarkCharged(ctx, orderID, "group", 1, other)
	d.wantError("second payment", err, fault.Conflict)
	if p := d.pledge(orderID); p.Revision != 3 || p.PaymentIntentID != "pi_1" {
		t.Errorf("final revision %d, payment %s", p.Revision, p.PaymentIntentID)
	}
}

// Figures that are booked with the charge are stored immediately.
//
// Proves PLG-25, PLG-26, PLG-27, PLG-28, PLG-29.
func TestCharge_BookedImmediately(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	d.claim(1)
	p, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("txn_1"))
	if err != nil || p.BalanceTransactionID != "txn_1" || *p.Financials != chargedBy("txn_1").Financials {
		t.Errorf("%+v, %v", p, err)
	}
}

// A pledge has an availability date only if Stripe reports it.
//
// Proves PLG-14.
func TestCharge_AvailabilityDate(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	d.claim(1)
	untold := chargedBy("txn_1")
	untold.AvailableAt = nil
	for name, ch := range map[string]order.Charged{"pending": chargedBy(""), "booked without a time": untold} {
		p, err := d.MarkCharged(ctx, orderID, "group", 1, ch)
		if err != nil || p.ProcessorAvailableAt != nil {
			t.Errorf("%s: available at %s, %v", name, p.ProcessorAvailableAt, err)
		}
	}
	d = newFixture(t)
	d.confirmed("film")
	d.claim(1)
	if p, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("txn_1")); err != nil ||
		!p.ProcessorAvailableAt.Equal(start.Add(48*time.Hour)) {
		t.Errorf("booked: available at %s, %v", p.ProcessorAvailableAt, err)
	}
}

// failedFixture returns a fixture with a pledge whose first attempt failed.
func failedFixture(t *testing.T) *fixture {
	t.Helper()
	d := newFixture(t)
	d.confirmed("film")
	d.claim(1)
	d.decline(1)
	return d
}

func (d *fixture) decline(generation int) {
	d.Helper()
	_, err := d.MarkFailed(ctx, orderID, "group", generation, pledge.Failure{Kind: "declined"},
		pledge.Recovery{Lane: pledge.NewCard})
	if err != nil {
		d.Fatal(err)
	}
}

// A pledge can be charged by its last failed attempt, whose payment the supporter may confirm, even
// if it is claimed for a later attempt that was not sent.
func TestCharge_FailedAttempt(t *testing.T) {
	d := failedFixture(t)
	_, err := d.MarkCharged(ctx, orderID, "group", 2, chargedBy(""))
	d.wantError("attempt that was not started", err, fault.Conflict)
	if p, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("")); err != nil ||
		p.Status != pledge.Charged || p.Recovery != nil {
		t.Errorf("confirmed after the failure: %+v, %v", p, err)
	}
	d = failedFixture(t)
	d.claim(2)
	if p, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("")); err != nil ||
		p.Status != pledge.Charged || p.Settlement != nil {
		t.Errorf("claimed for an attempt that was not sent: %+v, %v", p, err)
	}
	d = failedFixture(t)
	d.claim(2)
	d.decline(2)
	_, err = d.MarkCharged(ctx, orderID, "group", 1, chargedBy(""))
	d.wantError("attempt before the last one", err, fault.Conflict)
}

func TestDrop(t *testing.T) {
	gone := start.Add(14 * 24 * time.Hour)
	for name, tc := range map[string]struct {
		before  func(*fixture)
		dropped bool
	}{
		"after the failure":           {func(*fixture) {}, true},
		"claimed for another attempt": {func(d *fixture) { d.claim(2) }, true},
		"after another failure":       {func(d *fixture) { d.claim(2); d.decline(2) }, false},
	} {
		d := failedFixture(t)
		tc.before(d)
		for range 2 {
			p, err := d.MarkDropped(ctx, orderID, "group", 1, gone)
			if err != nil || p.Status != pledge.PaymentFailed || p.Dropped() != tc.dropped {
				t.Errorf("%s: %+v, %v", name, p, err)
			}
		}
		p := d.pledge(orderID)
		if !tc.dropped {
			continue
		}
		if diff := cmp.Diff([]string{"created", "payment_failed", "dropped"}, events(p)); diff != "" ||
			!p.Recovery.Until.Equal(gone) {
			t.Error(diff, p.Recovery)
		}
		_, err := d.Claim(ctx, orderID, "group", 2)
		d.wantError("another attempt", err, fault.Conflict)
	}
}

// A rejected change returns the reason.
func TestModify_RefusalReasons(t *testing.T) {
	must := func(_ *pledge.Pledge, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for want, become := range map[string]func(*fixture){
		"The pledge is cancelled": func(d *fixture) {
			must(d.Cancel(ctx, orderID, "c", time.Time{}))
		},
		"The pledge is being charged and cannot be modified": func(d *fixture) { d.claim(1) },
		"A charged pledge cannot be modified": func(d *fixture) {
			d.claim(1)
			must(d.MarkCharged(ctx, orderID, "group", 1, chargedBy("")))
		},
		"The campaign has ended and the pledge cannot be modified": func(d *fixture) { d.claim(1); d.decline(1) },
	} {
		d := newFixture(t)
		d.confirmed("film")
		become(d)
		_, err := d.Modify(ctx, orderID, d.pledge(orderID).Revision, "m", change(t, 2500))
		if f := fault.Of(err); f == nil || f.Code != fault.Conflict || f.Message != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Proves PLG-19.
func TestFail_ReleasesClaim(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	d.claim(1)
	failure := pledge.Failure{Kind: "declined", Code: "card_declined", DeclineCode: "expired_card",
		Generation: 1, At: start}
	for range 2 {
		p, err := d.MarkFailed(ctx, orderID, "group", 1, failure, pledge.Recovery{Lane: pledge.NewCard})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&failure, p.LastFailure); diff != "" || p.Status != pledge.PaymentFailed ||
			p.Charged || p.Settlement != nil {
			t.Errorf("failed: %s %+v", diff, p)
		}
	}
	_, err := d.Cancel(ctx, orderID, "n", time.Time{})
	d.wantError("cancelling after the deadline", err, fault.Conflict)
	d.claim(2)
	if _, err := d.MarkFailed(ctx, orderID, "group", 1, failure, pledge.Recovery{Lane: pledge.NewCard}); err != nil {
		t.Fatal(err)
	}
	if p := d.pledge(orderID); p.Settlement == nil || p.Settlement.Generation != 2 || len(p.History) != 2 {
		t.Errorf("a repeated failure changed the pledge: %+v", p)
	}
	p, err := d.MarkCharged(ctx, orderID, "group", 2, chargedBy(""))
	if err != nil || !p.Charged || p.LastFailure != nil {
		t.Errorf("next attempt: %+v, %v", p, err)
	}
}

// An attempt that has ended cannot be claimed again by a late command.
func TestClaim_EndedAttempt(t *testing.T) {
	d := failedFixture(t)
	_, err := d.Claim(ctx, orderID, "group", 1)
	d.wantError("first attempt", err, fault.Conflict)
	if p := d.pledge(orderID); p.Settlement != nil {
		t.Errorf("claimed: %+v", p.Settlement)
	}
}

// An attempt whose claim was rejected while the previous attempt was running can be claimed
// later.
func TestClaim_AfterRefusal(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	d.claim(1)
	_, err := d.Claim(ctx, orderID, "group", 2)
	d.wantError("while the first one is running", err, fault.Conflict)
	d.decline(1)
	d.claim(2)
}

func TestEnlist_ListsPledges(t *testing.T) {
	d := newFixture(t)
	ids := []string{}
	if got, err := d.PledgeIDs(ctx, "ada@example.org"); err != nil || len(got) != 0 {
		t.Errorf("unknown supporter: %v, %v", got, err)
	}
	for _, id := range []string{"pw-2", "pw-1", "pw-2", "pw-3"} {
		got, err := d.AddToList(ctx, "ada@example.org", id)
		if err != nil {
			t.Fatal(err)
		}
		ids = got
		d.now = d.now.Add(49 * time.Hour)
	}
	got, err := d.PledgeIDs(ctx, "ada@example.org")
	if diff := cmp.Diff([]string{"pw-2", "pw-1", "pw-3"}, got); err != nil || diff != "" || !cmp.Equal(ids, got) {
		t.Error(err, diff, ids)
	}
	for _, other := range []string{"eve@example.org", "ada+film@example.org", "a.da@example.org"} {
		if got, err := d.PledgeIDs(ctx, other); err != nil || len(got) != 0 {
			t.Errorf("%s has %v, %v", other, got, err)
		}
	}
}

// A supporter's list rejects new entries at its maximum length and keeps the existing ones.
func TestEnlist_Limit(t *testing.T) {
	d := newFixture(t)
	enlist := func(id string) error {
		_, err := d.AddToList(ctx, "ada@example.org", id)
		return err
	}
	if err := enlist("pw-first"); err != nil {
		t.Fatal(err)
	}
	rewrite(d, "pledges", func(ids *[]string) {
		for i := range 9_998 {
			*ids = append(*ids, fmt.Sprint("pw-", i))
		}
	})
	if err := enlist("pw-last"); err != nil {
		t.Errorf("ten thousandth pledge: %v", err)
	}
	d.wantError("one more", enlist("pw-more"), fault.Conflict)
	d.now = d.now.Add(49 * time.Hour)
	if err := enlist("pw-first"); err != nil {
		t.Errorf("repeating the first entry: %v", err)
	}
}

// The IDs of commands for the longest order IDs are within the limit.
func TestClient_LongestCommandIDs(t *testing.T) {
	d := newFixture(t)
	long := strings.Repeat("a", 100)
	id := orderID + "-" + long
	d.confirmed("film", long)
	group, session := strings.Repeat("f", 64), "cs_live_"+strings.Repeat("x", 60)
	if err := d.StartCard(ctx, id, session); err != nil {
		t.Error(err)
	}
	if _, err := d.ReplaceCard(ctx, id, session, card(saved.Add(time.Hour))); err != nil {
		t.Error(err)
	}
	_, err := d.MarkFailed(ctx, id, group, 9999, pledge.Failure{}, pledge.Recovery{Lane: pledge.NewCard})
	d.wantError("fail", err, fault.Conflict)
	if _, err := d.Claim(ctx, id, group, 9999); err != nil {
		t.Error(err)
	}
	_, err = d.Claim(ctx, id, group, 8888)
	d.wantError("claim", err, fault.Conflict)
	if _, err := d.MarkCharged(ctx, id, group, 9999, chargedBy("txn_"+strings.Repeat("x", 60))); err != nil {
		t.Error(err)
	}
}

func TestClient_MalformedPledgeID(t *testing.T) {
	d := newFixture(t)
	_, err := d.Pledge(ctx, "film")
	d.wantError("reading", err, fault.Invalid)
	_, err = d.Claim(ctx, "../"+orderID, "group", 1)
	d.wantError("claiming", err, fault.Invalid)
	_, err = d.Revision(ctx, orderID+"/")
	d.wantError("revision of a malformed ID", err, fault.Invalid)
	_, err = d.Cancel(ctx, "", "n", time.Time{})
	d.wantError("cancelling", err, fault.Invalid)
}

// ClaimFound takes over a pledge only from an earlier attempt of the same group.
func TestClaimFound(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(d *fixture)
		want   fault.Code
	}{
		"free":                    {func(*fixture) {}, ""},
		"claimed for the first":   {func(d *fixture) { d.claim(1) }, ""},
		"claimed for itself":      {func(d *fixture) { d.claim(2) }, ""},
		"claimed for a later one": {func(d *fixture) { d.claim(3) }, fault.Conflict},
		"claimed by another group": {func(d *fixture) {
			if _, err := d.Claim(ctx, orderID, "another", 1); err != nil {
				d.Fatal(err)
			}
		}, fault.Conflict},
		"already failed": {func(d *fixture) { d.claim(2); d.decline(2) }, fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.confirmed("film")
			tt.before(d)
			p, err := d.ClaimFound(ctx, orderID, "group", 2)
			if fault.CodeOf(err) != tt.want || err == nil && (p.Settlement.Group != "group" || p.Settlement.Generation != 2) {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}
