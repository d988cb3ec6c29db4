package postgreskv

import (
	"sync"
	"testing"
	"testing/synctest"
)

// A line works at so many batches at a time and no more; when one is over, the next
// begins, until all that waited has had its turn.
func TestALineHasSoManyAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, done, goOn := 0, 0, make(chan bool)
		count := func(runs, over int) {
			mu.Lock()
			defer mu.Unlock()
			running, done = running+runs, done+over
		}
		l := &line[int]{
			most: 2,
			pick: func(waiting []int) (batch, rest []int) {
				n := min(len(waiting), 1)
				return waiting[:n], waiting[n:]
			},
			free: func([]int) {},
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
				t.Errorf("%d run and %d are done, want %d and %d", running, done, want, over)
			}
			goOn <- true
		}
		synctest.Wait()
		if running != 0 || done != 5 {
			t.Errorf("%d run and %d are done in the end", running, done)
		}
	})
}
