package httpapi_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// All journal formats contain the same settled campaign, match the processor's payments, and
// contain no names and addresses. Users without the money permission have no access.
func TestAccounting(t *testing.T) {
	e := newEdge(t, memory.Options{})
	const path = "/admin/accounting/" + game
	if e.wantStatus(e.get(path, "", e.admin()...), 409); t.Failed() {
		return
	}
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	paid := e.Sim.Entries()[0]
	b, packer := e.with("books@example.com", access.Money),
		e.with("packer@example.com", access.Supporters, access.Fulfilment)
	out := decode[httpapi.Accounting](t, b.get(path, ""))
	if out.Version != accounting.Version || len(out.Journals) != 1 || out.XeroFiles != 1 || out.Journals[0].Pledges != 1 {
		t.Fatalf("%+v", out)
	}
	var owed, sum money.Cents
	for _, l := range out.Journals[0].Lines {
		if sum += l.Amount; l.Account == accounting.Clearing || l.Account == accounting.Fees {
			owed += l.Amount
		}
	}
	if sum != 0 || owed != paid.Amount {
		t.Errorf("the journal is unbalanced by %s; clearing and fees total %s, want %s", sum, owed, paid.Amount)
	}
	for file, want := range map[string]string{"/xero.csv": "Narration,", "/quickbooks.csv": "Journal No.,",
		"/journal.txt": "; accounting of "} {
		r := b.get(path+file, "tips=Gratuities&part=1")
		e.wantStatus(r, 200)
		if err := r.Gather(); err != nil {
			t.Fatal(err)
		}
		text := string(r.Body)
		if !strings.HasPrefix(text, want) || !strings.Contains(text, "Gratuities") ||
			strings.Contains(text, "@") || strings.Contains(text, home.Line1) {
			t.Errorf("%s: %s", file, text)
		}
		e.wantStatus(packer.get(path+file, ""), 403)
		e.wantField(b.get(path+file, "tax=%3D1"), "tax")
		for _, part := range []string{"0", "2", "x"} {
			e.wantField(b.get(path+file, "part="+part), "part")
		}
		if r := b.get("/admin/accounting/"+film+file, ""); r.Status != 404 {
			t.Errorf("another campaign's journals: status %d, want 404", r.Status)
		}
	}
	e.wantStatus(packer.get(path, ""), 403)
}

// The ledger has the campaign's charges and fees, in pages and as text. It contains no names and
// addresses, and users without the money permission have no access.
func TestLedger(t *testing.T) {
	e := newEdge(t, memory.Options{})
	const path = "/admin/accounting/" + game + "/ledger"
	if out := decode[httpapi.Ledger](t, e.get(path, "", e.admin()...)); len(out.Entries) != 0 || out.Next != 0 || len(out.Balances) != 0 {
		t.Errorf("before the charges: %+v", out)
	}
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	paid := e.Sim.Entries()[0]
	b, packer := e.with("books@example.com", access.Money),
		e.with("packer@example.com", access.Supporters, access.Fulfilment)

	first := decode[httpapi.Ledger](t, b.get(path, "limit=1"))
	if len(first.Entries) != 1 || first.Next != 1 || first.Entries[0].Kind != ledger.Charge ||
		first.Entries[0].PaymentID != paid.PaymentID || first.Entries[0].Charged() != paid.Amount {
		t.Fatalf("first page: %+v", first)
	}
	second := decode[httpapi.Ledger](t, b.get(path, "after=1"))
	if len(second.Entries) != 1 || second.Next != 0 || second.Entries[0].Kind != ledger.Fee ||
		second.Balances[ledger.Clearing] != paid.Net || second.Balances[ledger.Fees] != paid.Fee {
		t.Fatalf("second page: %+v", second)
	}
	for query, field := range map[string]string{"after=-1": "after", "after=x": "after", "limit=0": "limit",
		"limit=1001": "limit"} {
		e.wantField(b.get(path, query), field)
	}
	for _, p := range []string{path, path + ".txt"} {
		e.wantStatus(packer.get(p, ""), 403)
		if r := b.get("/admin/accounting/nothing"+strings.TrimPrefix(p, "/admin/accounting/"+game), ""); r.Status != 404 {
			t.Errorf("another campaign's ledger: status %d, want 404", r.Status)
		}
	}
	r := b.get(path+".txt", "tips=Gratuities")
	e.wantStatus(r, 200)
	if err := r.Gather(); err != nil {
		t.Fatal(err)
	}
	text := string(r.Body)
	if !strings.HasPrefix(text, "; ledger of "+game) || strings.Count(text, "; entry: ") != 2 ||
		!strings.Contains(text, "Assets:Processor") || strings.Contains(text, "@") || strings.Contains(text, home.Line1) {
		t.Errorf("text:\n%s", text)
	}
	e.wantField(b.get(path+".txt", "tax=%3D1"), "tax")
}

// A refund has its own journal, by its lines, and the journal of the charge keeps its bytes. The accounts
// of all journals add up to the ledger's balances.
func TestAccounting_Refund(t *testing.T) {
	e, order, ada, ben := newEdgeAfterCharge(t, memory.Options{})
	const path = "/admin/accounting/" + game
	before := e.file(ben, path+"/journal.txt")
	e.wantStatus(ada.ask("POST", refunds, refundOf("refund-1", order, 1000)), 200)
	after := e.file(ben, path+"/journal.txt")
	if !strings.HasPrefix(after, before) || !strings.Contains(after[len(before):], game+", refund: 1") {
		t.Errorf("before the refund:\n%s\nafter it:\n%s", before, after)
	}
	out := decode[httpapi.Accounting](t, ben.get(path, ""))
	if len(out.Journals) != 2 || out.Journals[1].Movements[ledger.Refund] != 1 || out.Journals[1].Pledges != 0 {
		t.Fatalf("journals: %+v", out.Journals)
	}
	sums := map[ledger.Account]money.Cents{}
	for _, j := range out.Journals {
		for _, l := range j.Lines {
			sums[l.Account] += l.Amount
		}
	}
	if diff := cmp.Diff(decode[httpapi.Ledger](t, ben.get(path+"/ledger", "")).Balances, sums); diff != "" {
		t.Errorf("ledger and journals (-want +got):\n%s", diff)
	}
}

// The report has the sales tax of the charge and of its refund.
func TestAccounting_Tax(t *testing.T) {
	e, order, ada, ben := newEdgeAfterCharge(t, memory.Options{})
	const path = "/admin/accounting/" + game + "/tax.csv"
	e.wantStatus(ada.ask("POST", refunds, refundOf("refund-1", order, 1000)), 200)
	rows, err := csv.NewReader(strings.NewReader(e.file(ben, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sum := money.Cents(0)
	kinds := map[string]bool{}
	for _, row := range rows[1:] {
		kinds[row[1]] = true
		digits, minus := strings.CutPrefix(row[9], "-")
		c, err := money.ReadDollars(digits)
		if err != nil || row[0] != row[2] || row[3] != home.Country || row[4] != home.State {
			t.Fatalf("%v: %v", row, err)
		}
		if minus {
			c = -c
		}
		sum += c
	}
	tax := decode[httpapi.Ledger](t, ben.get("/admin/accounting/"+game+"/ledger", "")).Balances[ledger.Tax]
	if sum != -tax || tax == 0 || !kinds["charge"] || !kinds["refund"] {
		t.Errorf("the rows add up to %s, the ledger has %s: %v", sum, tax, rows)
	}
	packer := e.with("packer@example.com", access.Supporters, access.Fulfilment)
	e.wantStatus(packer.get(path, ""), 403)
	e.wantStatus(ben.get("/admin/accounting/"+film+"/tax.csv", ""), 404)
	e.wantStatus(ben.get("/admin/accounting/nothing/tax.csv", ""), 404)
}

// file returns the body of a file.
func (e *edge) file(b *browser, path string) string {
	e.t.Helper()
	r := b.get(path, "")
	e.wantStatus(r, 200)
	if err := r.Gather(); err != nil {
		e.t.Fatal(err)
	}
	return string(r.Body)
}

// A ledger with a missing entry is an error before the first line of a file, not a shortened file.
func TestAccounting_DamagedLedger(t *testing.T) {
	e, _, _, ben := newEdgeAfterCharge(t, memory.Options{})
	const path = "/admin/accounting/" + game
	if text := e.file(ben, path+"/ledger.txt"); !strings.HasSuffix(text, "\n; end of the ledger, entries: 2\n") {
		t.Errorf("the ledger:\n%s", text)
	}
	object, s := kv.Object{Class: state.ClassName, Name: game}, e.DB.Snapshot()
	s.Objects[object] = slices.DeleteFunc(s.Objects[object],
		func(entry kv.Entry) bool { return strings.HasPrefix(entry.Key, "ledger-entry/000000002") })
	e.DB.RestoreObject(object, s)
	for _, file := range []string{"", "/xero.csv", "/quickbooks.csv", "/journal.txt", "/ledger.txt", "/tax.csv"} {
		e.wantStatus(ben.get(path+file, ""), 500)
	}
}
