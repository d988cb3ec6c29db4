package inventory

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// sweepAtOnce is how many old marks one new mark takes away: more than one, so
// that they shrink faster than they grow.
const sweepAtOnce = 4

// forbid marks a hold that was ended before it came: a command may be delivered
// after one that was sent later. A hold that did come is not marked, since the
// answer to it is remembered for as long as a mark stands.
func forbid(tx kv.Tx, now time.Time, id string) error {
	marked, err := tx.Get(overPrefix + id)
	if err != nil || marked != nil {
		return err
	}
	if err := sweepMarks(tx, now.Add(-kv.ReplyMemory)); err != nil {
		return err
	}
	if err := tx.Put(overAtKey(now, id), []byte{}); err != nil {
		return err
	}
	return tx.Put(overPrefix+id, []byte("over"))
}

// mayHold fails with code Gone where the hold was ended before it came.
func mayHold(tx kv.Tx, id string) error {
	marked, err := tx.Get(overPrefix + id)
	if err == nil && marked != nil {
		err = fault.New(fault.Gone, "The reservation was given back already")
	}
	return err
}

func sweepMarks(tx kv.Tx, before time.Time) error {
	old, err := tx.List(overAtPrefix, "", sweepAtOnce)
	if err != nil {
		return err
	}
	limit := overAtKey(before, "")
	for _, e := range old {
		if e.Key >= limit {
			return nil
		}
		if err := tx.Delete(overPrefix + e.Key[len(limit):]); err != nil {
			return err
		}
		if err := tx.Delete(e.Key); err != nil {
			return err
		}
	}
	return nil
}

// overAtKey sorts marks by when they were made.
func overAtKey(at time.Time, id string) string {
	return fmt.Sprintf("%s%012d/%s", overAtPrefix, at.Unix(), id)
}
