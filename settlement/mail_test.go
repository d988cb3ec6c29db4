package settlement

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
)

// A charged supporter gets one mail about the whole payment that lists each of its pledges.
// Other supporters get none, and further runs send no more.
//
// Proves SET-18.
func TestMailAfterCharge(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 701, sim.CardOK)
	w.pledge("ana", "film", 900, sim.CardOK)
	w.cancel("ana", 2)
	w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	w.pledge("cleo", "film", 600, "none")
	w.deadline()
	for range 2 {
		w.settle("film", false)
		w.mails()
	}
	var charged []notify.Mail
	for _, m := range w.sent {
		if m.Kind == notify.Charged {
			charged = append(charged, m)
		}
	}
	if len(charged) != 1 || charged[0].To != email("ana") || !strings.Contains(charged[0].Subject, "$32.01") {
		t.Fatalf("mails about charges: %+v", charged)
	}
	for i, id := range w.pledgesOf["ana"] {
		if named := strings.Contains(charged[0].Text, id); named != w.pledgeByID(id).Charged {
			t.Errorf("the mail names pledge %d of ana: %t\n%s", i+1, named, charged[0].Text)
		}
	}
}
