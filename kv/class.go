package kv

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Tx is the state of one object while a command runs. Keys and values follow
// the bounds of a Store; keys that begin with "~" belong to this package and a
// behaviour neither sees nor writes them. An error of the state itself ends the
// command whatever the behaviour makes of it: it is never a refusal.
type Tx interface {
	// Get returns the value, or nil when the key is absent. The caller owns it.
	Get(key string) ([]byte, error)
	Put(key string, value []byte) error
	Delete(key string) error
	// List returns at most limit entries with the prefix and a key greater than
	// after, in byte order; a limit below 1 asks for none.
	List(prefix, after string, limit int) ([]Entry, error)
}

// Class is the behaviour of a kind of object: pure functions from its state, a
// command and the time to a new state and an answer. They wait for nothing and
// know no host, so the same function runs under a row lock, inside a Durable
// Object and in a test with a map.
type Class struct {
	name     string
	commands map[string]handler
}

type handler struct {
	run  func(tx Tx, now time.Time, body json.RawMessage) (any, error)
	mode mode
}

// mode says what a command leaves behind beside its effects.
type mode int

const (
	lasting    mode = iota // its answer, under its identity
	repeatable             // nothing: its behaviour knows a repeat by the state
	query                  // nothing, and it has no effects
)

// NewClass returns a class without commands.
func NewClass(name string) *Class {
	return &Class{name: name, commands: map[string]handler{}}
}

// Name is the class's name, as in Object.Class.
func (c *Class) Name() string { return c.name }

// On registers what a command does. What fn returns is answered as JSON; a
// json.RawMessage is JSON already. When fn returns a *fault.Error the command
// is refused: the state stays as it was and the refusal is the answer. Any
// other error means that the command did not run.
func On[C Command, R any](c *Class, fn func(tx Tx, now time.Time, cmd C) (R, error)) {
	register(c, fn, lasting)
}

// OnRepeatable registers a command whose own state tells a repeat: carried out
// again, at once or after others, it changes nothing more and answers as things
// are by then. Its answer is not remembered, which saves the object two keys a
// command and keeps no refusal beyond its reason.
func OnRepeatable[C Command, R any](c *Class, fn func(tx Tx, now time.Time, cmd C) (R, error)) {
	register(c, fn, repeatable)
}

// OnQuery registers a question: fn reads and cannot write.
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

// Query reports whether cmd only reads, so that a host may run it without a
// write transaction.
func (c *Class) Query(kind string) bool { return c.commands[kind].mode == query }

// Dispatch runs one command. Hosts call it inside a transaction on the
// object's state, which they commit when it returns a nil error and roll back
// otherwise.
func (c *Class) Dispatch(tx Tx, now time.Time, cmd Envelope) (Reply, error) {
	if cmd.Kind == (forget{}).Kind() {
		n, err := replies{tx}.sweep(now.Add(-ReplyMemory), forgetAtOnce)
		if err != nil {
			return Reply{}, err // of the host, and no refusal
		}
		return answer(n, nil)
	}
	h, ok := c.commands[cmd.Kind]
	if !ok {
		return Reply{}, fmt.Errorf("kv: class %s has no command %q", c.name, cmd.Kind)
	}
	state := &own{base: tx}
	if h.mode == query {
		return state.settle(answer(h.run(readOnly{state}, now, cmd.Body)))
	}
	if cmd.ID == "" || len(cmd.ID) > maxIdentity || !validText(cmd.ID) {
		return Reply{}, fmt.Errorf("kv: command %q has an identity of %d bytes, want 1 to %d of UTF-8 without NUL", cmd.Kind, len(cmd.ID), maxIdentity)
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
	return reply, memory.keep(cmd, reply, now)
}

func answer(out any, err error) (Reply, error) {
	if refused := fault.Of(err); refused != nil {
		return Reply{Refused: refused}, nil
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

// Load decodes the JSON record under key; ok is false when it is absent.
func Load[T any](tx Tx, key string) (v T, ok bool, err error) {
	b, err := tx.Get(key)
	if err != nil || b == nil {
		return v, false, err
	}
	v, err = Decode[T](key, b)
	return v, err == nil, err
}

// Keep puts v as JSON under key. What this program does not know of the record that is
// there stays.
func Keep(tx Tx, key string, v any) error {
	b, err := rewritten(key, v, func() ([]byte, error) { return tx.Get(key) })
	if err != nil {
		return err
	}
	return tx.Put(key, b)
}
