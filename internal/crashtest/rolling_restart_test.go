package crashtest

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

// Servers are restarted one after the other while people start pledges, without
// failed requests: each server first reports that it is not ready, and finishes
// its requests.
func TestRollingRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real programs for a while")
	}
	w := newFixture(t, launchServer(t),
		map[string]string{"DATABASE_URL": cluster.Database(t), "DRAIN_TIMEOUT_SECONDS": "1"}, 0, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()

	// As in a proxy, servers that are not ready get no requests.
	ready := make([]atomic.Bool, len(w.fleet.servers))
	done := make(chan struct{})
	var all sync.WaitGroup
	for i, s := range w.fleet.servers {
		ready[i].Store(true)
		all.Go(func() {
			for waitOrDone(done, 50*time.Millisecond) {
				ready[i].Store(s.ready())
			}
		})
	}
	var answered atomic.Int64
	for person := range workers {
		all.Go(func() {
			for n := person; waitOrDone(done, 5*time.Millisecond); n++ {
				i := n % len(ready)
				if !ready[i].Load() {
					continue
				}
				cart := map[string]any{"campaignSlug": "film", "email": fmt.Sprintf("p%d@example.org", n),
					"items": []any{map[string]any{"id": "film__seat"}}}
				status, err := w.fleet.servers[i].once("POST", "/checkout-intent/start", nil, cart, nil)
				if status != http.StatusOK {
					t.Errorf("client got %d, %v", status, err)
				}
				answered.Add(1)
			}
		})
	}
	for range 2 {
		for i, s := range w.fleet.servers {
			if err := s.stop(); err != nil {
				t.Errorf("stopping the server: %v", err)
			}
			s.start()
			for !ready[i].Load() && !t.Failed() {
				time.Sleep(time.Millisecond)
			}
		}
	}
	close(done)
	all.Wait()
	t.Logf("%d requests over four restarts", answered.Load())
}

// waitOrDone waits for pause and returns true, or returns false as soon as done is closed.
func waitOrDone(done <-chan struct{}, pause time.Duration) bool {
	select {
	case <-done:
		return false
	case <-time.After(pause):
		return true
	}
}
