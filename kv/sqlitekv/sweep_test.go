package sqlitekv_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestSweep_DeletesExpiredRows(t *testing.T) {
	clock := newClock()
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), clock.Now)
	for round := range 20 {
		for i := range 50 {
			w := kv.PutUntil(fmt.Sprintf("k/%d/%d", round, i), nil, clock.Now().Add(5*time.Minute))
			if err := db.Store("").Apply(ctx, []kv.Write{w}); err != nil {
				t.Fatal(err)
			}
		}
		clock.Advance(6 * time.Minute)
	}
	if n, err := db.Rows("store"); err != nil || n > 100 {
		t.Errorf("%d of 1000 expired rows remain (%v)", n, err)
	}
}

// A sweep runs after 100 ms or 1024 writes since the last one, and removes up to four
// expired keys per write.
func TestSweep_IsBounded(t *testing.T) {
	clock := newClock()
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), clock.Now)
	s, left := db.Store(""), 100
	var batch []kv.Write
	for i := range left {
		batch = append(batch, kv.PutUntil(fmt.Sprint(i), nil, clock.Now().Add(5*time.Minute)))
	}
	if err := s.Apply(ctx, batch); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		passes        time.Duration
		writes, swept int
	}{
		{time.Hour, 1, 4},
		{100*time.Millisecond - 1, 1, 0},
		{1, 1, 8},
		{0, 1023, 0},
		{0, 1, 88},
	} {
		clock.Advance(step.passes)
		var all sync.WaitGroup
		for range step.writes {
			all.Go(func() {
				if err := s.Apply(ctx, []kv.Write{kv.Delete("absent")}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		left -= step.swept
		if n, err := db.Rows("store"); n != int64(left) || err != nil {
			t.Fatalf("%d writes after %s left %d rows, %v, want %d", step.writes, step.passes, n, err, left)
		}
	}
}

// While MaySweep returns false, expired rows stay in the file but are not visible.
func TestSweep_Forbidden(t *testing.T) {
	clock, may := newClock(), atomic.Bool{}
	db, err := sqlitekv.Open(ctx, filepath.Join(t.TempDir(), "kv.db"),
		sqlitekv.Options{Now: clock.Now, MaySweep: may.Load})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.Store("")
	if err := s.Apply(ctx, []kv.Write{kv.PutUntil("k", nil, clock.Now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Hour)
	for _, want := range []int64{1, 0} {
		if err := s.Apply(ctx, []kv.Write{kv.Delete("absent")}); err != nil {
			t.Fatal(err)
		}
		if n, err := db.Rows("store"); n != want || err != nil {
			t.Errorf("%d rows, %v, want %d", n, err, want)
		}
		if _, err := s.Get(ctx, "k"); !fault.Is(err, fault.NotFound) {
			t.Errorf("an expired record was read: %v", err)
		}
		may.Store(true)
		clock.Advance(time.Second)
	}
}
