package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

const acceptedKey = "accepted"

// Accepted is the deadline and goal with which an operator allows charging pledges that were made
// under another promise.
type Accepted struct {
	inventory.Promise
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

type accept struct {
	Promise inventory.Promise `json:"promise"`
	Reason  string            `json:"reason"`
}

func (accept) Kind() string { return "accept" }

func runAccept(tx kv.Tx, now time.Time, cmd accept) (none, error) {
	return none{}, kv.PutValue(tx, acceptedKey, Accepted{cmd.Promise, cmd.Reason, now})
}
