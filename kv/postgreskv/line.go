package postgreskv

import "sync"

// line is where work waits to be carried out together: whatever has come while some
// was under way makes the next batch.
type line[T any] struct {
	most int // batches at a time
	// pick chooses a batch from what waits, and free says that one is over; both are
	// called under the line's lock.
	pick func(waiting []T) (batch, rest []T)
	free func(batch []T)
	work func(batch []T)

	mu      sync.Mutex
	waiting []T
	running int
}

func (l *line[T]) add(t T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, t)
	l.start()
}

func (l *line[T]) start() {
	for l.running < l.most && len(l.waiting) > 0 {
		batch, rest := l.pick(l.waiting)
		if len(batch) == 0 {
			return
		}
		l.waiting = rest
		l.running++
		go l.carryOut(batch)
	}
}

func (l *line[T]) carryOut(batch []T) {
	l.work(batch)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(batch)
	l.running--
	l.start()
}
