package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// After a restore charging goes on when what the backup can't know has been looked at, or
// somebody says why that does not matter.
func TestResumeAfterARestore(t *testing.T) {
	s := newShop(t)
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
		t.Fatalf("resumed with a lost order: %s", out)
	}
	if err := s.settle(); err == nil {
		t.Fatal("it is settled while charging is stopped")
	}
	s.must("recover " + lost.SessionID + " --ask")
	s.must("resume")
	s.ok(s.settle())
	if n := len(s.open().Sim.Books()); n != 1 || s.status(charged) != pledge.Charged {
		t.Errorf("there are %d payments, and bob's pledge is %s", n, s.status(charged))
	}
}

func (s *shop) must(command string) {
	s.t.Helper()
	if out, code := s.run(command, ""); code != 0 {
		s.t.Fatalf("%s ends with %d: %s", command, code, out)
	}
}

func TestResumeAnyway(t *testing.T) {
	s := newShop(t)
	s.save(s.start("ana", "download"), sim.CardOK)
	s.ok(s.open().Services.Settlement.Switch().Restored(t.Context()))
	s.close()
	db := filepath.Join(s.env["DATA_DIR"], app.StoreFile)
	before, err := os.ReadFile(db)
	s.ok(err)
	s.save(s.start("bob", "download"), sim.CardOK)
	s.close()
	s.ok(os.WriteFile(db, before, 0o600))
	if _, code := s.run("resume", ""); code == 0 {
		t.Fatal("resumed with a lost order")
	}
	if _, code := s.run("resume --anyway=<b>", ""); code == 0 {
		t.Fatal("resumed for no reason in plain words")
	}
	s.must("resume --anyway=known")
	kept, err := s.open().Services.Stores.Pledges.List(t.Context(), kv.Query{Prefix: "processor-event:v1:", Limit: 1000})
	s.ok(err)
	if n := strings.Count(fmt.Sprintf("%s", kept.Entries), `"kind":"resumption"`); n != 1 {
		t.Errorf("it is kept %d times", n)
	}
}
