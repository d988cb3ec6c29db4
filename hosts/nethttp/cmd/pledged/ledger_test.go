package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// The command verifies the ledger and prints its entries, as text and as JSON.
func TestLedger(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("ana", "download", sim.CardOK)
	s.ok(s.settle())
	payment := s.open().Sim.Entries()[0]
	text, code := s.run("ledger song", "")
	if code != 0 || !strings.Contains(text, "; ledger of song") || !strings.Contains(text, "charge "+payment.PaymentID) ||
		!strings.Contains(text, "Income:Pledges  -20.00 USD") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	var entries []ledger.Entry
	text, code = s.run("ledger song --json", "")
	if err := json.Unmarshal([]byte(text[strings.Index(text, "["):]), &entries); err != nil || code != 0 || len(entries) != 2 ||
		entries[0].Charged() != payment.Amount || entries[1].Kind != ledger.Fee {
		t.Errorf("exit code %d, %v:\n%s", code, err, text)
	}
	if text, code := s.run("ledger nothing", ""); code == 0 || !strings.Contains(text, "Campaign not found") {
		t.Errorf("unknown campaign: exit code %d, %s", code, text)
	}
}
