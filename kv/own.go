package kv

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Keys with this prefix are stored in an object's state but hidden from its handlers.
const (
	reserved     = "~"
	lastReserved = "~\U0010ffff"
)

// visibleState is an object's state without the reserved keys. It records the first
// storage error, so that a handler cannot ignore it or turn it into a refusal.
type visibleState struct {
	base   Tx
	failed error
}

func (s *visibleState) note(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *visibleState) Get(key string) ([]byte, error) {
	if checkOwn(key) != nil {
		return nil, nil //nolint:nilerr // reserved and invalid keys are always absent
	}
	v, err := s.base.Get(key)
	return v, s.note(err)
}

func (s *visibleState) View(key string) ([]byte, error) {
	if checkOwn(key) != nil {
		return nil, nil //nolint:nilerr // see Get
	}
	v, err := view(s.base, key)
	return v, s.note(err)
}

func (s *visibleState) Put(key string, value []byte) error { return s.note(s.base.Put(key, value)) }
func (s *visibleState) Delete(key string) error            { return s.note(s.base.Delete(key)) }

func (s *visibleState) List(prefix, after string, limit int) ([]Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	found, err := s.base.List(prefix, after, limit)
	if err != nil {
		return nil, s.note(err)
	}
	i := slices.IndexFunc(found, func(e Entry) bool { return strings.HasPrefix(e.Key, reserved) })
	if i < 0 {
		return found, nil
	}
	rest, err := s.base.List(prefix, lastReserved, limit-i)
	if err != nil {
		return nil, s.note(err)
	}
	return append(found[:i], rest...), nil
}

// settle returns the recorded storage error or, if there is none, the handler's result.
func (s *visibleState) settle(r Reply, err error) (Reply, error) {
	if s.failed != nil {
		return Reply{}, fmt.Errorf("kv: accessing the object's state: %w", s.failed)
	}
	return r, err
}

func checkOwn(key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if strings.HasPrefix(key, reserved) {
		return fault.New(fault.Invalid, "keys beginning with %q are reserved", reserved)
	}
	return nil
}

var errQueryWrites = errors.New("a query cannot write")

// readOnly is the state passed to a query.
type readOnly struct{ *visibleState }

func (s readOnly) Put(string, []byte) error { return s.note(errQueryWrites) }
func (s readOnly) Delete(string) error      { return s.note(errQueryWrites) }
