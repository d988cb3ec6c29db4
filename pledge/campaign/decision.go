package campaign

import (
	"slices"
	"time"
)

// DecisionType specifies whether a decision's result is binding.
type DecisionType string

// Types of decisions: a vote is binding, a poll is not.
const (
	Vote DecisionType = "vote"
	Poll DecisionType = "poll"
)

// Eligibility specifies who can vote on a decision.
type Eligibility string

// Supporters allows everyone with a pledge that is not cancelled, Charged only those
// whose pledge was charged.
const (
	Supporters Eligibility = "supporters"
	Charged    Eligibility = "charged"
)

// DecisionStatus is derived from a decision's deadline and not stored.
type DecisionStatus string

// Statuses of a decision.
const (
	Open   DecisionStatus = "open"
	Closed DecisionStatus = "closed"
)

// Decision is a question that supporters vote on.
type Decision struct {
	ID       string       `json:"id"` // from the file, or derived from the title
	Type     DecisionType `json:"type"`
	Title    string       `json:"title"`
	Deadline Moment       `json:"deadline"` // zero means no deadline
	Eligible Eligibility  `json:"eligible"`
	Options  []Option     `json:"options"`
}

// Option is one possible answer, identified by its label.
type Option struct {
	Label string `json:"label"` // at most MaxOption characters
	Image string `json:"image,omitempty"`
}

// Status returns the decision's status at now. Only open decisions accept votes.
func (d Decision) Status(now time.Time, zone *time.Location) DecisionStatus {
	if d.Deadline.IsZero() || now.Before(d.Deadline.Ends(zone)) {
		return Open
	}
	return Closed
}

// Allows reports whether option equals the label of one of the options.
func (d Decision) Allows(option string) bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool { return o.Label == option })
}
