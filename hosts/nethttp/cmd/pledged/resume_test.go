package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// After a restore, charging can be resumed when all data that the backup may lack has been checked,
// or by stating a reason.
func TestResume_AfterRestore(t *testing.T) {
	s := newTestInstall(t)
	charged := s.pledge("bob", "download", sim.CardOK)
	backup := filepath.Join(t.TempDir(), "backup.db")
	s.must("backup " + backup)
	s.now = time.Date(2026, time.November, 21, 6, 50, 0, 0, time.UTC)
	lost := s.start("ana", "download")
	s.card(lost, sim.CardOK)
	s.unread()
	s.ok(s.settle())
	s.complete(lost)
	s.close()
	s.ok(os.Remove(filepath.Join(s.env["DATA_DIR"], app.StoreFile)))
	s.must("restore " + backup)
	s.now = s.now.Add(25 * time.Hour)
	if out, code := s.run("resume", ""); code == 0 || !strings.Contains(out, lost.SessionID) {
		t.Fatalf("resumed despite a lost order: %s", out)
	}
	if err := s.settle(); err == nil {
		t.Fatal("settled although charging is stopped")
	}
	s.must("recover " + lost.SessionID + " --ask")
	s.must("resume")
	s.ok(s.settle())
	if n := len(s.open().Sim.Entries()); n != 1 || s.status(charged) != pledge.Charged {
		t.Errorf("%d payments, bob's pledge is %s", n, s.status(charged))
	}
}

func (s *testInstall) must(command string) {
	s.t.Helper()
	if out, code := s.run(command, ""); code != 0 {
		s.t.Fatalf("%s: exit status %d: %s", command, code, out)
	}
}

// After a point-in-time recovery that was announced with stop --restored, resume finds the orders
// that the database has lost, and the queued emails are held.
func TestStop_Restored(t *testing.T) {
	s := newTestInstall(t)
	s.save(s.start("ana", "download"), sim.CardOK)
	s.close()
	db := filepath.Join(s.env["DATA_DIR"], app.StoreFile)
	before, err := os.ReadFile(db)
	s.ok(err)
	s.save(s.start("bob", "download"), sim.CardOK)
	s.close()
	s.ok(os.WriteFile(db, before, 0o600))
	if out, code := s.run("stop", ""); code == 0 {
		t.Fatalf("stopped without a reason: %s", out)
	}
	s.must("stop --restored")
	if out, code := s.run("resume", ""); code == 0 || !strings.Contains(out, "Saved cards without a pledge: 1") {
		t.Errorf("resume: exit status %d: %s", code, out)
	}
	held, err := s.open().Services.Outbox.Switch().StopRecord(t.Context(), "")
	if err != nil || held == nil || held.Before == nil {
		t.Errorf("the queued emails are not held: %+v, %v", held, err)
	}
}

func TestResume_Anyway(t *testing.T) {
	s := newTestInstall(t)
	s.save(s.start("ana", "download"), sim.CardOK)
	s.ok(s.open().Services.Settlement.Switch().StopForRestore(t.Context()))
	s.close()
	db := filepath.Join(s.env["DATA_DIR"], app.StoreFile)
	before, err := os.ReadFile(db)
	s.ok(err)
	s.save(s.start("bob", "download"), sim.CardOK)
	s.close()
	s.ok(os.WriteFile(db, before, 0o600))
	if _, code := s.run("resume", ""); code == 0 {
		t.Fatal("resumed despite a lost order")
	}
	if _, code := s.run("resume --anyway=<b>", ""); code == 0 {
		t.Fatal("resumed without a valid reason")
	}
	s.must("resume --anyway=known")
	kept, err := s.open().Services.Stores.Pledges.List(t.Context(), kv.Query{Prefix: "processor-event:v1:", Limit: 1000})
	s.ok(err)
	if n := strings.Count(fmt.Sprintf("%s", kept.Entries), `"kind":"resumption"`); n != 1 {
		t.Errorf("reason is stored %d times", n)
	}
}

// restoreAfter makes a backup, runs change, and restores the backup with an operator's commands, which
// stops charging.
func (s *testInstall) restoreAfter(change func()) {
	s.t.Helper()
	backup := filepath.Join(s.t.TempDir(), "backup.db")
	s.must("backup " + backup)
	change()
	s.close()
	s.ok(os.Remove(filepath.Join(s.env["DATA_DIR"], app.StoreFile)))
	s.must("restore " + backup)
}

func (s *testInstall) cancelByLink(id, name string) {
	s.t.Helper()
	_, err := s.open().Services.Checkout.Cancel(s.t.Context(), checkout.CancelRequest{Token: s.link(id, name)})
	s.ok(err)
}

// A pledge cancelled after the backup prevents resuming, before and after the deadline, until
// operators have decided about it or a reason is stated.
func TestResume_OtherTerms(t *testing.T) {
	for name, at := range map[string]time.Time{"live": {},
		"ended": time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)} {
		t.Run(name, func(t *testing.T) {
			s := newTestInstall(t)
			s.pledge("bob", "download", sim.CardOK)
			id := s.pledge("ana", "download", sim.CardOK)
			s.restoreAfter(func() { s.cancelByLink(id, "ana") })
			if !at.IsZero() {
				s.now = at
			}
			want := "Pledges of song with other terms in the processor's record: 1, for example " +
				id + ". See pledged terms song"
			refused := func() {
				t.Helper()
				if out, code := s.run("resume", ""); code != 1 || !strings.Contains(out, want) {
					t.Fatalf("resume: exit status %d: %s", code, out)
				}
			}
			refused()
			out, code := s.run("terms song", "")
			if code != 0 || !strings.Contains(out, id+"  $20.00") || !strings.Contains(out, "cancelled") ||
				strings.Contains(out, "bob") {
				t.Fatalf("terms: exit status %d: %s", code, out)
			}
			s.decide("terms song "+id+" --charge agreed", "ada's", "Recorded for ada")
			refused()
			if out, _ := s.run("terms song", ""); !strings.Contains(out, "charge: ada, not confirmed (agreed)") {
				t.Errorf("after one decision: %s", out)
			}
			s.decide("terms song "+id+" --charge agreed", "ben's", "Confirmed by ben")
			s.must("resume")
		})
	}
}

func (s *testInstall) decide(command, key, want string) {
	s.t.Helper()
	if out, code := s.run(command, key); code != 0 || !strings.Contains(out, want) {
		s.t.Fatalf("%s: exit status %d: %s", command, code, out)
	}
}

// The list is computed again before resuming. A reason allows resuming in any case, and pledges
// with different terms are not charged.
func TestResume_OtherTermsAnyway(t *testing.T) {
	s := newTestInstall(t)
	bob := s.pledge("bob", "download", sim.CardOK)
	id := s.pledge("ana", "download", sim.CardOK)
	s.restoreAfter(func() { s.cancelByLink(id, "ana") })
	s.must("resume --anyway=read")
	s.ok(s.settle())
	if s.status(bob) != pledge.Charged || s.status(id) != pledge.Active || len(s.open().Sim.Entries()) != 1 {
		t.Errorf("bob's pledge is %s, ana's %s, %d payments", s.status(bob), s.status(id), len(s.open().Sim.Entries()))
	}
}

// Decisions require a key and all arguments.
func TestTerms_Refusals(t *testing.T) {
	s := newTestInstall(t)
	id := s.pledge("ana", "download", sim.CardOK)
	for command, want := range map[string]string{
		"terms song " + id:                    "--charge with a reason",
		"terms song --charge agreed":          "--charge with a reason",
		"terms song " + id + " --charge yes":  "set OPERATOR_KEY",
		"terms nothing":                       "Campaign not found",
		"reopen song mistake":                 "set OPERATOR_KEY",
		"resolve song x --nothing-charged":    "set OPERATOR_KEY",
		"terms song " + id + " --charge=<b> ": "set OPERATOR_KEY",
	} {
		if out, code := s.run(command, ""); code != 1 || !strings.Contains(out, want) {
			t.Errorf("%s: exit status %d: %s", command, code, out)
		}
	}
	for command, want := range map[string]string{
		"terms song " + id + " --charge yes":  "The pledge's terms do not differ from the processor's record",
		"terms song " + id + " --charge=<b> ": "Give a reason",
		"reopen song mistake":                 "The campaign is not closed",
		"resolve song x --accept-amount":      "Name the payment",
	} {
		if out, code := s.run(command, "ada's"); code != 1 || !strings.Contains(out, want) {
			t.Errorf("%s: exit status %d: %s", command, code, out)
		}
	}
}

// Decisions are executed in the server of the data directory, with the operator's key.
func TestTerms_ThroughAServer(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("bob", "download", sim.CardOK)
	id := s.pledge("ana", "download", sim.CardOK)
	s.restoreAfter(func() { s.cancelByLink(id, "ana") })
	stop, err := acceptCommands(s.open(), "http://127.0.0.1")
	s.ok(err)
	defer func() { s.ok(stop()) }()
	ask := func(key string, args ...string) (string, int) {
		s.env["OPERATOR_KEY"] = key
		var out bytes.Buffer
		code := execute(&environ{ctx: t.Context(), out: &out, err: &out, lookup: config.Values(s.env)}, args)
		return out.String(), code
	}
	for _, tc := range []struct {
		key, want string
		code      int
		args      []string
	}{
		{"", id, 0, []string{"terms", "song"}},
		{"", "set OPERATOR_KEY", 1, []string{"terms", "song", id, "--charge", "they wrote to us"}},
		{"ada's", "Recorded for ada", 0, []string{"terms", "song", id, "--charge", "they wrote to us"}},
		{"ben's", "Confirmed by ben. The next run charges the pledge $20.00.", 0,
			[]string{"terms", "song", id, "--charge", "they wrote to us"}},
		{"", "charge: ada, confirmed by ben (they wrote to us)", 0, []string{"terms", "song"}},
		{"ada's", "The campaign is not closed", 1, []string{"reopen", "song", "a mistake"}},
		{"ada's", "There is no such charge", 1, []string{"resolve", "song", "x", "--payment", "pi_1", "--accept-amount"}},
		{"", "terms.accept", 0, []string{"audit", "list", "--admin", "ben"}},
	} {
		if out, code := ask(tc.key, tc.args...); code != tc.code || !strings.Contains(out, tc.want) ||
			!strings.Contains(out, "Through the server") {
			t.Errorf("%v: exit status %d: %s", tc.args, code, out)
		}
	}
}
