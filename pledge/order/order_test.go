package order_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Confirm creates one pledge per campaign with the manifest's frozen amounts, active,
// not charged, and with a history entry for its creation.
//
// Proves PLG-02, PLG-12, PLG-13, PLG-15, PLG-16, PLG-17, PLG-20, PLG-21, PLG-30.
func TestConfirm_CreatesPledges(t *testing.T) {
	d := newFixture(t)
	d.now = start.Add(2 * time.Minute)
	o := d.confirmed("comic", "film")
	m := manifest(t, "comic", "film")
	if o.State != order.Confirmed || len(o.Pledges) != 2 {
		t.Fatalf("state %s, %d pledges", o.State, len(o.Pledges))
	}
	for i, c := range m.Campaigns {
		want := &pledge.Pledge{
			OrderID: orderID + "-" + c.CampaignSlug, Email: "ada@example.org", CampaignSlug: c.CampaignSlug, Revision: 1,
			Totals: c.Totals, Currency: "usd", ValueTime: saved, BookedAt: d.now, UpdatedAt: d.now,
			CustomerID: "cus_1", PaymentMethodID: "pm_120100", SetupIntentID: "seti_1", CardSavedAt: saved,
			Status: pledge.Active, Lines: c.Lines, ShippingAddress: m.ShippingAddress,
			Promise:     pledge.Promise{CampaignRevision: "rev-1", ConsentVersion: "consent-1", AcceptedAt: start},
			Attribution: m.Attribution, FulfillmentType: "physical", PreferredLang: "es",
			History: []pledge.Entry{{Type: "created", Totals: c.Totals, At: d.now}},
		}
		if diff := cmp.Diff(want, d.pledge(want.OrderID)); diff != "" {
			t.Errorf("pledge %d: %s", i, diff)
		}
	}
}

func TestConfirm_RepeatChangesNothing(t *testing.T) {
	d := newFixture(t)
	o := d.confirmed("film")
	before := d.must(d.Get(ctx, orderID))
	for _, revive := range []bool{false, true} {
		d.then(d.confirm(orderID, "cs_1", o.Hash, card(saved.Add(time.Hour)), revive))
	}
	if diff := cmp.Diff(before, d.must(d.Get(ctx, orderID))); diff != "" {
		t.Error(diff)
	}
}

// Confirm reports whether this call created the pledges.
func TestConfirm_ReportsCreation(t *testing.T) {
	d := newFixture(t)
	o := d.open("film")
	for n, revive := range []bool{false, false, true} {
		_, made, err := d.Confirm(ctx, orderID, "cs_1", o.Hash, card(saved), revive)
		if err != nil {
			t.Fatal(err)
		}
		if want := n == 0; made != want {
			t.Errorf("call %d: made = %t, want %t", n+1, made, want)
		}
	}
}

// No pledge is created unless the session and the hash are those of the order.
//
// Proves PLG-42.
func TestConfirm_Refuses(t *testing.T) {
	d := newFixture(t)
	o := d.open("film")
	err := d.confirm(orderID, "cs_2", o.Hash, card(saved), false)
	d.wantError("another session", err, fault.Conflict)
	err = d.confirm(orderID, "cs_1", strings.Repeat("0", 64), card(saved), false)
	d.wantError("another cart", err, fault.Conflict)
	if _, err := d.Pledge(ctx, orderID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a pledge was created: %v", err)
	}
	err = d.confirm("pw-01bx5zzkbkactav9wevgemmvrz", "cs_1", o.Hash, card(saved), false)
	d.wantError("unknown order", err, fault.NotFound)
}

// A rejected Confirm can be repeated once the reason for the rejection no longer applies.
func TestConfirm_AfterRefusal(t *testing.T) {
	d := newFixture(t)
	o := d.must(d.Open(ctx, manifest(t, "film")))
	err := d.confirm(orderID, "cs_1", o.Hash, card(saved), false)
	d.wantError("before the session is attached", err, fault.Conflict)
	d.then(d.Attach(ctx, orderID, "cs_1"))
	d.then(d.confirm(orderID, "cs_1", o.Hash, card(saved), false))
}

// No order is created from an invalid manifest.
//
// Proves PLG-42.
func TestOpen_Refuses(t *testing.T) {
	for name, change := range map[string]func(*order.Manifest){
		"no campaign":   func(m *order.Manifest) { m.Campaigns, m.Amount = nil, 0 },
		"another total": func(m *order.Manifest) { m.Amount++ },
		"totals that do not match the lines": func(m *order.Manifest) {
			m.Campaigns[0].Lines[0].Amount = 1
			m.Campaigns[0].Lines[0].UnitPrice = 1
		},
		"totals that do not add up":      func(m *order.Manifest) { m.Campaigns[0].Totals.Amount-- },
		"more toward the goal than paid": func(m *order.Manifest) { m.Campaigns[0].Totals.CampaignSubtotal *= 2 },
		"less toward the goal":           func(m *order.Manifest) { m.Campaigns[0].Totals.CampaignSubtotal-- },
		"second campaign's totals":       func(m *order.Manifest) { m.Campaigns[1].Totals.CampaignSubtotal-- },
		"another tip": func(m *order.Manifest) {
			m.Campaigns[0].Totals.TipAmount++
			m.Campaigns[0].Totals.Amount++
			m.Amount++
		},
	} {
		d := newFixture(t)
		m := manifest(t, "comic", "film")
		change(&m)
		_, err := d.Open(ctx, m)
		d.wantError(name, err, fault.Invalid)
		_, err = d.Get(ctx, orderID)
		d.wantError(name+", afterwards", err, fault.NotFound)
	}
	d := newFixture(t)
	d.open("film")
	other := manifest(t, "film")
	other.Nonce = "other"
	_, err := d.Open(ctx, other)
	d.wantError("existing order", err, fault.Conflict)
	err = d.Attach(ctx, orderID, "cs_2")
	d.wantError("second session", err, fault.Conflict)
}

// Any change of the manifest changes its hash.
//
// Proves CHK-09.
func TestOpen_HashCoversManifest(t *testing.T) {
	base := newFixture(t).open("film").Hash
	if len(base) != 64 {
		t.Fatal(base)
	}
	for name, change := range map[string]func(*order.Manifest){
		"email": func(m *order.Manifest) { m.Email = "eve@example.org" },
		"nonce": func(m *order.Manifest) { m.Nonce = "x" },
		"price": func(m *order.Manifest) {
			m.Campaigns[0] = contribution(t, "film", false, 1001)
			m.Amount = m.Campaigns[0].Totals.Amount
		},
		"name":  func(m *order.Manifest) { m.Campaigns[0].Lines[0].Name = "Book" },
		"where": func(m *order.Manifest) { m.ShippingAddress.Country = "CA" },
	} {
		m := manifest(t, "film")
		change(&m)
		if o, err := newFixture(t).Open(ctx, m); err != nil || o.Hash == base {
			t.Errorf("%s: hash %q, %v", name, o.Hash, err)
		}
	}
}

func TestAbandon_AndConfirm(t *testing.T) {
	d := newFixture(t)
	o := d.open("film")
	if got := d.then(d.Abandon(ctx, orderID, "cs_1")); got.State != order.Abandoned {
		t.Fatalf("state %s", got.State)
	}
	d.then(d.Abandon(ctx, orderID, "cs_1"))
	err := d.confirm(orderID, "cs_1", o.Hash, card(saved), false)
	d.wantError("confirming an abandoned order", err, fault.Gone)
	if got := d.then(d.confirm(orderID, "cs_1", o.Hash, card(saved), true)); got.State != order.Confirmed ||
		len(got.Pledges) != 1 {
		t.Errorf("revived: %s with %d pledges", got.State, len(got.Pledges))
	}

	d = newFixture(t)
	d.open("film")
	d.wantError("abandoning with another session", d.Abandon(ctx, orderID, ""), fault.Conflict)
	if got := d.must(d.Get(ctx, orderID)); got.State != order.Open {
		t.Errorf("state %s", got.State)
	}

	d = newFixture(t)
	d.confirmed("film")
	err = d.Abandon(ctx, orderID, "cs_1")
	d.wantError("abandoning a confirmed order", err, fault.Conflict)
	if got := d.must(d.Get(ctx, orderID)); got.State != order.Confirmed {
		t.Errorf("state %s", got.State)
	}
}

func change(t *testing.T, price money.Cents) order.Change {
	t.Helper()
	c := contribution(t, "film", false, price)
	return order.Change{Lines: c.Lines, Totals: c.Totals, FulfillmentType: "digital"}
}

// A modified pledge stays active, gets the totals of its new lines and a history entry.
// Only the revision that the supporter saw can be modified.
//
// Proves PLG-22, PLG-59, PLG-60.
func TestModify(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	p, err := d.Modify(ctx, orderID, 1, "n1", change(t, 2500))
	if err != nil {
		t.Fatal(err)
	}
	if p.Status != pledge.Active || p.Revision != 2 || p.Subtotal != 2500 || p.Amount != 2500+79+300+125 {
		t.Errorf("modified: %+v", p)
	}
	if diff := cmp.Diff([]string{"created", "modified"}, events(p)); diff != "" ||
		p.History[1].Totals != p.Totals || p.History[0].Subtotal != 1000 {
		t.Error(diff, p.History)
	}
	again, err := d.Modify(ctx, orderID, 1, "n1", change(t, 2500))
	if err != nil || again.Revision != 2 {
		t.Errorf("repeated request: %+v, %v", again, err)
	}
	_, err = d.Modify(ctx, orderID, 1, "n2", change(t, 9900))
	d.wantError("older revision", err, fault.Conflict)
	wrong := change(t, 2500)
	wrong.Totals, err = pledge.CalculateTotals(nil, 79, 300, pledge.Tip{Percent: 5})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Modify(ctx, orderID, 2, "n3", wrong)
	d.wantError("totals of other lines", err, fault.Invalid)
	if got := d.pledge(orderID); got.Revision != 2 || got.Subtotal != 2500 {
		t.Errorf("after refusals: %+v", got)
	}
	if n, err := d.Revision(ctx, orderID); err != nil || n != 2 {
		t.Errorf("revision %d, %v", n, err)
	}
	_, err = d.Revision(ctx, orderID+"-comic")
	d.wantError("revision of an unknown pledge", err, fault.NotFound)
}

// A pledge can be modified a limited number of times and can be cancelled afterwards.
func TestModify_Limit(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	rewrite(d, "pledge/"+orderID, func(p *pledge.Pledge) {
		p.History, p.Revision = slices.Repeat(p.History, 499), 499
	})
	if _, err := d.Modify(ctx, orderID, 499, "the last", change(t, 2500)); err != nil {
		t.Fatal(err)
	}
	_, err := d.Modify(ctx, orderID, 500, "too often", change(t, 2600))
	d.wantError("501st event", err, fault.Conflict)
	if p, err := d.Cancel(ctx, orderID, "n", time.Time{}); err != nil || p.Status != pledge.Cancelled ||
		p.Subtotal != 2500 {
		t.Errorf("cancelled: %+v, %v", p, err)
	}
}

// Proves PLG-56.
func TestCancel(t *testing.T) {
	d := newFixture(t)
	d.confirmed("comic", "film")
	for _, nonce := range []string{"n1", "n1", "n2"} {
		p, err := d.Cancel(ctx, orderID+"-film", nonce, time.Time{})
		if err != nil || p.Status != pledge.Cancelled || p.Charged || p.Revision != 2 {
			t.Fatalf("%s: %+v, %v", nonce, p, err)
		}
	}
	if p := d.pledge(orderID + "-comic"); p.Status != pledge.Active || p.Revision != 1 {
		t.Errorf("other pledge: %+v", p)
	}
	_, err := d.Modify(ctx, orderID+"-film", 2, "n3", change(t, 2500))
	d.wantError("modifying a cancelled pledge", err, fault.Conflict)
	_, err = d.Claim(ctx, orderID+"-film", "g", 1)
	d.wantError("charging a cancelled pledge", err, fault.Conflict)
}

// The same nonce for two pledges of an order is two commands.
func TestCancel_NonceIsPerPledge(t *testing.T) {
	d := newFixture(t)
	d.confirmed("comic", "film")
	for _, slug := range []string{"comic", "film"} {
		if p, err := d.Cancel(ctx, orderID+"-"+slug, "n", time.Time{}); err != nil ||
			p.CampaignSlug != slug || p.Status != pledge.Cancelled {
			t.Errorf("%s: %+v, %v", slug, p, err)
		}
	}
}

var errLost = errors.New("answer lost")

// If a response is lost, repeating the call completes it without duplicate history entries.
func TestClient_LostAnswers(t *testing.T) {
	d := newFixture(t)
	lose := func(what string, call func() error) {
		d.Helper()
		d.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && op.After {
				return errLost
			}
			return nil
		}
		if err := call(); !errors.Is(err, errLost) {
			d.Fatalf("%s: %v, want a lost response", what, err)
		}
		d.fail = nil
		if err := call(); err != nil {
			d.Fatalf("%s, repeated: %v", what, err)
		}
	}
	m := manifest(t, "film")
	hash := newFixture(t).must(newFixture(t).Open(ctx, m)).Hash
	lose("open", func() error { _, err := d.Open(ctx, m); return err })
	lose("attach", func() error { return d.Attach(ctx, orderID, "cs_1") })
	lose("confirm", func() error { return d.confirm(orderID, "cs_1", hash, card(saved), false) })
	lose("modify", func() error { _, err := d.Modify(ctx, orderID, 1, "n", change(t, 2500)); return err })
	lose("claim", func() error { _, err := d.Claim(ctx, orderID, "g", 1); return err })
	lose("fail", func() error {
		_, err := d.MarkFailed(ctx, orderID, "g", 1, pledge.Failure{Kind: "declined"}, pledge.Recovery{Lane: pledge.NewCard})
		return err
	})
	lose("start card", func() error { return d.StartCard(ctx, orderID, "cs_2") })
	lose("card", func() error { _, err := d.ReplaceCard(ctx, orderID, "cs_2", card(saved.Add(time.Hour))); return err })
	lose("claim 2", func() error { _, err := d.Claim(ctx, orderID, "g", 2); return err })
	lose("charge", func() error { _, err := d.MarkCharged(ctx, orderID, "g", 2, chargedBy("")); return err })
	p := d.pledge(orderID)
	if diff := cmp.Diff([]string{"created", "modified", "payment_failed", "card_updated", "charged"},
		events(p)); diff != "" {
		t.Error(diff)
	}
	if p.Revision != len(p.History) || p.Status != pledge.Charged {
		t.Errorf("final pledge %+v", p)
	}
}
