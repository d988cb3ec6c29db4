package pledge

import "time"

// Lane is the way in which a failed charge can still be made good.
type Lane string

// The lanes.
const (
	Approve Lane = "approve"  // the supporter confirms the same payment with the same card
	NewCard Lane = "new_card" // the supporter gives another card
	Wait    Lane = "wait"     // the same card is tried again by itself; another may come sooner
	Dropped Lane = "dropped"  // nothing is tried any more
)

// Recovery says how a failed charge goes on.
type Recovery struct {
	Lane    Lane       `json:"lane"`
	RetryAt *time.Time `json:"retryAt,omitempty"` // with Wait
	Until   time.Time  `json:"until"`             // when the pledge is dropped, or was
}

// Dropped reports whether the pledge was given up after its charge had failed.
func (p *Pledge) Dropped() bool { return p.Recovery != nil && p.Recovery.Lane == Dropped }
