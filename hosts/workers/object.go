package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Bindings returns the Durable Object bindings of Pledgeworks by class name.
func Bindings() map[string]string {
	return map[string]string{
		order.ClassName:     "CHECKOUT_INTENTS",
		inventory.ClassName: "TIER_INVENTORY_COORDINATOR",
		state.ClassName:     "SETTLEMENT_COORDINATOR",
		broadcast.ClassName: "BROADCASTS",
	}
}

// Coordinator sends commands to Durable Objects. It implements kv.Coordinator.
type Coordinator struct {
	bridge   Bridge
	bindings map[string]string // by class
	now      func() time.Time
}

var _ kv.Coordinator = (*Coordinator)(nil)

// NewCoordinator returns a coordinator for the classes in bindings. Commands carry the time of the
// sender's clock.
func NewCoordinator(b Bridge, bindings map[string]string, now func() time.Time) *Coordinator {
	return &Coordinator{bridge: b, bindings: bindings, now: now}
}

// message is a command sent to an object.
type message struct {
	Class   string      `json:"class"`
	Command kv.Envelope `json:"command"`
	Now     time.Time   `json:"now"`
}

// result is an object's response to a message. Exactly one field is set.
type result struct {
	Reply  *kv.Reply    `json:"reply,omitempty"`
	Fault  *fault.Error `json:"fault,omitempty"`
	Failed string       `json:"failed,omitempty"` // internal error; nothing was changed
}

// Do implements kv.Coordinator. An unknown class is a fault with code Invalid.
func (c *Coordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := to.Check(); err != nil {
		return kv.Reply{}, err
	}
	binding := c.bindings[to.Class]
	if binding == "" {
		return kv.Reply{}, fault.New(fault.Invalid, "unknown object class %q", to.Class)
	}
	if err := ctx.Err(); err != nil {
		return kv.Reply{}, fault.Wrap(err, fault.Unavailable, "request canceled")
	}
	if !utf8.ValidString(cmd.ID) {
		return kv.Reply{}, fault.New(fault.Invalid, "the ID of a command must be valid UTF-8")
	}
	m, err := json.Marshal(message{Class: to.Class, Command: cmd, Now: c.now()})
	if err != nil {
		return kv.Reply{}, err
	}
	in := map[string]string{"binding": binding, "name": to.Name, "message": string(m)}
	var r result
	if err := c.bridge.Call(ctx, opObject, in, &r); err != nil {
		return kv.Reply{}, unavailable(err)
	}
	switch {
	case r.Fault != nil:
		return kv.Reply{}, r.Fault
	case r.Reply == nil:
		return kv.Reply{}, fmt.Errorf("workers: command %q to %s: %s", cmd.Kind, to.Class, r.Failed)
	}
	return *r.Reply, nil
}

// Storage is the storage of a Durable Object within a transaction. All calls are synchronous.
type Storage interface {
	Get(key string) (value string, ok bool)
	Put(key, value string)
	Delete(key string)
	// List returns at most limit keys, and their values, that are >= from and > after, in order.
	List(from, after string, limit int) (keys, values []string)
}

// Act executes an encoded message on the object with this storage and returns the encoded result.
// The caller must roll back the surrounding transaction if keep is false.
func Act(classes []*kv.Class, s Storage, raw string) (answer string, keep bool) {
	r := act(classes, s, raw)
	b, err := json.Marshal(r)
	if err != nil {
		return `{"failed":"could not encode the result"}`, false
	}
	return string(b), r.Reply != nil
}

func act(classes []*kv.Class, s Storage, raw string) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r = result{Failed: fmt.Sprint("panic: ", p)}
		}
	}()
	var m message
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return result{Failed: err.Error()}
	}
	for _, class := range classes {
		if class.Name() != m.Class {
			continue
		}
		reply, err := class.Dispatch(tx{s}, m.Now, m.Command)
		if f := fault.Of(err); f != nil {
			return result{Fault: f}
		}
		if err != nil {
			return result{Failed: err.Error()}
		}
		return result{Reply: &reply}
	}
	return result{Failed: "unknown class " + m.Class}
}

// tx implements kv.Tx on a Storage. The first byte of a stored value is its encoding: t for text, b
// for base64.
type tx struct{ s Storage }

func (t tx) Get(key string) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, nil //nolint:nilerr // an invalid key cannot exist
	}
	v, ok := t.s.Get(key)
	if !ok {
		return nil, nil
	}
	return unpack(v)
}

func (t tx) Put(key string, value []byte) error {
	t.s.Put(key, pack(value))
	return nil
}

func (t tx) Delete(key string) error {
	t.s.Delete(key)
	return nil
}

func (t tx) List(prefix, after string, limit int) ([]kv.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	keys, values := t.s.List(prefix, after, limit)
	var all []kv.Entry
	for i, key := range keys {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		v, err := unpack(values[i])
		if err != nil {
			return nil, err
		}
		all = append(all, kv.Entry{Key: key, Value: v})
	}
	return all, nil
}

func pack(b []byte) string {
	t := textOf(b)
	if t.Base64 {
		return "b" + t.Text
	}
	return "t" + t.Text
}

func unpack(v string) ([]byte, error) {
	return text{Text: v[1:], Base64: v[0] == 'b'}.bytes()
}
