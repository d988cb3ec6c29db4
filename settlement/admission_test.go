package settlement

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// missedFixture returns a fixture whose album missed its goal long enough ago to be closed, and the
// ID of the album's pledge.
func missedFixture(t *testing.T) (w *fixture, id string) {
	w = newFixture(t)
	id = w.pledge("ana", "album", 500, sim.CardOK)
	w.deadline()
	w.now = w.now.Add(Closing)
	return w, id
}

// mustKeep tries to delete a campaign's cards, and fails the test if the campaign is closed, the
// pledge's card deleted or a mail sent.
func (w *fixture) mustKeep(name, slug, id string) {
	w.t.Helper()
	w.mustDeleteCards(slug, CardDeletion{})
	closed, err := w.svc.Closed(w.ctx, slug)
	if err != nil || closed || !w.hasCard(id) || w.pledgeByID(id).CardForgottenAt != nil || len(w.mails()) != 0 {
		w.t.Errorf("%s: closed %t, card attached %t, mails %v, %v", name, closed, w.hasCard(id), w.mails(), err)
	}
}

// Each failed check keeps a campaign open. When the cause is removed, the campaign is closed.
func TestClose_NeedsAdmission(t *testing.T) {
	for name, tc := range map[string]struct{ block, unblock func(w *fixture) }{
		"stopped by operator": {
			func(w *fixture) { _, err := w.svc.Switch().Stop(w.ctx, "a test"); w.ok(err) },
			func(w *fixture) { _, err := w.svc.Switch().Resume(w.ctx); w.ok(err) },
		},
		"stopped after a restore": {
			func(w *fixture) { w.ok(w.svc.Switch().StopForRestore(w.ctx)) },
			func(w *fixture) { _, err := w.svc.Switch().Resume(w.ctx); w.ok(err) },
		},
		"switched off": {
			func(w *fixture) { w.svc.Disabled = true },
			func(w *fixture) { w.svc.Disabled = false },
		},
		"clock ahead": {
			func(w *fixture) { w.sim.Advance(-state.MaxClockError - 2*time.Second) },
			func(w *fixture) { w.sim.Advance(state.MaxClockError) },
		},
		"clock behind": {
			func(w *fixture) { w.sim.Advance(state.MaxClockError + 2*time.Second) },
			func(w *fixture) { w.sim.Advance(-state.MaxClockError) },
		},
		"deadline differs from the promised one": {
			func(w *fixture) { w.catalogue = ending(w.t, "2026-02-22") },
			func(w *fixture) { w.catalogue = newCatalogue(w.t, "film", 20, "album", 20) },
		},
		"lease held by another run": {
			func(w *fixture) {
				_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "album"}.Acquire(w.ctx,
					state.LeaseRequest{Owner: "other"})
				w.ok(err)
			},
			func(w *fixture) { w.now = w.now.Add(state.LeaseDuration) },
		},
		"a payment succeeded": {
			func(w *fixture) { w.payByHand("album", "ana", 500) },
			func(w *fixture) {
				_, err := w.sim.Refund(w.sim.Entries()[0].PaymentID, 500)
				w.ok(err)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, id := missedFixture(t)
			tc.block(w)
			w.mustKeep("blocked", "album", id)
			tc.unblock(w)
			w.mustDeleteCards("album", CardDeletion{})
			if closed, err := w.svc.Closed(w.ctx, "album"); err != nil || !closed {
				t.Errorf("unblocked: closed %t, %v", closed, err)
			}
		})
	}
}

// slowAccount is a processor whose account requests take a while.
type slowAccount struct {
	psp.Processor
	w    *fixture
	take time.Duration
}

func (p slowAccount) Account(ctx context.Context) (psp.Account, error) {
	a, err := p.Processor.Account(ctx)
	p.w.now = p.w.now.Add(p.take)
	return a, err
}

// The response is delayed by as much as the clock is behind.
func TestClose_WrongClockAndSlowResponse(t *testing.T) {
	w, id := missedFixture(t)
	w.sim.Advance(time.Hour)
	w.svc.Processor = slowAccount{w.svc.Processor, w, time.Hour}
	w.mustKeep("clock behind", "album", id)
}

// payByHand makes a payment for a campaign outside of settlement, without a record or a
// pledge.
func (w *fixture) payByHand(slug, name string, amount money.Cents) psp.Payment {
	w.t.Helper()
	card := w.saveCard(name, sim.CardOK)
	out := w.sim.Processor().
		Charge(w.ctx, psp.NewCharge{Key: "by hand", Group: state.AttemptKey(slug, state.HashOf(slug, "unknown"), 1),
			Metadata: map[string]string{psp.CampaignKey: slug}, Amount: amount, CustomerID: card.CustomerID,
			PaymentMethodID: card.PaymentMethodID,
			NotAfter:        w.now.Add(time.Hour)})
	if out.Status != psp.Succeeded {
		w.t.Fatalf("the payment is %s", out.Status)
	}
	return out.Payment
}
