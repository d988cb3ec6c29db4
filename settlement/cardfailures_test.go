package settlement

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A failed read does not count as a missed goal: the card is kept, and the caller gets the
// error.
func TestDeleteCards_FailedReads(t *testing.T) {
	for nth := 1; ; nth++ {
		w := newFixture(t)
		id := w.pledge("ana", "album", 2500, sim.CardOK)
		w.catalogue = newCatalogue(w.t, "film", 20, "album", 5000)
		w.deadline()
		w.now = w.now.Add(Closing)
		n := 0
		w.conn.watch = func(op memkv.Op) error {
			if n++; n == nth {
				return errDisconnected
			}
			return nil
		}
		_, err := w.deleteCards("album")
		w.conn.watch = nil
		if (err == nil) != (n < nth) || !w.hasCard(id) {
			t.Errorf("at read %d of %d: %v, attached %t", nth, n, err, w.hasCard(id))
		}
		if n < nth {
			break
		}
	}
}

// The deletion crashes before or after each effect in turn and is then repeated.
func TestDeleteCards_CrashAnywhere(t *testing.T) {
	prepare := func() (*fixture, []string) {
		w := newFixture(t)
		ids := []string{w.pledge("ana", "album", 500, sim.CardOK), w.pledge("bob", "album", 700, sim.CardOK)}
		w.close("album")
		w.conn.effects = 0
		return w, ids
	}
	clean, _ := prepare()
	clean.mustDeleteCards("album", CardDeletion{Over: true, Cards: 2})
	if clean.conn.effects < 10 {
		t.Fatalf("only %d effects", clean.conn.effects)
	}
	for cut := 1; cut <= clean.conn.effects; cut++ {
		w, ids := prepare()
		w.conn.failAt = cut
		// the last two effects release the lease
		if _, err := w.deleteCards("album"); err == nil && cut < clean.conn.effects-1 {
			t.Errorf("cut at %d: no error", cut)
		}
		w.conn.failAt, w.conn.down = 0, false
		w.svc = w.service()
		w.now = w.now.Add(state.LeaseDuration)
		if f, err := w.deleteCards("album"); err != nil || !f.Over || f.Left != 0 {
			t.Errorf("cut at %d, again: %+v, %v", cut, f, err)
		}
		for _, id := range ids {
			record, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
			w.ok(err)
			if diff := cmp.Diff(*w.pledgeByID(id), record); w.hasCard(id) || record.CardForgottenAt == nil || diff != "" {
				t.Errorf("cut at %d: attached %t (-order +record):\n%s", cut, w.hasCard(id), diff)
			}
		}
		if diff := cmp.Diff([]string{"missed ana", "missed bob"}, w.mails()); diff != "" {
			t.Errorf("cut at %d, mails (-want +got):\n%s", cut, diff)
		}
	}
}

// failingDetach is a processor that fails to detach one card.
type failingDetach struct {
	psp.Processor
	card string
}

func (r failingDetach) DetachCard(ctx context.Context, id, key string) error {
	if id == r.card {
		return fault.Wrap(errors.New("refused"), fault.Unavailable, "The processor does not answer")
	}
	return r.Processor.DetachCard(ctx, id, key)
}

// An error with one card does not stop the deletion of the others, and that card is retried.
func TestDeleteCards_OneCardFails(t *testing.T) {
	w := newFixture(t)
	ana, bob := w.pledge("ana", "album", 500, sim.CardOK), w.pledge("bob", "album", 700, sim.CardOK)
	w.close("album")
	good := w.svc.Processor
	w.svc.Processor = failingDetach{good, w.pledgeByID(ana).PaymentMethodID}
	if f, err := w.deleteCards("album"); !fault.Is(err, fault.Unavailable) ||
		f != (CardDeletion{Over: true, Cards: 1, Left: 1}) || w.hasCard(bob) || !w.hasCard(ana) {
		t.Errorf("%+v, %v", f, err)
	}
	w.svc.Processor = good
	w.mustDeleteCards("album", CardDeletion{Over: true, Cards: 1})
}
