package settlement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func (w *fixture) found(slug string) []state.Disagreement {
	w.t.Helper()
	c, err := w.svc.Catalogue().Campaign(slug)
	w.ok(err)
	all, err := w.svc.FindDisagreements(w.ctx, c)
	w.ok(err)
	return all
}

// Before the deadline and while charging is stopped, no run compares the terms.
// FindDisagreements does, and stores nothing.
func TestFindDisagreements_BeforeAnyRun(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.restore(func() { w.change("ana", 0, 300) })
	want := []state.Disagreement{{PledgeID: id, Amount: 700, Recorded: agreement.Terms{Revision: 2, Amount: 300},
		FoundAt: w.now, SeenAt: w.now}}
	if diff := cmp.Diff(want, w.found("film")); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
	if other := w.found("album"); len(other) != 0 {
		t.Errorf("the other campaign has %+v", other)
	}
	if stored, err := w.svc.Disagreements(w.ctx, "film"); err != nil || len(stored) != 0 {
		t.Errorf("stored %+v, %v", stored, err)
	}
	w.change("ana", 0, 300)
	if again := w.found("film"); len(again) != 0 {
		t.Errorf("after the supporter reduced the pledge again: %+v", again)
	}
}

// An operators' decision about a difference that no run has found yet applies to the next run,
// but not to another difference of the same pledge.
func TestAcceptTerms_BeforeAnyRun(t *testing.T) {
	for name, tc := range map[string]struct {
		then func(w *fixture)
		want []money.Cents
	}{
		"the same difference": {func(*fixture) {}, []money.Cents{700, 2500}},
		"another difference": {func(w *fixture) { w.now = w.now.Add(time.Minute); w.agreeTo("ana", "r5 100") },
			[]money.Cents{2500}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			id := w.pledge("ana", "film", 700, sim.CardOK)
			w.pledge("bob", "film", 2500, sim.CardOK)
			w.restore(func() { w.change("ana", 0, 300) })
			for _, operator := range []string{"ada", "eve"} {
				_, err := w.svc.AcceptTerms(w.ctx, "film", operator, id, "they wrote to us")
				w.ok(err)
			}
			if found := w.found("film"); len(found) != 1 || !found[0].Accepted() || found[0].StatedBy != "ada" ||
				found[0].Reason != "they wrote to us" {
				t.Errorf("found with the decision: %+v", found)
			}
			tc.then(w)
			w.deadline()
			w.resume()
			w.settle("film", false)
			if diff := cmp.Diff(tc.want, w.charged()); diff != "" {
				t.Errorf("charged (-want +got):\n%s", diff)
			}
		})
	}
}

// agreeTo records terms for a supporter's first pledge at the processor.
func (w *fixture) agreeTo(name, terms string) {
	w.t.Helper()
	p := w.pledgeByID(w.pledgesOf[name][0])
	w.ok(w.sim.Processor().UpdateCustomer(w.ctx, p.CustomerID, "terms:"+terms,
		map[string]string{"orderId": p.OrderID, agreement.Key(p.OrderID): terms}))
}

// Two operators have to decide about the same difference, not about two successive ones.
func TestAcceptTerms_TermsChangedMeanwhile(t *testing.T) {
	about := state.Disagreement{PledgeID: "pw-1", Amount: 700, Recorded: agreement.Terms{Revision: 2, Amount: 300}}
	w := newFixture(t)
	id := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.restore(func() { w.change("ana", 0, 300) })
	w.deadline()
	w.resume()
	w.settle("film", false)
	about.PledgeID = id
	about.Recorded.Amount = 400
	accept := func() (state.Disagreement, error) {
		return w.svc.objectOf("film").AcceptTerms(w.ctx, about, "ada", "a test", about.Recorded.String())
	}
	_, err := accept()
	wantCode(t, "changed terms", err, fault.Conflict)
	about.Recorded.Amount = 300
	if d, err := accept(); err != nil || d.StatedBy != "ada" {
		t.Errorf("the same terms: %+v, %v", d, err)
	}
}

// CancelUnchargeable cancels a pledge whose terms differ from the processor's record, even if no
// run has found the difference yet, but not the pledge that it was joined with.
func TestCancelUnchargeable_OtherTerms(t *testing.T) {
	for name, settle := range map[string]bool{"found by a run": true, "not found yet": false} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			first := w.pledge("ana", "film", 700, sim.CardOK)
			second := w.pledge("ana", "film", 2500, sim.CardOK)
			w.restore(func() { w.change("ana", 0, 300) })
			w.deadline()
			w.resume()
			if settle {
				w.settle("film", false)
			}
			_, err := w.svc.CancelUnchargeable(w.ctx, second)
			wantCode(t, "the other pledge", err, fault.Conflict)
			p, err := w.svc.CancelUnchargeable(w.ctx, first)
			w.ok(err)
			if p.Status != pledge.Cancelled {
				t.Errorf("the pledge is %s", p.Status)
			}
			w.svc = w.service()
			w.runUntilDone()
			if diff := cmp.Diff([]money.Cents{2500}, w.charged()); diff != "" {
				t.Errorf("charged (-want +got):\n%s", diff)
			}
		})
	}
}

// A pledge whose amount two operators accepted is not cancelled.
func TestCancelUnchargeable_AcceptedTerms(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.restore(func() { w.change("ana", 0, 300) })
	w.deadline()
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.AcceptTerms(w.ctx, "film", operator, id, "they wrote to us")
		w.ok(err)
	}
	_, err := w.svc.CancelUnchargeable(w.ctx, id)
	wantCode(t, "accepted", err, fault.Conflict)
}

// A closed campaign can be reopened until the deletion of its cards starts.
func TestStatus_Closed(t *testing.T) {
	w, _ := missedFixture(t)
	standing := func() Status {
		t.Helper()
		st, err := w.svc.Status(w.ctx, "album")
		w.ok(err)
		return st
	}
	if st := standing(); st.ClosedAt != nil || st.DetachingAt != nil || st.Reopening != nil {
		t.Errorf("not closed: %+v", st)
	}
	w.mustDeleteCards("album", CardDeletion{})
	_, err := w.svc.Reopen(w.ctx, "album", "ada", "a test")
	w.ok(err)
	if st := standing(); st.ClosedAt == nil || st.DetachingAt != nil || st.Reopening == nil ||
		st.Reopening.StatedBy != "ada" {
		t.Errorf("one operator decided: %+v", st)
	}
	w.now = w.now.Add(Reopening)
	w.mustDeleteCards("album", CardDeletion{Over: true, Cards: 1})
	if st := standing(); st.DetachingAt == nil || !st.DetachingAt.Equal(w.now) {
		t.Errorf("cards are deleted: %+v", st)
	}
}

// The processor is not called for a pledge that is unknown or to another campaign.
func TestAcceptTerms_UnknownPledge(t *testing.T) {
	w := newFixture(t)
	other := w.pledge("ana", "album", 700, sim.CardOK)
	for _, id := range []string{"x", "pw-00000000000000000000000009", other} {
		_, err := w.svc.AcceptTerms(w.ctx, "film", "ada", id, "a test")
		wantCode(t, id, err, fault.NotFound)
	}
	if n := w.sim.Received(sim.ListCustomers); n != 0 {
		t.Errorf("the processor was called %d times", n)
	}
}
