package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// A pass that did not list every payment is inconclusive and fails.
func TestVerdict(t *testing.T) {
	for name, tt := range map[string]struct {
		report reconcile.Report
		want   error
		says   string
	}{
		"in order":                        {reconcile.Report{}, nil, "$0.00"},
		"payments missing from the list":  {reconcile.Report{Difference: -5000}, errUnseen, "-$50.00"},
		"payments that are not booked":    {reconcile.Report{Difference: 5000}, nil, "Not booked yet"},
		"a break explains the difference": {reconcile.Report{Difference: -5000, OpenBreaks: 1}, nil, "-$50.00"},
		"a critical break": {reconcile.Report{Difference: -5000, OpenBreaks: 1, Critical: 1},
			errBreaks, "1 of them critical"},
	} {
		var out bytes.Buffer
		if err := printBooks(&out, tt.report, true); err != nil || !strings.Contains(out.String(), tt.says) {
			t.Errorf("%s: %v\n%s", name, err, &out)
		}
		if got := verdict(tt.report); !errors.Is(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// If a machine's clock is days behind, not all payments are listed, and the command reports it.
func TestReconcile_WrongClock(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("bob", "download", "4242424242424242")
	s.now = s.now.AddDate(0, 0, 7)
	s.ok(s.settle())
	s.must("reconcile song")
	s.now = s.now.AddDate(0, 0, -7)
	if out, code := s.run("reconcile song", ""); code != 1 || !strings.Contains(out, "lacks payments of charged pledges") {
		t.Errorf("exit status %d: %s", code, out)
	}
}
