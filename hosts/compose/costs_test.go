package compose_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

var updateCosts = flag.Bool("update-costs", false, "record the costs of this version")

const costsFile = "testdata/costs.txt"

// costs counts what the service does. Counts do not depend on the machine.
type costs struct{ commands, queries, writes, allocations uint64 }

func (c costs) minus(d costs) costs {
	return costs{c.commands - d.commands, c.queries - d.queries, c.writes - d.writes, c.allocations - d.allocations}
}

// TestCosts compares the cost of a supporter, from the start of the checkout to the confirmation and
// from the deadline to the charge, with the recorded one. A cost that grows by more than a tenth
// fails; if there is a reason for it, run the test with -update-costs.
func TestCosts(t *testing.T) {
	const supporters = 200
	var now costs
	s := &songs{t: t}
	host, err := memory.New(memory.Options{
		Campaigns: fstest.MapFS{"campaigns/song-0.md": {Data: fmt.Appendf(nil, songFile, 0)}},
		Fail: func(op memkv.Op) error {
			switch {
			case op.After:
			case op.Kind == memkv.OpDo:
				now.commands++
			case op.Kind == memkv.OpQuery:
				now.queries++
			case op.Kind == memkv.OpPut, op.Kind == memkv.OpDelete, op.Kind == memkv.OpIncrement:
				now.writes++
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	s.Host = host
	s.pledge(0, "first@example.org", sim.CardOK) // work that is done once is not counted
	measured := map[string]costs{}
	measure := func(name string, work func()) {
		before := now
		before.allocations = allocations()
		work()
		now.allocations = allocations()
		measured[name] = now.minus(before)
	}
	measure("pledge", func() {
		for i := range supporters {
			s.pledge(0, fmt.Sprintf("fan%d@example.org", i), sim.CardOK)
		}
	})
	s.pass(30 * time.Hour) // until shortly before the first charge
	measure("charge", func() { s.pass(2 * time.Hour) })
	if n := len(s.Sim.Entries()); n != supporters+1 {
		t.Fatalf("%d of %d supporters were charged", n, supporters+1)
	}
	got := &strings.Builder{}
	for _, name := range []string{"pledge", "charge"} {
		c := measured[name]
		for _, part := range []struct {
			name string
			n    uint64
		}{{"commands", c.commands}, {"queries", c.queries}, {"writes", c.writes}, {"allocations", c.allocations}} {
			fmt.Fprintf(got, "%s %s %.1f\n", name, part.name, float64(part.n)/supporters)
		}
	}
	t.Log("\n" + got.String())
	if *updateCosts {
		if err := os.WriteFile(costsFile, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compareCosts(t, got.String())
}

func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func compareCosts(t *testing.T, got string) {
	t.Helper()
	recorded, err := os.ReadFile(costsFile)
	if err != nil {
		t.Fatal(err)
	}
	now := readCosts(t, got)
	for name, before := range readCosts(t, string(recorded)) {
		if now[name] > before*1.1 || now[name] == 0 && before > 0 {
			t.Errorf("%s for each supporter: %.1f, recorded %.1f", name, now[name], before)
		}
	}
}

func readCosts(t *testing.T, text string) map[string]float64 {
	t.Helper()
	costs := map[string]float64{}
	for line := range strings.Lines(text) {
		var who, what string
		var n float64
		if _, err := fmt.Sscan(line, &who, &what, &n); err != nil {
			t.Fatal(err)
		}
		costs[who+" "+what] = n
	}
	return costs
}
