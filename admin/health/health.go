// Package health looks at what a service needs, and says what is wrong with it and how that
// is put right. It changes nothing, though a host's means may write a test record, and names no
// supporter and no secret.
//
// Each check looks by means that a host gives it: what a host has no means for is not looked
// at. A check that gets no answer in time is a finding like any other, so that one that hangs
// keeps no other from being seen.
package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Patience is how long one check may take.
const Patience = 5 * time.Second

// Severity says how much a finding matters.
type Severity string

// The severities, the least first.
const (
	OK       Severity = "ok"
	Notice   Severity = "notice"   // worth knowing
	Warning  Severity = "warning"  // something will go wrong if nobody looks
	Critical Severity = "critical" // something is wrong now: money, mails or data
)

// Severities returns all of them, the least first.
func Severities() []Severity { return []Severity{OK, Notice, Warning, Critical} }

// Worse compares severities as cmp.Compare does.
func Worse(a, b Severity) int {
	return cmp.Compare(slices.Index(Severities(), a), slices.Index(Severities(), b))
}

// Finding is what a check has found.
type Finding struct {
	ID       string   `json:"id"` // of its Kind; of what is fine, the check's name
	Severity Severity `json:"severity"`
	Found    string   `json:"found"`
	Remedy   string   `json:"remedy,omitempty"` // one sentence; "" where there is nothing to do

	format string // of Found, by which it is said in other languages
	args   []any
}

// Report is what all checks have found.
type Report struct {
	At       time.Time `json:"at"` // by the service's clock
	Version  string    `json:"version,omitempty"`
	Severity Severity  `json:"severity"` // the worst
	Findings []Finding `json:"findings"` // in the order of the checks
}

// Add adds findings.
func (r *Report) Add(more ...Finding) {
	for _, f := range more {
		if Worse(f.Severity, r.Severity) > 0 {
			r.Severity = f.Severity
		}
		r.Findings = append(r.Findings, f)
	}
}

// check is one look at one thing.
type check struct {
	name string
	look func(ctx context.Context) []Finding
}

// fine is the finding of a check that found nothing wrong.
func fine(name, format string, args ...any) []Finding {
	return []Finding{{ID: name, Severity: OK, Found: fmt.Sprintf(format, args...), format: format, args: args}}
}

// or returns the findings, or that a check is fine where there are none.
func or(all []Finding, name, format string, args ...any) []Finding {
	if len(all) > 0 {
		return all
	}
	return fine(name, format, args...)
}

// Look does every check that there are means for, side by side where together runs calls so;
// it may be nil.
func (m Means) Look(ctx context.Context, together func(n int, do func(i int))) Report {
	checks := m.checks()
	found := make([][]Finding, len(checks))
	one := func(i int) {
		within, cancel := context.WithTimeout(ctx, Patience)
		defer cancel()
		found[i] = checks[i].look(within)
	}
	if together == nil {
		for i := range checks {
			one(i)
		}
	} else {
		together(len(checks), one)
	}
	r := Report{At: m.Now().UTC(), Version: m.Version, Severity: OK, Findings: []Finding{}}
	r.Add(slices.Concat(found...)...)
	return r
}

// unseen is the finding of a check that could not look. The log has the cause, which may
// name what no report should.
func (m Means) unseen(name string, err error) []Finding {
	if m.Log != nil {
		m.Log.Warn("a check could not look", "check", name, "error", err.Error())
	}
	return []Finding{unseen.found("The check %s got no answer: %s", name, plain(err))}
}

// reason logs an error of the database and returns what may be shown of it.
func (m Means) reason(err error) string {
	if m.Log != nil {
		m.Log.Warn("the database does not work", "error", err.Error())
	}
	return plain(err)
}

// slow begins what is said of a check that took too long.
const slow = "it took longer than "

// plain says of an error what may be shown.
func plain(err error) string {
	var ours *fault.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return slow + Patience.String()
	case errors.As(err, &ours):
		return ours.Message
	}
	return "the log says why"
}

// past is how long ago something was.
type past time.Duration

func (p past) String() string {
	d := time.Duration(p)
	switch {
	case d < time.Minute:
		return "less than a minute ago"
	case d < 2*time.Minute:
		return "a minute ago"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}
