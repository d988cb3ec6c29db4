package main

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// The following tests verify the statements in docs/operations.md about data that a restore loses.

func (s *testInstall) replaceCard(id, name, card string) {
	s.t.Helper()
	started, err := s.open().Services.Checkout.StartCard(s.t.Context(), checkout.CardRequest{Token: s.link(id, name)})
	s.ok(err)
	s.ok(s.open().Sim.Complete(started.SessionID, card))
	_, err = s.open().Services.Checkout.Complete(s.t.Context(),
		checkout.CompleteRequest{OrderID: id, SessionID: started.SessionID})
	s.ok(err)
}

// A card replaced after the backup is lost, and the old card is charged. If it is declined, the
// supporter is asked for another one.
func TestRestore_LosesCardReplacements(t *testing.T) {
	for card, want := range map[string]pledge.Status{sim.CardOK: pledge.Charged,
		sim.CardChargeDeclined: pledge.PaymentFailed} {
		s := newTestInstall(t)
		s.pledge("bob", "download", sim.CardOK)
		id := s.pledge("ana", "download", card)
		before := s.read(id).PaymentMethodID
		s.restoreAfter(func() {
			s.replaceCard(id, "ana", sim.CardOK)
			if s.read(id).PaymentMethodID == before {
				t.Fatal("card was not replaced")
			}
		})
		s.must("mail resume")
		s.must("resume")
		s.ok(s.settle())
		if p := s.read(id); p.Status != want || p.PaymentMethodID != before {
			t.Errorf("pledge is %s with card %s, want %s with card %s", p.Status, p.PaymentMethodID, want, before)
		}
		if asked := s.mailed(notify.UpdateCard)(); asked != (want == pledge.PaymentFailed) {
			t.Errorf("%s: supporter was asked for another card: %t", want, asked)
		}
	}
}

func (s *testInstall) read(id string) *pledge.Pledge {
	s.t.Helper()
	p, err := s.open().Services.Settlement.Orders.Pledge(s.t.Context(), id)
	s.ok(err)
	return p
}

// Pledges joined after the backup are charged separately, with the same total.
func TestRestore_LosesJoins(t *testing.T) {
	s := newTestInstall(t)
	first, second := s.pledge("ana", "download", sim.CardOK), s.pledge("ana", "download", sim.CardOK)
	s.restoreAfter(func() {
		for _, id := range []string{first, second} {
			_, err := s.open().Services.Checkout.Join(t.Context(), checkout.JoinRequest{Token: s.link(id, "ana")})
			s.ok(err)
		}
	})
	s.must("resume")
	s.ok(s.settle())
	if n := len(s.open().Sim.Entries()); n != 2 || s.status(first) != pledge.Charged ||
		s.status(second) != pledge.Charged {
		t.Errorf("%d payments, pledges are %s and %s", n, s.status(first), s.status(second))
	}
}

// A change that did not change the amount is lost without detection, because the processor records
// only the amount.
func TestRestore_LosesChangesOfTheSameAmount(t *testing.T) {
	s := newTestInstall(t)
	id := s.pledge("ana", "download", sim.CardOK)
	s.restoreAfter(func() {
		for _, tip := range []int{10, 0} {
			_, err := s.open().Services.Checkout.Modify(t.Context(),
				checkout.ModifyRequest{Token: s.link(id, "ana"), TipPercent: &tip})
			s.ok(err)
		}
	})
	s.must("resume")
	if p := s.read(id); p.Revision != 1 {
		t.Errorf("pledge has revision %d", p.Revision)
	}
}

// A pledge cancelled after the backup no longer has a card. At the settlement, the supporter is
// asked for another card.
func TestRestore_CancelledPledgeHasNoCard(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("bob", "download", sim.CardOK)
	id := s.pledge("ana", "download", sim.CardOK)
	s.restoreAfter(func() { s.cancelByLink(id, "ana") })
	for _, key := range both {
		if out, code := s.run("terms song "+id+" --charge agreed", key); code != 0 {
			t.Fatalf("%d: %s", code, out)
		}
	}
	s.must("resume")
	s.ok(s.settle())
	if p := s.read(id); p.Status != pledge.PaymentFailed || len(s.open().Sim.Entries()) != 1 {
		t.Errorf("pledge is %s, %d payments", p.Status, len(s.open().Sim.Entries()))
	}
}
