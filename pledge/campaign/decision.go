package campaign

import (
	"slices"
	"time"
)

// DecisionType says what a decision's result is worth.
type DecisionType string

// The types: a vote decides an outcome, a poll is advice.
const (
	Vote DecisionType = "vote"
	Poll DecisionType = "poll"
)

// Eligibility says who may take part in a decision.
type Eligibility string

// Who may take part: everybody with a pledge that is not cancelled, or only
// those whose pledge was charged.
const (
	Supporters Eligibility = "supporters"
	Charged    Eligibility = "charged"
)

// DecisionStatus is derived from a decision's deadline and stored nowhere.
type DecisionStatus string

// The statuses.
const (
	Open   DecisionStatus = "open"
	Closed DecisionStatus = "closed"
)

// Decision is a question to the supporters.
type Decision struct {
	ID       string       `json:"id"` // the file's own, or derived from the title
	Type     DecisionType `json:"type"`
	Title    string       `json:"title"`
	Deadline Moment       `json:"deadline"` // zero keeps it open
	Eligible Eligibility  `json:"eligible"`
	Options  []Option     `json:"options"`
}

// Option is one possible answer; its label is its identity.
type Option struct {
	Label string `json:"label"` // at most MaxOption characters
	Image string `json:"image,omitempty"`
}

// Status says whether votes are still taken.
func (d Decision) Status(now time.Time, zone *time.Location) DecisionStatus {
	if d.Deadline.IsZero() || now.Before(d.Deadline.Ends(zone)) {
		return Open
	}
	return Closed
}

// Allows reports whether option is one of the published answers, letter for letter.
func (d Decision) Allows(option string) bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool { return o.Label == option })
}
