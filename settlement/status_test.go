package settlement

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func (w *fixture) status() Status {
	w.t.Helper()
	st, err := w.svc.Status(w.ctx, "film")
	w.ok(err)
	return st
}

// addUndated adds a draft campaign without a deadline, and returns its slug.
func (w *fixture) addUndated() string {
	w.t.Helper()
	c, err := campaignfile.Parse("campaigns/sketch.md", []byte("---\ntitle: Sketch\npreview_only: true\n---\n"))
	w.ok(err)
	w.catalogue, err = campaign.NewCatalogue(append(w.catalogue.Campaigns(), c), campaign.PlatformAddOns{})
	w.ok(err)
	return c.Slug
}

// A campaign that missed its goal has nothing to collect, and no settlement can be started.
func TestStatus_Missed(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 1500, sim.CardOK)
	if live := w.status(); live.Missed || live.Funds.Collectable != 1500 {
		t.Errorf("before the deadline: %+v", live)
	}
	w.deadline()
	if st := w.status(); !st.Missed || st.MayStart || st.Funds.Collectable != 0 || st.Funds.Pledged != 1500 {
		t.Errorf("after the deadline: %+v", st)
	}
	const sentence = "The campaign is not funded, so no card is charged: $15.00 of $20.00"
	if _, err := w.svc.Dispatch(w.ctx, "film"); !fault.Is(err, fault.Conflict) || err.Error() != sentence {
		t.Errorf("started: %v", err)
	}
}

// Status describes a settlement from before its start until everything is charged.
func TestStatus(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 1500, sim.CardOK)
	w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	live := w.status()
	if live.State != campaign.Live || live.Begun || live.Working || live.Job != nil ||
		live.CompletedAt != nil || live.Counted != 2500 || live.Goal != 2000 {
		t.Errorf("before the deadline: %+v", live)
	}
	if live.Supporters != 2 || !cmp.Equal(live.Pledges, map[pledge.Status]int{pledge.Active: 2}) ||
		live.BeginsAt.Sub(*live.EndsAt) != Margin {
		t.Errorf("before the deadline: %+v", live)
	}
	if live.Missed || live.MayStart {
		t.Errorf("before the deadline: missed %t, may start %t", live.Missed, live.MayStart)
	}
	w.deadline()
	if st := w.status(); st.Missed || !st.MayStart || st.Funds.Collectable == 0 {
		t.Errorf("after the deadline: %+v", st)
	}
	_, err := w.svc.Dispatch(w.ctx, "film")
	w.ok(err)
	for range 5 {
		_, err := w.svc.Batch(w.ctx, BatchRequest{CampaignSlug: "film"})
		w.ok(err)
	}
	night := w.status()
	if night.State != campaign.Ended || !night.Begun || night.Working || night.Job == nil ||
		night.Job.TotalCharged != 1 || night.Job.TotalFailed != 1 || night.Funds.Collected != 1500 {
		t.Errorf("after the first settlement: %+v, job %+v", night, night.Job)
	}
	w.newCard("bob", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("bob")))
	if done := w.status(); done.Funds.Collected != 2500 || done.CompletedAt == nil ||
		!done.CompletedAt.Equal(*night.CompletedAt) || night.CompletedAt.Before(*live.BeginsAt) || done.Open {
		t.Errorf("after another card: %+v", done)
	}
	draft, err := w.svc.Status(w.ctx, w.addUndated())
	w.ok(err)
	if draft.EndsAt != nil || draft.BeginsAt != nil || draft.State != campaign.Upcoming {
		t.Errorf("without a deadline: %+v", draft)
	}
	if _, err := w.svc.Status(w.ctx, "nowhere"); !fault.Is(err, fault.NotFound) {
		t.Errorf("status of an unknown campaign: %v, want code NotFound", err)
	}
}

// Status names what blocks a settlement, with the reason.
func TestStatus_Blocked(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.edit("2026-03-02", 20)
	_, err := w.svc.Switch().Stop(w.ctx, "the bank called")
	w.ok(err)
	st := w.status()
	if st.Stopped == nil || st.Stopped.Reason != "the bank called" || st.Off != "" ||
		len(st.Broken) != 1 || st.Broken[0].Pledges != 1 {
		t.Errorf("stopped, with another deadline: %+v", st)
	}
	_, err = w.svc.Accept(w.ctx, "film", "all were asked")
	w.ok(err)
	if st := w.status(); len(st.Broken) != 0 || st.Accepted == nil || st.Accepted.Reason != "all were asked" {
		t.Errorf("accepted: %+v", st)
	}
	w.svc.Disabled = true
	if st := w.status(); st.Off != "Charging is switched off by the configuration" {
		t.Errorf("switched off: %q", st.Off)
	}
	w.svc.Disabled, w.svc.Mute = false, true
	if st := w.status(); st.Off == "" {
		t.Error("Status does not report that mail cannot be sent")
	}
}

// Failures are listed in pages with supporter, reason, and deadline for another card; recovered
// ones are not listed.
func TestFailures(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	const refused = MaxFailures + 2
	for i := range refused {
		w.pledge(fmt.Sprintf("n%02d", i), "film", 500, sim.CardChargeDeclined)
		for _, paid := range []string{"x", "y"} { // more declines than charges would open the breaker
			w.pledge(fmt.Sprintf("%s%02d", paid, i), "film", 500, sim.CardOK)
		}
	}
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.newCard("n07", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("n07")))
	seen, pages := map[string]Failure{}, 0
	for next := ""; ; {
		page, err := w.svc.Failures(w.ctx, "film", next)
		w.ok(err)
		pages++
		for _, f := range page.Failures {
			seen[f.Email] = f
		}
		if next = page.Next; next == "" {
			break
		}
	}
	f := seen[email("n00")]
	if _, good := seen[email("n07")]; good || len(seen) != refused-1 || pages != 2 {
		t.Errorf("%d failures on %d pages, recovered one listed: %t", len(seen), pages, good)
	}
	w.newCard("n08", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("n08")))
	if page, err := w.svc.Failures(w.ctx, "film", ""); err != nil || len(page.Failures) != MaxFailures || page.Next != "" {
		t.Errorf("exactly one page: %d failures, next %q, %v", len(page.Failures), page.Next, err)
	}
	if f.Amount != money.Cents(500) || f.Attempts != 1 || f.Code == "" || f.Recovery.Lane == "" ||
		!f.Recovery.Until.After(w.now.Add(time.Hour)) || len(f.OrderIDs) != 1 {
		t.Errorf("a failure: %+v", f)
	}
	for _, cursor := range []string{"failed/", "failed/x", "group/" + strings.Repeat("0", 48),
		"\x00", strings.Repeat("9", 10_000)} {
		if _, err := w.svc.Failures(w.ctx, "film", cursor); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "cursor" {
			t.Errorf("the cursor %.20q: %v", cursor, err)
		}
	}
	if _, err := w.svc.Failures(w.ctx, "nowhere", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("failures of an unknown campaign: %v, want code NotFound", err)
	}
}
