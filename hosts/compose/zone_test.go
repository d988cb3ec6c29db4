package compose_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// The platform's time zone determines when a campaign opens and ends and when reminders about it
// are sent, how many days are left, the hour and the date of runner reports, and when charges are
// made.
//
// Proves STG-06, STG-07, STG-08, CRN-06.
func TestPlatformTimezone(t *testing.T) {
	file := strings.NewReplacer("2026-11-01", "2026-11-24", "2026-11-23", "2026-11-26").Replace(reported)
	for _, zone := range []string{"America/Denver", "Pacific/Auckland", "Asia/Kolkata", "UTC"} {
		t.Run(zone, func(t *testing.T) {
			place, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			opens := time.Date(2026, 11, 24, 0, 0, 0, 0, place)
			ends := time.Date(2026, 11, 27, 0, 0, 0, 0, place)
			h, err := memory.New(memory.Options{
				Campaigns: fstest.MapFS{"campaigns/film.md": {Data: []byte(file)}},
				Env:       map[string]string{"PLATFORM_TIMEZONE": zone}, Start: opens.Add(-30 * time.Minute).UTC(),
			})
			if err != nil {
				t.Fatal(err)
			}
			confirm(t, h, "a@example.org", "c@example.org")
			pledged := func() error {
				one := 1
				cart := checkout.Cart{CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat", Quantity: &one}}}
				_, err := h.Pledge(t.Context(),
					checkout.StartRequest{Email: fmt.Sprintf("s%d@example.com", h.Now().Unix()), Cart: cart}, "")
				return err
			}
			state := func() string {
				r := h.Request(t.Context(), "GET", "/admin/summary", "", nil, "Authorization",
					"Bearer "+h.Config.Secrets.Admin.Reveal())
				var all struct {
					Campaigns []struct {
						State    string
						DaysLeft int
					}
				}
				if err := json.Unmarshal(r.Body, &all); err != nil || len(all.Campaigns) != 1 {
					t.Fatalf("%s: %v", r.Body, err)
				}
				return fmt.Sprint(all.Campaigns[0].State, " ", all.Campaigns[0].DaysLeft)
			}
			h.Services.Launches.Unasked = true
			if _, err := h.Services.Launches.SignUp(t.Context(),
				reminder.SignUp{CampaignSlug: "film", Email: "waits@example.com", Consent: true}); err != nil {
				t.Fatal(err)
			}
			live := h.Request(t.Context(), "GET", "/live/film", "", nil) // contains the countdown of the pages
			var shown struct {
				Campaign struct{ StartsAt, EndsAt time.Time }
			}
			if err := json.Unmarshal(live.Body, &shown); err != nil || !shown.Campaign.StartsAt.Equal(opens) ||
				!shown.Campaign.EndsAt.Equal(ends) {
				t.Errorf("pages get %s: %v", live.Body, err)
			}
			var got []string
			note := func(what string) {
				if line := h.Now().In(place).Format("Jan 2 15:04 ") + what; !slices.Contains(got, line) {
					got = append(got, line)
				}
			}
			told, before, reported, reminded, charged := "", "", 0, false, false
			for h.Now().Before(ends.Add(3 * time.Hour)) {
				if told = state(); told != before {
					note(told)
					before = told
					if err := pledged(); (err == nil) != strings.HasPrefix(told, "live") {
						t.Errorf("%s: pledging: %v", told, err)
					}
				}
				if _, err := h.Services.Cron(t.Context()); err != nil {
					t.Fatal(err)
				}
				mails, err := h.Mails(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !reminded && slices.ContainsFunc(mails, func(m notify.Mail) bool { return m.Kind == notify.LaunchReminder }) {
					note("reminder")
					reminded = true
				}
				if sent := reports(t, h); len(sent) != reported {
					file, _, _ := strings.Cut(slices.Max(sent), " to ")
					note(file)
					reported = len(sent)
				}
				if err := h.Settle(t.Context()); err != nil {
					t.Fatal(err)
				}
				snap, err := h.Services.Settlement.Inventory.Snapshot(t.Context(), "film")
				if err != nil {
					t.Fatal(err)
				}
				if snap.Totals.Statuses[pledge.Charged] > 0 && !charged {
					note("charges")
					charged = true
				}
				h.Advance(30 * time.Minute)
			}
			want := []string{
				"Nov 23 23:30 upcoming 0", "Nov 24 00:00 live 3", "Nov 24 00:00 reminder", "Nov 24 00:30 live 2",
				"Nov 24 07:00 pledges-film-2026-11-24.csv", "Nov 25 00:30 live 1", "Nov 25 07:00 pledges-film-2026-11-25.csv",
				"Nov 26 00:30 live 0", "Nov 26 07:00 pledges-film-2026-11-26.csv", "Nov 27 00:00 ended 0",
			}
			if diff := cmp.Diff(want,
				slices.DeleteFunc(slices.Clone(got), func(s string) bool { return strings.HasSuffix(s, "charges") })); diff != "" {
				t.Error(diff)
			}
			if i := slices.IndexFunc(got, func(s string) bool { return strings.HasSuffix(s, "charges") }); i < 0 ||
				!strings.HasPrefix(got[i], "Nov 27 0") {
				t.Errorf("charges were made in %v", got)
			}
		})
	}
}
