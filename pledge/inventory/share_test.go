package inventory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

func heldBy(holder, id string) inventory.Hold {
	h := hold(id)
	h.Holder = holder
	return h
}

// A holder can hold a share of a limited item, in any number of holds, and other holders have
// their own shares. A supporter with a saved card is not limited.
func TestTakeShare_Holder(t *testing.T) {
	for _, tc := range []struct{ limit, share int }{
		{1, 1}, {2, 1}, {3, 1}, {4, 2}, {7, 3}, {8, 4}, {40, 4}, {50, 5}, {1000, 100},
	} {
		t.Run(fmt.Sprint(tc.limit), func(t *testing.T) {
			s := newFixture()
			for i := range tc.share {
				if err := s.Hold(ctx, "film", heldBy("n1", fmt.Sprintf("a%d", i)), disc(1, tc.limit)); err != nil {
					t.Fatalf("unit %d: %v", i+1, err)
				}
			}
			if tc.limit > tc.share {
				wantBusy(t, s.Hold(ctx, "film", heldBy("n1", "more"), disc(1, tc.limit)), 0)
				if err := s.Hold(ctx, "film", heldBy("n2", "other"), disc(1, tc.limit)); err != nil {
					t.Errorf("another holder: %v", err)
				}
				if err := s.Release(ctx, "film", "hold-other"); err != nil {
					t.Fatal(err)
				}
			}
			if tc.limit > 2*tc.share {
				wantBusy(t, s.Hold(ctx, "film", heldBy("n2", "all"), disc(tc.share+1, tc.limit)), tc.share)
			}
			if rest := tc.limit - tc.share; rest > 0 {
				if err := s.Hold(ctx, "film", hold("card"), disc(rest, tc.limit)); err != nil {
					t.Errorf("with a card: %v", err)
				}
			}
			if got := s.snapshot(t, "film").Stock["tier/disc"].Held; got != tc.limit {
				t.Errorf("%d held", got)
			}
		})
	}
}

// The holders of a network together have a larger share. Releasing a holder's units also releases
// them from the network's share.
func TestTakeShare_Network(t *testing.T) {
	for _, tc := range []struct{ limit, share int }{
		{1, 1}, {2, 1}, {3, 2}, {5, 3}, {9, 5}, {60, 24}, {200, 80},
	} {
		t.Run(fmt.Sprint(tc.limit), func(t *testing.T) {
			s := newFixture()
			take := func(n int, network string) error {
				h := heldBy(fmt.Sprintf("%s-%d", network, n), fmt.Sprintf("%s-%d", network, n))
				h.Network = network
				return s.Hold(ctx, "film", h, disc(1, tc.limit))
			}
			for n := range tc.share {
				if err := take(n, "wide"); err != nil {
					t.Fatalf("unit %d: %v", n+1, err)
				}
			}
			if tc.limit == tc.share {
				return
			}
			wantBusy(t, take(tc.share, "wide"), 0)
			if err := take(0, "other"); err != nil {
				t.Errorf("another network: %v", err)
			}
			if err := s.Release(ctx, "film", "hold-wide-0"); err != nil {
				t.Fatal(err)
			}
			if err := take(tc.share+1, "wide"); err != nil {
				t.Errorf("hold after one unit was released: %v", err)
			}
		})
	}
}

func wantBusy(t *testing.T, err error, remaining int) {
	t.Helper()
	f := fault.Of(err)
	if f == nil || f.Code != fault.Busy || f.Field != "items[0].quantity" || f.Remaining == nil ||
		*f.Remaining != remaining {
		t.Errorf("refused with %#v", f)
	}
}

// Units no longer count toward a share after they are released or booked.
func TestReleaseShare_FreesUnits(t *testing.T) {
	s := newFixture()
	take := func(id string, units int) error {
		return s.Hold(ctx, "film", heldBy("n1", id), disc(units, 40))
	}
	for _, id := range []string{"a", "b"} {
		if err := take(id, 2); err != nil {
			t.Fatal(err)
		}
	}
	wantBusy(t, take("c", 1), 0)
	if err := s.Release(ctx, "film", "hold-a"); err != nil {
		t.Fatal(err)
	}
	wantBusy(t, take("d", 3), 2)
	if _, err := s.Book(ctx, "film", account("b", 1, 2), "hold-b"); err != nil {
		t.Fatal(err)
	}
	if err := take("e", 4); err != nil {
		t.Errorf("hold after all units were released: %v", err)
	}
	if err := take("f", 0); err != nil {
		t.Errorf("zero units: %v", err)
	}
}

// The error mentions the saved card or, if others in the network hold units, their number.
func TestTakeShare_RefusalMessages(t *testing.T) {
	s := newFixture()
	if err := s.Hold(ctx, "film", heldBy("n1", "a"), disc(3, 40)); err != nil {
		t.Fatal(err)
	}
	for holder, want := range map[string]string{
		"n1": "At most 4 of Disc can be reserved at a time from your network, and 3 are reserved: try again in a few minutes",
		"n2": "At most 4 of Disc can be reserved at a time without a saved card",
	} {
		f := fault.Of(s.Hold(ctx, "film", heldBy(holder, "of-"+holder), disc(5, 40)))
		if f == nil || f.Message != want {
			t.Errorf("%s: %+v", holder, f)
		}
	}
}

func TestTakeShare_UnlimitedItem(t *testing.T) {
	s := newFixture()
	if err := s.Hold(ctx, "film", heldBy("n1", "a"), disc(500, 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(ctx, "film", "hold-a"); err != nil {
		t.Fatal(err)
	}
}

// Extend never makes a hold due earlier, in any order of calls.
func TestExtend_OnlyPostpones(t *testing.T) {
	s := newFixture()
	if err := s.Hold(ctx, "film", hold("a"), disc(1, 7)); err != nil {
		t.Fatal(err)
	}
	for _, due := range []time.Duration{3 * time.Hour, 2 * time.Hour} {
		if exists, err := s.Extend(ctx, "film", "hold-a", start.Add(due)); err != nil || !exists {
			t.Fatalf("%t, %v", exists, err)
		}
	}
	if got, err := s.Due(ctx, "film", start.Add(150*time.Minute), 10); err != nil || len(got) != 0 {
		t.Errorf("not due yet: %+v, %v", got, err)
	}
	if got, err := s.Due(ctx, "film", start.Add(4*time.Hour), 10); err != nil || len(got) != 1 {
		t.Errorf("due: %+v, %v", got, err)
	}
}
