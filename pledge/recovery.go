package pledge

import "time"

// Lane is a way to resolve a failed charge.
type Lane string

// Ways to resolve a failed charge.
const (
	Approve Lane = "approve"  // the supporter confirms the payment with the same card (3D Secure)
	NewCard Lane = "new_card" // the supporter saves another card
	Wait    Lane = "wait"     // the same card is retried automatically; the supporter can save another one earlier
	Dropped Lane = "dropped"  // no further attempts
)

// Recovery describes how a failed charge can be resolved, and until when.
type Recovery struct {
	Lane    Lane       `json:"lane"`
	RetryAt *time.Time `json:"retryAt,omitempty"` // for Wait
	Until   time.Time  `json:"until"`             // when the pledge is or was dropped
}

// Dropped reports whether the pledge was dropped after a failed charge.
func (p *Pledge) Dropped() bool { return p.Recovery != nil && p.Recovery.Lane == Dropped }
