package order_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

func charged(transaction string) order.Charged {
	ch := order.Charged{
		PaymentIntentID: "pi_1", ChargeID: "ch_1", At: start.Add(time.Hour),
		Financials: pledge.Financials{Gross: 1429, Source: "pending"},
	}
	if transaction != "" {
		available := start.Add(48 * time.Hour)
		ch.BalanceTransactionID, ch.AvailableAt = transaction, &available
		ch.Financials = pledge.Financials{Gross: 1429, Fee: 71, Net: 1358, Source: "actual"}
	}
	return ch
}

func (d *desk) claim(generation int) {
	d.Helper()
	if _, err := d.Claim(ctx, orderID, "group", generation); err != nil {
		d.Fatal(err)
	}
}

// Proves PLG-62, PLG-63: from the claim on, and after the charge, a pledge
// can't be modified or cancelled.
func TestClaimBlocksChanges(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	d.claim(1)
	d.claim(1)
	for _, state := range []string{"claimed", "charged"} {
		_, err := d.Modify(ctx, orderID, 1, "modify-"+state, change(t, 2500))
		d.refused(state+", modify", err, fault.Conflict)
		_, err = d.Cancel(ctx, orderID, "cancel-"+state, time.Time{})
		d.refused(state+", cancel", err, fault.Conflict)
		_, err = d.Claim(ctx, orderID, "group", 2)
		d.refused(state+", another attempt", err, fault.Conflict)
		_, err = d.Claim(ctx, orderID, "another", 1)
		d.refused(state+", another group", err, fault.Conflict)
		if _, err := d.Charge(ctx, orderID, "group", 1, charged("")); err != nil {
			t.Fatal(err)
		}
	}
}

// Proves PLG-23, PLG-24, PLG-25, PLG-26, PLG-27, PLG-28, PLG-29, PLG-14,
// PLG-48: a charged pledge has the processor's IDs and figures; the figures may
// come later, and once they are there they stay.
func TestCharge(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	_, err := d.Charge(ctx, orderID, "group", 1, charged(""))
	d.refused("without a claim", err, fault.Conflict)
	d.claim(1)
	p, err := d.Charge(ctx, orderID, "group", 1, charged(""))
	if err != nil {
		t.Fatal(err)
	}
	if !p.Charged || p.Status != pledge.Charged || p.PaymentIntentID != "pi_1" || p.ChargeID != "ch_1" ||
		!p.ChargedAt.Equal(start.Add(time.Hour)) || p.ProcessorAvailableAt != nil || p.Financials.Source != "pending" {
		t.Errorf("charged: %+v", p)
	}
	for _, transaction := range []string{"txn_1", "txn_1", "", "txn_2"} {
		if _, err := d.Charge(ctx, orderID, "group", 1, charged(transaction)); err != nil {
			t.Fatal(err)
		}
	}
	p = d.pledge(orderID)
	want := pledge.Financials{Gross: 1429, Fee: 71, Net: 1358, Source: "actual"}
	if diff := cmp.Diff(want, *p.Financials); diff != "" || p.BalanceTransactionID != "txn_1" || !p.ProcessorAvailableAt.Equal(start.Add(48*time.Hour)) {
		t.Error(diff, p.BalanceTransactionID, p.ProcessorAvailableAt)
	}
	if diff := cmp.Diff([]string{"created", "charged"}, events(p)); diff != "" {
		t.Error(diff)
	}
	other := charged("")
	other.PaymentIntentID = "pi_2"
	_, err = d.Charge(ctx, orderID, "group", 1, other)
	d.refused("a second payment", err, fault.Conflict)
}

func TestFailFreesThePledge(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	d.claim(1)
	failure := pledge.Failure{Kind: "declined", Code: "card_declined", DeclineCode: "expired_card", Generation: 1, At: start}
	for range 2 {
		p, err := d.Fail(ctx, orderID, "group", 1, failure, pledge.Recovery{Lane: pledge.NewCard})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&failure, p.LastFailure); diff != "" || p.Status != pledge.PaymentFailed || p.Charged || p.Settlement != nil {
			t.Errorf("failed: %s %+v", diff, p)
		}
	}
	_, err := d.Cancel(ctx, orderID, "n", time.Time{})
	d.refused("cancelling after the deadline", err, fault.Conflict)
	d.claim(2)
	d.forget()
	if _, err := d.Fail(ctx, orderID, "group", 1, failure, pledge.Recovery{Lane: pledge.NewCard}); err != nil {
		t.Fatal(err)
	}
	if p := d.pledge(orderID); p.Settlement == nil || p.Settlement.Generation != 2 || len(p.History) != 2 {
		t.Errorf("an old failure came again: %+v", p)
	}
	p, err := d.Charge(ctx, orderID, "group", 2, charged(""))
	if err != nil || !p.Charged || p.LastFailure != nil {
		t.Errorf("the next attempt: %+v, %v", p, err)
	}
}

// An attempt that has ended can't be begun again, however late its claim is
// delivered once more.
func TestEndedAttemptIsNotClaimedAgain(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	d.claim(1)
	if _, err := d.Fail(ctx, orderID, "group", 1, pledge.Failure{Kind: "declined"}, pledge.Recovery{Lane: pledge.NewCard}); err != nil {
		t.Fatal(err)
	}
	d.forget()
	_, err := d.Claim(ctx, orderID, "group", 1)
	d.refused("the first attempt", err, fault.Conflict)
	if p := d.pledge(orderID); p.Settlement != nil {
		t.Errorf("claimed: %+v", p.Settlement)
	}
}

// An attempt that was refused while the one before it was open is not refused
// for good.
func TestClaimAfterARefusalThatPassed(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	d.claim(1)
	_, err := d.Claim(ctx, orderID, "group", 2)
	d.refused("while the first is open", err, fault.Conflict)
	if _, err := d.Fail(ctx, orderID, "group", 1, pledge.Failure{Kind: "declined"}, pledge.Recovery{Lane: pledge.NewCard}); err != nil {
		t.Fatal(err)
	}
	d.claim(2)
}

// Proves PLG-55: the card of a completed session replaces an older one, and
// only an older one.
func TestReplaceCard(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	newer, newest := saved.Add(time.Hour), saved.Add(2*time.Hour)
	_, err := d.ReplaceCard(ctx, orderID, "cs_new", card(newest))
	d.refused("a session nobody noted", err, fault.Conflict)
	for _, session := range []string{"cs_late", "cs_new"} {
		if err := d.StartCard(ctx, orderID, session); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		session string
		saved   time.Time
	}{{"cs_new", newest}, {"cs_new", newest}, {"cs_late", newer}} {
		c := card(step.saved)
		c.CustomerID = "cus_of_" + step.session
		p, err := d.ReplaceCard(ctx, orderID, step.session, c)
		if err != nil || p.PaymentMethodID != card(newest).PaymentMethodID || p.CustomerID != "cus_of_cs_new" || !p.CardSavedAt.Equal(newest) {
			t.Errorf("%s: %+v, %v", step.session, p, err)
		}
	}
	if diff := cmp.Diff([]string{"created", "card_updated"}, events(d.pledge(orderID))); diff != "" {
		t.Error(diff)
	}
}

func TestCardOfAPaidPledge(t *testing.T) {
	d := newDesk(t)
	d.confirmed("film")
	if err := d.StartCard(ctx, orderID, "cs_2"); err != nil {
		t.Fatal(err)
	}
	d.claim(1)
	if _, err := d.Charge(ctx, orderID, "group", 1, charged("")); err != nil {
		t.Fatal(err)
	}
	_, err := d.ReplaceCard(ctx, orderID, "cs_2", card(saved.Add(time.Hour)))
	d.refused("its card", err, fault.Conflict)
	d.refused("a session for it", d.StartCard(ctx, orderID, "cs_3"), fault.Conflict)
}

func TestSupportersList(t *testing.T) {
	d := newDesk(t)
	ids := []string{}
	if got, err := d.Of(ctx, "ada@example.org"); err != nil || len(got) != 0 {
		t.Errorf("nobody's: %v, %v", got, err)
	}
	for _, id := range []string{"pw-2", "pw-1", "pw-2", "pw-3"} {
		got, err := d.Enlist(ctx, "ada@example.org", id)
		if err != nil {
			t.Fatal(err)
		}
		ids = got
		d.now = d.now.Add(49 * time.Hour)
	}
	got, err := d.Of(ctx, "ada@example.org")
	if diff := cmp.Diff([]string{"pw-2", "pw-1", "pw-3"}, got); err != nil || diff != "" || !cmp.Equal(ids, got) {
		t.Error(err, diff, ids)
	}
	if got, err := d.Of(ctx, "eve@example.org"); err != nil || len(got) != 0 {
		t.Errorf("another's: %v, %v", got, err)
	}
}

// The longest IDs there are stay within the bounds of a command's identity.
func TestLongestIdentities(t *testing.T) {
	d := newDesk(t)
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
	_, err := d.Fail(ctx, id, group, 9999, pledge.Failure{}, pledge.Recovery{Lane: pledge.NewCard})
	d.refused("fail", err, fault.Conflict)
	if _, err := d.Claim(ctx, id, group, 9999); err != nil {
		t.Error(err)
	}
	_, err = d.Claim(ctx, id, group, 8888)
	d.refused("claim", err, fault.Conflict)
	if _, err := d.Charge(ctx, id, group, 9999, charged("txn_"+strings.Repeat("x", 60))); err != nil {
		t.Error(err)
	}
}

func TestMalformedPledgeID(t *testing.T) {
	d := newDesk(t)
	_, err := d.Pledge(ctx, "film")
	d.refused("reading", err, fault.Invalid)
	_, err = d.Claim(ctx, "../"+orderID, "group", 1)
	d.refused("claiming", err, fault.Invalid)
	_, err = d.Cancel(ctx, "", "n", time.Time{})
	d.refused("cancelling", err, fault.Invalid)
}
