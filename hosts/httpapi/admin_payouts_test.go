package httpapi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/payouts"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

// Super admins see all payouts with their amounts. Users of a campaign see its shares only.
func TestPayouts(t *testing.T) {
	const path = "/admin/payouts"
	e := newEdge(t, memory.Options{})
	if out := decode[payouts.Page](t, e.get(path, "", e.admin()...)); len(out.Payouts) != 0 {
		t.Errorf("without payouts: %+v", out)
	}
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	paid := e.Sim.Entries()[0]
	e.Advance(72 * time.Hour)
	if _, err := e.Sim.Adjust(string(psp.BalanceFee), -50, 0); err != nil {
		t.Fatal(err)
	}
	automatic, err := e.Sim.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * time.Hour)
	if _, err := e.Sim.Adjust(string(psp.BalanceTopup), 700, 0); err != nil {
		t.Fatal(err)
	}
	manual, err := e.Sim.ManualPayout(700)
	if err != nil {
		t.Fatal(err)
	}
	e.cron()
	shares := []payout.Share{{Slug: game, Amount: paid.Net, Rows: 1}}
	out := decode[payouts.Page](t, e.get(path, "", e.admin()...))
	if len(out.Payouts) != 2 || out.Next != "" {
		t.Fatalf("%+v", out)
	}
	if p := out.Payouts[0]; p.ID != manual || p.Explanation != payout.NotExplainable ||
		p.Reason != payout.Manual || p.Whole.Amount != 700 {
		t.Errorf("manual: %+v, %+v", p, p.Whole)
	}
	if p := out.Payouts[1]; p.ID != automatic || p.Explanation != payout.Explained || !cmp.Equal(p.Shares, shares) ||
		*p.Whole != (payouts.Whole{Amount: paid.Net - 50, Other: -50, Rows: 2}) {
		t.Errorf("automatic: %+v, %+v", p, p.Whole)
	}
	if rest := decode[payouts.Page](t, e.get(path, "cursor="+manual, e.admin()...)); len(rest.Payouts) != 1 {
		t.Errorf("after the first: %+v", rest)
	}
	books := e.with("books@example.com", access.Money)
	out = decode[payouts.Page](t, books.get(path+"/"+game, ""))
	if len(out.Payouts) != 1 || out.Payouts[0].Whole != nil || !cmp.Equal(out.Payouts[0].Shares, shares) {
		t.Errorf("of the campaign: %+v", out)
	}
	if out := decode[payouts.Page](t, e.get(path+"/"+film, "", e.admin()...)); len(out.Payouts) != 0 {
		t.Errorf("of another campaign: %+v", out)
	}
	e.wantStatus(books.get(path, ""), 403)
	e.wantStatus(books.get(path+"/"+film, ""), 404)
	e.wantStatus(e.get(path+"/nothing", "", e.admin()...), 404)
	e.Advance(time.Hour) // requests are limited
	e.wantField(e.get(path, "cursor=%2Fa", e.admin()...), "cursor")
	e.wantField(e.get(path, "cursor=po_9", e.admin()...), "cursor")
	e.wantStatus(e.with("packer@example.com", access.Supporters).get(path+"/"+game, ""), 403)
	e.wantStatus(e.get(path, ""), 401)
}
