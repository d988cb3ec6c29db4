package kv

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Keys of this package share an object's state with those of its behaviour.
const (
	reserved     = "~"
	lastReserved = "~\U0010ffff"
)

// own is an object's state as its behaviour sees it: without the keys of this
// package. It keeps the first failure of the host, so that a behaviour can
// neither swallow one nor have it taken for a refusal.
type own struct {
	base   Tx
	failed error
}

func (s *own) note(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *own) Get(key string) ([]byte, error) {
	if checkOwn(key) != nil {
		return nil, nil // what can't be written is absent
	}
	v, err := s.base.Get(key)
	return v, s.note(err)
}

func (s *own) Put(key string, value []byte) error { return s.note(s.base.Put(key, value)) }
func (s *own) Delete(key string) error            { return s.note(s.base.Delete(key)) }

func (s *own) List(prefix, after string, limit int) ([]Entry, error) {
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

// settle replaces a behaviour's outcome by the failure it met, if any.
func (s *own) settle(r Reply, err error) (Reply, error) {
	if s.failed != nil {
		return Reply{}, fmt.Errorf("kv: the object's state: %w", s.failed)
	}
	return r, err
}

func checkOwn(key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if strings.HasPrefix(key, reserved) {
		return fault.New(fault.Invalid, "a key beginning with %q belongs to package kv", reserved)
	}
	return nil
}

var errQueryWrites = errors.New("a query cannot write")

// readOnly is the state as a query sees it.
type readOnly struct{ *own }

func (s readOnly) Put(string, []byte) error { return s.note(errQueryWrites) }
func (s readOnly) Delete(string) error      { return s.note(errQueryWrites) }
