package kv

import (
	"context"
	"fmt"
	"time"
)

// ReplyMemory is how long the answer to a command is remembered. It is longer
// than any host redelivers, and than the processor's webhooks take to give up
// on one attempt; beyond it, behaviours still answer a repeat by their state.
const ReplyMemory = 48 * time.Hour

const (
	maxIdentity  = 200
	replyPrefix  = "~reply/"
	sweepPrefix  = "~sweep/"
	sweepEach    = 8  // commands of which one sweeps
	sweepAtOnce  = 32 // more than sweepEach, so that memory shrinks faster than it grows
	forgetAtOnce = 500
	sweepKeyTime = "20060102T150405Z"
)

// replies is the memory of answers, kept inside the object's own state so that
// an answer and its effects are durable together.
type replies struct{ tx Tx }

// remembered is an answer with the kind of its command: an identity used for
// two different commands must not answer the second with the first's reply.
type remembered struct {
	Kind  string `json:"kind"`
	Reply Reply  `json:"reply"`
}

func (m replies) find(cmd Envelope) (Reply, bool, error) {
	r, ok, err := Load[remembered](m.tx, replyPrefix+cmd.ID)
	if !ok || err != nil {
		return Reply{}, false, err
	}
	if r.Kind != cmd.Kind {
		return Reply{}, false, fmt.Errorf("kv: the identity of command %q belongs to a command %q", cmd.Kind, r.Kind)
	}
	return r.Reply, true, nil
}

func (m replies) keep(cmd Envelope, r Reply, now time.Time) error {
	b, err := encode(replyPrefix+cmd.ID, remembered{Kind: cmd.Kind, Reply: r})
	if err != nil {
		return err
	}
	if err := m.tx.Put(replyPrefix+cmd.ID, b); err != nil {
		return err
	}
	if err := m.tx.Put(sweepPrefix+now.UTC().Format(sweepKeyTime)+"/"+cmd.ID, []byte{}); err != nil {
		return err
	}
	if cmd.ID[len(cmd.ID)-1]%sweepEach != 0 { // so that a command that is delivered again does the same
		return nil
	}
	_, err = m.sweep(now.Add(-ReplyMemory), sweepAtOnce)
	return err
}

// sweep forgets the oldest answers from before a time, at most limit of them, and returns
// how many that were.
func (m replies) sweep(before time.Time, limit int) (int, error) {
	end := sweepPrefix + before.UTC().Format(sweepKeyTime)
	oldest, err := m.tx.List(sweepPrefix, "", 1)
	if err != nil || len(oldest) == 0 || oldest[0].Key >= end {
		return 0, err
	}
	old, err := m.tx.List(sweepPrefix, "", limit)
	if err != nil {
		return 0, err
	}
	for i, e := range old {
		if e.Key >= end {
			return i, nil
		}
		id := e.Key[len(sweepPrefix)+len(sweepKeyTime)+1:]
		if err := m.tx.Delete(replyPrefix + id); err != nil {
			return i, err
		}
		if err := m.tx.Delete(e.Key); err != nil {
			return i, err
		}
	}
	return len(old), nil
}

// forget sweeps an object that gets no more commands by itself. Every class has it.
type forget struct{}

func (forget) Kind() string { return reserved + "forget" }

// Forget has an object forget the answers that are older than ReplyMemory. Each later
// command does that too, a few at a time: it is for an object that nobody sends to any
// more, whose last answers would stay.
func Forget(ctx context.Context, co Coordinator, to Object) error {
	for {
		n, err := Send[int](ctx, co, to, forget{}.Kind(), forget{})
		if err != nil || n < forgetAtOnce {
			return err
		}
	}
}
