package kv_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// plain is a Store without Increment.
type plain struct{ kv.Store }

func TestSave_ReadBack(t *testing.T) {
	at, away := now, error(nil)
	s := memkv.New(memkv.Options{Now: func() time.Time {
		return at
	}, Fail: func(memkv.Op) error { return away }}).Store("")
	ctx := context.Background()
	if v, ok, err := kv.Read[deposit](ctx, s, "k"); ok || err != nil {
		t.Errorf("absent: %+v, %t, %v", v, ok, err)
	}
	if err := kv.Save(ctx, s, "k", deposit{Cents: 7}); err != nil {
		t.Fatal(err)
	}
	if v, ok, err := kv.Read[deposit](ctx, s, "k"); v.Cents != 7 || !ok || err != nil {
		t.Errorf("saved: %+v, %t, %v", v, ok, err)
	}
	if _, ok, err := kv.Read[int](ctx, s, "k"); ok || err == nil {
		t.Errorf("as another type: %t, %v", ok, err)
	}
	w, err := kv.Record("brief", 1, at.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(ctx, []kv.Write{w}); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Record("k", func() {}, time.Time{}); err == nil {
		t.Error("a function was recorded")
	}
	if err := kv.Save(ctx, s, "k", func() {}); err == nil {
		t.Error("a function was saved")
	}
	at = at.Add(time.Hour)
	if _, ok, _ := kv.Read[int](ctx, s, "brief"); ok {
		t.Error("an expired record was found")
	}
	if _, ok, _ := kv.Read[deposit](ctx, s, "k"); !ok {
		t.Error("a record without expiry is gone")
	}
	away = errors.New("away")
	if _, ok, err := kv.Read[deposit](ctx, s, "k"); ok || !errors.Is(err, away) {
		t.Errorf("unavailable store: %t, %v", ok, err)
	}
	if _, err := kv.Rewrite(ctx, s, "k", deposit{}, time.Time{}); !errors.Is(err, away) {
		t.Errorf("Rewrite did not return the read error: %v", err)
	}
	for _, err := range kv.All(ctx, s, "") {
		if !errors.Is(err, away) {
			t.Errorf("All on an unavailable store: %v", err)
		}
	}
}

// Increment returns the same counts with and without an Incrementer.
func TestIncrement(t *testing.T) {
	for name, own := range map[string]bool{"incrementer": true, "read and write": false} {
		t.Run(name, func(t *testing.T) {
			at, away := now, error(nil)
			var s kv.Store = memkv.New(memkv.Options{Now: func() time.Time { return at },
				Fail: func(memkv.Op) error { return away }}).Store("")
			if !own {
				s = plain{s}
			}
			type step struct {
				N    int
				Over bool
			}
			var got []step
			next := func(key string) error {
				c, over, err := kv.Increment(context.Background(), s, at, key, 2, at.Add(10*time.Second))
				got = append(got, step{c.N, over})
				return err
			}
			for range 4 {
				if err := next("k"); err != nil {
					t.Fatal(err)
				}
			}
			at = at.Add(10 * time.Second) // before the Store deletes the expired key
			if err := next("k"); err != nil {
				t.Fatal(err)
			}
			if err := next(""); !fault.Is(err, fault.Invalid) {
				t.Errorf("without a key: %v", err)
			}
			away = errors.New("away")
			if err := next("k"); !errors.Is(err, away) {
				t.Errorf("unavailable store: %v", err)
			}
			want := []step{{1, false}, {2, false}, {2, true}, {2, true}, {1, false}, {}, {}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A counter's key does not expire before its window ends.
func TestCountRecord_OutlivesWindow(t *testing.T) {
	for _, life := range []time.Duration{time.Second, time.Hour} {
		w, err := kv.Count{N: 1, Reset: now.Add(life)}.Record("k", now)
		if err != nil || kv.CheckBatch([]kv.Write{w}, now.Add(kv.MinLifetime)) != nil && life == time.Hour ||
			w.Expires.Before(now.Add(life)) ||
			kv.CheckBatch([]kv.Write{w}, now.Add(time.Second)) != nil {
			t.Errorf("window of %s: stored until %s, %v", life, w.Expires, err)
		}
	}
}
