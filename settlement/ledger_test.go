package settlement

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// forgetLedger turns a settlement object into one of release 0.1.0, which has no ledger.
func (w *fixture) forgetLedger(slug string) {
	w.t.Helper()
	object, snapshot := kv.Object{Class: state.ClassName, Name: slug}, w.db.Snapshot()
	var kept []kv.Entry
	for _, e := range snapshot.Objects[object] {
		if strings.HasPrefix(e.Key, "ledger") {
			continue
		}
		if strings.HasPrefix(e.Key, "group/") {
			g, err := kv.Decode[state.Group](e.Key, e.Value)
			w.ok(err)
			for i := range g.Orders {
				g.Orders[i].Components = ledger.Components{}
			}
			e.Value, err = json.Marshal(g)
			w.ok(err)
		}
		kept = append(kept, e)
	}
	snapshot.Objects[object] = kept
	w.db.RestoreObject(object, snapshot)
}

// checkLedger verifies a campaign's ledger: it has the charges, and what the processor owes.
func (w *fixture) checkLedger(slug string, charged money.Cents) ledger.Head {
	w.t.Helper()
	v, err := w.svc.VerifyLedger(w.ctx, slug)
	w.ok(err)
	var net money.Cents
	for _, e := range w.sim.Entries() {
		if strings.HasPrefix(e.Group, "settle:"+slug+":") {
			net += e.Net
		}
	}
	if v.Charged != charged || v.Balances[ledger.Clearing] != net {
		w.t.Fatalf("the ledger has charges of %s, and the processor owes %s; want %s and %s", v.Charged,
			v.Balances[ledger.Clearing], charged, net)
	}
	return v.Head
}

// Every charge is in the ledger, with the components of each pledge and the processor's fee. Failed
// charges are not.
func TestLedger(t *testing.T) {
	w := newFixture(t)
	first, second := w.pledge("ana", "film", 2500, sim.CardOK), w.pledge("ana", "film", 500, sim.CardOK)
	w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.checkLedger("film", 3000)

	paid := w.sim.Entries()[0]
	page, err := w.svc.Ledger(w.ctx, "film", 0, 10)
	w.ok(err)
	type entry struct {
		Number  int
		Kind    ledger.Kind
		Payment string
		Lines   []ledger.Line
	}
	var got []entry
	for _, e := range page.Entries {
		got = append(got, entry{e.Number, e.Kind, e.PaymentID, e.Lines})
	}
	want := []entry{
		{1, ledger.Charge, paid.PaymentID, []ledger.Line{{Account: ledger.Clearing, Amount: 3000},
			{Account: ledger.Pledges, Pledge: first, Amount: -2500}, {Account: ledger.Pledges, Pledge: second, Amount: -500}}},
		{2, ledger.Fee, paid.PaymentID, []ledger.Line{{Account: ledger.Fees, Amount: paid.Fee},
			{Account: ledger.Clearing, Amount: -paid.Fee}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	rest, err := w.svc.Ledger(w.ctx, "film", 1, 10)
	if err != nil || len(rest.Entries) != 1 || rest.Entries[0].Number != 2 || rest.Head.Entries != 2 {
		t.Errorf("after the first entry: %+v, %v", rest, err)
	}
	if _, err := w.svc.Ledger(w.ctx, "nothing", 0, 10); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown campaign: %v", err)
	}
}

// A fee that the processor books later is added later, once.
func TestLedger_LateFee(t *testing.T) {
	w := newFixture(t)
	w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true, AsyncCapture: true,
		BookAfter: time.Hour})
	w.conn.Processor = w.sim.Processor()
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if h := w.checkLedgerOf("film"); h.Entries != 1 || h.Balances[ledger.Clearing] != 2500 {
		t.Errorf("before the fee: %+v", h)
	}
	w.now = w.now.Add(2 * time.Hour)
	for range 2 {
		_, err = w.svc.FillFinancials(w.ctx, "film", 10)
		w.ok(err)
		if h := w.checkLedger("film", 2500); h.Entries != 2 {
			t.Errorf("after the fee: %+v", h)
		}
	}
}

func (w *fixture) checkLedgerOf(slug string) ledger.Head {
	w.t.Helper()
	v, err := w.svc.VerifyLedger(w.ctx, slug)
	w.ok(err)
	return v.Head
}

// Charges that an earlier release made without a ledger are recorded once, from their pledges. A
// charge whose order is lost is left out.
func TestRecordEarlierCharges(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 500, sim.CardOK)
	w.pledge("cleo", "film", 800, sim.CardOK)
	w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.forgetLedger("film")
	if h := w.checkLedgerOf("film"); h.Entries != 0 {
		t.Fatalf("the ledger was not forgotten: %+v", h)
	}
	for nth, want := range []int{2, 0} {
		got, err := w.svc.RecordEarlierCharges(w.ctx, "film")
		if err != nil || got != want {
			t.Errorf("call %d recorded %d charges, %v; want %d", nth+1, got, err, want)
		}
		if h := w.checkLedger("film", 3800); h.Entries != 4 {
			t.Errorf("after call %d: %+v", nth+1, h)
		}
	}
	page, err := w.svc.Ledger(w.ctx, "film", 0, 10)
	w.ok(err)
	for _, e := range page.Entries {
		if e.Kind != ledger.Opening && e.Kind != ledger.Fee {
			t.Errorf("entry %d is a %s", e.Number, e.Kind)
		}
	}

	w.forgetLedger("film")
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: w.pledgesOf["cleo"][0]}, memkv.Snapshot{})
	if got, err := w.svc.RecordEarlierCharges(w.ctx, "film"); err != nil || got != 1 {
		t.Errorf("with a lost order, %d charges were recorded, %v; want 1", got, err)
	}
}

// A damaged ledger does not prevent that charges are recorded.
func TestLedger_Damaged(t *testing.T) {
	w := newFixture(t)
	object := kv.Object{Class: state.ClassName, Name: "film"}
	snapshot := w.db.Snapshot()
	snapshot.Objects[object] = append(snapshot.Objects[object], kv.Entry{Key: "ledger", Value: []byte("{")})
	w.db.RestoreObject(object, snapshot)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if p := w.pledgeByID(id); !p.Charged || len(w.sim.Entries()) != 1 {
		t.Errorf("the pledge is %s, with %d payments", p.Status, len(w.sim.Entries()))
	}
}
