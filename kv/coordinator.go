package kv

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Coordinator delivers commands to many small objects, each with a durable
// state of its own. Commands to one object never overlap; a command sees the
// effects of every command to the same object that was answered before it was
// sent. There is no transaction over two objects.
type Coordinator interface {
	// Do carries out cmd on the object. A nil error means it ran, durably, and
	// the reply is its answer: a refusal ("sold out") is such an answer. An
	// error means it is not known whether it ran: send it again with the same
	// identity. A command delivered again changes nothing, and answers as it did
	// the first time, or, where it is repeatable, as things are by then.
	Do(ctx context.Context, to Object, cmd Envelope) (Reply, error)
}

// Object names one object. Class is the name of a registered Class; Name is
// any text of 1 to 400 bytes of UTF-8 without NUL.
type Object struct {
	Class string `json:"class"`
	Name  string `json:"name"`
}

// Check reports whether the name is within the contract.
func (o Object) Check() error {
	if o.Class == "" || o.Name == "" || len(o.Name) > 400 || !validText(o.Name) {
		return fault.New(fault.Invalid, "an object's name has 1 to 400 bytes of UTF-8 without NUL")
	}
	return nil
}

// Envelope is a command on its way. ID is its identity, at most 200 bytes; a
// query has none, since it changes nothing and may be asked again at will.
type Envelope struct {
	ID   string          `json:"id,omitempty"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// Reply is the answer to a command: a body, or a refusal.
type Reply struct {
	Body    json.RawMessage `json:"body,omitempty"`
	Refused *fault.Error    `json:"refused,omitempty"`
}

// Command is a named struct that travels as JSON. Kind is its name on the
// wire: it outlives the Go type's name and never changes, and fields are only
// ever added.
type Command interface{ Kind() string }

// Send delivers a command that changes the object, under an identity that is
// the same whenever the same intent is sent again. A refusal is returned as
// its *fault.Error.
func Send[R any](ctx context.Context, co Coordinator, to Object, id string, cmd Command) (R, error) {
	var r R
	if id == "" {
		return r, fmt.Errorf("kv: command %q to %s has no identity", cmd.Kind(), to.Class)
	}
	return deliver[R](ctx, co, to, id, cmd)
}

// Ask delivers a query.
func Ask[R any](ctx context.Context, co Coordinator, to Object, cmd Command) (R, error) {
	return deliver[R](ctx, co, to, "", cmd)
}

func deliver[R any](ctx context.Context, co Coordinator, to Object, id string, cmd Command) (R, error) {
	var r R
	body, err := json.Marshal(cmd)
	if err != nil {
		return r, fmt.Errorf("kv: encoding command %q: %w", cmd.Kind(), err)
	}
	reply, err := co.Do(ctx, to, Envelope{ID: id, Kind: cmd.Kind(), Body: body})
	if err != nil {
		return r, err
	}
	if reply.Refused != nil {
		return r, reply.Refused
	}
	if text, ok := any(&r).(*json.RawMessage); ok {
		*text = reply.Body
		return r, nil
	}
	if err := json.Unmarshal(reply.Body, &r); err != nil {
		return r, fmt.Errorf("kv: decoding the reply to %q: %w", cmd.Kind(), err)
	}
	return r, nil
}
