package content

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Conflict is an edit of a field that was changed in the meantime. To publish the draft's
// value, submit the edit again with Is as its old value.
type Conflict struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"` // the value that the editor saw
	Is   json.RawMessage `json:"is,omitempty"`  // the current value in the file
	Want json.RawMessage `json:"want,omitempty"`
	// By is the author of the change and At its time, nil if not known.
	By *repository.Author `json:"by,omitempty"`
	At *time.Time         `json:"at,omitempty"`
	Place
	// The values formatted for display.
	WasText  string `json:"wasText,omitempty"`
	IsText   string `json:"isText,omitempty"`
	WantText string `json:"wantText,omitempty"`
}

// RefusedError is the error of a change that was rejected. Nothing was written. It wraps a
// fault.
type RefusedError struct {
	fault *fault.Error
	Reasons
}

// Reasons are the problems and conflicts of a change.
type Reasons struct {
	Problems  []Problem  `json:"problems,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Current is the SHA of the file at the repository's head, which contains the conflicting
	// values; "" if it was not read.
	Current string `json:"current,omitempty"`
}

// Error implements error.
func (r *RefusedError) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r *RefusedError) Unwrap() error { return r.fault }

// Details returns the data that a response shows with the fault.
func (r *RefusedError) Details() any { return r.Reasons }

// refuse turns Problems, and Invalid faults about a field, into a RefusedError with the Place of
// each field. It returns other errors unchanged.
func (s *Service) refuse(err error, file string, documents ...*campaignfile.Document) error {
	p := problemsOf(err)
	if f := fault.Of(err); len(p) == 0 && f != nil && f.Code == fault.Invalid && f.Field != "" {
		p = campaign.Problems{{File: file, Field: f.Field, Message: f.Message}}
	}
	if len(p) == 0 {
		return err
	}
	return &RefusedError{fault.New(fault.Invalid, "%s", p[0].Message).In(p[0].Field),
		Reasons{Problems: s.problemsIn(file, p, documents...)}}
}

func conflictError(c []Conflict) error {
	return &RefusedError{fault.New(fault.Conflict,
		"The same field was changed in the meantime: compare both values and publish again").In(c[0].Path),
		Reasons{Conflicts: c}}
}

func staleBase() error {
	return &RefusedError{fault.New(fault.Conflict,
		"The file was changed since you opened it: reload and try again").In("base"), Reasons{}}
}

func problemsOf(err error) campaign.Problems {
	var p campaign.Problems
	errors.As(err, &p)
	return p
}
