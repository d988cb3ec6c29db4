package settlement

import (
	"context"
	"slices"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// shortPages is a Projector that compares two pledges per page and records where each page starts.
type shortPages struct {
	Projector
	from []int // starts of the pages
}

func (p *shortPages) Sweep(ctx context.Context, slug string, from, _ int) (projection.Swept, error) {
	p.from = append(p.from, from)
	return p.Projector.Sweep(ctx, slug, from, 2)
}

// A change whose booking crashed is included in the totals before the first charge, on any
// page, and then the goal is checked again.
//
// Proves SET-02.
func TestSweep_UnbookedChanges(t *testing.T) {
	for _, entry := range []string{"settle", "chain"} {
		for lost := range 7 {
			w := newFixture(t)
			for _, name := range []string{"ana", "bob", "cleo", "dan", "eve", "fay", "gus"} {
				w.pledge(name, "film", 300, sim.CardOK)
			}
			pages := &shortPages{Projector: w.svc.Projector}
			w.svc.Projector = pages
			_, err := w.svc.Orders.Cancel(w.ctx, w.pledgesOf[w.names[lost]][0], "lost", w.now)
			w.ok(err)
			w.deadline()
			before := counted(w)
			w.settleBy(entry)
			if before != 2100 || counted(w) != 1800 || len(w.conn.charges) != 0 {
				t.Errorf("%s, cancellation %d of 7 not booked: total %s and then %s, %d charges", entry,
					lost+1, before, counted(w), len(w.conn.charges))
			}
			if want := []int{0, 2, 4, 6}; !slices.Equal(pages.from, want) {
				t.Errorf("%s, cancellation %d: compared the pledges from %v on, want %v", entry, lost+1, pages.from, want)
			}

			w.pledge("hal", "film", 200, sim.CardOK)
			w.settleBy(entry)
			if n := len(w.sim.Entries()); n != 7 || len(w.conn.charges) != 7 {
				t.Errorf("%s, with the goal reached exactly: %d charges", entry, n)
			}
			swept := len(pages.from)
			if w.settleBy(entry); len(pages.from) != swept {
				t.Errorf("%s: the pledges were compared again after the first charge", entry)
			}
		}
	}
}

func counted(w *fixture) money.Cents {
	w.t.Helper()
	snap, err := w.svc.Inventory.Snapshot(w.ctx, "film")
	w.ok(err)
	return snap.Totals.Counted
}

// The total in the campaign's object decides, to the cent, whether the goal is reached. The
// public totals, which may be late or wrong, are never used.
//
// Proves SET-02, KVR-05.
func TestFunded_ByTheObject(t *testing.T) {
	for _, tt := range []struct {
		pledged, shown money.Cents
		code           fault.Code
		charges        int
	}{
		{pledged: 1999, shown: 2000, code: fault.Conflict},
		{pledged: 1999, shown: 900_000, code: fault.Conflict},
		{pledged: 2000, shown: 1999, charges: 1},
		{pledged: 2000, shown: 0, charges: 1},
	} {
		w := newFixture(t)
		w.pledge("ana", "film", tt.pledged, sim.CardOK)
		w.deadline()
		w.ok(kv.Save(w.ctx, w.svc.Store, pledge.StatsKey("film"),
			projection.Stats{CampaignSlug: "film", PledgedAmount: tt.shown, PledgeCount: 1}))
		due, err := w.svc.DueCampaigns(w.ctx)
		w.ok(err)
		_, err = w.svc.Settle(w.ctx, "film", false)
		if !fault.Is(err, tt.code) && (err != nil || tt.code != "") || len(w.conn.charges) != tt.charges ||
			len(due) != tt.charges {
			t.Errorf("%s of $20.00 pledged, %s shown: %v, %d charges, due %v", tt.pledged,
				tt.shown, err, len(w.conn.charges), due)
		}
	}
}

// The accounts of a campaign are compared in parts, one per batch, regardless of what the
// first parts find. Nothing is charged before the last part.
//
// Proves SET-02.
func TestSweep_InParts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		more    money.Cents
		code    fault.Code
		charges int
	}{
		{name: "funded", more: 200, charges: 7},
		{name: "missed", more: 100, code: fault.Conflict},
	} {
		w := newFixture(t)
		w.pledge("ana", "film", 300, sim.CardOK)
		for _, name := range []string{"bob", "cleo", "dan", "eve", "fay", "gus"} {
			w.pledge(name, "film", 300, sim.CardOK)
		}
		w.pledge("hal", "film", tt.more, sim.CardOK)
		pages := &shortPages{Projector: w.svc.Projector}
		w.svc.Projector = pages
		_, err := w.svc.Orders.Cancel(w.ctx, w.pledgesOf["ana"][0], "lost", w.now)
		w.ok(err)
		w.deadline()

		p, err := w.svc.Dispatch(w.ctx, "film")
		for part := 1; part < 5; part++ {
			w.ok(err)
			if len(pages.from) != part || p.Status != state.JobRunning || len(w.conn.charges) != 0 {
				t.Fatalf("%s, part %d: compared from %v on, %s, %d charges", tt.name, part, pages.from,
					p.Status, len(w.conn.charges))
			}
			stalled, none := w.svc.Stalled(w.ctx)
			if w.ok(none); !slices.Equal(stalled, []string{"film"}) {
				t.Errorf("%s, part %d: after a broken chain the stalled campaigns are %v", tt.name, part, stalled)
			}
			p, err = w.svc.Batch(w.ctx, BatchRequest{CampaignSlug: "film"})
		}
		if !fault.Is(err, tt.code) && (err != nil || tt.code != "") {
			t.Errorf("%s: %v", tt.name, err)
		}
		w.settleBy("batch")
		job, err := w.svc.Job(w.ctx, "film")
		w.ok(err)
		if len(w.conn.charges) != tt.charges || job.Status == state.JobRunning || len(pages.from) != 5 {
			t.Errorf("%s: %d charges, the job is %s, compared from %v on", tt.name, len(w.conn.charges), job.Status, pages.from)
		}
	}
}

// Open checkouts are ended before the first charge, and their pledges are charged together
// with their supporters' other pledges. Later they are not ended again.
//
// Proves SET-03.
func TestSweep_EndsCheckouts(t *testing.T) {
	for _, entry := range []string{"settle", "chain"} {
		w := newFixture(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		asked := 0
		w.svc.EndCheckouts = func(_ context.Context, slug string) error {
			if asked++; asked > 1 || slug != "film" {
				return nil
			}
			w.pledge("ana", "film", 700, sim.CardOK)
			return nil
		}
		w.deadline()
		w.settleBy(entry)
		w.settleBy(entry)
		if books := w.sim.Entries(); len(books) != 1 || books[0].Amount != 3200 {
			t.Errorf("%s: the processor has %+v", entry, books)
		}
		if asked != 1 {
			t.Errorf("%s: checkouts ended %d times", entry, asked)
		}
	}
}

// A change that is booked while checkouts are being ended counts: the goal is checked again
// afterwards, even if no account was stale.
//
// Proves SET-02.
func TestSweep_ChangesWhileCheckoutsEnd(t *testing.T) {
	for _, entry := range []string{"settle", "chain"} {
		w := newFixture(t)
		w.pledge("ana", "film", 1500, sim.CardOK)
		w.pledge("bob", "film", 1000, sim.CardOK)
		cancelled, err := w.svc.Orders.Cancel(w.ctx, w.pledgesOf["bob"][0], "lost", w.now)
		w.ok(err)
		w.svc.EndCheckouts = func(context.Context, string) error {
			_, err := w.svc.Projector.Book(w.ctx, cancelled, "")
			return err
		}
		w.deadline()
		before := counted(w)
		w.settleBy(entry)
		if before != 2500 || counted(w) != 1500 || len(w.conn.charges) != 0 {
			t.Errorf("%s: total %s and then %s, %d charges", entry, before, counted(w), len(w.conn.charges))
		}
	}
}

// Nothing is charged while the result of open checkouts is unknown.
func TestSweep_CheckoutsCannotBeEnded(t *testing.T) {
	for _, entry := range []string{"settle", "chain"} {
		w := newFixture(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.svc.EndCheckouts = func(context.Context, string) error { return errDisconnected }
		w.deadline()
		w.settleBy(entry)
		if n := len(w.sim.Entries()); n != 0 {
			t.Errorf("%s: %d charges", entry, n)
		}
	}
}
