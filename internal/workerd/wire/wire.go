// Package wire defines the JSON messages between the conformance test and the worker under test.
//
// The test sends an Envelope with a Question and receives an Answer. Encoding a Question keeps
// strings that are not valid UTF-8, command bodies that are not JSON and times outside JSON's range.
package wire

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Values of Envelope.Op.
const (
	Get   = "get"
	List  = "list"
	Apply = "apply"
	Do    = "do"
)

// Question holds the arguments of a call to a store or a coordinator.
type Question struct {
	Now     time.Time
	Key     string
	Query   kv.Query
	Batch   []kv.Write
	Object  kv.Object
	Command kv.Envelope
}

// Clock returns the time of the call.
func (q Question) Clock() time.Time { return q.Now }

// plain is a Question without its encoding methods.
type plain Question

// quoted is the encoded form of a Question. Strings are quoted as Go literals to preserve invalid
// UTF-8. The command's body and the expiry times are moved to separate fields, because a body may
// not be JSON and a time may be outside JSON's range.
type quoted struct {
	plain
	Body    []byte
	Expires [][]byte // one for each write of the batch
}

// strings returns the string fields that may contain arbitrary bytes.
func (q *plain) strings() []*string {
	all := []*string{&q.Key, &q.Query.Prefix, &q.Query.Cursor, &q.Object.Class, &q.Object.Name,
		&q.Command.ID, &q.Command.Kind}
	for i := range q.Batch {
		all = append(all, &q.Batch[i].Key)
	}
	return all
}

// MarshalJSON implements json.Marshaler.
func (q Question) MarshalJSON() ([]byte, error) {
	out := quoted{plain: plain(q), Body: q.Command.Body}
	out.Command.Body, out.Batch = nil, slices.Clone(q.Batch)
	for i, w := range out.Batch {
		expires, err := w.Expires.MarshalBinary()
		if err != nil {
			return nil, err
		}
		out.Batch[i].Expires, out.Expires = time.Time{}, append(out.Expires, expires)
	}
	for _, text := range out.strings() {
		*text = strconv.Quote(*text)
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (q *Question) UnmarshalJSON(b []byte) error {
	var in quoted
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	for _, text := range in.strings() {
		was, err := strconv.Unquote(*text)
		if err != nil {
			return err
		}
		*text = was
	}
	for i := range in.Batch {
		if err := in.Batch[i].Expires.UnmarshalBinary(in.Expires[i]); err != nil {
			return err
		}
	}
	in.Command.Body = in.Body
	*q = Question(in.plain)
	return nil
}

// Answer is the result of a call.
type Answer struct {
	Value []byte
	Page  kv.Page
	Reply kv.Reply

	Failed string       // the error's text; empty on success
	Fault  *fault.Error // the error, if it is a fault
}

// Note records an error; nil is ignored.
func (a *Answer) Note(err error) {
	if err != nil {
		a.Failed, a.Fault = err.Error(), fault.Of(err)
	}
}

// Err returns the recorded error.
func (a *Answer) Err() error {
	switch {
	case a.Fault != nil:
		return a.Fault
	case a.Failed != "":
		return errors.New(a.Failed)
	}
	return nil
}

// Envelope is a request to the worker: a call to the store World.
type Envelope struct {
	World    string   `json:"world"`
	Op       string   `json:"op"`
	Question Question `json:"question"`
}
