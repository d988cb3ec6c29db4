package inventory_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

var reservations = flag.Int("reservations", 100_000, "number of reservations to attempt")

const (
	actors        = 200
	actorsPerItem = 8   // concurrent actors per item; the checker is slow for many
	perItem       = 100 // attempted reservations per item, many more than its units
	stocked       = 25  // units of each item
)

// operation and result are the input and output of one operation on one item.
type operation struct {
	item  string
	kind  string // hold, release or book
	units int
}

type result struct {
	ok   bool
	left int // remaining units after a rejection
}

// units is the state of an item in the sequential specification.
type units struct{ committed, held int }

// specification is the sequential specification: a reservation succeeds if and only if enough
// units remain, and a rejection returns the number of remaining units.
var specification = porcupine.Model{
	Init: func() any { return units{} },
	Step: func(state, input, output any) (bool, any) {
		u, in, out := state.(units), input.(operation), output.(result)
		left := stocked - u.committed - u.held
		switch in.kind {
		case "release":
			return true, units{u.committed, u.held - in.units}
		case "book":
			return true, units{u.committed + in.units, u.held - in.units}
		}
		if out.ok {
			return in.units <= left, units{u.committed, u.held + in.units}
		}
		return in.units > left && out.left == left, u
	},
}

// Two hundred actors reserve, book and release concurrently. The history of every item
// is linearizable, and nothing is oversold.
//
// Proves INV-13.
func TestHold_Linearizable(t *testing.T) {
	n := *reservations
	if testing.Short() {
		n = min(n, 20_000)
	}
	s := newFixture()
	began := time.Now()
	histories := make([][][]porcupine.Operation, actors)
	var wg sync.WaitGroup
	for actor := range actors {
		histories[actor] = make([][]porcupine.Operation, n/perItem)
		wg.Go(func() {
			a := customer{t, s, actor, rand.New(rand.NewPCG(1, uint64(actor))), began, histories[actor]}
			for i := range n / actors {
				a.reserve(i, a.rng.IntN(n/perItem/(actors/actorsPerItem))*(actors/actorsPerItem)+actor/actorsPerItem)
			}
		})
	}
	wg.Wait()
	attempts, refused := 0, 0
	for item := range n / perItem {
		var history []porcupine.Operation
		for _, of := range histories {
			history = append(history, of[item]...)
		}
		for _, op := range history {
			if op.Input.(operation).kind == "hold" {
				attempts++
				if !op.Output.(result).ok {
					refused++
				}
			}
		}
		if verdict := porcupine.CheckOperationsTimeout(specification, history, time.Minute); verdict != porcupine.Ok {
			t.Fatalf("history of item %d with %d operations: %s", item, len(history), verdict)
		}
		snap, err := s.Snapshot(ctx, fmt.Sprintf("film-%d", item))
		if err != nil || snap.Stock["tier/seat"].Committed > stocked || snap.Stock["tier/seat"].Held != 0 {
			t.Errorf("item %d: final stock %+v, %v", item, snap.Stock, err)
		}
	}
	t.Logf("%d reservations by %d actors of %d items: %d succeeded, %d rejected", attempts,
		actors, n/perItem, attempts-refused, refused)
}

// customer is one concurrent actor.
type customer struct {
	*testing.T
	*fixture
	actor   int
	rng     *rand.Rand
	began   time.Time
	history [][]porcupine.Operation
}

// reserve reserves some units of an item and then books or releases them.
func (c customer) reserve(nth, item int) {
	object, id := fmt.Sprintf("film-%d", item), fmt.Sprintf("%d-%d", c.actor, nth)
	n := 1 + c.rng.IntN(3)
	h := inventory.Hold{ID: "hold-" + id, Pledge: id, Order: id, Due: start.Add(time.Hour)}
	taken := c.record(item, operation{object, "hold", n}, func() error {
		return c.Hold(ctx, object, h, []inventory.Request{{Item: "tier/seat", Quantity: n, Limit: stocked, Name: "Seat"}})
	})
	switch {
	case !taken:
	case c.rng.IntN(4) > 0:
		c.record(item, operation{object, "release", n}, func() error { return c.Release(ctx, object, h.ID) })
	default:
		account := inventory.Account{Pledge: id, Revision: 1, Email: id + "@example.org",
			Status: pledge.Active, Units: map[string]int{"tier/seat": n}}
		c.record(item, operation{object, "book", n}, func() error {
			_, err := c.Book(ctx, object, account, h.ID)
			return err
		})
	}
}

// record runs an operation, adds it to the item's history, and reports whether it succeeded.
func (c customer) record(item int, in operation, do func() error) (ok bool) {
	called := time.Since(c.began).Nanoseconds()
	err := do()
	out := result{ok: err == nil}
	if f := fault.Of(err); f != nil && f.Code == fault.SoldOut {
		out.left = *f.Remaining
	} else if err != nil {
		c.Error(err)
	}
	c.history[item] = append(c.history[item], porcupine.Operation{ClientId: c.actor, Input: in, Output: out,
		Call: called, Return: time.Since(c.began).Nanoseconds()})
	return out.ok
}
