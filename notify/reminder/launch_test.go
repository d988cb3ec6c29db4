package reminder_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var launchDay = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// An address that signed up and confirmed gets one reminder within minutes of the launch, in the
// page's language. Nothing is stored about it before the confirmation or after the reminder.
//
// Proves REM-04, REM-08, ABN-05, EML-10, KVR-33.
func TestLaunches_Reminder(t *testing.T) {
	w := newFixture(t)
	for range 3 { // repeated clicks
		w.now = w.now.Add(time.Second)
		_, err := w.launches.SignUp(t.Context(),
			reminder.SignUp{CampaignSlug: "film", Email: " Ada@Example.org", Consent: true, PreferredLang: "es-MX"})
		w.ok(err)
	}
	asked := w.drain()
	if len(asked) != 1 || asked[0].Kind != notify.LaunchConfirmation || asked[0].To != ada ||
		asked[0].Lang != "es" || asked[0].Stream != notify.Transactional {
		t.Fatalf("confirmation mails: %+v", asked)
	}
	if kept := w.keys("launch-reminder:"); len(kept) != 0 {
		t.Errorf("stored before the confirmation: %v", kept)
	}
	for range 2 {
		got, err := w.launches.Confirm(t.Context(),
			reminder.Confirmation{Token: value(t, asked[0], "reminder/#t"), PreferredLang: "es"})
		if want := (reminder.Confirmed{CampaignSlug: "film", CampaignTitle: "Film", State: campaign.Upcoming}); err != nil ||
			got != want {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	w.now = w.now.Add(24 * time.Hour)
	_, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: ada, Consent: true})
	w.ok(err)
	if again := w.drain(); len(again) != 0 {
		t.Errorf("second confirmation mail: %+v", again)
	}
	if kept := w.keys("launch-reminder:"); len(kept) != 1 || strings.Contains(kept[0], "ada") {
		t.Errorf("stored: %v", kept)
	}
	w.now = launchDay.Add(-2 * time.Minute)
	w.advance(1)
	if early := w.drain(); len(early) != 0 {
		t.Fatalf("reminders before the launch: %+v", early)
	}
	w.advance(5)
	reminders := w.drain()
	if len(reminders) != 1 || reminders[0].Kind != notify.LaunchReminder ||
		reminders[0].Subject != "Film ya está en marcha" || reminders[0].Stream != notify.Reminders ||
		reminders[0].Campaign != "film" {
		t.Fatalf("reminders: %+v", reminders)
	}
	if !strings.Contains(reminders[0].Text, "https://site.example/es/campaigns/film/") ||
		!strings.Contains(reminders[0].Text, mailtext.UnsubscribePage(reminders[0].Unsubscribe)) {
		t.Errorf("the mail is %s", reminders[0].Text)
	}
	w.expectUnsubscribeLink(reminders[0], "https://api.example/launch-reminders/unsubscribe", suppression.Launch)
	w.advance(120)
	if more := w.drain(); len(more) != 0 {
		t.Errorf("second reminder: %+v", more)
	}
	if kept := append(w.keys("launch-reminder:"), w.keys("launch-reminder-dispatch-queue:")...); len(kept) != 0 ||
		len(w.keys("launch-reminder-sent:film:")) != 1 {
		t.Errorf("left: %v", kept)
	}
}

// An address in a stale list gets no second reminder, even if the delivery record has expired. One
// that has signed up again gets another.
//
// Proves REM-08, KVR-33.
func TestLaunches_OneReminder(t *testing.T) {
	for name, again := range map[string]bool{"the list is old": false, "asked again": true} {
		w := newFixture(t)
		store := w.db.Store("")
		w.signUp(ada)
		key := w.keys("launch-reminder:")[0]
		listed, _, err := kv.Read[map[string]any](t.Context(), store, key)
		w.ok(err)
		w.now = launchDay.Add(-time.Minute)
		w.advance(5)
		if n := len(w.drain()); n != 1 {
			t.Fatalf("%s: %d reminders", name, n)
		}
		if again {
			listed["confirmedAt"] = w.now.Add(time.Second)
		}
		w.ok(kv.Save(t.Context(), store, key, listed))
		w.ok(kv.Save(t.Context(), store, "launch-reminder-dispatch:film", map[string]any{}))
		for _, key := range w.keys("email-delivery:") {
			w.ok(store.Apply(t.Context(), []kv.Write{kv.Delete(key)}))
		}
		w.advance(60)
		if n := len(w.drain()); (n == 1) != again || len(w.keys("launch-reminder:")) != 0 {
			t.Errorf("%s: %d more reminders, left: %v", name, n, w.keys("launch-reminder:"))
		}
	}
}

// The hourly run sends reminders of a launch that the per-minute runs missed, except after two
// weeks.
//
// Proves REM-09.
func TestLaunches_MissedByMinutelyRun(t *testing.T) {
	for late, want := range map[time.Duration]int{26 * time.Hour: 1, 13 * 24 * time.Hour: 1, 15 * 24 * time.Hour: 0} {
		w := newFixture(t)
		w.signUp(ada)
		w.now = launchDay.Add(late)
		w.advance(50)
		if early := w.drain(); len(early) != 0 && w.now.Minute() != 0 {
			t.Errorf("%s late: the per-minute run checked all launches", late)
		}
		w.advance(60)
		if n := len(w.drain()); n != want {
			t.Errorf("%s late: %d mails, want %d", late, n, want)
		}
	}
}

// Each queued campaign is processed, regardless of the results of the others. Completed campaigns
// leave the queue, and campaigns that are not queued send nothing.
//
// Proves REM-09.
func TestLaunches_Queue(t *testing.T) {
	w := newFixture(t)
	w.launches.Unasked = true
	for _, slug := range []string{"film", "game"} {
		_, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: slug, Email: ada, Consent: true})
		w.ok(err)
	}
	w.now = launchDay.Add(11 * time.Minute)
	w.ok(w.launches.Dispatch(t.Context(), 25))
	if early := w.drain(); len(early) != 0 {
		t.Errorf("reminders of campaigns that were not queued: %+v", early)
	}
	w.ok(w.launches.Queue(t.Context(), time.Hour))
	if n := len(w.keys("launch-reminder-dispatch-queue:v1")); n != 1 {
		t.Errorf("%d queue records", n)
	}
	w.ok(w.launches.Dispatch(t.Context(), 25))
	var reminders []string
	for _, m := range w.drain() {
		reminders = append(reminders, m.Campaign)
	}
	slices.Sort(reminders)
	if diff := cmp.Diff([]string{"film", "game"}, reminders); diff != "" {
		t.Errorf("reminders (-want +got):\n%s", diff)
	}
	if left := w.keys("launch-reminder-dispatch-queue:"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// Only public, live campaigns that launched recently are queued.
func TestLaunches_QueuedCampaigns(t *testing.T) {
	hidden := strings.Replace(film, "published: true", "published: false", 1)
	short := strings.Replace(film, "2026-12-31", "2026-12-01", 1)
	for name, tt := range map[string]struct {
		file  string
		after time.Duration
		want  int
	}{
		"has started":         {film, time.Minute, 1},
		"started an hour ago": {film, time.Hour, 1},
		"started earlier":     {film, time.Hour + time.Second, 0},
		"has not started":     {film, -time.Minute, 0},
		"is not public":       {hidden, time.Minute, 0},
		"has ended":           {short, 25 * time.Hour, 0},
	} {
		w := newFixture(t)
		w.signUp(ada)
		w.all = load(t, fstest.MapFS{"campaigns/film.md": {Data: []byte(tt.file)}})
		w.now = launchDay.Add(tt.after)
		within := time.Hour
		if tt.after > 2*time.Hour {
			within = reminder.Stale
		}
		w.ok(w.launches.Queue(t.Context(), within))
		if got := len(w.keys("launch-reminder-dispatch-queue:")); got != tt.want {
			t.Errorf("%s: %d queue records", name, got)
		}
	}
}

// A campaign that has ended or was unpublished since it was queued sends nothing and leaves the
// queue.
func TestLaunches_CampaignEnded(t *testing.T) {
	for name, change := range map[string]func(*fixture){
		"campaign ended": func(w *fixture) {
			w.all = load(t,
				fstest.MapFS{"campaigns/film.md": {Data: []byte(strings.Replace(film, "2026-12-31", "2026-12-01", 1))}})
			w.now = launchDay.Add(25 * time.Hour)
		},
		"not public": func(w *fixture) { w.all = load(t, fstest.MapFS{}) },
	} {
		w := newFixture(t)
		w.signUp(ada)
		w.now = launchDay.Add(11 * time.Minute)
		w.ok(w.launches.Queue(t.Context(), time.Hour))
		change(w)
		w.ok(w.launches.Dispatch(t.Context(), 25))
		if mails, left := w.drain(), w.keys("launch-reminder-dispatch-queue:"); len(mails) != 0 || len(left) != 0 {
			t.Errorf("%s: %d reminders, left: %v", name, len(mails), left)
		}
	}
}

// A campaign stays in the queue while its progress cannot be read.
func TestLaunches_UnreadableProgress(t *testing.T) {
	w := newFixture(t)
	w.signUp(ada)
	w.now = launchDay.Add(11 * time.Minute)
	w.ok(w.launches.Queue(t.Context(), time.Hour))
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpGet && op.Key == "launch-reminder-dispatch:film" {
			w.fail = nil
			return errors.New("no answer")
		}
		return nil
	}
	if err := w.launches.Dispatch(t.Context(), 25); err == nil {
		t.Error("no error for the failure")
	}
	w.ok(w.launches.Dispatch(t.Context(), 25))
	if mails, left := w.drain(), w.keys("launch-reminder-dispatch-queue:"); len(mails) != 1 || len(left) != 0 {
		t.Errorf("%d reminders, left: %v", len(mails), left)
	}
}

// If there are more addresses than one step processes, each gets one reminder. That includes
// an address that signs up during the pass over the list, on a server whose clock is still before
// the launch.
//
// Proves REM-08.
func TestLaunches_Many(t *testing.T) {
	w := newFixture(t)
	w.launches.Unasked = true
	add := func(email string) {
		_, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: email, Consent: true})
		w.ok(err)
	}
	for i := range 130 {
		add(fmt.Sprintf("s%d@example.org", i))
	}
	from := map[string]bool{}
	w.launches.Store = cursorStore{w.launches.Store, from}
	w.now = launchDay
	at := w.now
	w.ok(w.runMinute(true))
	w.now = launchDay.Add(-time.Second)
	add("late@example.org") // on a server whose clock is behind
	w.now = at
	w.advance(60)
	to := map[string]int{}
	for _, m := range w.drain() {
		to[m.To]++
	}
	for email, n := range to {
		if n != 1 {
			t.Errorf("%s got %d reminders", email, n)
		}
	}
	if len(to) != 131 || to["late@example.org"] != 1 {
		t.Errorf("%d reminders, late: %d", len(to), to["late@example.org"])
	}
	if len(from) < 3 {
		t.Errorf("list cursors: %v", from)
	}
}

// cursorStore is a store that records where its lists start.
type cursorStore struct {
	kv.Store
	from map[string]bool
}

func (l cursorStore) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	l.from[q.Cursor] = true
	return l.Store.List(ctx, q)
}

// laggingStore is an eventually consistent store, whose lists show a key late.
type laggingStore struct {
	kv.Store
	hides func(key string) bool
}

func (b laggingStore) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	page, err := b.Store.List(ctx, q)
	page.Entries = slices.DeleteFunc(page.Entries, func(e kv.Entry) bool { return b.hides(e.Key) })
	return page, err
}

// A confirmation in the last second before the launch may not be visible everywhere immediately.
func TestLaunches_LastSecondConfirmation(t *testing.T) {
	w := newFixture(t)
	w.launches.Unasked = true
	w.launches.Store = laggingStore{w.launches.Store, func(key string) bool {
		return strings.HasSuffix(key, w.launches.Suppressions.Address("late@example.org")) &&
			w.now.Before(launchDay.Add(2*time.Minute))
	}}
	for _, email := range []string{"early@example.org", "late@example.org"} {
		_, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: email, Consent: true})
		w.ok(err)
		w.now = launchDay.Add(-time.Second)
	}
	w.advance(60)
	var to []string
	for _, m := range w.drain() {
		to = append(to, m.To)
	}
	if diff := cmp.Diff([]string{"early@example.org", "late@example.org"}, to); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// After a postponed launch, those who signed up since also get a reminder.
func TestLaunches_Postponed(t *testing.T) {
	w := newFixture(t)
	w.signUp(ada)
	w.now = launchDay
	w.advance(60)
	if n := len(w.drain()); n != 1 {
		t.Fatalf("%d reminders", n)
	}
	put := strings.NewReplacer("2026-12-01", "2027-01-15", "2026-12-31", "2027-02-15").Replace(film)
	w.all = load(t, fstest.MapFS{"campaigns/film.md": {Data: []byte(put)}})
	w.signUp("b@example.org")
	w.now = launchDay.AddDate(0, 1, 14)
	w.advance(60)
	if reminders := w.drain(); len(reminders) != 1 || reminders[0].To != "b@example.org" {
		t.Errorf("reminders: %+v", reminders)
	}
}

// A failure is retried in the next minute, not in the next hour.
func TestLaunches_FailureIsRetried(t *testing.T) {
	w := newFixture(t)
	w.signUp(ada)
	w.now = launchDay.Add(time.Minute)
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			return errors.New("no answer")
		}
		return nil
	}
	if err := w.runMinute(true); err == nil {
		t.Error("no error for the failure")
	}
	w.now = launchDay.Add(11 * time.Minute) // when a pass over the list can be the last one
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut {
			return errors.New("no answer")
		}
		return nil
	}
	if err := w.launches.Dispatch(t.Context(), 25); err == nil {
		t.Error("no error for the failure")
	}
	w.fail = nil
	w.ok(w.launches.Dispatch(t.Context(), 25))
	if n := len(w.drain()); n != 1 {
		t.Errorf("%d reminders in the next minute", n)
	}
}

// An address that unsubscribes after confirming gets no reminder. Confirming again reverses the
// unsubscribe.
func TestLaunches_Unsubscribed(t *testing.T) {
	w := newFixture(t)
	w.signUp(ada)
	scope := suppression.Scope{Topic: suppression.Launch, Campaign: "film"}
	list := w.launches.Suppressions
	w.ok(list.Add(t.Context(), scope, list.Address(ada), suppression.Asked))
	w.now = launchDay
	w.advance(60)
	if reminders := w.drain(); len(reminders) != 0 {
		t.Fatalf("reminders: %+v", reminders)
	}
	again := newFixture(t)
	list = again.launches.Suppressions
	again.ok(list.Add(t.Context(), scope, list.Address(ada), suppression.Asked))
	again.signUp(ada)
	again.now = launchDay
	again.advance(60)
	if reminders := again.drain(); len(reminders) != 1 {
		t.Fatalf("reminders after confirming again: %d", len(reminders))
	}
}

func unsubscribeToken(t *testing.T, w *fixture) string {
	t.Helper()
	u, err := w.launches.Unsubscribe.Unsubscribe(notify.Message{Kind: notify.LaunchReminder, To: ada, Campaign: "film"},
		w.now)
	if err != nil {
		t.Fatal(err)
	}
	_, tok, _ := strings.Cut(u, "t=")
	return tok
}

// If runs are interrupted at any read or write, reminders are retried until each address has got
// exactly one.
//
// Proves REM-08.
func TestLaunches_CrashAnywhere(t *testing.T) {
	errCut := errors.New("cut off")
	for cut := 1; ; cut++ {
		w := newFixture(t)
		w.launches.Unasked = true
		for _, email := range []string{"a@example.org", "b@example.org", "c@example.org"} {
			_, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: email, Consent: true})
			w.ok(err)
		}
		n := 0
		w.fail = func(memkv.Op) error {
			if n++; n == cut {
				return errCut
			}
			return nil
		}
		w.now = launchDay
		for range 40 {
			w.now = w.now.Add(time.Minute)
			_ = w.runMinute(w.now.Minute() == 0)
		}
		was := n >= cut
		w.fail = nil
		w.advance(40)
		var to []string
		for _, m := range w.drain() {
			to = append(to, m.To)
		}
		slices.Sort(to)
		if diff := cmp.Diff([]string{"a@example.org", "b@example.org", "c@example.org"}, to); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
		}
		if !was {
			if cut < 20 {
				t.Fatalf("only %d points of interruption", cut)
			}
			return
		}
	}
}
