package content

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Conflict is an edit whose field has changed meanwhile.
type Conflict struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"` // what the editor saw
	Is   json.RawMessage `json:"is,omitempty"`  // what the file has now
	Want json.RawMessage `json:"want,omitempty"`
	// By is who changed it, nil where that is not known, and At when.
	By *repository.Author `json:"by,omitempty"`
	At *time.Time         `json:"at,omitempty"`
}

// Refused is a change that was not made: nothing was written. It wraps a fault.
type Refused struct {
	fault *fault.Error
	Reasons
}

// Reasons are all that stands against a change.
type Reasons struct {
	Problems  campaign.Problems `json:"problems,omitempty"`
	Conflicts []Conflict        `json:"conflicts,omitempty"`
}

// Error implements error.
func (r *Refused) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r *Refused) Unwrap() error { return r.fault }

// Details are what an answer shows beside the fault.
func (r *Refused) Details() any { return r.Reasons }

// refused turns Problems into a fault that names the first field; other errors stay.
func refused(err error) error {
	p := problemsOf(err)
	if len(p) == 0 {
		return err
	}
	return &Refused{fault.New(fault.Invalid, "%s", p[0].Message).In(p[0].Field), Reasons{Problems: p}}
}

func conflicted(c []Conflict) error {
	return &Refused{fault.New(fault.Conflict, "Somebody has changed the same field: look at both, and publish again").In(c[0].Path), Reasons{Conflicts: c}}
}

func stale() error {
	return &Refused{fault.New(fault.Conflict, "Somebody has changed the file since you saw it: look at it again").In("base"), Reasons{}}
}

func problemsOf(err error) campaign.Problems {
	var p campaign.Problems
	errors.As(err, &p)
	return p
}
