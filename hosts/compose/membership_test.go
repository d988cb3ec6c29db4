package compose_test

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// start returns the membership of one server.
func start(t *testing.T, db *memkv.DB, node, incarnation string) *compose.Membership {
	t.Helper()
	return compose.NewMembership(db.Coordinator(), node, incarnation, nil)
}

// newDB returns a database whose clock does not move.
func newDB() *memkv.DB {
	return memkv.New(memkv.Options{Now: func() time.Time { return time.Time{} }, Classes: compose.Classes()})
}

func heartbeat(t *testing.T, r *compose.Membership, want bool) {
	t.Helper()
	if got, err := r.Heartbeat(t.Context()); err != nil || got != want {
		t.Errorf("leader: %t, %v, want %t", got, err, want)
	}
}

func wantEnded(t *testing.T, r *compose.Membership, ended ...string) {
	t.Helper()
	if got := r.Holder().Ended; !slices.Equal(got, ended) {
		t.Errorf("ended incarnations = %v, want %v", got, ended)
	}
}

func TestMembership(t *testing.T) {
	db := newDB()
	a, b, c := start(t, db, "here", "a1"), start(t, db, "there", "b1"), start(t, db, "", "c1")
	for range 10 { // while it sends heartbeats, no other server takes over
		heartbeat(t, a, true)
		heartbeat(t, b, false)
		heartbeat(t, c, false)
	}

	a2 := start(t, db, "here", "a2") // the first server was killed and restarted
	heartbeat(t, a2, true)
	wantEnded(t, a2, "a1")

	heartbeat(t, b, false) // sees the new incarnation for the first time
	for range 3 {
		heartbeat(t, c, false)
		heartbeat(t, b, false)
	}
	heartbeat(t, b, true) // a2 sends no heartbeats
	wantEnded(t, b, "a1", "a2")

	for range 4 { // a member that is not the leader is removed, too
		heartbeat(t, b, true)
	}
	wantEnded(t, b, "a1", "a2", "c1")

	heartbeat(t, c, false) // it was only slow, and continues as a new incarnation
	if got := c.Holder().Incarnation; got == "c1" {
		t.Error("continued as an ended incarnation")
	}
	if err := b.Leave(t.Context()); err != nil { // stopping a server does not change the leader
		t.Fatal(err)
	}
	heartbeat(t, c, true)
	wantEnded(t, c, "a1", "a2", "c1", "b1")
	if err := a2.Leave(t.Context()); err != nil { // already removed
		t.Fatal(err)
	}
	heartbeat(t, c, true)
}

// A server that cannot reach the database remains the leader for as long as the others wait for it.
func TestMembership_StorageUnreachable(t *testing.T) {
	cut := false
	db := memkv.New(memkv.Options{Now: time.Now, Classes: compose.Classes(), Fail: func(memkv.Op) error {
		if cut {
			return fs.ErrClosed
		}
		return nil
	}})
	charges := &budget{wants: pace.Parts{psp.OpCharge: pace.Whole}}
	a := compose.NewMembership(db.Coordinator(), "", "a1", charges)
	heartbeat(t, a, true)
	cut = true
	led := 0
	for range 10 {
		leads, err := a.Heartbeat(t.Context())
		if err == nil {
			t.Error("no error was returned")
		}
		if leads {
			led++
		}
	}
	if led != 3 || len(charges.has) != 0 {
		t.Errorf("leader for %d heartbeats, shares = %v", led, charges.has)
	}
	cut = false
	heartbeat(t, a, true)
	if charges.has[psp.OpCharge] != pace.Whole {
		t.Errorf("shares after reconnecting = %v", charges.has)
	}
}

// A host without an incarnation is the only server.
func TestMembership_SingleServer(t *testing.T) {
	r := start(t, nil, "", "")
	heartbeat(t, r, true)
	if err := r.Leave(t.Context()); err != nil {
		t.Error(err)
	}
}

// budget is a server's demand and its granted share.
type budget struct{ wants, has pace.Parts }

func (b *budget) Wants() pace.Parts  { return maps.Clone(b.wants) }
func (b *budget) Grant(p pace.Parts) { b.has = p }

// The shares follow the demand: a server that settles gets nearly all of a limit and returns it
// when others need some. The granted shares never exceed the whole.
func TestMembership_Budget(t *testing.T) {
	db := newDB()
	const op = psp.OpCharge
	budgets := []*budget{{wants: pace.Parts{op: 0}}, {wants: pace.Parts{op: 0}}, {wants: pace.Parts{op: 0}}}
	members := make([]*compose.Membership, len(budgets))
	for i, name := range []string{"a", "b", "c"} {
		members[i] = compose.NewMembership(db.Coordinator(), name, name, budgets[i])
	}
	round := func(of ...int) {
		t.Helper()
		for _, i := range of {
			if _, err := members[i].Heartbeat(context.Background()); err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, b := range budgets {
				sum += b.has[op]
			}
			if sum > pace.Whole {
				t.Fatalf("granted %d thousandths", sum)
			}
		}
	}
	has := func(want ...int) {
		t.Helper()
		for i, w := range want {
			if got := budgets[i].has[op]; got != w {
				t.Errorf("server %d has %d, want %d", i, got, w)
			}
		}
	}
	round(0)
	has(1000)
	round(1, 2, 0, 1, 2, 0, 1, 2)
	has(333, 333, 333)
	budgets[1].wants[op] = 1000 // settles a campaign
	round(0, 1, 2, 0, 1, 2)
	has(0, 1000, 0)
	budgets[0].wants[op], budgets[2].wants[op] = 1000, 100
	round(0, 1, 2, 0, 1, 2, 0, 1, 2)
	has(450, 450, 100)
	budgets[0].has = nil // killed
	round(1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2)
	has(0, 900, 100)
}
