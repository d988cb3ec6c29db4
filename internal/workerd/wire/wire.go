// Package wire is what the conformance test and the worker say to each other, as JSON.
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

// The calls.
const (
	Get   = "get"
	List  = "list"
	Apply = "apply"
	Do    = "do"
)

// Question is one call of a store or a coordinator.
type Question struct {
	Now     time.Time
	Key     string
	Query   kv.Query
	Batch   []kv.Write
	Object  kv.Object
	Command kv.Envelope
}

// Clock is the time at which the question is asked.
func (q Question) Clock() time.Time { return q.Now }

// plain is a question without the methods that encode it.
type plain Question

// quoted is how a question travels: each text in Go's quotes, because a key that is not UTF-8
// has to arrive as it is, and so has a body that is not JSON, and an hour that JSON has not.
type quoted struct {
	plain
	Body    []byte
	Expires [][]byte // each of the batch's
}

// texts are those that may be anything.
func (q *plain) texts() []*string {
	all := []*string{&q.Key, &q.Query.Prefix, &q.Query.Cursor, &q.Object.Class, &q.Object.Name, &q.Command.ID, &q.Command.Kind}
	for i := range q.Batch {
		all = append(all, &q.Batch[i].Key)
	}
	return all
}

// MarshalJSON encodes a question.
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
	for _, text := range out.texts() {
		*text = strconv.Quote(*text)
	}
	return json.Marshal(out)
}

// UnmarshalJSON decodes what MarshalJSON encoded.
func (q *Question) UnmarshalJSON(b []byte) error {
	var in quoted
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	for _, text := range in.texts() {
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

// Answer is what came of it.
type Answer struct {
	Value []byte
	Page  kv.Page
	Reply kv.Reply

	Failed string       // an error's text, or ""
	Fault  *fault.Error // where it was one
}

// Note keeps an error.
func (a *Answer) Note(err error) {
	if err != nil {
		a.Failed, a.Fault = err.Error(), fault.Of(err)
	}
}

// Err is the error that was kept.
func (a *Answer) Err() error {
	switch {
	case a.Fault != nil:
		return a.Fault
	case a.Failed != "":
		return errors.New(a.Failed)
	}
	return nil
}

// Envelope is how a question travels.
type Envelope struct {
	World    string   `json:"world"`
	Op       string   `json:"op"`
	Question Question `json:"question"`
}
