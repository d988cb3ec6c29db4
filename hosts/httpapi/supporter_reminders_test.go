package httpapi_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// upcoming is a campaign that starts on December 1.
const upcoming = "slow-weather"

// sent returns the sent mails of a kind.
func (e *edge) sent(k notify.Kind) []notify.Mail {
	e.t.Helper()
	all, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(m notify.Mail) bool { return m.Kind != k })
}

// linked returns a query parameter of the first link in a mail that starts with the given prefix.
func linked(t *testing.T, m notify.Mail, begins string) string {
	t.Helper()
	_, after, ok := strings.Cut(m.Text, begins)
	if !ok {
		t.Fatalf("no %s in %s", begins, m.Text)
	}
	after, _, _ = strings.Cut(after, "\n")
	v, err := url.QueryUnescape(after)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Tests reminders from the sign-up form of an upcoming campaign to the launch mail, through routes
// and scheduled work.
//
// Proves REM-01, REM-09, CRN-03.
func TestLaunchReminders(t *testing.T) {
	e := newEdge(t, memory.Options{})
	asked := e.post("/launch-reminders", reminder.SignUp{CampaignSlug: upcoming, Email: reader, Consent: true})
	if got := decode[reminder.SignedUp](t, asked); asked.Status != 200 ||
		got != (reminder.SignedUp{OK: true, Status: "registered", Confirm: true}) {
		t.Fatalf("status %d %+v", asked.Status, got)
	}
	mails := e.sent(notify.LaunchConfirmation)
	if len(mails) != 1 {
		t.Fatalf("%d confirmation mails", len(mails))
	}
	tok := linked(t, mails[0], "/reminder/#t=")
	confirmed := decode[reminder.Confirmed](t,
		e.post("/launch-reminders/confirm", reminder.Confirmation{Token: tok, PreferredLang: "en"}))
	if want := (reminder.Confirmed{CampaignSlug: upcoming, CampaignTitle: "Slow Weather",
		State: campaign.Upcoming}); confirmed != want {
		t.Errorf("confirmed: %+v", confirmed)
	}
	c, err := e.Services.Campaigns().Campaign(upcoming)
	if err != nil {
		t.Fatal(err)
	}
	e.Advance(c.StartsAt(e.Config.Site.Timezone.Location()).Add(time.Minute).Sub(e.Now()))
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told := e.sent(notify.LaunchReminder); len(told) != 1 || told[0].To != reader ||
		!strings.Contains(told[0].Text, "/campaigns/"+upcoming+"/") {
		t.Errorf("reminded by %+v", told)
	}
	e.wantStatus(e.post("/launch-reminders/confirm", reminder.Confirmation{Token: tok}), 401) // it was valid for a week
}

// The hourly work sends the reminders of a launch that Minute missed.
//
// Proves REM-09, CRN-03.
func TestLaunchReminders_SentByCron(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.wantStatus(e.post("/launch-reminders", reminder.SignUp{CampaignSlug: upcoming, Email: reader, Consent: true}), 200)
	tok := linked(t, e.sent(notify.LaunchConfirmation)[0], "/reminder/#t=")
	e.wantStatus(e.post("/launch-reminders/confirm", reminder.Confirmation{Token: tok}), 200)
	c, err := e.Services.Campaigns().Campaign(upcoming)
	if err != nil {
		t.Fatal(err)
	}
	e.Advance(c.StartsAt(e.Config.Site.Timezone.Location()).Add(26 * time.Hour).Sub(e.Now()))
	e.cron()
	if told := e.sent(notify.LaunchReminder); len(told) != 1 || told[0].To != reader {
		t.Errorf("reminded by %+v", told)
	}
}

// Invalid sign-ups are rejected with field and status.
//
// Proves REM-01, REM-03: only upcoming campaigns accept sign-ups, and each one requires the
// challenge if it is configured.
func TestLaunchReminders_InvalidSignUp(t *testing.T) {
	e := newEdge(t, memory.Options{
		Env: map[string]string{"CHALLENGE_SECRET_KEY": "0x4secret", "CHALLENGE_SITE_KEY": "0x4site"},
		Challenge: func(_ context.Context, action, response string) error {
			if action != "launch-reminder" || response != "human" {
				return fault.New(fault.Invalid, "A robot").In("challenge")
			}
			return nil
		},
	})
	good := reminder.SignUp{CampaignSlug: upcoming, Email: reader, Consent: true, Challenge: "human"}
	for field, tc := range map[string]struct {
		change func(*reminder.SignUp)
		status int
	}{
		"consent":      {func(r *reminder.SignUp) { r.Consent = false }, 400},
		"email":        {func(r *reminder.SignUp) { r.Email = "x" }, 400},
		"campaignSlug": {func(r *reminder.SignUp) { r.CampaignSlug = game }, 409},
		"challenge":    {func(r *reminder.SignUp) { r.Challenge = "robot" }, 400},
	} {
		r := good
		tc.change(&r)
		answer := e.post("/launch-reminders", r)
		if f := decode[failure](t, answer); answer.Status != tc.status || f.Field != field {
			t.Errorf("%s: %d %+v", field, answer.Status, f)
		}
	}
	e.wantStatus(e.post("/launch-reminders", good), 200)
	e.wantStatus(e.post("/launch-reminders", good, "Origin", "https://elsewhere.example"), 403)
}

// Proves REM-05.
func TestLaunchReminders_RateLimit(t *testing.T) {
	e := newEdge(t, memory.Options{})
	r := reminder.SignUp{CampaignSlug: upcoming, Email: reader, Consent: true}
	for range 5 {
		e.wantStatus(e.post("/launch-reminders", r), 200)
	}
	e.wantStatus(e.post("/launch-reminders", r), 429)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.from("192.0.2.99", "POST", "/launch-reminders", b), 200)
	e.Advance(time.Minute)
	e.wantStatus(e.post("/launch-reminders", r), 200)
}

// The hourly work finds abandoned checkouts that Minute missed.
//
// Proves ABN-10.
func TestAbandonedCart_SentByCron(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.wantStatus(e.post("/checkout-intent/start",
		checkout.StartRequest{Cart: filmCart(), Email: reader, AbandonedCartConsent: true}), 200)
	e.Advance(reminder.DefaultDelay - time.Minute)
	e.cron()
	if early := e.sent(notify.AbandonedCart); len(early) != 0 {
		t.Errorf("reminded too early: %+v", early)
	}
	e.Advance(2 * time.Minute)
	e.cron()
	e.cron()
	if mails := e.sent(notify.AbandonedCart); len(mails) != 1 || mails[0].To != reader {
		t.Errorf("reminded by %+v", mails)
	}
}

// A supporter who opted in and left the checkout gets a mail that restores the cart, unless they
// have pledged. Supporters who did not opt in get no mail.
//
// Proves ABN-01, ABN-08, ABN-09, ABN-10, CRN-04, MKT-08.
func TestAbandonedCart(t *testing.T) {
	lists := 0
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			lists++
		}
		return nil
	}})
	start := func(email string, consent bool) checkout.Started {
		t.Helper()
		return decode[checkout.Started](t, e.post("/checkout-intent/start",
			checkout.StartRequest{Cart: filmCart(), Email: email, AbandonedCartConsent: consent}))
	}
	start("left@example.com", true)
	start("silent@example.com", false)
	start("later@example.com", true)
	done := start("done@example.com", true)
	if err := e.Sim.Complete(done.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.post("/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: done.OrderID, SessionID: done.SessionID}), 200)
	e.pledge("later@example.com", filmCart(), cardOK)
	e.Advance(reminder.DefaultDelay + time.Minute)
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	mails := e.sent(notify.AbandonedCart)
	if len(mails) != 1 || mails[0].To != "left@example.com" {
		t.Fatalf("reminded by %+v", mails)
	}
	snapshot := decode[reminder.Snapshot](t,
		e.post("/abandoned-cart/resume", reminder.ResumeRequest{Token: linked(t, mails[0], "/checkout/#resume=")}))
	var ids []string
	for item := range strings.SplitSeq(snapshot.Cart, ",") {
		id, _, _ := strings.Cut(strings.ReplaceAll(item, "=", "*"), "*")
		ids = append(ids, id)
	}
	var chosen []string
	for _, i := range filmCart().Items {
		chosen = append(chosen, i.ID)
	}
	if diff := cmp.Diff(chosen, ids); diff != "" {
		t.Errorf("the cart (-chosen +kept):\n%s", diff)
	}
	e.wantStatus(e.post("/abandoned-cart/resume", reminder.ResumeRequest{Token: "x.y"}), 401)
	lists = 0
	health := decode[reminder.Health](t, e.get("/admin/reminders/health", "", e.admin()...))
	if lists != 0 {
		t.Errorf("%d lists of counters", lists)
	}
	if diff := cmp.Diff(reminder.Health{Queued: 3, Sent: 1, Completed: 2}, health); diff != "" {
		t.Errorf("health (-want +got):\n%s", diff)
	}
}
