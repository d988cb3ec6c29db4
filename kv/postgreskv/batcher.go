package postgreskv

import "sync"

// batcher collects work into batches: items that arrive while the maximum number of batches runs go
// into a later one.
type batcher[T any] struct {
	maxRunning int // concurrent batches
	// pick chooses a batch from the waiting items, and release is called when it is done.
	// Both are called with mu held.
	pick    func(waiting []T) (batch, rest []T)
	release func(batch []T)
	work    func(batch []T)

	mu      sync.Mutex
	waiting []T
	running int
}

func (l *batcher[T]) add(t T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, t)
	l.start()
}

func (l *batcher[T]) start() {
	for l.running < l.maxRunning && len(l.waiting) > 0 {
		batch, rest := l.pick(l.waiting)
		if len(batch) == 0 {
			return
		}
		l.waiting = rest
		l.running++
		go l.carryOut(batch)
	}
}

func (l *batcher[T]) carryOut(batch []T) {
	l.work(batch)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(batch)
	l.running--
	l.start()
}
