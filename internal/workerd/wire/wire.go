// Package wire is what the conformance test and the worker say to each other. It
// travels as gob, because a key that is not UTF-8 has to arrive as it is; but gob has no
// pointer to nothing, so that what has one is JSON inside.
package wire

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
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

// Answer is what came of it.
type Answer struct {
	Value []byte
	Page  kv.Page
	Reply []byte // JSON

	Failed string // an error's text, or ""
	Fault  []byte // JSON
}

// Note keeps an error.
func (a *Answer) Note(err error) {
	if err != nil {
		a.Failed = err.Error()
		if f := fault.Of(err); f != nil {
			a.Fault, _ = json.Marshal(f) // plain data
		}
	}
}

// Err is the error that was kept.
func (a *Answer) Err() error {
	switch {
	case a.Fault != nil:
		var f fault.Error
		if err := json.Unmarshal(a.Fault, &f); err != nil {
			return err
		}
		return &f
	case a.Failed != "":
		return errors.New(a.Failed)
	}
	return nil
}

// Envelope is how either travels.
type Envelope struct {
	World string `json:"world"`
	Op    string `json:"op"`
	Gob   []byte `json:"gob"`
}

// Pack encodes a question or an answer.
func Pack(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

// Unpack decodes it.
func Unpack(b []byte, into any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(into) }
