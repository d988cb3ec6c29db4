package settlement

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// edit replaces the catalogue with one that has only the film, with the given deadline and goal.
func (w *fixture) edit(deadline string, goal int) {
	w.t.Helper()
	src := strings.NewReplacer("%s\nslug: %s", "Film\nslug: film", "2026-03-01", deadline,
		"%d", strconv.Itoa(goal)).Replace(films)
	c, err := campaignfile.Parse("campaigns/film.md", []byte(src))
	w.ok(err)
	w.catalogue, err = campaign.NewCatalogue([]*campaign.Campaign{c}, campaign.PlatformAddOns{})
	w.ok(err)
}

// Supporters are charged only on the terms that they agreed to. Otherwise charging is held
// until the file has those terms again or an operator accepts the change.
func TestPromises_OtherTermsAreHeld(t *testing.T) {
	const day, goal = "2026-03-01", 20
	for name, tt := range map[string]struct {
		deadline string
		goal     int
		pledged  []int // cents, in the order of the pledges; the goal is 2000
		held     bool
	}{
		"unchanged":                                 {day, goal, []int{2500}, false},
		"lower goal, promised goal missed":          {day, 10, []int{1999}, true},
		"lower goal, promised goal reached":         {day, 10, []int{1900, 100}, false},
		"lower goal, both missed":                   {day, 10, []int{900}, true},
		"higher goal, reached":                      {day, 21, []int{2500}, false},
		"a day later":                               {"2026-03-02", goal, []int{2500}, true},
		"a day earlier":                             {"2026-02-28", goal, []int{2500}, true},
		"another project with the same slug":        {"2026-02-20", 1, []int{100}, true},
		"deadline and goal changed without pledges": {"2026-02-28", 1, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			for i, cents := range tt.pledged {
				w.pledge([]string{"ana", "bob"}[i], "film", money.Cents(cents), sim.CardOK)
			}
			w.edit(tt.deadline, tt.goal)
			w.deadline()
			funded := len(tt.pledged) > 0
			for _, entry := range []string{"settle", "chain"} {
				_, err := w.enter(entry)
				if got := fault.Is(err, fault.Conflict); got != (tt.held || !funded) {
					t.Fatalf("%s: %v", entry, err)
				}
			}
			if n := len(w.conn.charges); tt.held && n != 0 || !tt.held && n != len(tt.pledged) {
				t.Fatalf("%d charges were sent", n)
			}
		})
	}
}

// Only broken promises are listed. Pledges made under the current terms rely on no other
// promise, even while the goal is not reached.
func TestPromises_Broken(t *testing.T) {
	for name, tt := range map[string]struct {
		first, now int // goals
		pledged    []int
		want       []money.Cents
	}{
		"promised and current goal missed": {20, 10, []int{500, 400}, []money.Cents{2000}},
		"promised goal missed":             {20, 10, []int{500, 600}, []money.Cents{2000}},
		"both goals reached":               {20, 10, []int{1500, 500}, nil},
		"raised goal missed":               {10, 20, []int{500, 400}, nil},
	} {
		w := newFixture(t)
		w.edit("2026-03-01", tt.first)
		w.pledge("ana", "film", money.Cents(tt.pledged[0]), sim.CardOK)
		w.edit("2026-03-01", tt.now)
		w.pledge("bob", "film", money.Cents(tt.pledged[1]), sim.CardOK)
		broken, err := w.svc.BrokenPromises(w.ctx, w.campaign("film"))
		w.ok(err)
		var goals []money.Cents
		for _, p := range broken {
			goals = append(goals, p.Goal)
		}
		if diff := cmp.Diff(tt.want, goals); diff != "" {
			t.Errorf("%s: broken goals (-want +got):\n%s", name, diff)
		}
	}
}

func (w *fixture) campaign(slug string) *campaign.Campaign {
	w.t.Helper()
	c, err := w.catalogue.Campaign(slug)
	w.ok(err)
	return c
}

func (w *fixture) enter(entry string) (any, error) {
	if entry == "settle" {
		return w.svc.Settle(w.ctx, "film", false)
	}
	return w.svc.Dispatch(w.ctx, "film")
}

// Accepting one goal does not accept a lower one.
func TestPromises_AcceptedGoal(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 1500, sim.CardOK)
	w.edit("2026-03-01", 10)
	w.deadline()
	_, err := w.svc.Accept(w.ctx, "film", "all were asked")
	w.ok(err)
	w.edit("2026-03-01", 5)
	_, err = w.svc.Settle(w.ctx, "film", false)
	wantCode(t, "lower goal that was not accepted", err, fault.Conflict)
	w.edit("2026-03-01", 10)
	w.settle("film", false)
	if n := len(w.conn.charges); n != 1 {
		t.Errorf("%d charges were sent", n)
	}
}

// An operator accepts one deadline and one goal; the next change is held again. A card that is
// replaced in the meantime is charged when charging is allowed.
func TestPromises_Accepted(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("bob", "film", 700, sim.CardChargeDeclined)
	promised := inventory.Promised{Promise: inventory.Promise{EndsAt: w.campaign("film").EndsAt(w.zone).UTC(), Goal: 2000},
		Pledges: 2}
	_, err := w.svc.Accept(w.ctx, "film", "nothing to accept")
	w.ok(err)
	if st := w.status(); st.Accepted != nil {
		t.Errorf("accepted without a broken promise: %+v", st.Accepted)
	}

	w.edit("2026-03-02", 20)
	w.deadline()
	_, err = w.svc.Settle(w.ctx, "film", false)
	wantCode(t, "later deadline", err, fault.Conflict)
	if want := "2026-03-03T07:00:00Z and the goal $20.00, but pledges (2) were promised 2026-03-02T07:00:00Z"; !strings.Contains(
		err.Error(), want) {
		t.Errorf("it says %v", err)
	}
	for slug, reason := range map[string]string{"film": "", "unknown": "because"} {
		if _, err := w.svc.Accept(w.ctx, slug, reason); err == nil {
			t.Errorf("accepted for %q, %q", slug, reason)
		}
	}
	broken, err := w.svc.Accept(w.ctx, "film", "all were asked")
	w.ok(err)
	if diff := cmp.Diff([]inventory.Promised{promised}, broken); diff != "" {
		t.Error(diff)
	}
	w.settle("film", false)
	if n := len(w.conn.charges); n != 2 {
		t.Fatalf("%d charges were sent", n)
	}

	w.edit("2026-02-20", 20)
	w.now = w.now.Add(time.Hour)
	w.newCard("bob", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("bob")))
	if n := len(w.conn.charges); n != 2 {
		t.Fatalf("%d charges were sent after another change", n)
	}
	w.edit("2026-03-01", 1)
	w.settle("film", false)
	if w.group("bob", "film").Status != state.Succeeded {
		t.Errorf("the new card was not tried: %+v", w.group("bob", "film"))
	}
}
