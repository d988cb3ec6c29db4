package postgreskv

import (
	"sync"
	"testing"
	"testing/synctest"
)

// A batcher runs a limited number of batches at a time and starts the next when one is
// done, until nothing waits.
func TestBatcher_LimitsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, done, goOn := 0, 0, make(chan bool)
		count := func(runs, over int) {
			mu.Lock()
			defer mu.Unlock()
			running, done = running+runs, done+over
		}
		l := &batcher[int]{
			maxRunning: 2,
			pick: func(waiting []int) (batch, rest []int) {
				n := min(len(waiting), 1)
				return waiting[:n], waiting[n:]
			},
			release: func([]int) {},
			work: func([]int) {
				count(1, 0)
				<-goOn
				count(-1, 1)
			},
		}
		for n := range 5 {
			l.add(n)
		}
		for over := range 5 {
			synctest.Wait()
			if want := min(2, 5-over); running != want || done != over {
				t.Errorf("%d running and %d done, want %d and %d", running, done, want, over)
			}
			goOn <- true
		}
		synctest.Wait()
		if running != 0 || done != 5 {
			t.Errorf("%d running and %d done at the end", running, done)
		}
	})
}
