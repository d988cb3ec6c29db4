package inventory_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var limits = map[string]int{"tier/disc": 7, "add-on/shirt/m": 3, "tier/stream": 0}

// model is a simple model of a campaign object. It stores only accounts and holds, and recalculates
// every sum from them.
type model struct {
	accounts map[string]inventory.Account
	holds    map[string]map[string]int
	order    []string
}

func (m *model) stock(item string) (s inventory.Stock) {
	for _, a := range m.accounts {
		s.Committed += a.Units[item]
	}
	for _, units := range m.holds {
		s.Held += units[item]
	}
	return s
}

func (m *model) free(item string, units int) bool {
	s := m.stock(item)
	return limits[item] == 0 || s.Committed+s.Held+units <= limits[item]
}

// After any sequence of holds, bookings, cancellations, releases and redeliveries, the
// sums equal those recalculated from the accounts, and no limit is exceeded.
func TestClient_MatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := newFixture(), &model{accounts: map[string]inventory.Account{}, holds: map[string]map[string]int{}}
		var sent []func() error // all commands, for redelivery
		deliver := func(call func() error) error {
			sent = append(sent, call)
			return call()
		}
		items := rapid.SampledFrom([]string{"tier/disc", "add-on/shirt/m", "tier/stream"})
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := fmt.Sprintf("p%d", rapid.IntRange(0, 5).Draw(t, "pledge"))
			last := m.accounts[id]
			switch rapid.SampledFrom([]string{"change", "cancel", "release", "again"}).Draw(t, "step") {
			case "change":
				m.change(t, s, deliver, step, id, items.Draw(t, "item"), rapid.IntRange(1, 4).Draw(t, "quantity"))
			case "cancel":
				if last.Revision > 0 && last.Status != pledge.Cancelled {
					next := inventory.Account{Pledge: id, Revision: last.Revision + 1, Email: last.Email, Status: pledge.Cancelled}
					m.book(t, s, deliver, next, "")
				}
			case "release":
				for _, hold := range slices.Sorted(maps.Keys(m.holds))[:min(1, len(m.holds))] {
					if err := deliver(func() error { return s.Release(ctx, "film", hold) }); err != nil {
						t.Fatal(err)
					}
					delete(m.holds, hold)
				}
			case "again":
				if len(sent) > 0 {
					_ = sent[rapid.IntRange(0, len(sent)-1).Draw(t, "which")]()
				}
			}
			m.compare(t, s)
		}
	})
}

// change holds a pledge's units and then books, keeps or releases the hold.
func (m *model) change(t *rapid.T, s *fixture, deliver func(func() error) error, step int,
	id, item string, quantity int) {
	last := m.accounts[id]
	h := inventory.Hold{ID: fmt.Sprintf("hold-%d", step), Pledge: id, Order: id, Due: start}
	more := max(quantity-last.Units[item], 0)
	want := []inventory.Request{{Item: item, Quantity: quantity, Limit: limits[item], Name: item}}
	predicted := s.CanHold(ctx, "film", h, want)
	m.compare(t, s) // it has written nothing
	err := deliver(func() error { return s.Hold(ctx, "film", h, want) })
	if diff := cmp.Diff(fault.Of(err), fault.Of(predicted), cmpopts.IgnoreUnexported(fault.Error{})); diff != "" {
		t.Fatalf("CanHold differs from Hold (-Hold +CanHold):\n%s", diff)
	}
	if fault.Is(err, fault.SoldOut) == m.free(item, more) && more > 0 {
		t.Fatalf("%d more of %s: %v with %+v", more, item, err, m.stock(item))
	}
	if err != nil {
		return
	}
	m.holds[h.ID] = map[string]int{item: more}
	if rapid.Bool().Draw(t, "booked") {
		m.book(t, s, deliver, inventory.Account{
			Pledge: id, Revision: last.Revision + 1, Email: id[:1] + "@example.org", Status: pledge.Active,
			Counted: money.Cents(100 * quantity), Custom: money.Cents(quantity),
			Units: map[string]int{item: quantity}, Support: map[string]money.Cents{item: money.Cents(quantity)},
		}, h.ID)
	}
}

func (m *model) book(t *rapid.T, s *fixture, deliver func(func() error) error, a inventory.Account, hold string) {
	err := deliver(func() error { _, err := s.Book(ctx, "film", a, hold); return err })
	if err != nil {
		t.Fatal(err)
	}
	if _, known := m.accounts[a.Pledge]; !known {
		m.order = append(m.order, a.Pledge)
	}
	m.accounts[a.Pledge] = a
	delete(m.holds, hold)
}

func (m *model) compare(t *rapid.T, s *fixture) {
	got, err := s.Snapshot(ctx, "film")
	if err != nil {
		t.Fatal(err)
	}
	var counted, custom money.Cents
	statuses, support := map[pledge.Status]int{}, map[string]money.Cents{}
	for _, a := range m.accounts {
		counted, custom = counted+a.Counted, custom+a.Custom
		statuses[a.Status]++
		for item, c := range a.Support {
			support[item] += c
		}
	}
	if got.Totals.Counted != counted || got.Totals.Custom != custom || got.Totals.Listed != len(m.order) {
		t.Fatalf("totals %+v, want counted %d, custom %d, listed %d", got.Totals, counted, custom, len(m.order))
	}
	for _, status := range []pledge.Status{pledge.Active, pledge.Cancelled} {
		if got.Totals.Statuses[status] != statuses[status] {
			t.Fatalf("%s: %d, want %d", status, got.Totals.Statuses[status], statuses[status])
		}
	}
	for item, limit := range limits {
		stock := got.Stock[item]
		if diff := cmp.Diff(m.stock(item), stock); diff != "" || got.Support[item] != support[item] {
			t.Fatalf("%s: %s, support %d", item, diff, got.Support[item])
		}
		if stock.Held < 0 || stock.Committed < 0 || limit > 0 && stock.Committed+stock.Held > limit {
			t.Fatalf("%s: %+v of %d", item, stock, limit)
		}
	}
	listed, err := s.Listed(ctx, "film", 0, 100)
	if err != nil || len(listed) != len(m.order) {
		t.Fatalf("listed %v, %v", listed, err)
	}
	for i, id := range m.order {
		if listed[i] != id {
			t.Fatalf("listed %v, want %v", listed, m.order)
		}
	}
}
