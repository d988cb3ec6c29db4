package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// The command lists the payments to refund, and two operators refund all payments.
func TestRefundAll(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("ana", "download", sim.CardOK)
	s.pledge("bob", "download", sim.CardOK)
	s.now = time.Date(2026, time.November, 21, 8, 0, 0, 0, time.UTC)
	s.ok(s.settle())
	for _, step := range []struct {
		command, key, want string
		code               int
	}{
		{"refund-all song", "", "2 payments can be refunded, $40.00 in all.", 0},
		{"refund-all song --start", "ada's", "is waiting: 0 payments refunded", 0},
		{"refund-all song --start", "ben's", "All payments are being refunded already", 1},
		{"refund-all song --confirm", "ada's", "Another operator", 1},
		{"refund-all song --continue", "ben's", "waits for a second operator", 1},
		{"refund-all song --confirm", "ben's", "is active", 0},
		{"refund-all song --pause", "ben's", "is paused", 0},
		{"refund-all song --continue", "ada's", "is active", 0},
	} {
		if text, code := s.run(step.command, step.key); code != step.code || !strings.Contains(text, step.want) {
			t.Fatalf("%s by %q: exit status %d: %s", step.command, step.key, code, text)
		}
	}
	s.ok(s.open().Services.Settlement.ContinueRefundRun(t.Context(), "song", 10))
	text, _ := s.run("refund-all song", "")
	for _, want := range []string{"is done: 2 payments refunded, $40.00 in all, 0 skipped", "0 payments can be refunded"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in: %s", want, text)
		}
	}
	if text, _ := s.run("refund song", ""); strings.Count(text, "succeeded") != 2 {
		t.Errorf("the refunds: %s", text)
	}
}
