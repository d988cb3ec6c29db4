package state

import (
	"cmp"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const reopeningKey = "reopening"

// Reopened is the decision of two operators to reopen a campaign that was closed by mistake.
type Reopened struct {
	StatedBy    string     `json:"statedBy"`
	StatedAt    time.Time  `json:"statedAt"`
	Reason      string     `json:"reason"`
	ConfirmedBy string     `json:"confirmedBy,omitempty"`
	ConfirmedAt *time.Time `json:"confirmedAt,omitempty"`
}

type reopen struct {
	Operator string `json:"operator"`
	Reason   string `json:"reason"`
}

func (reopen) Kind() string { return "reopen" }

// detachingKey holds the time when the deletion of a closed campaign's cards started.
const detachingKey = "detaching"

// startDetaching records that the deletion of a closed campaign's cards has started.
type startDetaching struct {
	fence
}

func (startDetaching) Kind() string { return "start-detaching" }

func runStartDetaching(tx kv.Tx, now time.Time, cmd startDetaching) (none, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	if _, started, err := kv.Load[time.Time](tx, detachingKey); err != nil || started {
		return none{}, err
	}
	if _, closed, err := kv.Load[time.Time](tx, closedKey); err != nil || !closed {
		return none{}, cmp.Or(err, error(fault.New(fault.Conflict, "The campaign was reopened")))
	}
	return none{}, kv.PutValue(tx, detachingKey, now)
}

// runReopen keeps a confirmed decision until the campaign is closed again, so that a repeat
// opens the inventory if a crash prevented it.
func runReopen(tx kv.Tx, now time.Time, cmd reopen) (Reopened, error) {
	closed, errClosed := loadIfAny[time.Time](tx, closedKey)
	detaching, errDetaching := loadIfAny[time.Time](tx, detachingKey)
	r, errStated := loadIfAny[Reopened](tx, reopeningKey)
	if err := errors.Join(errClosed, errDetaching, errStated); err != nil {
		return Reopened{}, err
	}
	if err := MayReopen(cmd.Operator, closed, detaching, r); err != nil {
		return Reopened{}, err
	}
	switch {
	case r == nil:
		r = &Reopened{StatedBy: cmd.Operator, StatedAt: now, Reason: cmd.Reason}
		return *r, kv.PutValue(tx, reopeningKey, r)
	case closed == nil, r.StatedBy == cmd.Operator:
		return *r, nil
	}
	r.ConfirmedBy, r.ConfirmedAt = cmd.Operator, &now
	if err := kv.PutValue(tx, reopeningKey, r); err != nil {
		return Reopened{}, err
	}
	return *r, tx.Delete(closedKey)
}

// MayReopen fails with code Conflict if an operator cannot decide to reopen a campaign. An
// operator may repeat their own decision.
func MayReopen(operator string, closed, detaching *time.Time, r *Reopened) error {
	switch {
	case closed == nil && r != nil && r.ConfirmedBy != "" && (operator == r.StatedBy || operator == r.ConfirmedBy):
		return nil
	case closed == nil:
		return fault.New(fault.Conflict, "The campaign is not closed")
	case detaching != nil:
		return fault.New(fault.Conflict, "The campaign cannot be reopened: the deletion of its cards started at %s",
			detaching.UTC().Format(time.RFC3339))
	}
	return nil
}
