package state

import (
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

const closedKey = "closed" // → time

// closeMissed closes a campaign that missed its goal: it is never settled unless it is reopened.
type closeMissed struct {
	fence
}

func (closeMissed) Kind() string { return "close" }

// runClose reports whether the campaign is closed. A campaign with a group stays open.
func runClose(tx kv.Tx, now time.Time, cmd closeMissed) (bool, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return false, err
	}
	if _, closed, err := kv.Load[time.Time](tx, closedKey); err != nil || closed {
		return closed, err
	}
	groups, err := tx.List(groupPrefix, "", 1)
	if err != nil || len(groups) > 0 {
		return false, err
	}
	if err := errors.Join(tx.Delete(reopeningKey), tx.Delete(unclosedKey)); err != nil {
		return false, err
	}
	return true, kv.PutValue(tx, closedKey, now)
}

// Unclosed is the reason why a campaign that missed its goal is not closed.
type Unclosed struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
}

const unclosedKey = "unclosed" // → Unclosed, of the last attempt

// noteUnclosed records the reason why a campaign was not closed.
type noteUnclosed struct {
	Reason string `json:"reason"`
}

func (noteUnclosed) Kind() string { return "unclosed" }

func runNoteUnclosed(tx kv.Tx, now time.Time, cmd noteUnclosed) (none, error) {
	u, known, err := kv.Load[Unclosed](tx, unclosedKey)
	if err != nil || known && u.Reason == cmd.Reason {
		return none{}, err
	}
	return none{}, kv.PutValue(tx, unclosedKey, Unclosed{Since: now, Reason: cmd.Reason})
}
