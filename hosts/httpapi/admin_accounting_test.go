package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
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
