package checkout_test

import (
	"errors"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

var errCut = errors.New("simulated power failure")

// cutAt lets n effects succeed and simulates a power failure at the next one: before the effect, or
// after it and before its response. All later effects fail until restore. cut reports whether the
// failure has occurred.
func (w *fixture) cutAt(n int) (cut func() bool) {
	count, off := 0, false
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = func(op memkv.Op) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if off {
			return errCut
		}
		if op.Kind == memkv.OpGet || op.Kind == memkv.OpList || op.Kind == memkv.OpQuery {
			return nil
		}
		if count == n {
			off = true
			return errCut
		}
		count++
		return nil
	}
	return func() bool { w.mu.Lock(); defer w.mu.Unlock(); return off }
}

// loseAnswer loses the response to the command after the first n. lost reports whether that has
// happened.
func (w *fixture) loseAnswer(n int) (lost func() bool) {
	count, done := 0, false
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = func(op memkv.Op) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if op.Kind != memkv.OpDo || !op.After {
			return nil
		}
		count++
		if count-1 == n {
			done = true
			return errCut
		}
		return nil
	}
	return func() bool { w.mu.Lock(); defer w.mu.Unlock(); return done }
}

// before runs fn before the next command of the kind.
func (w *fixture) before(kind string, fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := false
	w.fail = func(op memkv.Op) error {
		if !done && !op.After && op.Kind == memkv.OpDo && op.Command.Kind == kind {
			done = true
			fn()
		}
		return nil
	}
}

// restore ends the power failure and starts a new process.
func (w *fixture) restore() {
	w.mu.Lock()
	w.fail = nil
	w.mu.Unlock()
	w.restart()
}
