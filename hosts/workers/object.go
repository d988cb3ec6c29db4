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
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Bindings are the Durable Object namespaces of the service's classes.
func Bindings() map[string]string {
	return map[string]string{
		order.ClassName:      "CHECKOUT_INTENTS",
		inventory.ClassName:  "TIER_INVENTORY_COORDINATOR",
		settlement.ClassName: "SETTLEMENT_COORDINATOR",
		broadcast.ClassName:  "BROADCASTS",
	}
}

// Coordinator sends commands to Durable Objects. It implements kv.Coordinator.
type Coordinator struct {
	bridge   Bridge
	bindings map[string]string // by class
	now      func() time.Time
}

var _ kv.Coordinator = (*Coordinator)(nil)

// NewCoordinator returns a coordinator of the classes that have a binding. Commands go by
// the clock of whoever sends them.
func NewCoordinator(b Bridge, bindings map[string]string, now func() time.Time) *Coordinator {
	return &Coordinator{bridge: b, bindings: bindings, now: now}
}

// message is a command on its way to its object.
type message struct {
	Class   string      `json:"class"`
	Command kv.Envelope `json:"command"`
	Now     time.Time   `json:"now"`
}

// verdict is what an object says.
type verdict struct {
	Reply  *kv.Reply    `json:"reply,omitempty"`
	Fault  *fault.Error `json:"fault,omitempty"`
	Failed string       `json:"failed,omitempty"` // why nothing was done
}

// Do implements kv.Coordinator. An unknown class is a fault with code Invalid.
func (c *Coordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := to.Check(); err != nil {
		return kv.Reply{}, err
	}
	binding := c.bindings[to.Class]
	if binding == "" {
		return kv.Reply{}, fault.New(fault.Invalid, "there is no class of objects %q", to.Class)
	}
	if err := ctx.Err(); err != nil {
		return kv.Reply{}, fault.Wrap(err, fault.Unavailable, "the caller has gone")
	}
	if !utf8.ValidString(cmd.ID) {
		return kv.Reply{}, fault.New(fault.Invalid, "the identity of a command is UTF-8")
	}
	m, err := json.Marshal(message{Class: to.Class, Command: cmd, Now: c.now()})
	if err != nil {
		return kv.Reply{}, err
	}
	in := map[string]string{"binding": binding, "name": to.Name, "message": string(m)}
	var v verdict
	if err := c.bridge.Call(ctx, opObject, in, &v); err != nil {
		return kv.Reply{}, unavailable(err)
	}
	switch {
	case v.Fault != nil:
		return kv.Reply{}, v.Fault
	case v.Reply == nil:
		return kv.Reply{}, fmt.Errorf("workers: command %q to %s: %s", cmd.Kind, to.Class, v.Failed)
	}
	return *v.Reply, nil
}

// Storage is a Durable Object's own, within one transaction. It waits for nothing.
type Storage interface {
	Get(key string) (value string, ok bool)
	Put(key, value string)
	Delete(key string)
	// List returns at most limit keys from one on and beyond another, with values.
	List(from, after string, limit int) (keys, values []string)
}

// Act carries out a message on the object that has the storage, and reports whether what
// it has written is to be kept. It is called inside the object, within a transaction.
func Act(classes []*kv.Class, s Storage, raw string) (answer string, keep bool) {
	v := act(classes, s, raw)
	b, err := json.Marshal(v)
	if err != nil {
		return `{"failed":"the answer cannot be written"}`, false
	}
	return string(b), v.Reply != nil
}

func act(classes []*kv.Class, s Storage, raw string) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = verdict{Failed: fmt.Sprint("panic: ", p)}
		}
	}()
	var m message
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return verdict{Failed: err.Error()}
	}
	for _, class := range classes {
		if class.Name() != m.Class {
			continue
		}
		reply, err := class.Dispatch(tx{s}, m.Now, m.Command)
		if f := fault.Of(err); f != nil {
			return verdict{Fault: f}
		}
		if err != nil {
			return verdict{Failed: err.Error()}
		}
		return verdict{Reply: &reply}
	}
	return verdict{Failed: "there is no class " + m.Class}
}

// tx is kv.Tx on a Storage. A value begins with a letter that says how it is written.
type tx struct{ s Storage }

func (t tx) Get(key string) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, nil // what cannot be written is absent
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
