package evidence_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// fixture has a processor whose calls are recorded.
type fixture struct {
	t    *testing.T
	now  time.Time
	fail error
	db   *memkv.DB
	sim  *sim.Sim
	rec  *evidence.Recorder
	psp  psp.Processor
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{t: t, now: sim.Epoch}
	clock := func() time.Time { return w.now }
	w.db = memkv.New(memkv.Options{Now: clock, Fail: func(memkv.Op) error { return w.fail }})
	w.sim = sim.New(sim.Options{NoLimits: true, Now: clock})
	var err error
	if w.rec, err = evidence.NewRecorder(w.db.Store("PLEDGES"), clock, zeros{},
		slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	w.psp = w.rec.Wrap(w.sim.Processor())
	return w
}

// records returns the operations and outcomes of the stored records, in order.
func (w *fixture) records() []string {
	out := []string{}
	for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
		var r evidence.Request
		if err := json.Unmarshal(e.Value, &r); err != nil || !strings.HasPrefix(e.Key, evidence.Prefix) {
			w.t.Fatalf("%s: %v", e.Key, err)
		}
		out = append(out, strings.TrimSuffix(string(r.Operation)+" "+r.Outcome+" "+r.Code, " "))
	}
	return out
}

// want checks the operations and outcomes of the stored records.
func (w *fixture) want(records ...string) {
	w.t.Helper()
	if diff := cmp.Diff(append([]string{}, records...), w.records()); diff != "" {
		w.t.Errorf("records (-want +got):\n%s", diff)
	}
}

// saveCard creates a customer with a card and returns the session.
func (w *fixture) saveCard(card string) psp.Session {
	w.t.Helper()
	ctx := w.t.Context()
	customer, err := w.psp.CreateCustomer(ctx, psp.NewCustomer{Key: "customer:" + card, Email: "person@example.org"})
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.psp.StartSetup(ctx,
		psp.NewSetup{Key: "setup:" + card, CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://site.example",
			Expires: w.now.Add(time.Hour)})
	if err == nil {
		err = w.sim.Complete(s.ID, card)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if s, err = w.psp.Session(ctx, s.ID); err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *fixture) charge(s psp.Session, key string) psp.Outcome {
	return w.psp.Charge(w.t.Context(), psp.NewCharge{Key: key, Group: "group", Amount: 2500, CustomerID: s.CustomerID,
		PaymentMethodID: s.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
}

// A recorded processor passes the contract test.
func TestContract(t *testing.T) {
	psptest.Run(t, psptest.Harness{New: func(t testing.TB) (psp.Processor, psptest.Bench) {
		b := psptest.NewSimBench(nil)
		rec, err := evidence.NewRecorder(memkv.New(memkv.Options{Now: b.Sim.Now}).Store("PLEDGES"),
			b.Sim.Now, zeros{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return rec.Wrap(b.Sim.Processor()), b
	}})
}

// Records of requests other than charges are buffered; a charge's record is
// written immediately, together with the buffered ones.
//
// Proves KVR-09.
func TestRecorder_WriteTime(t *testing.T) {
	w := newFixture(t)
	s := w.saveCard(sim.CardChargeDeclined)
	w.want()
	if o := w.charge(s, "first"); o.Status != psp.Declined {
		t.Fatalf("%+v", o)
	}
	all := []string{"customers.create done", "sessions.create done", "sessions.retrieve done",
		"payments.create declined card_declined"}
	w.want(all...)
	w.now = w.now.Add(time.Minute)
	if _, err := w.psp.Payment(t.Context(), "pi_nobody"); err == nil {
		t.Fatal("unknown payment was found")
	}
	w.want(all...)
	w.now = w.now.Add(10 * time.Second)
	if _, err := w.psp.FindCharge(t.Context(), s.CustomerID, "group"); err != nil {
		t.Fatal(err)
	}
	all = append(all, "payments.retrieve not_found", "payments.list done")
	w.want(all...)
	w.saveCard(sim.CardOK)
	if err := w.rec.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.want(append(all, "customers.create done", "sessions.create done", "sessions.retrieve done")...)
	first := evidence.Key(sim.Epoch, "0000000000000000-000001")
	if _, err := w.db.Store("PLEDGES").Get(t.Context(), first); err != nil {
		t.Error(err)
	}
	w.now = w.now.Add(731 * 24 * time.Hour)
	if _, err := w.db.Store("PLEDGES").Get(t.Context(), first); err == nil {
		t.Error("a record was kept for more than 730 days")
	}
}

// A batch of 64 records is written immediately.
func TestRecorder_BatchSize(t *testing.T) {
	w := newFixture(t)
	for n := range 65 {
		if got, want := len(w.records()), n/64*64; got != want {
			t.Fatalf("after %d calls: %d records written, want %d", n, got, want)
		}
		if _, err := w.psp.Payment(t.Context(), "pi_nobody"); err == nil {
			t.Fatal("unknown payment was found")
		}
	}
}

// A refund's record is written before the call returns, with its outcome and the refund or, if none
// was created, the payment.
func TestRecorder_Refund(t *testing.T) {
	w := newFixture(t)
	paid := w.charge(w.saveCard(sim.CardOK), "first").Payment.ID
	before := len(w.records())
	n := psp.NewRefund{Key: "r1", ID: "rf_1", PaymentID: paid, Amount: 2000, NotAfter: w.now.Add(time.Hour)}
	made := w.psp.Refund(t.Context(), n)
	n.Key = "r2"
	w.psp.Refund(t.Context(), n)
	type record struct {
		psp.Operation
		Object, Key, Outcome, Code string
	}
	var got []record
	for _, e := range w.db.Snapshot().Stores["PLEDGES"][before:] {
		var r evidence.Request
		if err := json.Unmarshal(e.Value, &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, record{r.Operation, r.ObjectID, r.Key, r.Outcome, r.Code})
	}
	want := []record{{psp.OpRefund, made.Refund.ID, "r1", "accepted", ""},
		{psp.OpRefund, paid, "r2", "refused", "request_refused"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// If the store fails, calls still succeed, and the records are written later.
func TestRecorder_StoreDown(t *testing.T) {
	w := newFixture(t)
	w.fail = errors.New("the disk is full")
	s := w.saveCard(sim.CardOK)
	if o := w.charge(s, "first"); o.Status != psp.Succeeded {
		t.Fatalf("%+v", o)
	}
	if err := w.rec.Flush(t.Context()); err == nil {
		t.Error("Flush did not return the failure")
	}
	w.fail = nil
	w.want()
	if err := w.rec.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.want("customers.create done", "sessions.create done", "sessions.retrieve done", "payments.create succeeded")
}

// Requests that were not sent leave no record; replayed responses are marked, and
// requests without a response have no status.
func TestRecorder_Responses(t *testing.T) {
	w := newFixture(t)
	s := w.saveCard(sim.CardOK)
	if o := w.psp.Charge(t.Context(),
		psp.NewCharge{Key: "late", Group: "group", Amount: 100}); o.Status != psp.Unknown {
		t.Fatalf("%+v", o)
	}
	w.charge(s, "first")
	w.charge(s, "first")
	if err := w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer}); err != nil {
		t.Fatal(err)
	}
	w.charge(s, "second")
	var got []evidence.Request
	for _, e := range w.db.Snapshot().Stores["PLEDGES"][3:] {
		var r evidence.Request
		if err := json.Unmarshal(e.Value, &r); err != nil {
			t.Fatal(err)
		}
		if r.RequestID == "" != (r.HTTPStatus == 0) {
			t.Errorf("request %q with status %d", r.RequestID, r.HTTPStatus)
		}
		if r.ObjectID == "" == (r.HTTPStatus == 200) {
			t.Errorf("payment %q with status %d", r.ObjectID, r.HTTPStatus)
		}
		r.RequestID, r.ObjectID = "", ""
		got = append(got, r)
	}
	base := evidence.Request{Version: 1, Kind: "request", Operation: psp.OpCharge,
		Group: "group", Requests: 1, Mode: psp.Test,
		APIVersion: psp.Version, At: sim.Epoch}
	want := []evidence.Request{base, base, base}
	want[0].Key, want[0].Outcome, want[0].HTTPStatus = "first", "succeeded", 200
	want[1].Key, want[1].Outcome, want[1].HTTPStatus, want[1].Replayed = "first", "succeeded", 200, true
	want[2].Key, want[2].Outcome = "second", "unknown"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// Reads of reversals, customer updates and lists are recorded like all other calls, with their object.
func TestWatch_ReversalsAndCustomers(t *testing.T) {
	w := newFixture(t)
	s := w.saveCard(sim.CardOK)
	o := w.charge(s, "first")
	before := len(w.records())
	ctx := t.Context()
	if _, err := w.psp.Reversals(ctx, o.Payment.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.psp.UpdateCustomer(ctx, s.CustomerID, "update", map[string]string{"state": "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.psp.Customers(ctx,
		psp.CustomerQuery{From: w.now.Add(-time.Hour), To: w.now.Add(time.Hour), Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.psp.BalanceTransactions(ctx, psp.BalanceQuery{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.psp.BalanceTransactions(ctx, psp.BalanceQuery{PayoutID: "po_nobody", Limit: 10}); err == nil {
		t.Fatal("found the contents of an unknown payout")
	}
	if _, err := w.psp.Disputes(ctx, psp.DisputeQuery{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.psp.Payouts(ctx, psp.PayoutQuery{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.psp.FraudWarnings(ctx, psp.FraudWarningQuery{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.psp.Reversals(ctx, "pi_nobody"); err == nil {
		t.Fatal("found reversals of an unknown payment")
	}
	if err := w.rec.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	type record struct {
		Operation              psp.Operation
		Object, Key, Outcome   string
		Requests, LastResponse int
	}
	var got []record
	for _, e := range w.db.Snapshot().Stores["PLEDGES"][before:] {
		var r evidence.Request
		if err := json.Unmarshal(e.Value, &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, record{r.Operation, r.ObjectID, r.Key, r.Outcome, r.Requests, r.HTTPStatus})
	}
	want := []record{
		{psp.OpListRefunds, o.Payment.ID, "", "done", 2, 200},
		{psp.OpUpdateCustomer, s.CustomerID, "update", "done", 1, 200},
		{psp.OpListCustomers, "", "", "done", 1, 200},
		{psp.OpListBalance, "", "", "done", 1, 200},
		{psp.OpListBalance, "po_nobody", "", "not_found", 1, 400},
		{psp.OpListDisputes, "", "", "done", 1, 200},
		{psp.OpListPayouts, "", "", "done", 1, 200},
		{psp.OpListWarnings, "", "", "done", 1, 200},
		{psp.OpListRefunds, "pi_nobody", "", "not_found", 1, 400},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
