package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/admin/overview"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// book is the example campaign that has not started.
const book = "slow-weather"

// summaries requests the summaries and returns them by slug.
func (b *browser) summaries() map[string]overview.Campaign {
	b.e.t.Helper()
	before := b.e.kept()
	r := b.get("/admin/summary", "")
	b.e.wantStatus(r, 200)
	if diff := cmp.Diff(before, b.e.kept()); diff != "" {
		b.e.t.Errorf("summary wrote: %s", diff)
	}
	all := map[string]overview.Campaign{}
	for _, c := range decode[httpapi.CampaignSummaries](b.e.t, r).Campaigns {
		all[c.Slug] = c
	}
	return all
}

// A summary contains the campaigns that the caller may see, with their figures. Computing it reads
// no pledges.
//
// Proves AAU-26, CON-08.
func TestCampaignSummaries(t *testing.T) {
	reads := map[string]int{}
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		kind, _, _ := strings.Cut(op.Key, ":")
		reads[string(op.Kind)+" "+kind]++
		return nil
	}})
	e.pledge("a+x@example.com", gameCart(1), sim.CardChargeDeclined)
	e.Advance(24 * time.Hour)
	e.pledge("a+x@example.com", gameCart(1), cardOK)
	e.pledge("b+x@example.com", gameCart(20), cardOK)
	super, b := e.signedIn("ada@example.org", access.SuperAdmin), e.with("ben@example.org", access.Content)
	clear(reads)
	all, mine := super.summaries(), b.summaries()
	for _, what := range []string{"get pledge", "get campaign-pledges", "get email", "put stats"} {
		if reads[what] > 0 {
			t.Errorf("summaries ran %q", what)
		}
	}
	got := all[game]
	if len(all) != len(e.Services.Campaigns().Campaigns()) || got.Pledges != 3 || got.Supporters != 2 ||
		got.Pledged == 0 || got.Goal == 0 ||
		got.State != "live" || got.Settlement != nil || got.Collected != nil || got.Blurb == "" ||
		got.Hero == "" || got.Category == "" {
		t.Errorf("%+v", all)
	}
	if today, yesterday := got.Days[13], got.Days[12]; len(got.Days) != 14 || today.Pledges != 2 ||
		yesterday.Pledges != 1 ||
		today.Pledged+yesterday.Pledged != got.Pledged || yesterday.Pledged == 0 ||
		today.Day != e.Now().In(e.Config.Site.Timezone.Location()).Format(time.DateOnly) {
		t.Errorf("days: %+v", got.Days)
	}
	if diff := cmp.Diff(map[string]overview.Campaign{game: got}, mine); diff != "" {
		t.Errorf("a campaign's user (-want +got): %s", diff)
	}
	if err := e.Pass(t.Context(), 45*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	super.signIn("ada@example.org")
	b.signIn("ben@example.org")
	if got := super.summaries()[game]; got.State != "ended" || got.DaysLeft != 0 || got.Settlement == nil ||
		got.Settlement.Status != "done" || *got.Collected == 0 {
		t.Errorf("after it: %+v", got)
	}
	if got := b.summaries()[game]; got.Settlement != nil || got.Collected != nil ||
		got.Repairable != nil || got.State != "ended" {
		t.Errorf("without the money permission: %+v", got)
	}
}

// The deadline is the second that the public page shows, and the remaining days are rounded down as
// in its countdown.
func TestCampaignSummaries_Times(t *testing.T) {
	e := newEdge(t, memory.Options{})
	zone := e.Config.Site.Timezone.Location()
	c, err := e.Services.Campaigns().Campaign(game)
	if err != nil {
		t.Fatal(err)
	}
	ends := c.EndsAt(zone)
	super := e.signedIn("ada@example.org", access.SuperAdmin)
	for _, tc := range []struct {
		before time.Duration
		days   int
	}{{49 * time.Hour, 2}, {48 * time.Hour, 2}, {48*time.Hour - time.Second, 1}, {23 * time.Hour, 0}} {
		e.Advance(ends.Add(-tc.before).Sub(e.Now()))
		super.signIn("ada@example.org")
		got := super.summaries()[game]
		if got.DaysLeft != tc.days {
			t.Errorf("%s before the end: %d days left, want %d", tc.before, got.DaysLeft, tc.days)
		}
		if !got.EndsAt.Equal(ends) || got.LastMoment.In(zone).Format("15:04:05") != "23:59:59" ||
			got.ChargesAt.Sub(*got.EndsAt) != 75*time.Minute || got.StartsAt == nil {
			t.Errorf("times: %+v", got)
		}
	}
}

// A campaign passes through all statuses. While declined charges can still be recovered, it cannot
// be archived.
func TestCampaignSummaries_Status(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.Services.Launches.Unasked = true
	if _, err := e.Services.Launches.SignUp(t.Context(),
		reminder.SignUp{CampaignSlug: book, Email: "waits@example.com", Consent: true}); err != nil {
		t.Fatal(err)
	}
	e.pledge("a@example.com", gameCart(1), sim.CardChargeDeclined)
	e.pledge("c@example.com", filmCart(), endsSoon)
	operator := e.signedIn("ada@example.org", access.SuperAdmin)
	super := func() map[string]overview.Campaign {
		t.Helper()
		operator.signIn("ada@example.org")
		return operator.summaries()
	}
	got := super()
	if got[book].Status != overview.Scheduled || got[book].Reminders != 1 ||
		got[game].Status != overview.Live || got[film].CardCheck != nil ||
		*got[game].Archiving != (overview.Archiving{Reason: "live"}) || !got[book].Archiving.Possible {
		t.Errorf("at first: %+v", got)
	}
	e.pledge("b@example.com", gameCart(20), cardOK)
	e.wantStatus(operator.checkCards("", 50), 200)
	got = super()
	if check := got[film].CardCheck; got[game].Status != overview.Funded || check == nil ||
		check.AtRisk != 1 || check.Causes[0].Trouble != pledgehealth.CardExpires {
		t.Errorf("funded: %+v", got)
	}
	c, err := e.Services.Campaigns().Campaign(game)
	if err != nil {
		t.Fatal(err)
	}
	e.Advance(c.EndsAt(e.Config.Site.Timezone.Location()).Add(time.Minute).Sub(e.Now()))
	if got := super()[game]; got.Status != overview.Charging || got.Archiving.Reason != "unsettled" ||
		got.Archiving.Unsettled != 2 {
		t.Errorf("after the deadline: %+v", got)
	}
	if err := e.Pass(t.Context(), 3*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	now := super()
	settled := now[game]
	if r := settled.Repairable; settled.Status != overview.Settled || r == nil || r.Pledges != 1 || r.Amount == 0 ||
		!r.Until.After(e.Now()) || settled.Archiving.Reason != "unsettled" || settled.Archiving.Unsettled != 1 {
		t.Errorf("settled: %+v, recoverable: %+v, archiving: %+v", settled, r, settled.Archiving)
	}
	if err := e.Pass(t.Context(), 40*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	now = super()
	if settled = now[game]; settled.Repairable != nil || !settled.Archiving.Possible {
		t.Errorf("after the last retry: %+v", settled)
	}
	if missed := now[film]; missed.Status != overview.Missed || missed.CardCheck != nil ||
		*missed.Collected != 0 || !missed.Archiving.Possible {
		t.Errorf("missed: %+v", missed)
	}
}

// latest requests the newest pledges.
func (b *browser) latest(slug string) httpapi.Response {
	b.e.t.Helper()
	return b.get("/admin/latest-pledges", "campaignSlug="+slug)
}

// The newest pledges of all campaigns are merged by time. Names require the supporters permission.
func TestLatestPledges(t *testing.T) {
	e := newEdge(t, memory.Options{})
	var want []string
	for i := range 14 {
		e.Advance(time.Minute)
		cart := filmCart()
		if i%3 == 0 {
			cart = gameCart(2)
		}
		p, token := e.pledge("a+x@example.com", cart, cardOK)
		want = append(want, p.Campaigns[0].CampaignSlug)
		if i == 13 {
			e.wantStatus(e.post("/pledge/cancel", map[string]any{"token": token}), 200)
		}
	}
	slices.Reverse(want)
	super := e.signedIn("ada@example.org", access.SuperAdmin)
	all := decode[httpapi.LatestPledges](t, super.latest("")).Pledges
	var slugs []string
	for i, p := range all {
		if slugs = append(slugs, p.CampaignSlug); i > 0 && p.At.After(all[i-1].At) {
			t.Errorf("out of order: %+v", p)
		}
	}
	if diff := cmp.Diff(want[:10], slugs); diff != "" {
		t.Errorf("campaigns (-want +got): %s", diff)
	}
	if all[0].Status != pledge.Cancelled || all[1].Status != pledge.Active {
		t.Errorf("statuses: %+v", all[:2])
	}
	ofGame := overview.LatestPledge{CampaignSlug: game, Title: "Tidepool Traders", Status: pledge.Active,
		Rewards: []string{"2 × The game"}, Name: home.Name, Email: "a+x@example.com"}
	own := decode[httpapi.LatestPledges](t, super.latest(game)).Pledges
	if diff := cmp.Diff(ofGame, own[0], cmpopts.IgnoreFields(overview.LatestPledge{}, "OrderID", "At",
		"Pledged")); diff != "" || len(own) != 5 || own[0].Pledged == 0 {
		t.Errorf("newest %d of the game (-want +got): %s", len(own), diff)
	}
	ben := e.with("ben@example.org", access.Content)
	r := ben.latest("")
	if own := decode[httpapi.LatestPledges](t, r).Pledges; len(own) != 5 ||
		strings.Contains(string(r.Body), "@example.com") || strings.Contains(string(r.Body), home.Name) {
		t.Errorf("a campaign's user without the permission: %s", r.Body)
	}
	for _, slug := range []string{film, "unknown"} {
		if r := ben.latest(slug); r.Status != 404 {
			t.Errorf("%s: %d %s", slug, r.Status, r.Body)
		}
	}
}

// Summaries have the parcel counts of the fulfillment report, for callers with the fulfilment
// permission.
func TestCampaignSummaries_Parcels(t *testing.T) {
	e := newEdge(t, memory.Options{})
	var orders []string
	for n := range 3 {
		p, _ := e.pledge(fmt.Sprintf("s%d@example.com", n), gameCart(7), cardOK)
		orders = append(orders, p.OrderID)
		e.Advance(2 * time.Second) // avoids the limit of checkouts
	}
	super := e.signedIn("ada@example.com", access.SuperAdmin)
	if got := super.summaries()[game].Parcels; got != nil {
		t.Errorf("before the charge: %+v", got)
	}
	if err := e.Pass(t.Context(), 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	super.signIn("ada@example.com")
	all := len(super.rows("/admin/reports/"+game+"/fulfillment", "", 250)) - 1
	super.mark("a", false, fulfilment.Mark{OrderID: orders[0], Status: pledge.Packed},
		fulfilment.Mark{OrderID: orders[1], Status: pledge.Sent, Tracking: "1Z999AA10123456784"})
	want := &inventory.Parcels{ToPack: all - 2, Packed: 1, Sent: 1, Tracked: 1, Pledges: 3}
	if diff := cmp.Diff(want, super.summaries()[game].Parcels); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	if got := e.with("eve@example.org", access.Money, access.Supporters).summaries()[game].Parcels; got != nil {
		t.Errorf("without the fulfilment permission: %+v", got)
	}
}
