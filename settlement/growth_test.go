package settlement

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// commands counts the commands and queries of a call.
func (w *fixture) commands(do func()) int {
	n := 0
	w.conn.watch = func(op memkv.Op) error {
		if (op.Kind == memkv.OpDo || op.Kind == memkv.OpQuery) && !op.After {
			n++
		}
		return nil
	}
	do()
	w.conn.watch = nil
	return n
}

// runHourlyJobs runs the hourly settlement jobs.
func (w *fixture) runHourlyJobs() {
	w.t.Helper()
	w.now = w.now.Add(time.Hour)
	due, err := w.svc.DueCampaigns(w.ctx)
	w.ok(err)
	for _, slug := range due {
		w.batches("chain", slug)
	}
}

// The cost of a pass over a settled campaign with one open supporter is independent of the
// number of supporters.
func TestCost_OneOpenSupporter(t *testing.T) {
	cost := map[string][]int{}
	crowd := 500
	if testing.Short() {
		crowd = 100
	}
	for _, many := range []int{20, crowd} {
		for name, stick := range map[string]func(w *fixture){
			"no card": func(w *fixture) { w.pledge("stuck", "film", 1000, "none") },
			"pending": func(w *fixture) { w.pledge("stuck", "film", 1000, sim.CardProcessing+":900h") },
			"late": func(w *fixture) {
				w.deadline()
				w.runHourlyJobs()
				w.pledge("fan000", "film", 1000, sim.CardOK)
			},
		} {
			w := newFixture(t)
			w.run([]string{"crowd", fmt.Sprint(many), "film", "1000"})
			stick(w)
			w.deadline()
			for range 3 {
				w.runHourlyJobs()
			}
			if due, err := w.svc.DueCampaigns(w.ctx); err != nil || len(due) != 1 {
				t.Fatalf("%s: due campaigns %v, %v", name, due, err)
			}
			cost[name] = append(cost[name], w.commands(w.runHourlyJobs))
		}
	}
	for name, n := range cost {
		if t.Logf("%s: %v commands", name, n); n[0] != n[1] || n[1] > 45 {
			t.Errorf("%s: an hour costs %d commands with 20 charged supporters and %d with %d", name, n[0], n[1], crowd)
		}
	}
}

// A settled supporter leaves only the records that are needed: five rows in the settlement's object
// (the group, and the ledger's entries of charge and fee with their identities), three in the
// campaign's.
func TestCost_RowsPerSettledSupporter(t *testing.T) {
	const many = 200
	w := newFixture(t)
	w.run([]string{"crowd", fmt.Sprint(many), "film", "1000"})
	w.deadline()
	w.runHourlyJobs()
	w.now = w.now.Add(3 * day)
	object := kv.Object{Class: state.ClassName, Name: "film"}
	w.ok(kv.DropReplies(w.ctx, w.db.Coordinator(), object))
	rows := func(o kv.Object) (n int, kinds map[string]int) {
		kinds = map[string]int{}
		for _, e := range w.db.Snapshot().Objects[o] {
			prefix, _, _ := strings.Cut(e.Key, "/")
			kinds[prefix]++
			n++
		}
		return n, kinds
	}
	if n, kinds := rows(object); n > 5*many+10 {
		t.Errorf("the settlement has %d rows: %v", n, kinds)
	}
	if n, kinds := rows(kv.Object{Class: inventory.ClassName, Name: "film"}); n > 3*many+10 {
		t.Errorf("the campaign has %d rows: %v", n, kinds)
	}
}
