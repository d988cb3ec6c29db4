package compose_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

// reported is a campaign file that lists three readers and excludes one of them.
const reported = `---
title: Film
slug: film
published: true
goal_amount: 20
start_date: 2026-11-01
goal_deadline: 2026-11-23
runner_report_emails: [a@example.org, b@example.org, c@example.org]
runner_report_excluded_emails: [b@example.org]
tiers:
  - id: seat
    name: Seat
    price: 25
    category: digital
---
`

// confirm confirms addresses for the reports of the campaign film.
func confirm(t *testing.T, h *memory.Host, emails ...string) {
	t.Helper()
	for _, email := range emails {
		if _, err := h.Services.Access.ConfirmReader(t.Context(), "", "film", email); err != nil {
			t.Fatal(err)
		}
	}
}

// reports returns the sent reports as "day: reader: rows of the file".
func reports(t *testing.T, h *memory.Host) []string {
	t.Helper()
	mails, err := h.Mails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range mails {
		if m.Kind == notify.RunnerReport {
			rows := strings.Count(m.Attachment.Text, "\n") - 1
			all = append(all, m.Attachment.Name+" to "+m.To+": "+strings.Repeat("|", rows))
		}
	}
	return all
}

// The first hourly run after seven o'clock in the platform's time zone reports a live campaign's
// pledges to each reader, once a day. The first run after the settlement reports what to ship.
// Nothing is sent before the first pledge.
//
// Proves RPT-04, EML-15.
func TestRunnerReports(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC) // half past five in Denver
	h, err := memory.New(memory.Options{Campaigns: fstest.MapFS{"campaigns/film.md": {Data: []byte(reported)}},
		Start: start})
	if err != nil {
		t.Fatal(err)
	}
	confirm(t, h, "a@example.org", "b@example.org", "c@example.org")
	hours := func(n int) {
		t.Helper()
		for range n {
			h.Advance(time.Hour)
			if _, err := h.Services.Cron(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	pledge := func(email string) {
		t.Helper()
		one := 1
		cart := checkout.Cart{CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat", Quantity: &one}}}
		if _, err := h.Pledge(t.Context(), checkout.StartRequest{Email: email, Cart: cart}, ""); err != nil {
			t.Fatal(err)
		}
	}
	hours(10)
	if got := reports(t, h); len(got) != 0 {
		t.Errorf("reported before the first pledge: %v", got)
	}
	hours(14)
	pledge("one@example.com")
	hours(1)
	if got := reports(t, h); len(got) != 0 {
		t.Errorf("reported before seven: %v", got)
	}
	hours(3)
	pledge("two@example.com")
	hours(4 * 24)
	want := []string{
		"pledges-film-2026-11-21.csv to a@example.org: |", "pledges-film-2026-11-21.csv to c@example.org: |",
		"pledges-film-2026-11-22.csv to a@example.org: ||", "pledges-film-2026-11-22.csv to c@example.org: ||",
		"pledges-film-2026-11-23.csv to a@example.org: ||", "pledges-film-2026-11-23.csv to c@example.org: ||",
		"fulfillment-film-2026-11-24.csv to a@example.org: ||", "fulfillment-film-2026-11-24.csv to c@example.org: ||",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(reports(t, h)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Disabled reports are not sent. Enabling them long after a campaign's end does not send its old
// reports.
func TestRunnerReports_Disabled(t *testing.T) {
	for days, want := range map[int]int{0: 0, 20: 2, 70: 0} {
		h, err := memory.New(memory.Options{
			Campaigns: fstest.MapFS{"campaigns/film.md": {Data: []byte(reported)}},
			Env:       map[string]string{"RUNNER_REPORTS_ENABLED": "false"},
		})
		if err != nil {
			t.Fatal(err)
		}
		confirm(t, h, "a@example.org", "c@example.org")
		one := 1
		cart := checkout.Cart{CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat", Quantity: &one}}}
		if _, err := h.Pledge(t.Context(), checkout.StartRequest{Email: "one@example.com", Cart: cart}, ""); err != nil {
			t.Fatal(err)
		}
		for range 5 * 24 {
			h.Advance(time.Hour)
			if _, err := h.Services.Cron(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if days > 0 {
			h.Services.Config.Reports.Enabled = true
			h.Advance(time.Duration(days) * 24 * time.Hour)
		}
		if _, err := h.Services.Cron(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := reports(t, h); len(got) != want {
			t.Errorf("after %d days: %v", days, got)
		}
	}
}
