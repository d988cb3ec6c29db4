package settlement

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// chargeInDoubt returns a fixture in which it is unknown whether bob was charged: the fault
// determines what happened, and the processor did not answer for a day.
func chargeInDoubt(t *testing.T, kind sim.FaultKind) (w *fixture, hash string) {
	w = newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("cleo", "film", 900, sim.CardOK)
	w.deadline()
	w.conn.lookupsLost, w.conn.listEmpty = 1000, true
	hash = state.GroupHash("film", email("bob"))
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == "attempt" && !op.After && strings.Contains(string(op.Command.Body), hash) {
			return w.sim.InjectFaults(sim.Fault{Kind: kind, Op: sim.CreateIntent})
		}
		return nil
	}
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.now = w.now.Add(23*time.Hour + time.Minute)
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if g := w.group("bob", "film"); g.Status != state.NeedsAttention || g.Reason != state.NoAnswer {
		t.Fatalf("the charge is %s %s", g.Status, g.Reason)
	}
	w.conn.listEmpty, w.conn.watch = false, nil
	return w, hash
}

// Two operators state that nothing was charged, and the processor's list supports the
// statement. The next attempt uses the current card, and no failure is emailed.
//
// Proves REC-23.
func TestResolve_NothingCharged(t *testing.T) {
	w, hash := chargeInDoubt(t, sim.DropRequest)
	st := state.Statement{Group: hash, NothingCharged: true}
	_, err := w.svc.Resolve(w.ctx, "film", "ada", st)
	wantCode(t, "while the request may still arrive", err, fault.Conflict)
	w.now = w.now.Add(time.Hour)
	w.conn.lookupsLost, w.conn.listBreaksOff = 0, true
	_, err = w.svc.Resolve(w.ctx, "film", "ada", st)
	wantCode(t, "incomplete list", err, fault.Unavailable)
	w.conn.listBreaksOff = false
	stated := w.now
	for range 2 {
		g, err := w.svc.Resolve(w.ctx, "film", "ada", st)
		w.ok(err)
		if g.Status != state.NeedsAttention || len(w.conn.charges) != 3 {
			t.Fatalf("after one operator the charge is %s", g.Status)
		}
		w.checkCopy("bob")
	}
	w.now = w.now.Add(time.Minute)
	confirmed := w.now
	g, err := w.svc.Resolve(w.ctx, "film", "ben", st)
	w.ok(err)
	if g.Status != state.Succeeded || g.Generation != 2 || len(w.conn.charges) != 4 ||
		w.conn.charges[3].Key == w.conn.charges[0].Key {
		t.Errorf("after two operators: %s in attempt %d, %d charges sent", g.Status, g.Generation, len(w.conn.charges))
	}
	want := []state.Resolution{{Generation: 1, StatedBy: "ada", StatedAt: stated,
		ConfirmedBy: "ben", ConfirmedAt: &confirmed}}
	if diff := cmp.Diff(want, g.Resolutions); diff != "" {
		t.Errorf("resolutions (-want +got):\n%s", diff)
	}
	p := w.pledgeByID(w.pledgesOf["bob"][0])
	if failed := slices.ContainsFunc(p.History,
		func(e pledge.Entry) bool { return e.Type == "payment_failed" }); p.Status != pledge.Charged || failed {
		t.Errorf("the pledge is %s, failure recorded: %t", p.Status, failed)
	}
	if diff := cmp.Diff([]string{"charged ana", "charged bob", "charged cleo"}, w.mails()); diff != "" {
		t.Error(diff)
	}
	w.ok(w.sim.Check())
}

// A payment is booked if it belongs to the charge and is the only one.
func TestResolve_Payment(t *testing.T) {
	w, hash := chargeInDoubt(t, sim.DropAnswer)
	w.now = w.now.Add(time.Hour)
	books := map[string]string{}
	for _, e := range w.sim.Entries() {
		h, _ := state.GroupOf(e.Group, "film")
		books[h] = e.PaymentID
	}
	paid, anas := books[hash], books[state.GroupHash("film", email("ana"))]
	for name, tt := range map[string]struct {
		slug string
		st   state.Statement
		want fault.Code
	}{
		"nothing charged, contradicted": {"film", state.Statement{Group: hash, NothingCharged: true}, fault.Conflict},
		"payment of another charge":     {"film", state.Statement{Group: hash, PaymentID: anas}, fault.Conflict},
		"unknown payment":               {"film", state.Statement{Group: hash, PaymentID: "pi_unknown"}, fault.NotFound},
		"empty statement":               {"film", state.Statement{Group: hash}, fault.Invalid},
		"two statements": {"film",
			state.Statement{Group: hash, PaymentID: paid, NothingCharged: true}, fault.Invalid},
		"no charge":      {"film", state.Statement{NothingCharged: true}, fault.Invalid},
		"another charge": {"film", state.Statement{Group: "00", NothingCharged: true}, fault.NotFound},
		"charge that needs no attention": {"film",
			state.Statement{Group: state.GroupHash("film", email("ana")), PaymentID: anas}, fault.Conflict},
		"another campaign": {"nothing", state.Statement{Group: hash, PaymentID: paid}, fault.NotFound},
	} {
		_, err := w.svc.Resolve(w.ctx, tt.slug, "ada", tt.st)
		wantCode(t, name, err, tt.want)
	}
	if waiting, err := w.svc.Attention(w.ctx, "film"); err != nil || len(waiting) != 1 ||
		len(waiting[0].Resolutions) != 0 {
		t.Errorf("a refused statement was stored: %+v, %v", waiting, err)
	}
	st := state.Statement{Group: hash, PaymentID: paid}
	for _, operator := range []string{"ada", "ben", "ben"} { // the last response was lost
		_, err := w.svc.Resolve(w.ctx, "film", operator, st)
		w.ok(err)
	}
	_, err := w.svc.Resolve(w.ctx, "film", "cid", state.Statement{Group: hash, NothingCharged: true})
	wantCode(t, "another statement after the resolution", err, fault.Conflict)
	g, p := w.group("bob", "film"), w.pledgeByID(w.pledgesOf["bob"][0])
	if g.Status != state.Succeeded || !g.Booked || g.Generation != 1 || p.PaymentIntentID != paid ||
		len(w.conn.charges) != 3 {
		t.Errorf("the charge is %s and booked: %t; the pledge is charged by %q", g.Status, g.Booked, p.PaymentIntentID)
	}
	w.ok(w.sim.Check())
}

// The processor's other payments for the group decide whether a statement is accepted. If not,
// the operator gets the reason.
func TestResolve_Contradictions(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   sim.FaultKind // result of the charge in doubt
		card   string        // of another payment for the group
		amount money.Cents
		names  bool // the statement names the other payment
		want   string
	}{
		"nothing charged, other declined":   {sim.DropRequest, sim.CardChargeDeclined, 2500, false, ""},
		"nothing charged, other succeeded":  {sim.DropRequest, sim.CardOK, 2500, false, "of $25.00, which succeeded"},
		"nothing charged, other processing": {sim.DropRequest, sim.CardProcessing + ":90h", 2500, false, "may still succeed"},
		"payment, other declined":           {sim.DropAnswer, sim.CardChargeDeclined, 2500, false, ""},
		"payment, other succeeded": {sim.DropAnswer, sim.CardOK, 2500, false,
			"succeeded as well; refund one of the two first"},
		"payment, other processing": {sim.DropAnswer, sim.CardProcessing + ":90h", 2500, false, "may still succeed"},
		"payment of another amount": {sim.DropRequest, sim.CardOK, 2499, true,
			"is of $24.99 usd, and the charge of $25.00 usd"},
		"declined payment":            {sim.DropRequest, sim.CardChargeDeclined, 2500, true, "has not succeeded"},
		"other payment of the charge": {sim.DropRequest, sim.CardOK, 2500, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, hash := chargeInDoubt(t, tt.kind)
			w.now = w.now.Add(time.Hour)
			w.conn.lookupsLost = 0
			st := state.Statement{Group: hash, NothingCharged: true}
			for _, e := range w.sim.Entries() {
				if h, _ := state.GroupOf(e.Group, "film"); h == hash {
					st = state.Statement{Group: hash, PaymentID: e.PaymentID}
				}
			}
			card := w.saveCard("bob", tt.card)
			if tt.names && tt.want == "" { // a payment for the charge has its customer and card
				card.CustomerID, card.PaymentMethodID = w.group("bob", "film").CustomerID, w.group("bob", "film").PaymentMethodID
			}
			other := w.sim.Processor().Charge(w.ctx, psp.NewCharge{Key: "by hand",
				Metadata: map[string]string{psp.CampaignKey: "film"}, Group: w.group("bob", "film").Key, Amount: tt.amount,
				CustomerID: card.CustomerID, PaymentMethodID: card.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
			if tt.names {
				st = state.Statement{Group: hash, PaymentID: other.Payment.ID}
			}
			g, err := w.svc.Resolve(w.ctx, "film", "ada", st)
			if tt.want != "" {
				wantCode(t, name, err, fault.Conflict)
			}
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) ||
				err == nil && len(g.Resolutions) != 1 {
				t.Errorf("%v, want %q; resolutions %+v", err, tt.want, g.Resolutions)
			}
		})
	}
}

// A charge is never booked with another charge's payment of the same amount.
func TestResolve_PaymentOfAnotherCharge(t *testing.T) {
	hash, anas := state.GroupHash("film", email("bob")), state.GroupHash("film", email("ana"))
	for name, mark := range map[string]string{
		"another supporter's":           state.AttemptKey("film", anas, 1),
		"another campaign's":            state.AttemptKey("album", hash, 1),
		"a later attempt's":             state.AttemptKey("film", hash, 2),
		"payment outside of settlement": "by hand",
	} {
		w, _ := chargeInDoubt(t, sim.DropRequest)
		w.now = w.now.Add(time.Hour)
		w.conn.lookupsLost = 0
		card := w.saveCard("bob", sim.CardOK)
		other := w.sim.Processor().Charge(w.ctx,
			psp.NewCharge{Key: "by hand", Metadata: map[string]string{psp.CampaignKey: "film"}, Group: mark, Amount: 2500,
				CustomerID: card.CustomerID, PaymentMethodID: card.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
		_, err := w.svc.Resolve(w.ctx, "film", "ada", state.Statement{Group: hash, PaymentID: other.Payment.ID})
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "does not belong to this charge") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A result that arrives while operators decide overrides their statement. A charged supporter
// is not charged again.
func TestResolve_ResultArrivesMeanwhile(t *testing.T) {
	w, hash := chargeInDoubt(t, sim.DropAnswer)
	w.now = w.now.Add(time.Hour)
	w.conn.listEmpty = true // so that nothing contradicts the statement
	st := state.Statement{Group: hash, NothingCharged: true}
	_, err := w.svc.Resolve(w.ctx, "film", "ada", st)
	w.ok(err)
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind != "resolve" || op.After {
			return nil
		}
		w.conn.watch = nil
		g := *w.group("bob", "film")
		found, err := w.sim.Processor().FindCharge(w.ctx, g.CustomerID, g.Key)
		w.ok(err)
		_, err = state.Client{Coordinator: w.svc.Coordinator, Slug: "film"}.RecordResult(w.ctx,
			state.Lease{}, g, w.svc.lookupResult(g, found...))
		return err
	}
	for _, operator := range []string{"ben", "ada"} {
		_, err = w.svc.Resolve(w.ctx, "film", operator, st)
		wantCode(t, operator, err, fault.Conflict)
	}
	w.conn.lookupsLost, w.conn.listEmpty = 0, false
	w.settle("film", false)
	if g := w.group("bob", "film"); g.Status != state.Succeeded || g.Generation != 1 || len(w.sim.Entries()) != 3 {
		t.Errorf("attempt %d is %s, and the processor has %+v", g.Generation, g.Status, w.sim.Entries())
	}
}

// If a charge was rejected for hours before it was sent, the time in which it may arrive
// starts when it was sent.
func TestMayArriveUntil(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.RateLimit, Op: sim.CreateIntent}))
	w.settle("film", false)
	w.now = w.now.Add(2 * time.Hour)
	w.conn.chargesLost = true
	w.settle("film", false)
	sent := w.now
	if g := w.group("bob", "film"); g.Attempts != 2 || !g.FirstSubmittedAt.Equal(sent) ||
		!g.SubmittedAt.Equal(sent.Add(-2*time.Hour)) {
		t.Fatalf("frozen at %s, first sent at %s, %d times", g.SubmittedAt, g.FirstSubmittedAt, g.Attempts)
	}
	w.now = sent.Add(psp.SafeAge + time.Minute)
	w.settle("film", false)
	st := state.Statement{Group: state.GroupHash("film", email("bob")), NothingCharged: true}
	for _, tt := range []struct {
		at   time.Time
		code fault.Code
	}{{w.now, fault.Conflict}, {sent.Add(psp.KeyHorizon - time.Second), fault.Conflict}, {sent.Add(psp.KeyHorizon), ""}} {
		w.now = tt.at
		if _, err := w.svc.Resolve(w.ctx, "film", "ada", st); fault.CodeOf(err) != tt.code {
			t.Errorf("%s after it was sent: %v, want code %q", w.now.Sub(sent), err, tt.code)
		}
	}
}

// Attention lists exactly the charges that wait for operators, on any number of pages.
func TestAttention(t *testing.T) {
	w, hash := chargeInDoubt(t, sim.DropRequest)
	w.pledgeTyped("bob", "film", 300, sim.CardOK)
	w.settle("film", false)
	w.conn.chargesLost = true
	dans := w.pledgeTyped("dan", "film", 900, sim.CardOK)
	w.settle("film", false)
	w.now = w.now.Add(psp.SafeAge + time.Minute)
	w.settle("film", false)
	w.svc.BatchSize = 1
	waiting, err := w.svc.Attention(w.ctx, "film")
	w.ok(err)
	var got []string
	for _, g := range waiting {
		got = append(got, g.Hash)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values([]string{hash, state.OwnGroupHash("film", dans)})), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A void attempt is not a failure: the next attempt is made whatever the policy allows.
func TestResolve_AttemptAfterAVoidOne(t *testing.T) {
	w, _ := chargeInDoubt(t, sim.DropRequest)
	c, err := w.catalogue.Campaign("film")
	w.ok(err)
	g := *w.group("bob", "film")
	g.Status, g.Reason, g.SettledAt, g.Void, g.Booked = state.Failed, "", &w.now, true, true
	g.Generation = c.Recovery.Attempts
	p := planFor(&g, []*pledge.Pledge{w.pledgeByID(w.pledgesOf["bob"][0])}, c.Recovery, w.now)
	if p.verdict != toCharge || p.generation != c.Recovery.Attempts+1 {
		t.Errorf("then %s, attempt %d", p.verdict, p.generation)
	}
}
