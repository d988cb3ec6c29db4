package content

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Conflict is an edit of a field that was changed in the meantime.
type Conflict struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"` // the value that the editor saw
	Is   json.RawMessage `json:"is,omitempty"`  // the current value in the file
	Want json.RawMessage `json:"want,omitempty"`
	// By is the author of the change and At its time, nil if not known.
	By *repository.Author `json:"by,omitempty"`
	At *time.Time         `json:"at,omitempty"`
}

// Refused is the error of a change that was rejected. Nothing was written. It wraps a
// fault.
type Refused struct {
	fault *fault.Error
	Reasons
}

// Reasons are the problems and conflicts of a change.
type Reasons struct {
	Problems  campaign.Problems `json:"problems,omitempty"`
	Conflicts []Conflict        `json:"conflicts,omitempty"`
}

// Error implements error.
func (r *Refused) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r *Refused) Unwrap() error { return r.fault }

// Details returns the data that a response shows with the fault.
func (r *Refused) Details() any { return r.Reasons }

// refused turns Problems into a Refused that names the first field. It returns other errors
// unchanged.
func refused(err error) error {
	p := problemsOf(err)
	if len(p) == 0 {
		return err
	}
	return &Refused{fault.New(fault.Invalid, "%s", p[0].Message).In(p[0].Field), Reasons{Problems: p}}
}

func conflictError(c []Conflict) error {
	return &Refused{fault.New(fault.Conflict, "The same field was changed in the meantime: compare both values and publish again").In(c[0].Path), Reasons{Conflicts: c}}
}

func staleBase() error {
	return &Refused{fault.New(fault.Conflict, "The file was changed since you opened it: reload and try again").In("base"), Reasons{}}
}

func problemsOf(err error) campaign.Problems {
	var p campaign.Problems
	errors.As(err, &p)
	return p
}
