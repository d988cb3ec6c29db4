package checkout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Proves SUP-01, SUP-03, SUP-04, SUP-05.
func TestView_TokenScope(t *testing.T) {
	w := newFixture(t)
	a := w.pledge(request("a@example.org", seats(1))).OrderID
	b := w.pledge(request("a@example.org", one("film__thanks"))).OrderID // the same supporter
	tok := w.link(a)
	if v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok)); v.OrderID != a || !v.CanModify || !v.CanCancel ||
		!v.CanUpdateCard || v.CampaignTitle != "Film" || !v.CreatedAt.Equal(w.clock()) {
		t.Errorf("view %+v", v)
	}
	if list := must[[]checkout.PledgeView](t)(w.svc.List(w.ctx, tok)); len(list) != 1 || list[0].OrderID != a {
		t.Errorf("list %+v", list)
	}
	before := w.dump()
	sign := func(c token.Claims) string {
		c.Expires = w.clock().Add(time.Hour)
		return must[string](t)(w.svc.Links.Signer.Sign(c))
	}
	for name, c := range map[string]struct {
		tok, order string
		want       fault.Code
	}{
		"no token":      {"", "", fault.Unauthorized},
		"nonsense":      {"x.y", "", fault.Unauthorized},
		"another order": {tok, b, fault.Forbidden},
		"other scope": {sign(token.Claims{Scope: token.Checkout, OrderID: a, Email: "a@example.org",
			CampaignSlug: "film"}), "", fault.Unauthorized},
		"another email": {sign(token.Claims{Scope: token.Manage, OrderID: a, Email: "b@example.org",
			CampaignSlug: "film"}),
			"", fault.Forbidden},
		"another slug": {sign(token.Claims{Scope: token.Manage, OrderID: a, Email: "a@example.org",
			CampaignSlug: "game"}),
			"", fault.Forbidden},
		"unknown order": {sign(token.Claims{Scope: token.Manage, OrderID: "pw-01jc0000000000000000000000",
			Email: "a@example.org", CampaignSlug: "film"}), "", fault.NotFound},
		"malformed order": {sign(token.Claims{Scope: token.Manage, OrderID: "x", Email: "a@example.org",
			CampaignSlug: "film"}), "", fault.NotFound},
	} {
		if _, err := w.svc.Cancel(w.ctx,
			checkout.CancelRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("cancel with %s: %v", name, err)
		}
		if _, err := w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: c.tok, OrderID: c.order, TipPercent: new(1)}); codeOf(err) != c.want {
			t.Errorf("modify with %s: %v", name, err)
		}
		if _, err := w.svc.StartCard(w.ctx,
			checkout.CardRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("card with %s: %v", name, err)
		}
		if _, err := w.svc.StartApproval(w.ctx,
			checkout.ApprovalRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("approval with %s: %v", name, err)
		}
		if _, err := w.svc.CompleteApproval(w.ctx,
			checkout.ApprovalRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("complete approval with %s: %v", name, err)
		}
		if c.order == "" {
			if _, err := w.svc.View(w.ctx, c.tok); codeOf(err) != c.want {
				t.Errorf("view with %s: %v", name, err)
			}
		}
	}
	w.advance(token.ManageLife + time.Hour)
	if _, err := w.svc.View(w.ctx, tok); codeOf(err) != fault.Unauthorized {
		t.Errorf("expired token: %v", err)
	}
	w.advance(-token.ManageLife - time.Hour)
	if w.dump() != before {
		t.Error("something was written")
	}
}

// Proves PLG-56, PLG-57, PLG-58, INV-08.
func TestCancel(t *testing.T) {
	w := newFixture(t)
	r := shipped(request("a@example.org", seats(3), one("film__addon__mug"), one("addon__sticker"),
		one("addon__sound")))
	id := w.pledge(r).OrderID
	tok := w.link(id)
	if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok,
		Reason: strings.Repeat("ñ", checkout.MaxCancelReason+1)}); codeOf(err) != fault.Invalid {
		t.Errorf("long reason: %v", err)
	}
	why := strings.Repeat("ñ", checkout.MaxCancelReason)
	got := must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx,
		checkout.CancelRequest{Token: tok, Reason: " " + why + "\n"}))
	if last := got.Pledge.History[len(got.Pledge.History)-1]; last.Type != "cancelled" || last.Reason != why {
		t.Errorf("history %+v", last)
	}
	if !got.Pledge.Now.Equal(w.now) {
		t.Errorf("view's time: %v", got.Pledge.Now)
	}
	if !got.Success || got.Pledge.Status != pledge.Cancelled || got.Pledge.CanCancel ||
		got.Pledge.CanModify || got.Pledge.CanUpdateCard {
		t.Errorf("cancelled %+v", got)
	}
	if s := w.snapshot("film"); s.Totals.Counted != 0 || s.Totals.Pledges() != 0 || s.Totals.Listed != 1 ||
		s.Totals.People != 0 || s.Totals.CountedPledges != 0 ||
		s.Stock["tier/seat"] != (inventory.Stock{}) || s.Stock["add-on/mug"] != (inventory.Stock{}) {
		t.Errorf("campaign %+v", s)
	}
	if s := w.snapshot(inventory.Platform).Stock; s["add-on/sound"] != (inventory.Stock{}) ||
		s["add-on/sticker"] != (inventory.Stock{}) {
		t.Errorf("platform %+v", s)
	}
	if storedStatus(w, id) != "cancelled2" {
		t.Errorf("stored status: %s", storedStatus(w, id))
	}
	w.wantPublicStock("cancelled", 0, 3)
	if v, _ := w.value("stats:film"); !strings.Contains(v, `"pledgedAmount":0`) {
		t.Errorf("stats %s", v)
	}
	if list := must[[]checkout.PledgeView](t)(w.svc.List(w.ctx, tok)); len(list) != 0 {
		t.Errorf("list %+v", list)
	}
	before := w.finalState()
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok}))
	if diff := cmp.Diff(before, w.finalState()); diff != "" {
		t.Errorf("a second cancellation changed the state:\n%s", diff)
	}
	if _, err := w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, TipPercent: new(1)}); codeOf(err) != fault.Conflict {
		t.Errorf("modifying a cancelled pledge: %v", err)
	}
	if n := len(keys(w.db.Snapshot().Stores["PLEDGES"], "email-outbox:v1:")); n != 2 {
		t.Errorf("%d mails, want the confirmation and the cancellation", n)
	}
	w.start(request("b@example.org", seats(3)))
}

// A cancelled pledge shows when its card was deleted: immediately, unless another pledge of the
// same checkout still needs the card.
func TestCancel_ShowsDeletedCard(t *testing.T) {
	w := newFixture(t)
	started := w.pledge(bundle())
	for n, c := range started.Campaigns {
		out := must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(c.OrderID)}))
		last := n == len(started.Campaigns)-1
		if deleted := out.Pledge.CardForgottenAt; (deleted != nil) != last || last && !deleted.Equal(w.svc.Now()) {
			t.Errorf("pledge %d of %d: card deleted at %v", n+1, len(started.Campaigns), deleted)
		}
	}
	first := must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(started.Campaigns[0].OrderID)))
	if first.CardForgottenAt == nil {
		t.Error("the first pledge shows no deleted card")
	}
}

// After the deadline, a supporter sees whether the campaign was funded, whether a new card is
// useful, and the amount that it would be charged immediately: the total of the group whose
// charge failed.
func TestView_AfterDeadline(t *testing.T) {
	type seen struct {
		Outcome string
		Card    bool
		DueNow  money.Cents
	}
	const seat = 2500 + 250 + 125 // with tax and a tip
	failed := func(w *fixture, ids ...string) {
		for _, id := range ids {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
			must[*pledge.Pledge](w.t)(w.svc.Orders.MarkFailed(w.ctx, id, "g", 1,
				pledge.Failure{Kind: "declined", Generation: 1, At: w.clock()}, pledge.Recovery{Lane: pledge.NewCard}))
		}
	}
	for name, c := range map[string]struct {
		goal string
		then func(w *fixture, own, other string)
		want seen
	}{
		"missed":  {"76", nil, seen{"missed", false, 0}},
		"funded":  {"75", nil, seen{"funded", true, 0}},
		"charged": {"75", func(w *fixture, own, _ string) { w.charge(own) }, seen{"funded", false, 0}},
		"failed charge": {"75", func(w *fixture, own, _ string) { failed(w, own) },
			seen{"funded", true, seat}},
		"failed group charge": {"75", func(w *fixture, own, other string) { failed(w, own, other) },
			seen{"funded", true, 2 * seat}},
		"other pledge charged": {"75", func(w *fixture, own, other string) { failed(w, own); w.charge(other) },
			seen{"funded", true, seat}},
		"other pledge in another group": {"75",
			func(w *fixture, own, other string) { failed(w, own); w.claimFor("h", other) }, seen{"funded", true, seat}},
		"dropped": {"75", func(w *fixture, own, _ string) { failed(w, own); w.dropPledge(own) },
			seen{"funded", false, 0}},
		"claimed, goal no longer met": {"76", func(w *fixture, own, _ string) { w.claim(own) },
			seen{"funded", true, 0}},
	} {
		w := newFixture(t)
		w.edit("goal_amount: 1000", "goal_amount: "+c.goal)
		own := w.pledge(request("a@example.org", seats(1))).OrderID
		other := w.pledge(request("a@example.org", seats(1))).OrderID
		w.pledge(request("b@example.org", seats(1)))
		w.advance(30 * 24 * time.Hour)
		if c.then != nil {
			c.then(w, own, other)
		}
		v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(own)))
		if diff := cmp.Diff(c.want, seen{v.Outcome, v.CanUpdateCard, v.DueNow}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func (w *fixture) dropPledge(id string) {
	w.t.Helper()
	must[*pledge.Pledge](w.t)(w.svc.Orders.MarkDropped(w.ctx, id, "g", 1, w.clock()))
}

// A supporter sees that the campaign has changed since they pledged.
func TestView_ChangedCampaign(t *testing.T) {
	w := newFixture(t)
	tok := w.link(w.pledge(request("a@example.org", seats(1))).OrderID)
	for _, changed := range []bool{false, true} {
		if v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok)); v.CampaignChanged != changed {
			t.Errorf("campaign changed: %t, CampaignChanged: %t", changed, v.CampaignChanged)
		}
		w.edit("goal_amount: 1000", "goal_amount: 900")
	}
}
