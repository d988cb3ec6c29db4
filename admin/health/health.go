// Package health checks a service's dependencies and reports problems with their remedies.
// It changes nothing, except that a host's Deps may write a test record.
// Reports contain no personal data and no secrets.
//
//	report := deps.Run(ctx, nil)
//	if report.Severity == health.Critical {
//		...
//	}
//
// A host sets the functions that it supports in a Deps; checks without a function are skipped. A
// check may run for CheckTimeout. A check that fails or takes longer is reported as a finding of
// kind check.unseen and does not prevent the others.
//
// Every finding has a stable ID, a severity and a remedy. docs/operations.md lists them.
package health

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// CheckTimeout is the time limit of one check.
const CheckTimeout = 5 * time.Second

// Severity is the severity of a finding.
type Severity string

// The severities, in ascending order.
const (
	OK       Severity = "ok"
	Notice   Severity = "notice"   // worth knowing
	Warning  Severity = "warning"  // will become a problem unless it is fixed
	Critical Severity = "critical" // a problem now: money, mails or data
)

// Severities returns all severities, in ascending order.
func Severities() []Severity { return []Severity{OK, Notice, Warning, Critical} }

// CompareSeverity compares severities as cmp.Compare does.
func CompareSeverity(a, b Severity) int {
	return cmp.Compare(slices.Index(Severities(), a), slices.Index(Severities(), b))
}

// Finding is the result of a check.
type Finding struct {
	ID       string   `json:"id"` // ID of its kind, or the check's name if it passed
	Severity Severity `json:"severity"`
	Found    string   `json:"found"`
	Remedy   string   `json:"remedy,omitempty"` // "" if there is nothing to do
	Action   Action   `json:"action"`

	found phrase // Found, for translation
}

// Report contains the results of all checks.
type Report struct {
	At       time.Time `json:"at"` // by the service's clock
	Version  string    `json:"version,omitempty"`
	Severity Severity  `json:"severity"` // the most severe
	Findings []Finding `json:"findings"` // in the order of the checks
}

// Add adds findings.
func (r *Report) Add(more ...Finding) {
	for _, f := range more {
		if CompareSeverity(f.Severity, r.Severity) > 0 {
			r.Severity = f.Severity
		}
		r.Findings = append(r.Findings, f)
	}
}

// check is one named check.
type check struct {
	name string
	run  func(ctx context.Context) []Finding
}

// passed returns the finding of a check that passed. Its message is passed.NAME, with the
// values in pairs of name and value.
func passed(name string, pairs ...any) []Finding { return passedAs(name, "passed."+name, pairs...) }

// passedAs is like passed, with message id instead of passed.NAME.
func passedAs(name, id string, pairs ...any) []Finding {
	found := newPhrase(id, pairs...)
	return []Finding{{ID: name, Severity: OK, Found: found.in(locales[locale.Origin]),
		Action: Action{NoAction, []string{}}, found: found}}
}

// orPassed returns the findings or, if there are none, that of a check that passed.
func orPassed(all []Finding, name string, pairs ...any) []Finding {
	if len(all) > 0 {
		return all
	}
	return passed(name, pairs...)
}

// Run runs all checks that m supports, one after the other. If runAll is not nil, Run calls it
// instead; it must call do once for every i below n and can do so in parallel.
func (m Deps) Run(ctx context.Context, runAll func(n int, do func(i int))) Report {
	checks := m.checks()
	found := make([][]Finding, len(checks))
	one := func(i int) {
		within, cancel := context.WithTimeout(ctx, CheckTimeout)
		defer cancel()
		found[i] = checks[i].run(within)
	}
	if runAll == nil {
		for i := range checks {
			one(i)
		}
	} else {
		runAll(len(checks), one)
	}
	r := Report{At: m.Now().UTC(), Version: m.Version, Severity: OK, Findings: []Finding{}}
	r.Add(slices.Concat(found...)...)
	return r
}

// checkFailed logs an error that prevented a check, and returns the finding. The finding does not
// contain the error itself, because it may contain private data.
func (m Deps) checkFailed(name string, err error) []Finding {
	if m.Log != nil {
		m.Log.Warn("health check could not be completed", "check", name, "error", err.Error())
	}
	return []Finding{checkIncomplete.finding("check", name, "reason", publicMessage(err))}
}

// logReason logs a database error and returns its publicMessage.
func (m Deps) logReason(err error) any {
	if m.Log != nil {
		m.Log.Warn("database check failed", "error", err.Error())
	}
	return publicMessage(err)
}

// publicMessage returns the part of an error that may be shown: a fault's message, or a phrase.
func publicMessage(err error) any {
	var ours *fault.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return newPhrase("reason.slow", "time", CheckTimeout)
	case errors.As(err, &ours):
		return ours.Message
	}
	return newPhrase("reason.log")
}
