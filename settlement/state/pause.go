package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// pauseCharges holds a campaign's charges for an operator until the breaker is reset.
type pauseCharges struct {
	Reason string `json:"reason"`
}

func (pauseCharges) Kind() string { return "pause" }

// runPauseCharges returns the hold in force. A pause replaces a hold that would end with the
// processor's next answer.
func runPauseCharges(tx kv.Tx, now time.Time, cmd pauseCharges) (Held, error) {
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return Held{}, err
	}
	if b.Held == nil || b.Held.Unanswered > 0 {
		b.Held = &Held{Since: now, Codes: map[string]int{}, Paused: cmd.Reason}
	}
	return *b.Held, kv.PutValue(tx, breakerKey, b)
}
