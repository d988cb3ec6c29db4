package kv

import (
	"context"
	"fmt"
	"time"
)

// ReplyMemory is how long the reply to a command is stored. It is longer than any host redelivers a
// command. Handlers detect later repeats by the object's state.
const ReplyMemory = 48 * time.Hour

const (
	maxIdentity  = 200
	replyPrefix  = "~reply/"
	sweepPrefix  = "~sweep/"
	sweepEach    = 8  // one in this many commands sweeps
	sweepAtOnce  = 32 // more than sweepEach, so that replies are deleted faster than they are added
	forgetAtOnce = 500
	sweepKeyTime = "20060102T150405Z"
)

// replies stores the replies in the object's own state, so that a reply and the
// command's effects become durable together.
type replies struct{ tx Tx }

// storedReply is a reply with the kind of its command: an identity used for two
// different commands must not return the first command's reply to the second.
type storedReply struct {
	Kind  string `json:"kind"`
	Reply Reply  `json:"reply"`
}

func (m replies) find(cmd Envelope) (Reply, bool, error) {
	r, ok, err := Load[storedReply](m.tx, replyPrefix+cmd.ID)
	if !ok || err != nil {
		return Reply{}, false, err
	}
	if r.Kind != cmd.Kind {
		return Reply{}, false, fmt.Errorf("kv: command %q has the ID of an earlier command %q", cmd.Kind, r.Kind)
	}
	return r.Reply, true, nil
}

func (m replies) save(cmd Envelope, r Reply, now time.Time) error {
	b, err := encode(replyPrefix+cmd.ID, storedReply{Kind: cmd.Kind, Reply: r})
	if err != nil {
		return err
	}
	if err := m.tx.Put(replyPrefix+cmd.ID, b); err != nil {
		return err
	}
	if err := m.tx.Put(sweepPrefix+now.UTC().Format(sweepKeyTime)+"/"+cmd.ID, []byte{}); err != nil {
		return err
	}
	if cmd.ID[len(cmd.ID)-1]%sweepEach != 0 { // depends on the ID, so that a redelivered command does the same
		return nil
	}
	_, err = m.sweep(now.Add(-ReplyMemory), sweepAtOnce)
	return err
}

// sweep deletes the oldest replies stored before a time, at most limit of them, and returns their
// number.
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

// forget is the command of DropReplies. Every class has it.
type forget struct{}

func (forget) Kind() string { return reserved + "forget" }

// DropReplies deletes an object's replies that are older than ReplyMemory. Later commands also
// delete them, a few at a time; call DropReplies for an object that receives no more commands.
func DropReplies(ctx context.Context, co Coordinator, to Object) error {
	for {
		n, err := Send[int](ctx, co, to, forget{}.Kind(), forget{})
		if err != nil || n < forgetAtOnce {
			return err
		}
	}
}
