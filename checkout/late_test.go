package checkout_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/tax"
)

// A change that was allowed before the deadline and is delayed past it, at any step, is either
// recorded before the deadline or rejected. A rejected change has no effects.
func TestChange_DelayedPastDeadline(t *testing.T) {
	for name, change := range map[string]func(w *fixture, tok string) error{
		"cancel": func(w *fixture, tok string) error {
			_, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok})
			return err
		},
		"modify": func(w *fixture, tok string) error {
			_, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(2))})
			return err
		},
	} {
		refused := 0
		for step := range 40 {
			w := newFixture(t)
			id := w.pledge(request("a@example.org", seats(1))).OrderID
			tok := w.link(id)
			w.mu.Lock()
			w.now = w.film().EndsAt(w.svc.Settings.Zone).Add(-time.Second)
			w.mu.Unlock()
			before, n := w.read(id), 0
			w.fail = func(memkv.Op) error {
				if n++; n == step {
					w.advance(time.Minute)
				}
				return nil
			}
			err := change(w, tok)
			w.fail = nil
			after := w.read(id)
			if err != nil {
				refused++
				if codeOf(err) != fault.Conflict {
					t.Errorf("%s delayed at step %d: %v", name, step, err)
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("%s delayed at step %d was rejected but changed the pledge:\n%s", name, step, diff)
				}
				continue
			}
			if at := after.History[len(after.History)-1].At; !at.Before(w.film().EndsAt(w.svc.Settings.Zone)) {
				t.Errorf("%s delayed at step %d was made at %s", name, step, at)
			}
		}
		if refused == 0 {
			t.Errorf("%s was never rejected", name)
		}
	}
}

func (w *fixture) film() *campaign.Campaign {
	w.t.Helper()
	return must[*campaign.Campaign](w.t)(w.cat.Campaign("film"))
}

// reloading reloads the campaigns while a change is quoted.
type reloading struct {
	tax.Provider
	reload func()
}

func (r reloading) Quote(ctx context.Context, q tax.Request) (tax.Quote, error) {
	r.reload()
	return r.Provider.Quote(ctx, q)
}

// A deadline that is moved up during a change applies to the change.
func TestModify_DeadlineMovedUp(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	before := w.read(id)
	w.svc.Tax = reloading{w.svc.Tax, func() {
		w.files["campaigns/film.md"].Data = []byte(strings.Replace(filmFile, "2026-12-01", "2026-11-09", 1))
		w.reload()
	}}
	if _, err := w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: w.link(id), Items: items(seats(2))}); codeOf(err) != fault.Conflict {
		t.Errorf("modified: %v", err)
	}
	if diff := cmp.Diff(before, w.read(id)); diff != "" {
		t.Errorf("rejected but changed the pledge:\n%s", diff)
	}
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Committed: 1}) {
		t.Errorf("stock %+v", st)
	}
}

// A pledge can be cancelled after its campaign's file was deleted.
func TestCancel_CampaignDeleted(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	delete(w.files, "campaigns/film.md")
	w.reload()
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
	if storedStatus(w, id) != "cancelled2" {
		t.Errorf("stored status: %s", storedStatus(w, id))
	}
}

// A checkout in progress at the deadline ends before any pledge is charged,
// regardless of the session's lifetime; with several campaigns the earliest
// deadline applies.
func TestStart_SessionEndsAfterDeadline(t *testing.T) {
	const hour = time.Hour
	for name, tt := range map[string]struct {
		before, life time.Duration
		items        []checkout.Item
		want         time.Duration // relative to the film's deadline
	}{
		"a day before":                {before: 24 * hour, want: -23 * hour},
		"a day before, long lifetime": {before: 24 * hour, life: 24 * hour, want: 0},
		"an hour and a half before":   {before: 90 * time.Minute, want: -30 * time.Minute},
		"within the last hour":        {before: 50 * time.Minute, want: 0},
		"at the last second":          {before: time.Second, want: 45*time.Minute - time.Second},
		"short lifetime": {before: time.Second, life: 30 * time.Minute,
			want: 30*time.Minute - time.Second},
		"two campaigns": {before: time.Second, items: []checkout.Item{one("film__thanks"), one("game__box")},
			want: 45*time.Minute - time.Second},
		"other campaign only": {before: time.Second, items: []checkout.Item{one("game__box")},
			want: hour - time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.svc.Settings.SessionLife = tt.life
			deadline := w.film().EndsAt(w.svc.Settings.Zone)
			w.now = deadline.Add(-tt.before)
			if tt.items == nil {
				tt.items = []checkout.Item{one("film__thanks")}
			}
			s := w.start(shipped(request("a@example.org", tt.items...)))
			if got := s.ExpiresAt.Sub(deadline); got != tt.want {
				t.Fatalf("session ends %s after the deadline, want %s", got, tt.want)
			}
			w.now = s.ExpiresAt.Add(time.Second)
			if err := w.sim.Complete(s.SessionID, sim.CardOK); !fault.Is(err, fault.Gone) {
				t.Errorf("completing an expired session: %v", err)
			}
		})
	}
}
