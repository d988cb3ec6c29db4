package inventory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// A delayed hold that arrives after its release or booking holds nothing.
func TestHold_ArrivesAfterRelease(t *testing.T) {
	ends := map[string]func(*fixture) error{
		"release": func(s *fixture) error { return s.Release(ctx, "film", "hold-a") },
		"release twice": func(s *fixture) error {
			if err := s.Release(ctx, "film", "hold-a"); err != nil {
				return err
			}
			return s.Release(ctx, "film", "hold-a")
		},
		"release before many others": func(s *fixture) error {
			for _, id := range []string{"hold-a", "hold-b", "hold-c", "hold-d"} {
				if err := s.Release(ctx, "film", id); err != nil {
					return err
				}
			}
			return nil
		},
		"booking": func(s *fixture) error {
			_, err := s.Book(ctx, "film", account("a", 1, 0), "hold-a")
			return err
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := newFixture()
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(kv.ReplyMemory - time.Minute)
			for range 2 {
				if err := s.Hold(ctx, "film", hold("a"), disc(2, 5)); !fault.Is(err, fault.Gone) {
					t.Errorf("late hold: %v", err)
				}
			}
			s.want(t, "tier/disc", 0, 0)
		})
	}
}

// A hold can be released even if the same ID was released before.
func TestRelease_Repeat(t *testing.T) {
	s := newFixture()
	if err := s.Release(ctx, "film", "hold-a"); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(kv.ReplyMemory + time.Hour)
	for i := range 5 { // until the marks have expired
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

// Expired marks of released holds are deleted faster than new ones are added.
func TestRelease_SweepsOldMarks(t *testing.T) {
	s := newFixture()
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

// Repeating a hold command after the hold's release returns the first reply and holds nothing.
func TestHold_RepeatAfterRelease(t *testing.T) {
	s := newFixture()
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
