package order_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The card of a completed session replaces only an older card.
//
// Proves PLG-16, PLG-55.
func TestReplaceCard(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	newer, newest := saved.Add(time.Hour), saved.Add(2*time.Hour)
	_, err := d.ReplaceCard(ctx, orderID, "cs_new", card(newest))
	d.wantError("unknown session", err, fault.Conflict)
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
		c.CustomerID, c.Label = "cus_of_"+step.session, &pledge.CardLabel{Brand: "visa", Last4: step.saved.Format("1504")}
		p, err := d.ReplaceCard(ctx, orderID, step.session, c)
		if err != nil || p.PaymentMethodID != card(newest).PaymentMethodID || p.CustomerID != "cus_of_cs_new" ||
			!p.CardSavedAt.Equal(newest) || p.Card == nil || p.Card.Last4 != newest.Format("1504") {
			t.Errorf("%s: %+v, %v", step.session, p, err)
		}
	}
	if diff := cmp.Diff([]string{"created", "card_updated"}, events(d.pledge(orderID))); diff != "" {
		t.Error(diff)
	}
}

// A card is saved for the whole group only if its session was started after the failure, when the
// page showed the group's total.
func TestReplaceCard_ForGroup(t *testing.T) {
	for name, tt := range map[string]struct {
		began func(d *fixture)
		want  bool
	}{
		"started before the failure": {func(d *fixture) { d.claim(1); d.startCard("cs_new"); d.later(); d.decline(1) },
			false},
		"started after the failure": {func(d *fixture) { d.claim(1); d.decline(1); d.later(); d.startCard("cs_new") }, true},
		"without a failure":         {func(d *fixture) { d.startCard("cs_new") }, false},
	} {
		d := newFixture(t)
		d.confirmed("film")
		d.later()
		tt.began(d)
		p, err := d.ReplaceCard(ctx, orderID, "cs_new", card(saved.Add(time.Hour)))
		if err != nil || !p.CardByLink || p.CardForGroup != tt.want {
			t.Errorf("%s: CardForGroup is %t, %v", name, p.CardForGroup, err)
		}
	}
}

func (d *fixture) later() { d.now = d.now.Add(time.Minute) }

func (d *fixture) startCard(session string) {
	d.Helper()
	if err := d.StartCard(ctx, orderID, session); err != nil {
		d.Fatal(err)
	}
}

func TestReplaceCard_PaidPledge(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	if err := d.StartCard(ctx, orderID, "cs_2"); err != nil {
		t.Fatal(err)
	}
	d.claim(1)
	if _, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("")); err != nil {
		t.Fatal(err)
	}
	_, err := d.ReplaceCard(ctx, orderID, "cs_2", card(saved.Add(time.Hour)))
	d.wantError("card of a paid pledge", err, fault.Conflict)
	d.wantError("session for a paid pledge", d.StartCard(ctx, orderID, "cs_3"), fault.Conflict)
}

// A card session can replace the card of only one pledge.
func TestReplaceCard_SessionOfAnotherPledge(t *testing.T) {
	d := newFixture(t)
	d.confirmed("comic", "film")
	if err := d.StartCard(ctx, orderID+"-film", "cs_film"); err != nil {
		t.Fatal(err)
	}
	_, err := d.ReplaceCard(ctx, orderID+"-comic", "cs_film", card(saved.Add(time.Hour)))
	d.wantError("another pledge's session", err, fault.Conflict)
	if p := d.pledge(orderID + "-comic"); !p.CardSavedAt.Equal(saved) {
		t.Errorf("card saved at %s", p.CardSavedAt)
	}
}

// An order keeps its newest twenty card sessions.
func TestStartCard_KeepsNewestSessions(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	for i := range 21 {
		if err := d.StartCard(ctx, orderID, fmt.Sprintf("cs_new_%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.ReplaceCard(ctx, orderID, "cs_new_0", card(saved.Add(time.Hour)))
	d.wantError("oldest session", err, fault.Conflict)
	if _, err := d.ReplaceCard(ctx, orderID, "cs_new_1", card(saved.Add(time.Hour))); err != nil {
		t.Error(err)
	}
}

// FillCard sets the card of a pledge without a customer once, while the pledge is unpaid.
func TestFillCard(t *testing.T) {
	d := newFixture(t)
	o := d.open("comic", "film")
	half := card(saved)
	half.CustomerID = ""
	d.then(d.confirm(orderID, "cs_1", o.Hash, half, false))
	if _, err := d.Cancel(ctx, orderID+"-comic", "n", time.Time{}); err != nil {
		t.Fatal(err)
	}
	for _, customer := range []string{"cus_1", "cus_1", "cus_2"} {
		c := card(saved)
		c.CustomerID = customer
		for slug, want := range map[string]string{"film": "cus_1", "comic": ""} {
			if p, err := d.FillCard(ctx, orderID+"-"+slug, c); err != nil || p.CustomerID != want {
				t.Errorf("%s with %s: %+v, %v", slug, customer, p, err)
			}
		}
	}
	if diff := cmp.Diff([]string{"created", "card_updated"}, events(d.pledge(orderID+"-film"))); diff != "" {
		t.Error(diff)
	}
}
