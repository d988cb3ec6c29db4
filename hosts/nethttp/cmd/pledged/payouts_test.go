package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/payouts"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

// The command imports the processor's payouts and prints them, as text and as JSON.
func TestPayouts(t *testing.T) {
	s := newTestInstall(t)
	if text, code := s.run("payouts", ""); code != 0 || !strings.Contains(text, "PAYOUT") {
		t.Errorf("no payouts: exit code %d:\n%s", code, text)
	}
	s.pledge("ana", "download", sim.CardAvailableNow)
	s.ok(s.settle())
	simulator := s.open().Sim
	net := simulator.Entries()[0].Net
	id, err := simulator.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	text, code := s.run("payouts", "")
	if code != 0 || !strings.Contains(text, id) || !strings.Contains(text, "in_transit") ||
		!strings.Contains(text, "not yet") ||
		!strings.Contains(text, net.String()) {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	var all []payouts.Payout
	text, code = s.run("payouts --json", "")
	if err := json.Unmarshal([]byte(text[strings.Index(text, "["):]), &all); err != nil || code != 0 || len(all) != 1 ||
		all[0].ID != id || all[0].Explanation != payout.Waiting || all[0].Whole.Amount != net {
		t.Errorf("exit code %d, %v:\n%s", code, err, text)
	}
}

func TestPayouts_Shares(t *testing.T) {
	shares := []payout.Share{{Slug: "film", Amount: 2500},
		{Slug: "song", Amount: -300, Unmatched: 2, Examples: []string{"txn_1", "txn_2"}}}
	for want, p := range map[string]payouts.Payout{
		"film $25.00, song -$3.00 (2 not in the ledger: txn_1 txn_2), other -$0.50, unexplained $1.00": {
			Explanation: payout.Unexplained, Shares: shares, Whole: &payouts.Whole{Other: -50, Difference: 100}},
		"film $25.00": {Explanation: payout.Explained, Shares: shares[:1], Whole: &payouts.Whole{}},
		"-":           {Explanation: payout.NotExplainable, Whole: &payouts.Whole{Amount: 700}},
	} {
		if got := sharesOf(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
