package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// inObject runs a function in a transaction of an object.
type inObject struct{}

func (inObject) Kind() string { return "run" }

type object struct {
	t   *testing.T
	co  kv.Coordinator
	run func(tx kv.Tx, now time.Time) error
	n   int
}

func newObject(t *testing.T) *object {
	o := &object{t: t}
	class := kv.NewClass("ledger")
	kv.On(class, func(tx kv.Tx, now time.Time, _ inObject) (struct{}, error) { return struct{}{}, o.run(tx, now) })
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	o.co = memkv.New(memkv.Options{Now: func() time.Time { return now }, Classes: []*kv.Class{class}}).Coordinator()
	return o
}

func (o *object) do(run func(tx kv.Tx, now time.Time) error) error {
	o.run = run
	o.n++
	_, err := kv.Send[struct{}](context.Background(), o.co, kv.Object{Class: "ledger", Name: "night-ferry"},
		strings.Repeat("x", o.n), inObject{})
	return err
}

func (o *object) append(e ledger.Entry) (stored ledger.Entry, err error) {
	err = o.do(func(tx kv.Tx, now time.Time) error {
		stored, err = ledger.Append(tx, now, e)
		return err
	})
	return stored, err
}

func (o *object) read() (entries []ledger.Entry, head ledger.Head) {
	o.t.Helper()
	err := o.do(func(tx kv.Tx, _ time.Time) (err error) {
		for {
			page, err := ledger.Read(tx, len(entries), 2)
			if err != nil || len(page) == 0 {
				head, _ = ledger.ReadHead(tx)
				return err
			}
			entries = append(entries, page...)
		}
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return entries, head
}

var paid = ledger.Payment{ID: "pi_1", ChargeID: "ch_1", At: time.Date(2027, 3, 1, 8, 0, 0, 0, time.UTC)}

func charge() ledger.Entry {
	return ledger.NewCharge(paid, []ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Pledges: 2500, Tax: 197}},
		{Pledge: "pw-2", Components: ledger.Components{Pledges: 1000, Shipping: 500}}})
}

// A movement is recorded once: repeating it returns its entry, and the same movement with other
// amounts is refused. Numbers have no gaps, and the balances are the sums of the lines.
func TestAppend(t *testing.T) {
	o := newObject(t)
	first, err := o.append(charge())
	if err != nil || first.Number != 1 || first.Before != "" || first.Hash == "" {
		t.Fatalf("first entry: %+v, %v", first, err)
	}
	fee, err := o.append(ledger.NewFee(paid, "txn_1", 152))
	if err != nil || fee.Number != 2 || fee.Before != first.Hash {
		t.Fatalf("fee: %+v, %v", fee, err)
	}
	again, err := o.append(charge())
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("repeated charge: %v (-want +got):\n%s", err, diff)
	}
	other := ledger.NewCharge(paid, []ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Pledges: 2697}}})
	if _, err := o.append(other); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same payment with other amounts: %v", err)
	}
	entries, head := o.read()
	if diff := cmp.Diff([]ledger.Entry{first, fee}, entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	want := map[ledger.Account]money.Cents{ledger.Clearing: 4045, ledger.Fees: 152, ledger.Pledges: -3500,
		ledger.Shipping: -500, ledger.Tax: -197}
	if diff := cmp.Diff(want, head.Balances); diff != "" {
		t.Errorf("balances (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Pledges: 2500, Tax: 197}},
		{Pledge: "pw-2", Components: ledger.Components{Pledges: 1000, Shipping: 500}}}, first.PledgesOf()); diff != "" {
		t.Errorf("pledges of the charge (-want +got):\n%s", diff)
	}
}

func TestAppend_RefusesUnbalancedEntries(t *testing.T) {
	o := newObject(t)
	for name, lines := range map[string][]ledger.Line{
		"no lines":   nil,
		"unbalanced": {{Account: ledger.Clearing, Amount: 100}, {Account: ledger.Pledges, Amount: -99}},
		"a zero":     {{Account: ledger.Clearing, Amount: 0}},
		"unknown":    {{Account: "cash", Amount: 1}, {Account: ledger.Pledges, Amount: -1}},
	} {
		e := charge()
		e.Lines = lines
		if _, err := o.append(e); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, _ := o.read(); len(entries) != 0 {
		t.Errorf("entries: %+v", entries)
	}
}

// Every change of stored entries is found: of an amount, a hash, the order, or a missing entry.
func TestVerifier(t *testing.T) {
	o := newObject(t)
	for _, e := range []ledger.Entry{charge(), ledger.NewFee(paid, "txn_1", 152),
		ledger.NewOpening(ledger.Payment{ID: "pi_2"}, []ledger.PledgeComponents{{Pledge: "pw-3", Components: ledger.Components{Tips: 5}}})} {
		if _, err := o.append(e); err != nil {
			t.Fatal(err)
		}
	}
	verify := func(entries []ledger.Entry, head ledger.Head) error {
		var v ledger.Verifier
		for _, e := range entries {
			if err := v.Next(e); err != nil {
				return err
			}
		}
		return v.Check(head)
	}
	entries, head := o.read()
	if err := verify(entries, head); err != nil {
		t.Fatalf("untouched ledger: %v", err)
	}
	for name, bad := range map[string][]ledger.Entry{
		"last is missing":   entries[:2],
		"first is missing":  entries[1:],
		"middle is missing": {entries[0], entries[2]},
		"order":             {entries[1], entries[0], entries[2]},
	} {
		if err := verify(bad, head); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wrong := head
	wrong.Balances = map[ledger.Account]money.Cents{ledger.Clearing: 1}
	if err := verify(entries, wrong); !fault.Is(err, fault.Internal) {
		t.Errorf("wrong balances: %v", err)
	}
	wrong = head
	wrong.Clearing = map[ledger.Kind]money.Cents{ledger.Charge: 1}
	if err := verify(entries, wrong); !fault.Is(err, fault.Internal) {
		t.Errorf("wrong sums by kind: %v", err)
	}

	err := o.do(func(tx kv.Tx, _ time.Time) error {
		rows, err := tx.List("ledger-entry/", "", 1)
		if err != nil {
			return err
		}
		changed := strings.Replace(string(rows[0].Value), "2500", "2400", 1)
		if !json.Valid([]byte(changed)) || changed == string(rows[0].Value) {
			return errors.New("nothing was changed")
		}
		return tx.Put(rows[0].Key, []byte(changed))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.do(func(tx kv.Tx, _ time.Time) error { _, err := ledger.Read(tx, 0, 10); return err }); !fault.Is(err, fault.Internal) {
		t.Errorf("changed amount: %v", err)
	}
}
