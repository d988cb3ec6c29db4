package inventory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// A hold that was on its way for long arrives after what ended it.
func TestAHoldThatArrivesAfterItsEndKeepsNothing(t *testing.T) {
	ends := map[string]func(*stand) error{
		"release": func(s *stand) error { return s.Release(ctx, "film", "hold-a") },
		"release twice": func(s *stand) error {
			if err := s.Release(ctx, "film", "hold-a"); err != nil {
				return err
			}
			return s.Release(ctx, "film", "hold-a")
		},
		"release before many others": func(s *stand) error {
			for _, id := range []string{"hold-a", "hold-b", "hold-c", "hold-d"} {
				if err := s.Release(ctx, "film", id); err != nil {
					return err
				}
			}
			return nil
		},
		"booking": func(s *stand) error {
			_, err := s.Book(ctx, "film", account("a", 1, 0), "hold-a")
			return err
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := newStand()
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(kv.ReplyMemory - time.Minute)
			for range 2 {
				if err := s.Hold(ctx, "film", hold("a"), disc(2, 5)); !fault.Is(err, fault.Gone) {
					t.Errorf("the late hold: %v", err)
				}
			}
			s.want(t, "tier/disc", 0, 0)
		})
	}
}

// Whatever is held can be released, also where the same was released before.
func TestAReleaseIsCarriedOutEveryTime(t *testing.T) {
	s := newStand()
	if err := s.Release(ctx, "film", "hold-a"); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(kv.ReplyMemory + time.Hour)
	for i := range 5 { // what was marked is forgotten by now
		if err := s.Release(ctx, "film", fmt.Sprint("hold-other-", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Hold(ctx, "film", hold("a"), disc(2, 5)); err != nil {
		t.Fatal(err)
	}
	s.want(t, "tier/disc", 0, 2)
	if err := s.Release(ctx, "film", "hold-a"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "tier/disc", 0, 0)
}

// What was released before it came is remembered for a time, and forgotten faster
// than more of it comes.
func TestOldReleasesAreForgotten(t *testing.T) {
	s := newStand()
	release := func(id string) {
		t.Helper()
		if err := s.Release(ctx, "film", "hold-"+id); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		release(fmt.Sprint("old-", i))
	}
	s.now = s.now.Add(kv.ReplyMemory + time.Hour)
	release("new-0")
	release("new-1")
	for i := range 8 {
		if err := s.Hold(ctx, "film", hold(fmt.Sprint("old-", i)), disc(1, 8)); err != nil {
			t.Error(err)
		}
	}
	s.want(t, "tier/disc", 0, 8)
}

// A repeat of a hold that was carried out and released holds nothing, and says
// what it said the first time.
func TestARepeatedHoldAfterItsReleaseHoldsNothing(t *testing.T) {
	s := newStand()
	for range 2 {
		if err := s.Hold(ctx, "film", hold("a"), disc(2, 5)); err != nil {
			t.Fatal(err)
		}
		if err := s.Release(ctx, "film", "hold-a"); err != nil {
			t.Fatal(err)
		}
	}
	s.want(t, "tier/disc", 0, 0)
	var stock inventory.Stock
	if got := s.snapshot(t, "film").Stock["tier/disc"]; got != stock {
		t.Errorf("stock %+v", got)
	}
}
