package reminder_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestSignUp_AddressSpellings(t *testing.T) {
	w := newFixture(t)
	w.signUp("zoe@xn--bung-zra.example")
	w.now = w.now.Add(25 * time.Hour)
	_, err := w.launches.SignUp(t.Context(),
		reminder.SignUp{CampaignSlug: "film", Email: "zoe@übung.example", Consent: true})
	w.ok(err)
	if again := w.drain(); len(again) != 0 {
		t.Errorf("second confirmation mail: %+v", again)
	}
	old := w.launches.Suppressions.Addresses("zoe@übung.example")[1]
	prefix := "launch-reminder:film:"
	if keys := w.keys(prefix); len(keys) != 1 || keys[0] == prefix+old {
		t.Fatalf("stored: %v, former key %s", keys, old)
	}
	w.ok(kv.Save(t.Context(), w.launches.Store, prefix+old, map[string]string{"email": "zoe@übung.example"}))
	w.ok(w.launches.Store.Apply(t.Context(),
		[]kv.Write{kv.Delete(prefix + w.launches.Suppressions.Address("zoe@übung.example"))}))
	if waits, err := w.launches.Waiting(t.Context(), "film", "zoe@xn--bung-zra.example"); err != nil || !waits {
		t.Errorf("record of an earlier version not found: %v", err)
	}
}

// Proves REM-02, REM-03, LIM-13: the rejected sign-ups with their fields, none of which writes
// anything.
func TestSignUp_InvalidInput(t *testing.T) {
	good := reminder.SignUp{CampaignSlug: "film", Email: ada, Consent: true, Challenge: "human"}
	for name, tc := range map[string]struct {
		change func(*reminder.SignUp)
		code   fault.Code
		field  string
	}{
		"no consent":       {func(r *reminder.SignUp) { r.Consent = false }, fault.Invalid, "consent"},
		"no address":       {func(r *reminder.SignUp) { r.Email = "ada" }, fault.Invalid, "email"},
		"no campaign":      {func(r *reminder.SignUp) { r.CampaignSlug = "none" }, fault.NotFound, "campaignSlug"},
		"not public":       {func(r *reminder.SignUp) { r.CampaignSlug = "hidden" }, fault.NotFound, "campaignSlug"},
		"has started":      {func(r *reminder.SignUp) { r.CampaignSlug = "early" }, fault.Conflict, "campaignSlug"},
		"failed challenge": {func(r *reminder.SignUp) { r.Challenge = "robot" }, fault.Invalid, "challenge"},
		"no challenge":     {func(r *reminder.SignUp) { r.Challenge = "" }, fault.Invalid, "challenge"},
	} {
		w := newFixture(t)
		w.launches.Challenge = func(_ context.Context, response string) error {
			if response != "human" {
				return fault.New(fault.Invalid, "A robot").In("challenge")
			}
			return nil
		}
		r := good
		tc.change(&r)
		_, err := w.launches.SignUp(t.Context(), r)
		if f := fault.Of(err); f == nil || f.Code != tc.code || f.Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
		if kept := w.keys(""); len(kept) != 0 {
			t.Errorf("%s: wrote %v", name, kept)
		}
		_, err = w.launches.SignUp(t.Context(), good)
		w.ok(err)
	}
}

// The response reveals neither whether an address is waiting nor whether it is suppressed.
func TestSignUp_ResponsesAreEqual(t *testing.T) {
	w := newFixture(t)
	list := w.launches.Suppressions
	for _, reason := range []suppression.Reason{suppression.Bounced, suppression.Complained, suppression.Operator} {
		email := string(reason) + "@example.org"
		w.ok(list.Add(t.Context(), suppression.Scope{}, list.Address(email), reason))
	}
	w.signUp(ada)
	var answers []reminder.SignedUp
	for _, email := range []string{"new@example.org", ada, "bounced@example.org",
		"complained@example.org", "operator@example.org"} {
		a, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: email, Consent: true})
		w.ok(err)
		answers = append(answers, a)
	}
	if all := slices.Compact(slices.Clone(answers)); len(all) != 1 ||
		all[0] != (reminder.SignedUp{OK: true, Status: "registered", Confirm: true}) {
		t.Errorf("answers: %+v", answers)
	}
	if mails := w.drain(); len(mails) != 1 || mails[0].To != "new@example.org" {
		t.Errorf("mails: %+v", mails)
	}
}

// A confirmation link is valid for a week and for its campaign only, and has no effect after the
// launch.
func TestConfirm_Links(t *testing.T) {
	w := newFixture(t)
	_, err := w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: ada, Consent: true})
	w.ok(err)
	tok := value(t, w.drain()[0], "reminder/#t")
	for name, bad := range map[string]string{"none": "", "forged": tok + "x",
		"of another purpose": unsubscribeToken(t, w)} {
		if _, err := w.launches.Confirm(t.Context(), reminder.Confirmation{Token: bad}); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.now = w.now.Add(7 * 24 * time.Hour)
	if _, err := w.launches.Confirm(t.Context(), reminder.Confirmation{Token: tok}); !fault.Is(err, fault.Unauthorized) {
		t.Errorf("a week later: %v", err)
	}
	w.now = launchDay.Add(-time.Hour)
	_, err = w.launches.SignUp(t.Context(), reminder.SignUp{CampaignSlug: "film", Email: ada, Consent: true})
	w.ok(err)
	tok = value(t, w.drain()[0], "reminder/#t")
	w.now = launchDay
	got, err := w.launches.Confirm(t.Context(), reminder.Confirmation{Token: tok})
	if err != nil || got.State != campaign.Live || len(w.keys("launch-reminder:")) != 0 {
		t.Errorf("after the launch: %+v, %v, stored %v", got, err, w.keys("launch-reminder:"))
	}
}
