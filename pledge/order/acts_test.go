package order_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

func operatorAct(id string) order.OperatorAct {
	return order.OperatorAct{CampaignSlug: "film", PledgeID: orderID, ID: id, By: "ben@example.org"}
}

func (d *fixture) chargePledge() {
	d.Helper()
	d.confirmed("film")
	d.claim(1)
	if _, err := d.MarkCharged(ctx, orderID, "group", 1, chargedBy("txn_1")); err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) mark(id string, s pledge.ParcelStatus) order.ActResult {
	d.Helper()
	done, err := d.MarkParcel(ctx, operatorAct(id),
		pledge.Mark{Fulfiller: pledge.ByCampaign, Status: s, SentOn: "2026-03-02"})
	if err != nil {
		d.Fatal(err)
	}
	return done
}

// An act runs once per ID and is added to the list of acts, which only grows.
func TestActs(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	_, err := d.MarkParcel(ctx, operatorAct("1"), pledge.Mark{Fulfiller: pledge.ByCampaign, Status: pledge.Packed})
	d.wantError("before the charge", err, fault.Conflict)
	d = newFixture(t)
	d.chargePledge()
	if done := d.mark("1", pledge.Packed); !done.Changed ||
		done.Pledge.ParcelOf(pledge.ByCampaign).Status != pledge.Packed {
		t.Errorf("packed: %+v", done)
	}
	if done := d.mark("2", pledge.Packed); done.Changed {
		t.Error("packed twice")
	}
	d.now = d.now.Add(time.Hour)
	d.mark("3", pledge.Sent)
	d.mark("4", pledge.ToPack)
	if done := d.mark("3", pledge.Sent); !done.Changed || done.Pledge.ParcelOf(pledge.ByCampaign).Status != pledge.ToPack {
		t.Errorf("a repeated command ran again: %+v", done.Pledge.Parcels)
	}
	for range 2 {
		if err := d.AddNote(ctx, operatorAct("5"), "Called, will be at home on Friday"); err != nil {
			t.Fatal(err)
		}
	}
	acts, err := d.Acts(ctx, orderID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, a := range acts {
		got = append(got, a.Type+" "+a.Text)
		if a.Number != i+1 || a.By != "ben@example.org" || a.At.IsZero() {
			t.Errorf("%+v", a)
		}
	}
	want := []string{"parcel_packed ", "parcel_sent ", "parcel_reopened ", "note Called, will be at home on Friday"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if acts[1].Parcel.SentOn != "2026-03-02" {
		t.Errorf("sent: %+v", acts[1].Parcel)
	}
	p := d.pledge(orderID)
	if diff := cmp.Diff([]string{"created", "charged", "parcel_packed", "parcel_sent", "parcel_reopened"},
		events(p)); diff != "" || p.Revision != len(p.History) {
		t.Error(diff, p.Revision)
	}
}

// A dispute is shown in the history of its pledge, and operators release and hold the parcels with a reason.
func TestChooseHold(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	opened := pledge.Dispute{ID: "du_1", Status: pledge.DisputeOpen, At: start, HoldsParcels: true}
	_, err := d.NoteDispute(ctx, orderID, opened)
	d.wantError("before the charge", err, fault.Conflict)
	d = newFixture(t)
	d.chargePledge()
	choose := func(id string, c pledge.HoldChoice) (order.ActResult, error) {
		return d.ChooseHold(ctx, operatorAct(id), c, "Known supporter")
	}
	_, err = choose("0", pledge.ReleaseParcels)
	d.wantError("without a dispute", err, fault.Conflict)
	for range 2 {
		if p, err := d.NoteDispute(ctx, orderID, opened); err != nil || p.Held() != pledge.HeldByDispute {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	for range 2 {
		if done, err := choose("1", pledge.ReleaseParcels); err != nil || !done.Changed || done.Pledge.Held() != "" {
			t.Errorf("released: %+v, %v", done, err)
		}
	}
	if done, err := choose("2", pledge.HoldParcels); err != nil || !done.Changed || done.Pledge.Held() == "" {
		t.Errorf("held: %+v, %v", done, err)
	}
	if done, err := choose("1", pledge.ReleaseParcels); err != nil || done.Pledge.Held() == "" {
		t.Errorf("a repeated command ran again: %+v, %v", done, err)
	}
	opened.HoldsParcels = false
	before := d.pledge(orderID).Revision
	if p, err := d.NoteDispute(ctx, orderID, opened); err != nil || p.Revision != before+1 {
		t.Errorf("another choice of the campaign: %+v, %v", p, err)
	}
	opened.Status, opened.At = pledge.DisputeWon, start.Add(time.Hour)
	if _, err := d.NoteDispute(ctx, orderID, opened); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"created", "charged", "dispute_open", "parcels_released", "parcels_held", "dispute_won"},
		events(d.pledge(orderID))); diff != "" {
		t.Error(diff)
	}
	acts, err := d.Acts(ctx, orderID)
	if err != nil || len(acts) != 2 || acts[0].Type != "parcels_released" || acts[0].Text != "Known supporter" ||
		acts[1].Type != "parcels_held" || acts[0].By != "ben@example.org" {
		t.Errorf("acts %+v, %v", acts, err)
	}
}

// An act must be for a pledge to its campaign. A pledge has at most two hundred acts.
func TestActs_Limit(t *testing.T) {
	d := newFixture(t)
	d.chargePledge()
	other := operatorAct("x")
	other.CampaignSlug = "game"
	d.wantError("another campaign", d.AddNote(ctx, other, "x"), fault.NotFound)
	other = operatorAct("x")
	other.PledgeID = "pw"
	d.wantError("not a pledge", d.AddNote(ctx, other, "x"), fault.Invalid)
	_, err := d.Acts(ctx, "pw")
	d.wantError("acts of an invalid pledge ID", err, fault.Invalid)
	for n := range 200 {
		if err := d.AddNote(ctx, operatorAct(fmt.Sprint(n)), "x"); err != nil {
			t.Fatal(n, err)
		}
	}
	d.wantError("one more", d.AddNote(ctx, operatorAct("more"), "x"), fault.Conflict)
	if err := d.AddNote(ctx, operatorAct("199"), "x"); err != nil {
		t.Errorf("repeating the last act: %v", err)
	}
	if acts, err := d.Acts(ctx, orderID); len(acts) != 200 || err != nil {
		t.Errorf("%d acts, %v", len(acts), err)
	}
}

// An act whose response was lost is retried without running twice.
func TestActs_LostAnswer(t *testing.T) {
	d := newFixture(t)
	d.chargePledge()
	lost := errors.New("lost")
	d.fail = func(memkv.Op) error { return lost }
	if err := d.AddNote(ctx, operatorAct("1"), "x"); !errors.Is(err, lost) {
		t.Errorf("response: %v", err)
	}
	d.fail = nil
	if err := d.AddNote(ctx, operatorAct("1"), "x"); err != nil {
		t.Fatal(err)
	}
	if acts, _ := d.Acts(ctx, orderID); len(acts) != 1 {
		t.Errorf("%+v", acts)
	}
}

// The address can be changed within the country for which shipping and tax were paid, until all
// parcels are sent.
func TestReaddress(t *testing.T) {
	to := pledge.Address{Name: "Ada", Line1: "2 Shore Road", City: "Taos", Country: "US"}
	d := newFixture(t)
	d.confirmed("film")
	if done, err := d.Readdress(ctx, operatorAct("0"), d.pledge(orderID).Revision, to, "moved"); err != nil ||
		!done.Changed {
		t.Errorf("Readdress before the charge: %+v, %v", done, err)
	}
	d = newFixture(t)
	d.confirmed("film")
	d.claim(1)
	_, err := d.Readdress(ctx, operatorAct("1"), d.pledge(orderID).Revision, to, "moved")
	d.wantError("during the charge", err, fault.Conflict)
	d = newFixture(t)
	d.chargePledge()
	before := d.pledge(orderID)
	_, err = d.Readdress(ctx, operatorAct("1"), before.Revision-1, to, "moved")
	d.wantError("another revision", err, fault.Conflict)
	abroad := to
	abroad.Country = "CA"
	_, err = d.Readdress(ctx, operatorAct("1"), before.Revision, abroad, "moved")
	d.wantError("another country", err, fault.Invalid)
	for range 2 {
		done, err := d.Readdress(ctx, operatorAct("1"), before.Revision, to, "moved")
		if err != nil || !done.Changed || *done.Pledge.ShippingAddress != to || done.Pledge.Totals != before.Totals ||
			done.Pledge.Revision != before.Revision+1 {
			t.Errorf("changed: %+v, %v", done, err)
		}
	}
	if done, err := d.Readdress(ctx, operatorAct("2"), before.Revision+1, to, "moved"); err != nil || done.Changed {
		t.Errorf("Readdress to the same address: %+v, %v", done, err)
	}
	acts, err := d.Acts(ctx, orderID)
	if err != nil || len(acts) != 1 || acts[0].Type != pledge.AddressChanged || acts[0].Text != "moved" ||
		*acts[0].Before != *before.ShippingAddress {
		t.Errorf("%+v, %v", acts, err)
	}
	d.mark("3", pledge.Sent)
	to.Line1 = "3 Shore Road"
	_, err = d.Readdress(ctx, operatorAct("4"), d.pledge(orderID).Revision, to, "moved")
	d.wantError("after all parcels were sent", err, fault.Conflict)
	d = newFixture(t)
	d.confirmed("film")
	if _, err := d.Cancel(ctx, orderID, "cancel", time.Time{}); err != nil {
		t.Fatal(err)
	}
	_, err = d.Readdress(ctx, operatorAct("1"), 2, to, "moved")
	d.wantError("cancelled pledge", err, fault.Conflict)
}
