package inventory

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// sweepAtOnce is the number of old marks that are deleted for each new one. It exceeds one, so
// that old marks do not accumulate.
const sweepAtOnce = 4

// markReleased marks a hold as released before its command arrived, so that the command is rejected
// if it still arrives. A hold whose command arrived before needs no mark, because the command's
// reply is stored for as long as a mark would be.
func markReleased(tx kv.Tx, now time.Time, id string) error {
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

// checkNotReleased fails with code Gone if the hold was released before its command arrived.
func checkNotReleased(tx kv.Tx, id string) error {
	marked, err := tx.Get(overPrefix + id)
	if err == nil && marked != nil {
		err = fault.New(fault.Gone, "The reservation has already been released")
	}
	return err
}

// sweepMarks deletes at most sweepAtOnce marks that were created before a time.
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

// overAtKey returns the key of a mark's entry in the index by creation time.
func overAtKey(at time.Time, id string) string {
	return fmt.Sprintf("%s%012d/%s", overAtPrefix, at.Unix(), id)
}
