package checkout_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Missing customers are found on every page of a campaign's pledges, with bounded
// work per call.
//
// Proves REC-01.
func TestBackfill_AllPages(t *testing.T) {
	w := newFixture(t)
	var ids []string
	for i := range 510 {
		s := w.pledge(request(fmt.Sprintf("fan%d@example.org", i), one("film__thanks")))
		ids = append(ids, s.Campaigns[0].OrderID)
	}
	for _, tt := range []struct {
		name string
		lost []string
	}{
		{"across a page boundary", []string{ids[0], ids[499], ids[500], ids[509]}},
		{"more than one call's limit", append(slices.Clone(ids[:60]), ids[509])},
	} {
		for _, id := range tt.lost {
			w.loseCustomer(id)
		}
		processed, calls := 0, 0
		for remaining := true; remaining && calls < 10; calls++ {
			out := must[checkout.Backfilled](t)(w.svc.BackfillCustomers(w.ctx, "film"))
			if out.Processed > 50 || out.Failed > 0 {
				t.Errorf("%s, call %d: %+v", tt.name, calls+1, out)
			}
			processed, remaining = processed+out.Processed, out.Remaining
		}
		if processed != len(tt.lost) || calls != 2 {
			t.Errorf("%s: %d of %d customers found in %d calls", tt.name, processed, len(tt.lost), calls)
		}
		for _, id := range tt.lost {
			p := w.read(id)
			stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
			if err != nil || p.CustomerID == "" || p.PaymentMethodID == "" || stored.CustomerID != p.CustomerID {
				t.Errorf("%s: %s has the customer %q, and its record %q, %v", tt.name, id, p.CustomerID,
					stored.CustomerID, err)
			}
		}
	}
}

// loseCustomer removes the customer from a pledge, as in records of earlier releases.
func (w *fixture) loseCustomer(id string) {
	w.t.Helper()
	session := fmt.Sprintf("cs_lost_%d", w.clock().Unix())
	if err := w.svc.Orders.StartCard(w.ctx, id, session); err != nil {
		w.t.Fatal(err)
	}
	w.advance(time.Second)
	p := must[*pledge.Pledge](w.t)(w.svc.Orders.ReplaceCard(w.ctx, id, session,
		order.Card{PaymentMethodID: "pm_lost", SavedAt: w.clock()}))
	p = must[*pledge.Pledge](w.t)(w.svc.Projector.Book(w.ctx, p, ""))
	if p.CustomerID != "" {
		w.t.Fatal("the customer was not removed")
	}
}

// editedSessions is a processor that edits the sessions it returns.
type editedSessions struct {
	psp.Processor
	session func(psp.Session) (psp.Session, error)
}

func (r editedSessions) Session(ctx context.Context, id string) (psp.Session, error) {
	s, err := r.Processor.Session(ctx, id)
	if err != nil {
		return s, err
	}
	return r.session(s)
}

func sessionNotFound(psp.Session) (psp.Session, error) {
	return psp.Session{}, fault.New(fault.NotFound, "No such session")
}

// A pledge whose checkout has no complete card stays unchanged and is reported.
func TestBackfill_IncompleteCard(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
	w.loseCustomer(id)
	truth, before := w.svc.Processor, w.read(id)
	for name, session := range map[string]func(psp.Session) (psp.Session, error){
		"no session":  sessionNotFound,
		"open":        func(s psp.Session) (psp.Session, error) { s.Status = psp.Open; return s, nil },
		"no customer": func(s psp.Session) (psp.Session, error) { s.CustomerID = ""; return s, nil },
		"no card":     func(s psp.Session) (psp.Session, error) { s.PaymentMethodID = ""; return s, nil },
	} {
		w.svc.Processor = editedSessions{truth, session}
		got, err := w.svc.BackfillCustomers(w.ctx, "film")
		want := checkout.Backfilled{Failed: 1, Errors: []string{id + ": its checkout has no saved card"}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if diff := cmp.Diff(before, w.read(id)); diff != "" {
			t.Errorf("%s: the pledge is changed:\n%s", name, diff)
		}
	}
}

// Failures count toward the limit of processor requests.
func TestBackfill_BoundedRequests(t *testing.T) {
	w := newFixture(t)
	for i := range 51 {
		w.loseCustomer(w.pledge(request(fmt.Sprintf("fan%d@example.org", i), one("film__thanks"))).OrderID)
	}
	w.svc.Processor = editedSessions{w.svc.Processor, sessionNotFound}
	for call, want := range []checkout.Backfilled{{Failed: 50, Remaining: true}, {Failed: 1}} {
		got := must[checkout.Backfilled](t)(w.svc.BackfillCustomers(w.ctx, "film"))
		if got.Failed != want.Failed || got.Remaining != want.Remaining || len(got.Errors) != want.Failed {
			t.Errorf("call %d: %d failed, remaining: %t", call+1, got.Failed, got.Remaining)
		}
	}
}
