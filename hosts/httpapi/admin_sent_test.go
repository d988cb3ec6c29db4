package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// A campaign's user can send messages to its supporters only, with the hash of a dry run. Dry runs
// are not rate limited.
//
// Proves BLA-01, BLA-06.
func TestBroadcast_CampaignUser(t *testing.T) {
	e := newEdgeWithSupporters(t)
	b := e.signedIn("ada.user@example.com", access.CampaignUser, game)
	dry := told
	dry.DryRun = true
	before := e.counters()
	r := b.ask("POST", "/admin/broadcast/blast", dry)
	e.wantStatus(r, 200)
	if diff := cmp.Diff(before, e.counters()); diff != "" {
		t.Errorf("dry run was counted: %s", diff)
	}
	live, other := told, told
	live.Hash = decode[compose.Broadcasting](t, r).Hash
	other.CampaignSlug = film
	e.wantStatus(b.ask("POST", "/admin/broadcast/blast", other), 404)
	if n := len(e.news()); n != 0 {
		t.Fatalf("an unauthorized user sent %d mails", n)
	}
	e.wantStatus(b.ask("POST", "/admin/broadcast/blast", live), 200)
	if n := len(e.news()); n != 4 {
		t.Errorf("%d mails", n)
	}
}

// A super admin can send messages to the supporters of any campaign.
//
// Proves BLA-02.
func TestBroadcast_SuperAdmin(t *testing.T) {
	e := newEdgeWithSupporters(t)
	e.pledge("fay@example.org", filmCart(), cardOK)
	b := e.signedIn("boss@example.com", access.SuperAdmin)
	for slug, mails := range map[string]int{game: 4, film: 1} {
		before := len(e.news())
		r := told
		r.CampaignSlug, r.DryRun = slug, true
		counted := b.ask("POST", "/admin/broadcast/blast", r)
		e.wantStatus(counted, 200)
		r.DryRun, r.Hash = false, decode[compose.Broadcasting](t, counted).Hash
		e.wantStatus(b.ask("POST", "/admin/broadcast/blast", r), 200)
		if n := len(e.news()) - before; n != mails {
			t.Errorf("%d mails about %s", n, slug)
		}
	}
}

// A test is sent to the signed-in user, whatever the request contains, and is not recorded as sent.
//
// Proves BLA-10.
func TestBroadcast_Test(t *testing.T) {
	e := newEdgeWithSupporters(t)
	b := e.signedIn("ada.user@example.com", access.CampaignUser, game)
	ask := map[string]any{"campaignSlug": game, "subject": "Rain", "body": "It *rains*.", "ctaLabel": "See", "ctaUrl": "/",
		"preferredLang": "es", "changeId": "one", "email": "ben@example.org", "to": "ben@example.org"}
	for range 2 {
		r := b.ask("POST", "/admin/broadcast/test", ask)
		e.wantStatus(r, 200)
		if to := decode[httpapi.NewsTested](t, r).Email; to != "ada.user@example.com" {
			t.Errorf("recipient = %s", to)
		}
	}
	var got []string
	for _, m := range sure(e.Mails(context.Background()))(t) {
		if strings.Contains(m.Subject, "Rain") {
			got = append(got, fmt.Sprint(m.To, " ", m.Subject, " ", m.Stream, " ", strings.Contains(m.HTML, "<em>rains</em>")))
		}
	}
	if diff := cmp.Diff([]string{"ada.user@example.com [Test] Rain " + string(notify.Transactional) + " true"},
		got); diff != "" {
		t.Error(diff)
	}
	if all := decode[compose.SentNews](t, b.get("/admin/broadcast/sent", "campaignSlug="+game)); len(all.Sent) != 0 {
		t.Errorf("the test was recorded: %+v", all)
	}
	super := e.signedIn("super@example.com", access.SuperAdmin)
	before := len(sure(e.Mails(context.Background()))(t))
	ask["campaignSlug"], ask["changeId"] = film, "two" // the film's team receives reports by mail
	e.wantStatus(super.ask("POST", "/admin/broadcast/test", ask), 200)
	if all := sure(e.Mails(context.Background()))(t); len(all) != before+1 || all[before].To != "super@example.com" {
		t.Errorf("%d mails for one test, the first to %s", len(all)-before, all[before].To)
	}
	ask["campaignSlug"] = game
	ask["body"], ask["ctaLabel"], ask["ctaUrl"] = "", "", ""
	e.wantStatus(b.ask("POST", "/admin/broadcast/test", ask), 400)
	ask["campaignSlug"] = film
	e.wantStatus(b.ask("POST", "/admin/broadcast/test", ask), 404)
	e.wantStatus(e.post("/admin/broadcast/test", ask, e.admin()...), 401)
}

// Sent messages are listed as written, newest first, in pages.
//
// Proves BLA-13.
func TestBroadcast_Sent(t *testing.T) {
	e := newEdgeWithSupporters(t)
	b := e.signedIn("ada.user@example.com", access.CampaignUser, game)
	for n := range 5 {
		dry := told
		dry.Subject, dry.DryRun = fmt.Sprintf("News %d", n), true
		live := dry
		live.DryRun, live.Hash = false, decode[compose.Broadcasting](t, b.ask("POST", "/admin/broadcast/blast", dry)).Hash
		for range 2 { // a double click
			e.wantStatus(b.ask("POST", "/admin/broadcast/blast", live), 200)
		}
		e.news()
	}
	before := e.kept()
	var got []string
	for cursor := 0; ; {
		page := decode[compose.SentNews](t,
			b.get("/admin/broadcast/sent", fmt.Sprintf("campaignSlug=%s&limit=2&cursor=%d", game, cursor)))
		for _, m := range page.Sent {
			got = append(got, m.Subject)
			if m.Body != told.Body || m.Label != told.Label || m.URL != told.URL || m.Kind != notify.Blast ||
				m.Phase != broadcast.Done || m.Recipients != 5 || m.States[broadcast.Accepted] != 4 || m.SentAt.IsZero() {
				t.Errorf("%+v", m)
			}
		}
		if cursor = page.Next; cursor == 0 || len(got) > 9 {
			break
		}
	}
	if diff := cmp.Diff([]string{"News 4", "News 3", "News 2", "News 1", "News 0"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("reading writes: %s", diff)
	}
	e.wantStatus(b.get("/admin/broadcast/sent", "campaignSlug="+film), 404)
	e.wantField(b.get("/admin/broadcast/sent", "limit=51&campaignSlug="+game), "limit")
	e.wantField(b.get("/admin/broadcast/sent", "cursor=x&campaignSlug="+game), "cursor")
}
