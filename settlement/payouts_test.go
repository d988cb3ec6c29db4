package settlement

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

// twoCampaigns returns a fixture with charged pledges: ana's ($25.00) of one campaign, and cleo's ($40.00) of
// another. Their money can be paid out.
func twoCampaigns(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("cleo", "album", 4000, sim.CardOK)
	w.deadline()
	for _, slug := range []string{"film", "album"} {
		w.settle(slug, false)
		_, err := w.svc.FillFinancials(w.ctx, slug, 100)
		w.ok(err)
	}
	w.now = w.now.Add(7 * day)
	w.conn.effects = 0
	return w
}

func (w *fixture) importPayouts() ImportedPayouts {
	w.t.Helper()
	r, err := w.svc.ImportPayouts(w.ctx)
	w.ok(err)
	return r
}

// payOut makes an automatic payout whose rows can be listed.
func (w *fixture) payOut() string {
	w.t.Helper()
	id, err := w.sim.AutomaticPayout()
	w.ok(err)
	w.now = w.now.Add(2 * time.Hour)
	return id
}

func (w *fixture) payoutByID(id string) payout.Payout {
	w.t.Helper()
	p, err := w.svc.payouts().Get(w.ctx, id)
	w.ok(err)
	return p
}

// accounts are the balances of a campaign that payouts change.
type accounts struct{ Clearing, Bank money.Cents }

func (w *fixture) checkAccounts(when string, film, album accounts) {
	w.t.Helper()
	got := map[string]accounts{}
	for _, slug := range []string{"film", "album"} {
		v, err := w.svc.VerifyLedger(w.ctx, slug)
		w.ok(err)
		got[slug] = accounts{v.Balances[ledger.Clearing], v.Balances[ledger.Bank]}
	}
	if diff := cmp.Diff(map[string]accounts{"film": film, "album": album}, got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func (w *fixture) checkExplained(id string, want payout.Explanation, shares ...payout.Share) payout.Payout {
	w.t.Helper()
	p := w.payoutByID(id)
	var got []payout.Share
	if p.Contents != nil {
		got = p.Contents.Shares
	}
	if diff := cmp.Diff(shares, got); diff != "" || p.Explanation() != want {
		w.t.Errorf("the payout is %s, want %s; shares (-want +got):\n%s", p.Explanation(), want, diff)
	}
	return p
}

// filmNet and albumNet are what the charges of twoCampaigns add to the balance.
const filmNet, albumNet = 2500 - 103, 4000 - 146

// Two campaigns, another service and an account fee share a payout, which fails after it was paid. The next
// payout has the returned amount.
func TestImportPayouts_Lifecycle(t *testing.T) {
	w := twoCampaigns(t)
	w.foreignPayment()
	w.now = w.now.Add(7 * day)
	_, err := w.sim.Adjust(string(psp.BalanceFee), -50, 0)
	w.ok(err)
	first := w.payOut()
	w.importPayouts()
	shares := []payout.Share{{Slug: "album", Amount: albumNet, Rows: 1}, {Slug: "film", Amount: filmNet, Rows: 1}}
	p := w.checkExplained(first, payout.Explained, shares...)
	if p.Amount != p.Contents.Other+filmNet+albumNet || p.Contents.Rows != 4 || p.BookedAt == nil {
		t.Errorf("payout %+v", p)
	}
	paid := []accounts{{0, filmNet}, {0, albumNet}}
	w.checkAccounts("in transit", paid[0], paid[1])
	w.now = w.now.Add(3 * day)
	w.importPayouts()
	if p := w.payoutByID(first); p.Status != psp.PayoutStatusPaid {
		t.Errorf("status %s", p.Status)
	}
	w.now = w.now.Add(4 * day)
	w.ok(w.sim.FailPayout(first))
	for range 2 {
		w.now = w.now.Add(day)
		w.importPayouts()
		w.checkAccounts("failed", accounts{filmNet, 0}, accounts{albumNet, 0})
	}
	second := w.payOut()
	w.importPayouts()
	w.checkExplained(second, payout.Explained, shares...)
	w.checkAccounts("paid again", paid[0], paid[1])
	page, err := w.svc.Payouts(w.ctx, "", 10)
	if err != nil || len(page.Payouts) != 2 || page.Payouts[0].ID != second {
		t.Errorf("payouts %+v, %v", page, err)
	}
}

// A refund exceeds the campaign's other rows: other campaigns paid for it.
func TestImportPayouts_NegativeShare(t *testing.T) {
	w := twoCampaigns(t)
	_, err := w.sim.Refund(w.pledgeByID(w.pledgesOf["ana"][0]).PaymentIntentID, 2500)
	w.ok(err)
	w.ok(w.svc.UpdateRefunds(w.ctx, w.pledgeByID(w.pledgesOf["ana"][0]).PaymentIntentID))
	_, err = w.sim.Adjust(string(psp.BalanceTopup), 5000, 0)
	w.ok(err)
	id := w.payOut()
	w.importPayouts()
	w.checkExplained(id, payout.Explained, payout.Share{Slug: "album", Amount: albumNet, Rows: 1},
		payout.Share{Slug: "film", Amount: -103, Rows: 2})
	w.checkAccounts("after the refund", accounts{0, -103}, accounts{0, albumNet})
}

// A manual payout takes an amount of the balance that belongs to no campaign.
func TestImportPayouts_Manual(t *testing.T) {
	w := twoCampaigns(t)
	manual, err := w.sim.ManualPayout(1000)
	w.ok(err)
	w.now = w.now.Add(3 * day)
	w.importPayouts()
	p := w.checkExplained(manual, payout.NotExplainable)
	if p.Reason() != payout.Manual || p.Status != psp.PayoutStatusPaid {
		t.Errorf("payout %+v", p)
	}
	w.checkAccounts("manual", accounts{filmNet, 0}, accounts{albumNet, 0})
	rest := w.payOut()
	w.importPayouts()
	p = w.checkExplained(rest, payout.Explained, payout.Share{Slug: "album", Amount: albumNet, Rows: 1},
		payout.Share{Slug: "film", Amount: filmNet, Rows: 1})
	if p.Contents.Other != -1000 {
		t.Errorf("other rows: %s", p.Contents.Other)
	}
	w.checkAccounts("the rest", accounts{0, filmNet}, accounts{0, albumNet})
}

// A row that the ledger does not have is named and does not stop the entry. Once the ledger has it, the payout
// is explained.
func TestImportPayouts_UnmatchedRow(t *testing.T) {
	w := twoCampaigns(t)
	payment := w.pledgeByID(w.pledgesOf["ana"][0]).PaymentIntentID
	_, err := w.sim.Refund(payment, 500)
	w.ok(err)
	id := w.payOut()
	w.importPayouts()
	p := w.payoutByID(id)
	film, _ := p.ShareOf("film")
	if p.Explanation() != payout.Unexplained || film.Amount != filmNet-500 ||
		film.Unmatched != 1 || len(film.Examples) != 1 {
		t.Errorf("%s, share %+v", p.Explanation(), film)
	}
	w.checkAccounts("refund not recorded", accounts{500, filmNet - 500}, accounts{0, albumNet})
	w.ok(w.svc.UpdateRefunds(w.ctx, payment))
	w.now = w.now.Add(day)
	w.importPayouts()
	w.checkExplained(id, payout.Explained, payout.Share{Slug: "album", Amount: albumNet, Rows: 1},
		payout.Share{Slug: "film", Amount: filmNet - 500, Rows: 2})
	w.checkAccounts("refund recorded", accounts{0, filmNet - 500}, accounts{0, albumNet})
}

// A charge that no ledger has belongs to the campaign that its payment names.
func TestImportPayouts_UnknownCharge(t *testing.T) {
	w := twoCampaigns(t)
	w.forgetLedger("album")
	id := w.payOut()
	w.importPayouts()
	p := w.payoutByID(id)
	if album, _ := p.ShareOf("album"); album.Amount != albumNet || album.Unmatched != 1 {
		t.Errorf("share %+v", album)
	}
	w.checkAccounts("without the charge", accounts{0, filmNet}, accounts{-albumNet, albumNet})
}

// While a campaign's file is missing, its ledger shows which rows are its own. A payment of a campaign of
// another service is not.
func TestImportPayouts_FileMissing(t *testing.T) {
	w := twoCampaigns(t)
	made := w.payByHand("theirs", "stranger", 700)
	w.now = w.now.Add(7 * day)
	all := w.catalogue
	w.catalogue = newCatalogue(t, "film", 20)
	id := w.payOut()
	w.importPayouts()
	p := w.checkExplained(id, payout.Explained, payout.Share{Slug: "album", Amount: albumNet, Rows: 1},
		payout.Share{Slug: "film", Amount: filmNet, Rows: 1})
	if p.Contents.Other != made.Amount-sim.Fee(made.Amount) {
		t.Errorf("other rows: %s", p.Contents.Other)
	}
	w.catalogue = all
	w.checkAccounts("with the file", accounts{0, filmNet}, accounts{0, albumNet})
}

// A webhook causes a lookup: of a payout that is known, or of the list.
func TestImportPayout(t *testing.T) {
	w := twoCampaigns(t)
	id, err := w.sim.AutomaticPayout()
	w.ok(err)
	for range 2 {
		w.ok(w.svc.ImportPayout(w.ctx, id))
		if p := w.payoutByID(id); p.Status != psp.PayoutStatusInTransit || p.Explanation() != payout.Waiting {
			t.Errorf("new: %+v", p)
		}
	}
	w.ok(w.sim.FailPayout(id))
	w.ok(w.svc.ImportPayout(w.ctx, id))
	if p := w.payoutByID(id); p.Status != psp.PayoutStatusFailed || p.FailedAt == nil {
		t.Errorf("failed: %+v", p)
	}
}

// Rows are read in several runs, and the shares are booked after the last one.
func TestImportPayouts_ManyRows(t *testing.T) {
	w := twoCampaigns(t)
	for range 2*rowPage + 10 {
		_, err := w.sim.Adjust(string(psp.BalanceFee), -2, 0)
		w.ok(err)
	}
	id := w.payOut()
	w.ok((&payoutRun{Service: w.svc}).listNext(w.ctx))
	for n := range 3 {
		p := w.payoutByID(id)
		if p.Explanation() != payout.Waiting || p.BookedAt != nil || n > 0 && p.Reading.Rows < n*rowPage-1 {
			t.Errorf("after %d pages: %+v", n, p)
		}
		run := payoutRun{Service: w.svc, requests: 1, listed: true}
		w.ok(run.process(w.ctx, w.payoutByID(id)))
	}
	w.importPayouts()
	p := w.payoutByID(id)
	if p.Explanation() != payout.Explained || p.Contents.Rows != 2*rowPage+12 || p.Contents.Other != -2*(2*rowPage+10) {
		t.Errorf("payout %+v, %+v", p, p.Contents)
	}
	w.checkAccounts("all rows", accounts{0, filmNet}, accounts{0, albumNet})
}

// The payout that returns a failed one waits until the failed one was read, even if it comes first.
func TestImportPayouts_ReturnBeforeContents(t *testing.T) {
	w := twoCampaigns(t)
	failed, err := w.sim.AutomaticPayout()
	w.ok(err)
	w.ok(w.sim.FailPayout(failed))
	next := w.payOut()
	run := payoutRun{Service: w.svc, requests: 10, listed: true}
	w.ok(run.listNext(w.ctx))
	w.ok(run.process(w.ctx, w.payoutByID(next)))
	w.checkExplained(next, payout.Waiting)
	w.ok(run.process(w.ctx, w.payoutByID(failed)))
	w.ok(run.process(w.ctx, w.payoutByID(next)))
	w.checkExplained(next, payout.Explained, w.payoutByID(failed).Contents.Shares...)
	w.checkAccounts("paid again", accounts{0, filmNet}, accounts{0, albumNet})
}

// No row is read before all payouts are known, because a payout may return one that is not listed yet.
func TestImportPayouts_ListFirst(t *testing.T) {
	w := twoCampaigns(t)
	for range payoutPage * payoutPages {
		_, err := w.sim.ManualPayout(1)
		w.ok(err)
	}
	id := w.payOut()
	if r := w.importPayouts(); r.Payouts != payoutPage*payoutPages || r.Rows != 0 {
		t.Errorf("first run: %+v", r)
	}
	w.importPayouts()
	w.checkExplained(id, payout.Explained, payout.Share{Slug: "album", Amount: albumNet, Rows: 1},
		payout.Share{Slug: "film", Amount: filmNet, Rows: 1})
}

// A restore loses the payouts, or a campaign's entry. Another import, or reconciliation, records them again.
func TestImportPayouts_Restored(t *testing.T) {
	w := twoCampaigns(t)
	before := w.db.Snapshot()
	id := w.payOut()
	w.importPayouts()
	w.db.RestoreObject(w.svc.payouts().Object, before)
	w.importPayouts()
	w.checkAccounts("payouts lost", accounts{0, filmNet}, accounts{0, albumNet})
	w.db.RestoreObject(w.svc.payoutsOf("film").Object, before)
	w.checkAccounts("entry lost", accounts{filmNet, 0}, accounts{0, albumNet})
	booked, err := w.svc.BookPayout(w.ctx, "film", w.payoutByID(id))
	if err != nil || booked != (payout.Booked{Share: filmNet}) {
		t.Errorf("booked %+v, %v", booked, err)
	}
	w.checkAccounts("booked again", accounts{0, filmNet}, accounts{0, albumNet})
}

// The process crashes before or after each effect of an import, while payouts are paid and fail. The books are
// the same as without a crash.
func TestImportPayouts_CrashAnywhere(t *testing.T) {
	story := func(w *fixture, crashAt int) (effects int) {
		w.conn.effects, w.conn.failAt = 0, crashAt
		run := func() {
			_, err := w.svc.ImportPayouts(w.ctx)
			if !w.conn.down {
				w.ok(err)
				return
			}
			w.restart()
			w.svc = w.service()
			w.importPayouts()
		}
		id := w.payOut()
		run()
		w.now = w.now.Add(3 * day)
		run()
		w.ok(w.sim.FailPayout(id))
		w.now = w.now.Add(day)
		run()
		w.payOut()
		run()
		return w.conn.effects
	}
	clean := twoCampaigns(t)
	start := clean.checkpoint()
	effects := story(clean, 0)
	clean.checkAccounts("without a crash", accounts{0, filmNet}, accounts{0, albumNet})
	entries := ledgerSizes(clean)
	for cut := 1; cut <= effects; cut += stride() {
		clean.rewind(start)
		story(clean, cut)
		clean.checkAccounts("after a crash", accounts{0, filmNet}, accounts{0, albumNet})
		if diff := cmp.Diff(entries, ledgerSizes(clean)); t.Failed() || diff != "" {
			t.Fatalf("cut at effect %d of %d: entries (-want +got):\n%s", cut, effects, diff)
		}
	}
	t.Logf("%d crash points", effects)
}

func ledgerSizes(w *fixture) string {
	w.t.Helper()
	film, err := w.svc.VerifyLedger(w.ctx, "film")
	w.ok(err)
	album, err := w.svc.VerifyLedger(w.ctx, "album")
	w.ok(err)
	return fmt.Sprint(film.Entries, " ", album.Entries)
}
