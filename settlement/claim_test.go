package settlement

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// beforeClaim calls a function once just before a pledge is claimed.
func (w *fixture) beforeClaim(id string, do func()) {
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && !op.After && op.Command.Kind == "claim" && op.Object.Name == id {
			w.conn.watch = nil
			do()
		}
		return nil
	}
}

// A pledge that is cancelled between plan and claim is not charged. If a card is replaced
// then, the new card is charged: the frozen charge has the pledges as claimed.
//
// Proves SET-03 and SET-07.
func TestClaim_PledgeChangedAfterThePlan(t *testing.T) {
	for nth := range 3 {
		t.Run(fmt.Sprintf("pledge %d cancelled", nth+1), func(t *testing.T) {
			w := newFixture(t)
			for _, amount := range []money.Cents{2500, 300, 40} {
				w.pledge("ana", "film", amount, sim.CardOK)
			}
			w.deadline()
			id := w.pledgesOf["ana"][nth]
			w.beforeClaim(id, func() { w.cancel("ana", nth) })
			w.settle("film", false)
			want := []money.Cents{340, 2540, 2800}[nth]
			if g, books := w.group("ana", "film"), w.sim.Entries(); len(books) != 1 || books[0].Amount != want ||
				g.Amount != want || len(g.Orders) != 2 {
				t.Errorf("charged: %+v by %+v, want %s", books, g, want)
			}
			for i, id := range w.pledgesOf["ana"] {
				if p := w.pledgeByID(id); p.Charged != (i != nth) || i == nth && p.Status != pledge.Cancelled {
					t.Errorf("pledge %d of ana is %s", i+1, p.Status)
				}
			}
		})
	}
	t.Run("only pledge cancelled", func(t *testing.T) {
		w := newFixture(t)
		w.pledge("bob", "film", 2500, sim.CardOK)
		id := w.pledge("ana", "film", 2500, sim.CardOK)
		w.deadline()
		w.beforeClaim(id, func() { w.cancel("ana", 0) })
		w.settle("film", false)
		if w.group("ana", "film") != nil || len(w.sim.Entries()) != 1 {
			t.Errorf("charges %+v, the group is %+v", w.sim.Entries(), w.group("ana", "film"))
		}
	})
	t.Run("card replaced", func(t *testing.T) {
		w := newFixture(t)
		id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
		w.deadline()
		w.beforeClaim(id, func() { w.newCard("ana", sim.CardOK, 0) })
		w.settle("film", false)
		if p := w.pledgeByID(id); !p.Charged || len(w.conn.charges) != 1 ||
			w.conn.charges[0].PaymentMethodID != p.PaymentMethodID {
			t.Errorf("the pledge is %s, sent: %+v", p.Status, w.conn.charges)
		}
	})
}

// A run claims a pledge after it lost its lease, too late for the charge that its successor
// froze. The pledge is neither charged with it nor marked as charged. A failure of the charge
// releases the pledge.
func TestClaim_WithoutTheLease(t *testing.T) {
	for _, tt := range []struct {
		card     string
		statuses [2]pledge.Status
		charged  money.Cents // at the end, with another card
	}{
		{sim.CardOK, [2]pledge.Status{pledge.Charged, pledge.Active}, 2500},
		{sim.CardChargeDeclined, [2]pledge.Status{pledge.PaymentFailed, pledge.PaymentFailed}, 3200},
	} {
		w := newFixture(t)
		first := w.pledge("ana", "film", 2500, tt.card)
		early := planFor(nil, []*pledge.Pledge{w.pledgeByID(first)}, campaign.DefaultRecovery(), w.now)
		late := w.pledge("ana", "film", 700, tt.card)
		w.pledge("ana", "film", 100, tt.card)
		w.cancel("ana", 2)
		w.deadline()
		w.svc.Holder = func() state.Holder { return state.Holder{Node: "here", Incarnation: "1"} }
		w.beforeClaim(late, func() {
			object := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}
			lease, err := object.Acquire(w.ctx,
				state.LeaseRequest{Owner: "successor", Holder: state.Holder{Node: "here", Incarnation: "2"}})
			w.ok(err)
			_, err = object.Submit(w.ctx, lease,
				early.newGroup("film", pledge.EmailHash(email("ana")), state.GroupHash("film", email("ana"))))
			w.ok(err)
			w.release(object, lease)
		})
		_, err := w.svc.Settle(w.ctx, "film", false)
		wantCode(t, "the run that lost its lease", err, fault.Busy)
		if !isClaimedFor(w.pledgeByID(late), w.group("ana", "film").Hash, 1) || len(w.conn.charges) != 0 {
			t.Fatalf("the late pledge is %+v, %d charges", w.pledgeByID(late).Settlement, len(w.conn.charges))
		}
		w.now = w.now.Add(time.Hour)
		w.settle("film", false)
		got := [2]pledge.Status{w.pledgeByID(first).Status, w.pledgeByID(late).Status}
		if diff := cmp.Diff(tt.statuses, got); diff != "" || w.conn.charges[0].Amount != 2500 || w.pledgeByID(late).Charged {
			t.Errorf("%s: charges %+v, pledges (-want +got):\n%s", tt.card, w.conn.charges, diff)
		}
		if !w.pledgeByID(first).Charged {
			w.newCard("ana", sim.CardOK, 0)
		}
		w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
		if books := w.sim.Entries(); len(books) != 1 || books[0].Amount != tt.charged {
			t.Errorf("%s: finally the processor has %+v, want %s", tt.card, books, tt.charged)
		}
		w.ok(w.sim.Check())
	}
}

// A run that lost its lease long ago claims a late pledge for an attempt that has ended and
// was booked. No later attempt charges that pledge, and it is shown to operators.
func TestClaim_EndedAttempt(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	late := w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	_, err := w.svc.Orders.Claim(w.ctx, late, w.group("ana", "film").Hash, 1)
	w.ok(err)
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if c := w.conn.charges[len(w.conn.charges)-1]; c.Amount != 2500 || w.pledgeByID(late).Charged {
		t.Errorf("%s were charged, the late pledge is %s", c.Amount, w.pledgeByID(late).Status)
	}
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if len(r.Skipped) != 1 || r.Skipped[0].Status != DetailAttention || r.Skipped[0].Reason != string(latePledge) {
		t.Errorf("operators are shown %+v", r.Skipped)
	}
}

// Similar addresses, and addresses whose hashes share the first ten digits, belong to different
// supporters, who are charged separately.
//
// Proves SET-03, SET-07 and SET-09.
func TestGroups_SimilarAddresses(t *testing.T) {
	w := newFixture(t)
	names := []string{"ana", "ana+film", "ana+album", "a.na", "ana_", "anna", "añа", "aña", "ana+",
		"fan126236", "fan645960", "fan793473", "fan1412152"}
	if a, b := pledge.EmailHash(email("fan126236")), pledge.EmailHash(email("fan645960")); a[:10] != b[:10] || a == b {
		t.Fatalf("the hashes of the addresses, %s and %s, do not look alike", a, b)
	}
	if a, b := state.GroupHash("film", email("fan793473")),
		state.GroupHash("film", email("fan1412152")); a[:10] != b[:10] || a == b {
		t.Fatalf("the hashes of the groups, %s and %s, do not look alike", a, b)
	}
	want, got := map[string]money.Cents{}, map[string]money.Cents{}
	for i, name := range names {
		for range 2 {
			w.pledge(name, "film", money.Cents(300+i), sim.CardOK)
		}
		want[state.AttemptKey("film", state.GroupHash("film", email(name)), 1)] = 2 * money.Cents(300+i)
	}
	w.deadline()
	w.settle("film", false)
	for _, b := range w.sim.Entries() {
		got[b.Group] += b.Amount
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != len(names) || len(w.sim.Entries()) != len(names) {
		t.Errorf("%d charges (-want +got):\n%s", len(w.sim.Entries()), diff)
	}
	for i, name := range names {
		for _, id := range w.pledgesOf[name] {
			if p := w.pledgeByID(id); p.Settlement == nil || p.Settlement.Group != state.GroupHash("film", email(name)) ||
				p.Financials.Gross != money.Cents(300+i) {
				t.Errorf("the charge of %s covers %+v", name, p.Settlement)
			}
		}
	}
}
