package kv

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Coordinator delivers commands to many small objects, each with its own durable state.
// Commands to the same object never overlap. A command sees the effects of every
// command to that object that was answered before it was sent. There are no
// transactions across objects.
type Coordinator interface {
	// Do runs cmd on the object. A nil error means that the command ran and its effects are
	// durable; the reply is its answer, which may be a refusal (such as "sold out"). An
	// error means that the command may or may not have run: send it again with the same
	// identity. A command that is delivered again changes nothing and returns the first
	// reply or, if it is repeatable, an answer from the current state.
	Do(ctx context.Context, to Object, cmd Envelope) (Reply, error)
}

// Object identifies one object. Class is the name of a registered Class; Name is 1 to
// 400 bytes of UTF-8 without NUL.
type Object struct {
	Class string `json:"class"`
	Name  string `json:"name"`
}

// Check returns an Invalid fault unless the class is set and the name is valid.
func (o Object) Check() error {
	if o.Class == "" || o.Name == "" || len(o.Name) > 400 || !validText(o.Name) {
		return fault.New(fault.Invalid, "an object name must be 1 to 400 bytes of UTF-8 without NUL")
	}
	return nil
}

// Envelope is a command in transit. ID is its identity, at most 200 bytes. A query has
// none: it changes nothing and can be sent any number of times.
type Envelope struct {
	ID   string          `json:"id,omitempty"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// Reply is the result of a command: a body or a refusal. The body must not be changed.
type Reply struct {
	Body    json.RawMessage `json:"body,omitempty"`
	Refused *fault.Error    `json:"refused,omitempty"`
}

// Command is a named struct that is sent as JSON. Kind is its name in the wire format:
// it must never change, even if the Go type is renamed, and fields may only be added.
type Command interface{ Kind() string }

// Send delivers a command that changes the object. Pass the same id whenever the same
// operation is sent again. A refusal is returned as its *fault.Error.
func Send[R any](ctx context.Context, co Coordinator, to Object, id string, cmd Command) (R, error) {
	var r R
	if id == "" {
		return r, fmt.Errorf("kv: command %q to %s has no ID", cmd.Kind(), to.Class)
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
	if err := unmarshal(reply.Body, &r); err != nil {
		return r, fmt.Errorf("kv: decoding the reply to %q: %w", cmd.Kind(), err)
	}
	return r, nil
}
