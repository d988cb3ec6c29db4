package kv

import (
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
	sweepAtOnce  = 4 // more than one, so that memory shrinks faster than it grows
	sweepKeyTime = "20060102T150405Z"
)

// replies is the memory of answers, kept inside the object's own state so that
// an answer and its effects are durable together.
type replies struct{ tx Tx }

func (m replies) find(id string) (Reply, bool, error) {
	return Load[Reply](m.tx, replyPrefix+id)
}

func (m replies) keep(id string, r Reply, now time.Time) error {
	if err := Keep(m.tx, replyPrefix+id, r); err != nil {
		return err
	}
	if err := m.tx.Put(sweepPrefix+now.UTC().Format(sweepKeyTime)+"/"+id, []byte{}); err != nil {
		return err
	}
	return m.sweep(now.Add(-ReplyMemory))
}

func (m replies) sweep(before time.Time) error {
	old, err := m.tx.List(sweepPrefix, "", sweepAtOnce)
	if err != nil {
		return err
	}
	limit := sweepPrefix + before.UTC().Format(sweepKeyTime)
	for _, e := range old {
		if e.Key >= limit {
			return nil
		}
		id := e.Key[len(sweepPrefix)+len(sweepKeyTime)+1:]
		if err := m.tx.Delete(replyPrefix + id); err != nil {
			return err
		}
		if err := m.tx.Delete(e.Key); err != nil {
			return err
		}
	}
	return nil
}

// readOnly is the state as a query sees it.
type readOnly struct{ Tx }

func (readOnly) Put(key string, _ []byte) error { return fmt.Errorf("kv: a query puts %q", key) }
func (readOnly) Delete(key string) error        { return fmt.Errorf("kv: a query deletes %q", key) }

