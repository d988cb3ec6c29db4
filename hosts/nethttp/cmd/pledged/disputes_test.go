package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/disputes"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// The command imports the processor's disputes and prints them, as text and as JSON.
func TestDisputes(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("ana", "download", sim.CardOK)
	s.ok(s.settle())
	simulator := s.open().Sim
	id, err := simulator.Dispute(simulator.Entries()[0].PaymentID, 500, "product_not_received")
	if err != nil {
		t.Fatal(err)
	}
	text, code := s.run("disputes song --open", "")
	if code != 0 || !strings.Contains(text, id) || !strings.Contains(text, "needs_response") || !strings.Contains(text, "$5.00") ||
		!strings.Contains(text, "product_not_received") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	var all []disputes.Dispute
	text, code = s.run("disputes song --json", "")
	if err := json.Unmarshal([]byte(text[strings.Index(text, "["):]), &all); err != nil || code != 0 || len(all) != 1 ||
		all[0].ID != id || len(all[0].Pledges) != 1 || all[0].AnswerBy == nil {
		t.Errorf("exit code %d, %v:\n%s", code, err, text)
	}
	if text, code := s.run("report fulfillment song", ""); code != 0 || strings.Contains(text, "ana@") ||
		!strings.Contains(text, "1 parcels whose dispute is open, 0 whose") {
		t.Errorf("held parcels: exit code %d, %s", code, text)
	}
	if text, code := s.run("disputes nothing", ""); code == 0 || !strings.Contains(text, "Campaign not found") {
		t.Errorf("unknown campaign: exit code %d, %s", code, text)
	}
}
