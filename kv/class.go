package kv

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Tx is the state of one object while a command runs. Keys and values have the limits of a Store.
// Keys that begin with "~" are reserved for this package; a command handler cannot read or write
// them. If the state cannot be read or written, the command fails with that error even if the
// handler ignores it: a storage failure is never reported as a refusal.
type Tx interface {
	// Get returns the value, or nil if the key is absent. The caller owns it.
	Get(key string) ([]byte, error)
	Put(key string, value []byte) error
	Delete(key string) error
	// List returns at most limit entries that have the prefix and a key greater than after,
	// in byte order. If limit is below 1, it returns none.
	List(prefix, after string, limit int) ([]Entry, error)
}

// Class defines the commands of one kind of object: pure functions from the object's
// state, a command and the time to a new state and an answer. Handlers do no I/O and
// don't depend on the host, so the same handler runs under a row lock, inside a Durable
// Object, and in a test with a map.
type Class struct {
	name     string
	commands map[string]handler
}

type handler struct {
	run  func(tx Tx, now time.Time, body json.RawMessage) (any, error)
	mode mode
}

// mode determines what Dispatch stores in addition to a command's writes.
type mode int

const (
	lasting    mode = iota // stores the reply under the command's identity
	repeatable             // stores nothing: the handler detects repeats by the state
	query                  // stores nothing and cannot write
)

// NewClass returns a class without commands.
func NewClass(name string) *Class {
	return &Class{name: name, commands: map[string]handler{}}
}

// Name returns the class's name, as used in Object.Class.
func (c *Class) Name() string { return c.name }

// On registers the handler of a command. fn's result is returned as JSON; a
// json.RawMessage is returned unchanged. If fn returns a *fault.Error, the command is
// refused: the state does not change and the refusal is the reply. Any other error aborts
// the command: nothing is stored, not even the reply, and the caller can send it again.
func On[C Command, R any](c *Class, fn func(tx Tx, now time.Time, cmd C) (R, error)) {
	register(c, fn, lasting)
}

// OnRepeatable registers a command whose handler detects repeats by the object's state: if it
// is delivered again, immediately or after other commands, it changes nothing and answers from
// the current state. Its reply is not stored, which saves two keys per command, and a refusal
// ends when its reason does.
func OnRepeatable[C Command, R any](c *Class, fn func(tx Tx, now time.Time, cmd C) (R, error)) {
	register(c, fn, repeatable)
}

// OnQuery registers a query. fn can read but not write.
func OnQuery[C Command, R any](c *Class, fn func(tx Tx, now time.Time, cmd C) (R, error)) {
	register(c, fn, query)
}

func register[C Command, R any](c *Class, fn func(Tx, time.Time, C) (R, error), m mode) {
	var zero C
	kind := zero.Kind()
	if _, taken := c.commands[kind]; taken {
		panic(fmt.Sprintf("kv: class %s registers command %q twice", c.name, kind))
	}
	c.commands[kind] = handler{mode: m, run: func(tx Tx, now time.Time, body json.RawMessage) (any, error) {
		var cmd C
		if err := json.Unmarshal(body, &cmd); err != nil {
			return nil, fmt.Errorf("kv: decoding command %q: %w", kind, err)
		}
		return fn(tx, now, cmd)
	}}
}

// IsQuery reports whether commands of the kind only read. Hosts can run them without a write
// transaction.
func (c *Class) IsQuery(kind string) bool { return c.commands[kind].mode == query }

// Dispatch runs one command. Hosts call it in a transaction on the object's state,
// commit if the error is nil, and roll back otherwise. See the package comment for the
// steps.
func (c *Class) Dispatch(tx Tx, now time.Time, cmd Envelope) (Reply, error) {
	if cmd.Kind == (forget{}).Kind() {
		n, err := replies{tx}.sweep(now.Add(-ReplyMemory), forgetAtOnce)
		if err != nil {
			return Reply{}, err // a storage error, not a refusal
		}
		return answer(n, nil)
	}
	h, ok := c.commands[cmd.Kind]
	if !ok {
		return Reply{}, fmt.Errorf("kv: class %s has no command %q", c.name, cmd.Kind)
	}
	state := &visibleState{base: tx}
	if h.mode == query {
		return state.settle(answer(h.run(readOnly{state}, now, cmd.Body)))
	}
	if cmd.ID == "" || len(cmd.ID) > maxIdentity || !validText(cmd.ID) {
		return Reply{}, fmt.Errorf("kv: the ID of command %q must be 1 to %d bytes of valid UTF-8 without NUL; it has %d bytes",
			cmd.Kind, maxIdentity, len(cmd.ID))
	}
	memory := replies{tx}
	if h.mode == lasting {
		if reply, ok, err := memory.find(cmd); ok || err != nil {
			return reply, err
		}
	}
	draft := newOverlay(state)
	reply, err := state.settle(answer(h.run(draft, now, cmd.Body)))
	if err != nil {
		return Reply{}, err
	}
	if reply.Refused == nil {
		if err := draft.flush(); err != nil {
			return Reply{}, err
		}
	}
	if h.mode == repeatable {
		return reply, nil
	}
	return reply, memory.save(cmd, reply, now)
}

func answer(out any, err error) (Reply, error) {
	if refused := fault.Of(err); refused != nil {
		return Reply{Refused: refused}, nil //nolint:nilerr // the reply has the fault
	}
	if err != nil {
		return Reply{}, err
	}
	if text, ok := out.(json.RawMessage); ok && text != nil {
		return Reply{Body: text}, nil
	}
	body, err := json.Marshal(out)
	if err != nil {
		return Reply{}, fmt.Errorf("kv: encoding a reply: %w", err)
	}
	return Reply{Body: body}, nil
}

// Load decodes the JSON record under key; ok is false if it is absent.
func Load[T any](tx Tx, key string) (v T, ok bool, err error) {
	b, err := view(tx, key)
	if err != nil || b == nil {
		return v, false, err
	}
	v, err = Decode[T](key, b)
	return v, err == nil, err
}

// PutValue stores v as JSON under key. Members of the stored record that this program does
// not know are preserved.
func PutValue(tx Tx, key string, v any) error {
	_, err := PutText(tx, key, v)
	return err
}

// PutText is like PutValue and also returns the stored JSON, for handlers that reply with the
// record. The caller must not change it.
func PutText(tx Tx, key string, v any) (json.RawMessage, error) {
	b, err := rewritten(key, v, func() ([]byte, error) { return view(tx, key) })
	if err != nil {
		return nil, err
	}
	if o, ok := tx.(*overlay); ok {
		return b, o.set(key, b)
	}
	return b, tx.Put(key, b)
}
