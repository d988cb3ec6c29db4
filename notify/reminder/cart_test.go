package reminder_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// openDay is a day on which both campaigns are live.
var openDay = time.Date(2026, 12, 5, 12, 0, 30, 0, time.UTC)

func open(t *testing.T) *fixture {
	w := newFixture(t)
	w.now = openDay
	return w
}

func (w *fixture) health() reminder.Health {
	w.t.Helper()
	h, err := w.carts.Health(w.t.Context())
	w.ok(err)
	return h
}

// An abandoned checkout gets one reminder after six hours, with a link that restores the cart
// and an unsubscribe link. Afterwards its address is deleted.
//
// Proves ABN-05, ABN-06, ABN-10, ABN-11, EML-09.
func TestCarts_Reminder(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	w.advance(359)
	if early := w.drain(); len(early) != 0 {
		t.Fatalf("early reminders: %+v", early)
	}
	w.advance(2)
	mails := w.drain()
	if len(mails) != 1 || mails[0].Kind != notify.AbandonedCart || mails[0].To != ada ||
		mails[0].Stream != notify.Reminders || mails[0].Campaign != "film" {
		t.Fatalf("reminders: %+v", mails)
	}
	if !strings.Contains(mails[0].Text, mailtext.UnsubscribePage(mails[0].Unsubscribe)) {
		t.Errorf("no unsubscribe link: %s", mails[0].Text)
	}
	w.expectUnsubscribeLink(mails[0], "https://api.example/unsubscribe", suppression.Carts)
	for part, text := range map[string]string{"text": mails[0].Text, "HTML": mails[0].HTML} {
		if !strings.Contains(text, "https://site.example/checkout/#resume="+value(t, mails[0], "checkout/#resume")) {
			t.Errorf("no cart link in the %s: %s", part, text)
		}
	}
	got, err := w.carts.Resume(t.Context(), reminder.ResumeRequest{Token: value(t, mails[0], "checkout/#resume")})
	if diff := cmp.Diff(reminder.Snapshot{Cart: "film__seat*2", Campaigns: []string{"film"}}, got); diff != "" ||
		err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, e := range w.db.Snapshot().Stores[""] {
		if strings.HasPrefix(e.Key, "abandoned-cart") && strings.Contains(string(e.Value)+e.Key, ada) {
			t.Errorf("%s still contains the address", e.Key)
		}
	}
	w.abandonCheckout(ada, "pw-2", "film") // a second abandoned checkout
	w.advance(24 * 60)
	if more := w.drain(); len(more) != 0 {
		t.Errorf("second reminder: %+v", more)
	}
	w.abandonCheckout(ada, "pw-3", "film", "game") // another set of campaigns
	w.advance(24 * 60)
	if more := w.drain(); len(more) != 1 || more[0].Campaign != "" ||
		more[0].Subject != "Your pledge to Film and Game isn't finished" {
		t.Errorf("other set of campaigns: %+v", more)
	}
	if diff := cmp.Diff(reminder.Health{Queued: 3, Sent: 2, AlreadySent: 1}, w.health()); diff != "" {
		t.Errorf("health (-want +got):\n%s", diff)
	}
}

// expectUnsubscribeLink checks that a mail about the film has a signed unsubscribe link for ada.
func (w *fixture) expectUnsubscribeLink(m notify.Mail, base string, topic suppression.Topic) {
	w.t.Helper()
	page, query, _ := strings.Cut(m.Unsubscribe, "?")
	q, err := url.ParseQuery(query)
	w.ok(err)
	scope, email, err := w.carts.Unsubscribe.Open(q.Get("t"), w.now)
	if want := (suppression.Scope{Topic: topic, Campaign: "film"}); err != nil || page != base ||
		scope != want || email != ada {
		w.t.Errorf("%s unsubscribes %+v of %q, %v", m.Unsubscribe, scope, email, err)
	}
}

// Supporters who did not opt in, have pledged, are suppressed, or would be too late get no
// reminder, and the records of their carts are deleted.
//
// Proves ABN-01, ABN-08, ABN-09, ABN-12, KVR-36, KVR-42.
func TestCarts_NoReminder(t *testing.T) {
	add := func(w *fixture, s suppression.Scope, r suppression.Reason) {
		list := w.carts.Suppressions
		w.ok(list.Add(t.Context(), s, list.Address(ada), r))
	}
	for name, tc := range map[string]struct {
		before func(*fixture, order.Manifest)
		want   reminder.Health
	}{
		"pledged in another order": {func(w *fixture, _ order.Manifest) { w.pledged[ada+" film"] = true },
			reminder.Health{Queued: 1, Completed: 1}},
		"completed": {func(w *fixture, m order.Manifest) {
			for range 2 {
				writes, err := w.carts.EndWrites(t.Context(), m)
				w.ok(err)
				w.ok(w.db.Store("").Apply(t.Context(), writes))
			}
		}, reminder.Health{Queued: 1, Completed: 1}},
		"unsubscribed from all carts": {func(w *fixture, _ order.Manifest) {
			add(w, suppression.Scope{Topic: suppression.Carts}, suppression.Asked)
		}, reminder.Health{Queued: 1, Suppressed: 1}},
		"unsubscribed from the campaign's carts": {func(w *fixture, _ order.Manifest) {
			add(w, suppression.Scope{Topic: suppression.Carts, Campaign: "film"}, suppression.Asked)
		}, reminder.Health{Queued: 1, Suppressed: 1}},
		"complained": {func(w *fixture, _ order.Manifest) { add(w, suppression.Scope{}, suppression.Complained) },
			reminder.Health{Queued: 1, Suppressed: 1}},
		"campaign has ended": {func(w *fixture, _ order.Manifest) { w.now = time.Date(2027, 1, 1, 0, 0, 30, 0, time.UTC) },
			reminder.Health{Queued: 1, Skipped: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			if name == "campaign has ended" {
				w.now = time.Date(2026, 12, 31, 20, 0, 30, 0, time.UTC)
			}
			m := w.abandonCheckout(ada, "pw-1", "film")
			tc.before(w, m)
			w.advance(500)
			if mails := w.drain(); len(mails) != 0 {
				t.Errorf("reminders: %+v", mails)
			}
			if diff := cmp.Diff(tc.want, w.health()); diff != "" {
				t.Errorf("health (-want +got):\n%s", diff)
			}
			if left := append(w.keys("abandoned-cart:"),
				append(w.keys("abandoned-cart-resume:"), w.keys("abandoned-cart-queue:v1:")...)...); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
	w := open(t)
	w.pledged[ada+" game"] = true
	w.abandonCheckout(ada, "pw-2", "film", "game")
	w.advance(500)
	if mails := w.drain(); len(mails) != 0 {
		t.Errorf("reminders after a pledge to the second of two campaigns: %+v", mails)
	}
	silent := order.Manifest{OrderID: "pw-1", Email: ada, BookedAt: w.now,
		Campaigns: []order.Contribution{{CampaignSlug: "film"}}}
	writes, err := w.carts.StartWrites(t.Context(), silent, "x")
	if err != nil || len(writes) != 0 {
		t.Errorf("without consent: %d writes, %v", len(writes), err)
	}
}

// The reminder does not mention a campaign that has ended.
func TestCarts_OneCampaignHasEnded(t *testing.T) {
	w := newFixture(t)
	w.now = time.Date(2026, 11, 30, 20, 0, 30, 0, time.UTC)
	w.abandonCheckout(ada, "pw-1", "early", "film")
	w.advance(500)
	if mails := w.drain(); len(mails) != 1 || mails[0].Campaign != "film" || strings.Contains(mails[0].Text, "Early") {
		t.Errorf("reminders: %+v", mails)
	}
}

// All records of a cart expire after two weeks, whether a reminder was sent or not, and so does
// the link.
//
// Proves ABN-04.
func TestCarts_Expiry(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	w.advance(400)
	tok := value(t, w.drain()[0], "checkout/#resume")
	w.abandonCheckout("b@example.org", "pw-2", "film") // not visible to Dispatch
	w.now = w.now.Add(14*24*time.Hour + time.Minute)
	if left := append(w.keys("abandoned-cart:"),
		append(w.keys("abandoned-cart-resume:"), w.keys("abandoned-cart-queue:v1:")...)...); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := w.carts.Resume(t.Context(), reminder.ResumeRequest{Token: tok}); !fault.Is(err, fault.Unauthorized) {
		t.Errorf("expired link: %v", err)
	}
}

// An address gets one reminder per set of campaigns, even if it abandons another cart much later.
//
// Proves ABN-11.
func TestCarts_OneReminderPerSet(t *testing.T) {
	w := open(t)
	for i, tt := range []struct {
		after time.Duration
		email string
		slugs []string
		want  int
	}{
		{0, ada, []string{"film"}, 1}, {0, "b@example.org", []string{"film"}, 1},
		{20 * 24 * time.Hour, ada, []string{"film"}, 0}, {0, ada, []string{"game"}, 1},
	} {
		w.now = w.now.Add(tt.after)
		w.abandonCheckout(tt.email, fmt.Sprintf("pw-%d", i), tt.slugs...)
		w.advance(400)
		if mails := w.drain(); len(mails) != tt.want || len(mails) > 0 && mails[0].To != tt.email {
			t.Errorf("%s, %v after %s: %+v", tt.email, tt.slugs, tt.after, mails)
		}
	}
}

// Proves ABN-06: a link restores only its own cart, and other tokens restore none.
func TestCarts_Resume(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	w.abandonCheckout("b@example.org", "pw-2", "game")
	w.advance(400)
	tok, of := "", map[string]string{ada: "film", "b@example.org": "game"}
	for _, m := range w.drain() {
		link := value(t, m, "checkout/#resume")
		if m.To == ada {
			tok = link
		}
		got, err := w.carts.Resume(t.Context(), reminder.ResumeRequest{Token: link})
		if err != nil || !slices.Equal(got.Campaigns, []string{of[m.To]}) {
			t.Errorf("link of %s restores %+v, %v", m.To, got, err)
		}
	}
	for name, bad := range map[string]string{"none": "", "forged": "x" + tok,
		"of another purpose": unsubscribeToken(t, w)} {
		if _, err := w.carts.Resume(t.Context(), reminder.ResumeRequest{Token: bad}); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := w.keys("")
	for range 3 {
		_, err := w.carts.Resume(t.Context(), reminder.ResumeRequest{Token: tok})
		w.ok(err)
	}
	if diff := cmp.Diff(before, w.keys("")); diff != "" {
		t.Errorf("opening a link changes (-before +after):\n%s", diff)
	}
	w.pledged[ada+" film"] = true
	m := order.Manifest{OrderID: "pw-1", BookedAt: openDay, AbandonedCartConsent: true}
	writes, err := w.carts.EndWrites(t.Context(), m)
	w.ok(err)
	w.ok(w.db.Store("").Apply(t.Context(), writes))
	if _, err := w.carts.Resume(t.Context(), reminder.ResumeRequest{Token: tok}); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the pledge: %v", err)
	}
}

// All due carts get a reminder, even if there are many. One with an unreadable order does not delay
// the others and is retried.
func TestCarts_Many(t *testing.T) {
	w := open(t)
	ask := w.carts.Pledged
	broken := true
	for i := range 60 {
		w.abandonCheckout(fmt.Sprintf("s%d@example.org", i), fmt.Sprintf("pw-%d", i), "film")
	}
	w.carts.Pledged = func(ctx context.Context, email, slug string) (bool, error) {
		if broken && email == "s0@example.org" {
			return false, errors.New("no answer")
		}
		return ask(ctx, email, slug)
	}
	failed := 0
	for range 380 {
		w.now = w.now.Add(time.Minute)
		if w.runMinute(w.now.Minute() == 0) != nil {
			failed++
		}
	}
	if n := len(w.drain()); n != 59 || failed == 0 || failed > 3 {
		t.Errorf("%d reminders, %d failures", n, failed)
	}
	w.abandonCheckout("later@example.org", "pw-later", "film")
	for range 16 {
		w.now = w.now.Add(time.Minute)
		_ = w.runMinute(false)
	}
	broken = false
	w.advance(16)
	if n := len(w.drain()); n != 1 {
		t.Errorf("%d reminders afterwards", n)
	}
}

// A reminder that could not be sent for a day is not sent, and neither is one whose campaign
// has ended.
func TestCarts_NotAfter(t *testing.T) {
	for began, held := range map[time.Time]time.Duration{openDay: 25 * time.Hour,
		time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC): 7 * time.Hour} {
		w := open(t)
		w.now = began
		w.abandonCheckout(ada, "pw-1", "film")
		w.advance(361)
		w.now = w.now.Add(held)
		if mails := w.drain(); len(mails) != 0 {
			t.Errorf("%s: sent after %s: %+v", began, held, mails)
		}
	}
}

// If a run is interrupted at any read or write, each address gets one reminder.
func TestCarts_CrashAnywhere(t *testing.T) {
	for cut := 1; ; cut++ {
		w := open(t)
		w.abandonCheckout(ada, "pw-1", "film")
		w.abandonCheckout("b@example.org", "pw-2", "game")
		n := 0
		w.now = w.now.Add(6 * time.Hour)
		w.fail = func(memkv.Op) error {
			if n++; n == cut {
				return errors.New("cut off")
			}
			return nil
		}
		_ = w.runMinute(true)
		was := n >= cut
		w.fail = nil
		w.advance(100)
		to := map[string]int{}
		for _, m := range w.drain() {
			to[m.To]++
		}
		if diff := cmp.Diff(map[string]int{ada: 1, "b@example.org": 1}, to); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
		}
		if !was {
			if cut < 15 {
				t.Fatalf("only %d points of interruption", cut)
			}
			return
		}
	}
}
