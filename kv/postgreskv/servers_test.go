package postgreskv_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
)

// take takes a unit of the stock, once per identity.
type take struct {
	Limit int `json:"limit"`
}

func (take) Kind() string { return "take" }

// count returns how many were taken.
type count struct{}

func (count) Kind() string { return "count" }

func stock() *kv.Class {
	c := kv.NewClass("stock")
	kv.On(c, func(tx kv.Tx, _ time.Time, cmd take) (int, error) {
		n, _, err := kv.Load[int](tx, "n")
		if err != nil || n >= cmd.Limit {
			return n, err
		}
		return n + 1, kv.PutValue(tx, "n", n+1)
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, _ count) (int, error) {
		back, _, err := kv.Load[int](tx, "back") // the first read returns the version, the next one may be cached
		if err != nil {
			return 0, err
		}
		n, _, err := kv.Load[int](tx, "n")
		return n - back, err
	})
	return c
}

func number(t testing.TB, r kv.Reply) int {
	t.Helper()
	var n int
	if err := json.Unmarshal(r.Body, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Two servers use one database with a contended object and many others. Every answer is
// counted once, no matter which server ran it.
func TestDo_TwoServers(t *testing.T) {
	url := cluster.Database(t)
	servers := []*postgreskv.DB{open(t, url, time.Now, stock()), open(t, url, time.Now, stock())}
	const clients, each = 16, 25
	seen := sync.Map{}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			co := servers[c%2].Coordinator()
			for i := range each {
				id := fmt.Sprintf("%d-%d", c, i)
				r, err := co.Do(context.Background(), kv.Object{Class: "stock", Name: "hot"},
					kv.Envelope{ID: id, Kind: "take", Body: json.RawMessage(`{"limit":1000000}`)})
				if err != nil {
					t.Error(err)
					continue
				}
				if other, twice := seen.LoadOrStore(number(t, r), id); twice {
					t.Errorf("%s and %s got the same unit", other, id)
				}
				if _, err := co.Do(context.Background(), kv.Object{Class: "stock", Name: "cold" + id},
					kv.Envelope{ID: id, Kind: "take", Body: json.RawMessage(`{"limit":1}`)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i, s := range servers {
		r, err := s.Coordinator().Do(t.Context(), kv.Object{Class: "stock", Name: "hot"},
			kv.Envelope{Kind: "count", Body: json.RawMessage(`{}`)})
		if err != nil || number(t, r) != clients*each {
			t.Errorf("server %d counts %s, %v, want %d", i, r.Body, err, clients*each)
		}
	}
}

// Batches that write the same keys in different order do not deadlock.
func TestApply_OverlappingBatches(t *testing.T) {
	url := cluster.Database(t)
	a, b := open(t, url, time.Now).Store("S"), open(t, url, time.Now).Store("S")
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 30 {
				batch := []kv.Write{kv.Put("x", []byte{1}), kv.Put("y", []byte{2}), kv.Delete("z"), kv.Put("x", []byte{byte(i)})}
				store := a
				if n%2 == 0 {
					store = b
					batch[0], batch[1] = batch[1], batch[0]
				}
				if err := store.Apply(context.Background(), batch); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if v, err := a.Get(t.Context(), "x"); err != nil || v[0] != 29 {
		t.Errorf("%v, %v", v, err)
	}
}

// The database is killed repeatedly under load. A command that its client repeats is
// counted once.
func TestDo_DatabaseCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	cluster.Shared(t) // skips the test without PostgreSQL
	c, err := cluster.New()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Remove()
	db := open(t, c.Database(t), time.Now, stock())
	hot := kv.Object{Class: "stock", Name: "hot"}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var wg sync.WaitGroup
	answered := make([]int, 8)
	repeats := make([]int, 8)
	for n := range answered {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				cmd := kv.Envelope{ID: fmt.Sprintf("%d-%d", n, i), Kind: "take", Body: json.RawMessage(`{"limit":1000000}`)}
				_, err := db.Coordinator().Do(context.Background(), hot, cmd)
				for err != nil {
					repeats[n]++
					_, err = db.Coordinator().Do(context.Background(), hot, cmd)
				}
				answered[n]++
			}
		})
	}
	sum := func(of []int) (all int) {
		for _, v := range of {
			all += v
		}
		return all
	}
	for range 4 {
		before := counted(t, db, hot)
		for counted(t, db, hot) < before+50 { // waits for load, not for a time
		}
		c.Kill()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	wg.Wait()
	if got := counted(t, db, hot); got != sum(answered) {
		t.Errorf("counted %d, answered %d", got, sum(answered))
	}
	t.Logf("4 crashes, %d commands, %d repeated by their client", sum(answered), sum(repeats))
}

func counted(t testing.TB, db *postgreskv.DB, of kv.Object) int {
	t.Helper()
	for {
		r, err := db.Coordinator().Do(context.Background(), of, kv.Envelope{Kind: "count", Body: json.RawMessage(`{}`)})
		if err == nil {
			return number(t, r)
		}
	}
}

// Servers that start at once create the tables once. A newer or unreachable database is
// refused.
func TestOpen_Migrates(t *testing.T) {
	url := cluster.Database(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := postgreskv.Open(context.Background(), url, postgreskv.Options{Now: time.Now, Connections: 2})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "INSERT INTO migration VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		url, want string
		now       func() time.Time
	}{
		"newer":    {url, "newer schema", time.Now},
		"no clock": {url, "Now is required", nil},
		"no URL":   {"post gres://user:hush@", "invalid database URL", time.Now},
		"nowhere":  {"postgres://user:hush@127.0.0.1:1/db", "postgreskv", time.Now},
	} {
		db, err := postgreskv.Open(t.Context(), tt.url, postgreskv.Options{Now: tt.now})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = db.Close()
		}
	}
}

// Expired rows are deleted in steps; with MaySweep false, none are.
func TestSweep(t *testing.T) {
	url, c := cluster.Database(t), newClock()
	may := false
	db, err := postgreskv.Open(t.Context(), url, postgreskv.Options{Now: c.Now, MaySweep: func() bool { return may }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.Store("S")
	var batch []kv.Write
	for i := range 1200 {
		batch = append(batch, kv.PutUntil(fmt.Sprintf("old%d", i), []byte("x"), c.Now().Add(time.Hour)))
	}
	batch = append(batch, kv.Put("lasting", nil), kv.PutUntil("young", nil, c.Now().Add(3*time.Hour)))
	if err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	c.Advance(2 * time.Hour)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1202, 2} {
		if err := db.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var rows int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM store").Scan(&rows); err != nil || rows != want {
			t.Errorf("%d rows are left, %v, want %d", rows, err, want)
		}
		may = true
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
