package settlement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// join joins a pledge, as the holder of its address does.
func (w *fixture) join(id string) error {
	w.t.Helper()
	p, err := w.svc.Orders.Join(w.ctx, id, w.catalogue.Campaigns()[0].EndsAt(w.zone))
	if err == nil {
		_, err = w.svc.Projector.Book(w.ctx, p, "")
	}
	return err
}

// paid lists every payment with its pledges and its card.
func (w *fixture) paid(ids ...string) []string {
	w.t.Helper()
	of := map[string][]string{}
	for i, id := range ids {
		if p := w.pledgeByID(id); p.Charged {
			of[p.PaymentIntentID] = append(of[p.PaymentIntentID], string(rune('a'+i)))
		}
	}
	var paid []string
	for payment, letters := range of {
		p, err := w.sim.Processor().Payment(w.ctx, payment)
		w.ok(err)
		card := slices.IndexFunc(ids, func(id string) bool { return w.pledgeByID(id).CustomerID == p.CustomerID })
		paid = append(paid, fmt.Sprintf("%s by %c: %s", strings.Join(letters, "+"), rune('a'+card), p.Amount))
	}
	slices.Sort(paid)
	return paid
}

// Proves SET-03, SET-07, SET-08: the pledges that the holder of an address has joined are one
// charge, to the newest card that was given by a link; pledges by anyone else who types the
// address are charged separately.
func TestJoined_Groups(t *testing.T) {
	for name, tt := range map[string]struct {
		setup func(w *fixture) []string
		want  []string
	}{
		"typed twice": {func(w *fixture) []string {
			return []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 90000, sim.CardOK)}
		}, []string{"a by a: $25.00", "b by b: $900.00"}},
		"both from a link": {func(w *fixture) []string {
			return []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledge("ana", "film", 700, sim.CardOK)}
		}, []string{"a+b by b: $32.00"}},
		"a stranger before": {func(w *fixture) []string {
			return []string{w.pledgeTyped("ana", "film", 90000, sim.CardOK), w.pledge("ana", "film", 2500, sim.CardOK)}
		}, []string{"a by a: $900.00", "b by b: $25.00"}},
		"a stranger between": {func(w *fixture) []string {
			return []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 90000, sim.CardOK),
				w.pledge("ana", "film", 700, sim.CardOK)}
		}, []string{"a+c by c: $32.00", "b by b: $900.00"}},
		"a stranger after, joined by the holder": {func(w *fixture) []string {
			ids := []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 90000, sim.CardOK)}
			w.ok(w.join(ids[1]))
			return ids
		}, []string{"a+b by a: $925.00"}},
		"joined, no card through a link": {func(w *fixture) []string {
			ids := []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardOK)}
			w.ok(w.join(ids[0]))
			w.ok(w.join(ids[1]))
			return ids
		}, []string{"a by a: $25.00", "b by b: $7.00"}},
		"joined, card through a link": {func(w *fixture) []string {
			ids := []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardOK)}
			w.ok(w.join(ids[0]))
			w.ok(w.join(ids[1]))
			w.newCard("ana", sim.CardOK, 0)
			return ids
		}, []string{"a+b by a: $32.00"}},
		"card through a link without joining": {func(w *fixture) []string {
			ids := []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardOK)}
			w.newCard("ana", sim.CardOK, 1)
			return ids
		}, []string{"a by a: $25.00", "b by b: $7.00"}},
		"pledge with the paying card cancelled": {func(w *fixture) []string {
			ids := []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardOK),
				w.pledge("ana", "film", 500, sim.CardOK)}
			w.ok(w.join(ids[0]))
			w.ok(w.join(ids[1]))
			w.cancel("ana", 2)
			return ids
		}, []string{"a by a: $25.00", "b by b: $7.00"}},
		"a stranger with a declined card": {func(w *fixture) []string {
			return []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)}
		}, []string{"a by a: $25.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			ids := tt.setup(w)
			w.deadline()
			w.settle("film", false)
			w.settle("film", false)
			if diff := cmp.Diff(tt.want, w.paid(ids...)); diff != "" {
				t.Error(diff)
			}
			w.ok(w.sim.Check())
		})
	}
}

// Groups are fixed at the deadline. Pledges cannot be joined later, and a new card after a
// failure pays for its own pledge only.
func TestJoined_GroupStays(t *testing.T) {
	w := newFixture(t)
	a, b := w.pledge("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)
	w.deadline()
	wantCode(t, "joining after the deadline", w.join(b), fault.Conflict)
	w.settle("film", false)
	wantCode(t, "joining after the failure", w.join(b), fault.Conflict)
	w.newCard("ana", sim.CardOK, 1)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if diff := cmp.Diff([]string{"a by a: $25.00", "b by b: $7.00"}, w.paid(a, b)); diff != "" {
		t.Error(diff)
	}
	if p := w.pledgeByID(b); p.Group != state.OwnGroupHash("film", b) {
		t.Errorf("the pledge is in the group %s", p.Group)
	}
}

// A visit request is removed after the new card was charged, including that of a supporter
// with a single pledge.
func TestVisitRequest_SinglePledge(t *testing.T) {
	w := newFixture(t)
	id := w.pledgeTyped("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if st := w.status(); !w.pledgeByID(id).Charged || st.Open {
		t.Errorf("the pledge is %s, group or visit request open: %t", w.pledgeByID(id).Status, st.Open)
	}
}

// Each charge of an address has its own mails.
func TestJoined_MailPerCharge(t *testing.T) {
	w := newFixture(t)
	w.pledgeTyped("ana", "film", 2500, sim.CardChargeDeclined)
	w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	if diff := cmp.Diff([]string{"update_card ana", "update_card ana"}, w.mails()); diff != "" {
		t.Error(diff)
	}
	w.now = w.now.Add(15 * day)
	w.settle("film", false)
	if diff := cmp.Diff([]string{"dropped ana", "dropped ana", "update_card ana", "update_card ana"},
		sortedMails(w)); diff != "" {
		t.Error(diff)
	}
}

func sortedMails(w *fixture) []string { return slices.Sorted(slices.Values(w.mails())) }

// If the joining of pledges is lost in a restore of one order or of the whole database,
// nothing is charged twice.
func TestJoined_LostInRestore(t *testing.T) {
	for name, forget := range map[string]func(w *fixture, id string){
		"the order": func(w *fixture,
			id string) {
			w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, w.backup)
		},
		"the database": func(w *fixture, _ string) { w.db.Restore(w.backup); w.svc = w.service() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			b := w.pledgeTyped("ana", "film", 700, sim.CardOK)
			w.backup = w.db.Snapshot()
			w.ok(w.join(b))
			w.deadline()
			w.settle("film", false)
			forget(w, b)
			w.now = w.now.Add(25 * time.Hour)
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			if books := w.sim.Entries(); len(books) != 1 || books[0].Amount != 3200 {
				t.Errorf("the processor has %+v", books)
			}
		})
	}
}

// An order that was restored to before its claim keeps its group and the card that the group was
// frozen with. A pledge whose joining was lost is not charged with the joined ones.
func TestGroupPledges_LostJoining(t *testing.T) {
	typed := func(id string) *pledge.Pledge {
		p := aPledge(id, 500, pledge.Active, id, 1)
		p.CampaignSlug, p.JoinedAt, p.CardByLink = "film", nil, false
		return p
	}
	joint := state.GroupHash("film", "ana@example.org")
	c, d := typed("c"), typed("d")
	records := map[string]state.GroupRecord{
		joint: {Group: &state.Group{Hash: joint, Orders: []state.Part{{ID: "c"}}, PaymentMethodID: "pm_c"}}}
	if card := cardOf("", records[joint].Group, []*pledge.Pledge{c, d}); card != c {
		t.Errorf("the card of %v pays, but the group was frozen with the card of c", card)
	}
	if got := claimedGroup(c, joint, records); got != joint {
		t.Errorf("the restored order is in the group %s, want %s", got, joint)
	}
	lost := typed("l")
	lost.Group = joint
	joined := aPledge("j", 700, pledge.Active, "j", 1)
	joined.Group = joint
	if p := planFor(nil, []*pledge.Pledge{joined, lost}, campaign.DefaultRecovery(), noon); p.verdict != toCharge ||
		p.amount != 700 {
		t.Errorf("with a pledge whose joining was lost: %s, %s", p.verdict, p.amount)
	}
}

// A joined pledge is charged with the others only if one of them has a card that was saved
// through the link and is not charged in a separate group.
func TestGroupPledges_CardFromTheLink(t *testing.T) {
	joint, own := state.GroupHash("film", "ana@example.org"), state.OwnGroupHash("film", "paid")
	for name, tt := range map[string]struct {
		group string // of a pledge with a card from the link
		want  string // of another pledge without one
	}{
		"other pledge not charged yet":     {"", joint},
		"other pledge in the joint charge": {joint, joint},
		"other pledge charged separately":  {own, state.OwnGroupHash("film", "late")},
	} {
		paid, late := aPledge("paid", 500, pledge.Active, "a", 1), aPledge("late", 500, pledge.Active, "b", 1)
		paid.CampaignSlug, paid.Group = "film", tt.group
		late.CampaignSlug, late.CardByLink = "film", false
		var got string
		for _, cg := range groupPledges("", "film", pledge.EmailHash("ana@example.org"), []*pledge.Pledge{paid, late}, nil) {
			if slices.Contains(cg.ids(), "late") {
				got = cg.hash
			}
		}
		if got != tt.want {
			t.Errorf("%s: in the group %s, want %s", name, got, tt.want)
		}
	}
}

// An imported payment, whose run crashed or whose record was lost, claims only its own
// pledges, and not the pledge of a stranger who typed the address, even if other pledges were
// cancelled.
//
// Proves SET-03, SET-07.
func TestImport_PaymentAndStranger(t *testing.T) {
	for name, before := range map[string]string{"crashed program": "tell", "a lost database": "submit"} {
		for joined := range 3 {
			t.Run(fmt.Sprint(name, joined), func(t *testing.T) {
				w := newFixture(t)
				for range joined + 1 {
					w.pledge("ana", "film", 2500, sim.CardOK)
				}
				w.cancel("ana", joined)
				if joined == 0 {
					w.pledge("ana", "film", 2500, sim.CardOK)
				}
				stranger := w.pledgeTyped("ana", "film", 2500, sim.CardOK)
				w.deadline()
				died := false
				w.conn.watch = func(op memkv.Op) error {
					if op.Kind == memkv.OpDo && op.Command.Kind == before && !op.After && w.backup.Objects == nil {
						w.backup = w.db.Snapshot()
					}
					if died = died || op.Kind == memkv.OpDo && op.Command.Kind == "tell" && !op.After; died {
						return errDisconnected
					}
					return nil
				}
				_, err := w.svc.Settle(w.ctx, "film", false)
				w.conn.watch = nil
				if charges := len(w.sim.Entries()); err == nil || charges != 1 {
					t.Fatalf("%d charges before the crash, %v", charges, err)
				}
				w.db.Restore(w.backup)
				w.svc = w.service()
				w.now = w.now.Add(time.Hour)
				w.settle("film", false)
				if books := w.sim.Entries(); len(books) != 2 {
					t.Errorf("the processor has %+v", books)
				}
				if p := w.pledgeByID(stranger); !p.Charged || p.Amount != 2500 {
					t.Errorf("the stranger's pledge is %s, in group %s", p.Status, p.Group)
				}
				for i, id := range w.pledgesOf["ana"] {
					if p := w.pledgeByID(id); p.Charged == (i == joined) {
						t.Errorf("pledge %d is %s", i+1, p.Status)
					}
				}
			})
		}
	}
}

// An attempt that the object has keeps its pledges, regardless of the payment's amount.
func TestImport_KnownAttempt(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	stranger := w.pledgeTyped("ana", "film", 2500, "none")
	w.deadline()
	w.settle("film", false)
	c, err := w.svc.Catalogue().Campaign("film")
	w.ok(err)
	r, err := w.svc.startRun(w.ctx, c)
	w.ok(err)
	g := w.group("ana", "film")
	_, err = r.rebuildAttempt(w.ctx, inventory.Supporter{Hash: g.Supporter, Pledges: w.pledgesOf["ana"]},
		state.ListedPayment{Hash: g.Hash, Generation: 1}, psp.Payment{ID: "pi_x", Amount: 2501, Status: psp.Succeeded})
	w.ok(err)
	if p := w.pledgeByID(stranger); p.Claimed() {
		t.Errorf("the stranger's pledge is claimed by %s", p.Group)
	}
}

// A lost attempt was paid with a card that its holder saved for the whole group, although
// another pledge has a newer card. Only a card that is newer than both is charged next.
func TestImport_CardOfALostAttempt(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	given := w.pledge("ana", "film", 2500, sim.CardAuthInsufficient)
	typed := w.pledgeTyped("ana", "film", 2500, sim.CardOK)
	_, err := w.svc.Orders.Join(w.ctx, typed, time.Time{})
	w.ok(err)
	w.deadline()
	backup := w.db.Snapshot()
	w.settle("film", false)
	w.db.Restore(backup)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	for range 12 {
		w.now = w.now.Add(day)
		w.settle("film", false)
	}
	cards := map[string]int{}
	for _, c := range w.conn.charges {
		cards[c.PaymentMethodID]++
	}
	if p := w.pledgeByID(given); cards[p.PaymentMethodID] < 2 {
		t.Errorf("the card for the whole group was charged %d times", cards[p.PaymentMethodID])
	}
	if p := w.pledgeByID(typed); cards[p.PaymentMethodID] > 0 || p.Charged {
		t.Errorf("the card of a typed pledge was charged for both %d times", cards[p.PaymentMethodID])
	}
}

// If the processor does not name a payment's card, it is the newest card that was saved through the
// address's link, not the newer card of a joined pledge.
func TestImport_PaymentWithoutCard(t *testing.T) {
	w := newFixture(t)
	given := w.pledge("ana", "film", 2500, sim.CardOK)
	typed := w.pledgeTyped("ana", "film", 2500, sim.CardOK)
	_, err := w.svc.Orders.Join(w.ctx, typed, time.Time{})
	w.ok(err)
	w.deadline()
	c, err := w.svc.Catalogue().Campaign("film")
	w.ok(err)
	r, err := w.svc.startRun(w.ctx, c)
	w.ok(err)
	verified, joined := w.pledgeByID(given), w.pledgeByID(typed)
	if !joined.CardSavedAt.After(verified.CardSavedAt) || joined.PaymentMethodID == verified.PaymentMethodID {
		t.Fatal("the joined pledge has no newer card")
	}
	hash := jointHash(joined)
	g, err := r.rebuildAttempt(w.ctx, inventory.Supporter{Hash: hash, Pledges: w.pledgesOf["ana"]},
		state.ListedPayment{Hash: hash, Generation: 1},
		psp.Payment{ID: "pi_x", CustomerID: verified.CustomerID, Amount: 5000, Status: psp.Succeeded,
			CreatedAt: w.now, Pledges: []string{given, typed}})
	w.ok(err)
	if g.Amount != 5000 || g.PaymentMethodID != verified.PaymentMethodID {
		t.Errorf("the attempt over %d has card %s, want %s", g.Amount, g.PaymentMethodID, verified.PaymentMethodID)
	}
}

// A card that was saved after the lost attempt is charged.
func TestImport_CardSavedAfterALostAttempt(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	backup := w.db.Snapshot()
	w.settle("film", false)
	w.db.Restore(backup)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.newCard("ana", sim.CardOK, 0)
	w.settle("film", false)
	if p := w.pledgeByID(id); !p.Charged {
		t.Errorf("the pledge is %s", p.Status)
	}
}
