package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

const suppressionsPath = "/admin/marketing/suppressions"

// suppressed returns a campaign's suppressed addresses from all pages, sorted.
func (b *browser) suppressed(slug string, limit int) (all []string) {
	b.e.t.Helper()
	for cursor := ""; ; {
		r := b.get(suppressionsPath, fmt.Sprintf("campaignSlug=%s&limit=%d&cursor=%s", slug, limit, cursor))
		b.e.wantStatus(r, 200)
		page := decode[httpapi.Suppressions](b.e.t, r)
		for _, s := range page.Suppressions {
			if s.By != "ada@example.org" || s.Since.IsZero() {
				b.e.t.Errorf("row = %+v", s)
			}
			all = append(all, s.Email)
		}
		if cursor = page.Next; cursor == "" {
			slices.Sort(all)
			return all
		}
	}
}

func (b *browser) change(path string, body any) httpapi.Response {
	b.e.t.Helper()
	return b.ask("POST", suppressionsPath+path, body, "Origin", string(b.e.Config.Site.Base))
}

// stopped returns the reason why a campaign's news is not sent to an address, or "" if it is sent.
func (e *edge) stopped(slug, email string) string {
	e.t.Helper()
	why, err := e.Services.Suppressions.Suppressed(e.t.Context(),
		notify.Mail{Kind: notify.Blast, Stream: notify.Updates, Campaign: slug, To: email})
	if err != nil {
		e.t.Fatal(err)
	}
	return why
}

// An address that an operator excluded is listed, and gets no news, until the exclusion is cleared.
// Other suppressed addresses are never listed.
//
// Proves MKT-09, LIM-13.
func TestSuppressions(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	list := e.Services.Suppressions
	if err := list.Add(t.Context(), suppression.Scope{Topic: suppression.Updates, Campaign: film},
		list.Address("asked@example.com"), suppression.Asked); err != nil {
		t.Fatal(err)
	}
	want := []string{"asked@example.com", "b@example.com", "c@example.com"}
	for _, email := range []string{"c@example.com", " B@Example.com ", "asked@example.com", "b@example.com"} {
		e.Advance(time.Minute)
		e.wantStatus(b.change("", httpapi.SuppressionRequest{CampaignSlug: film, Email: email}), 200)
	}
	for _, limit := range []int{1, 2, 100} {
		if diff := cmp.Diff(want, b.suppressed(film, limit)); diff != "" {
			t.Errorf("page size %d (-want +got): %s", limit, diff)
		}
	}
	if e.stopped(film, "b@example.com") != "operator" || e.stopped(game, "b@example.com") != "" ||
		len(b.suppressed(game, 10)) != 0 {
		t.Error("the film's suppression must apply to the film's news only")
	}
	cleared := decode[httpapi.SuppressionCleared](t,
		b.change("/clear", httpapi.SuppressionClearance{CampaignSlug: film, Email: "B@example.com"}))
	if len(cleared.Reasons) != 0 || e.stopped(film, "b@example.com") != "" {
		t.Errorf("not cleared: %v", cleared)
	}
	cleared = decode[httpapi.SuppressionCleared](t,
		b.change("/clear", httpapi.SuppressionClearance{CampaignSlug: film, Email: "asked@example.com"}))
	if diff := cmp.Diff([]suppression.Reason{suppression.Asked}, cleared.Reasons); diff != "" ||
		e.stopped(film, "asked@example.com") != "asked" {
		t.Errorf("the reader's unsubscription was cleared: %s", diff)
	}
	if diff := cmp.Diff([]string{"c@example.com"}, b.suppressed(film, 10)); diff != "" {
		t.Errorf("after both changes (-want +got): %s", diff)
	}
	for key, value := range e.kept() {
		if strings.Contains(key+value, "b@example.com") || strings.Contains(key, "c@example.com") {
			t.Errorf("%s contains an address: %s", key, value)
		}
	}
	for _, action := range []string{"suppression.add", "suppression.clear"} {
		if len(e.events("action="+action).Events) == 0 {
			t.Errorf("%s is not in the audit log", action)
		}
	}
	e.wantField(b.change("", httpapi.SuppressionRequest{CampaignSlug: film, Email: "x"}), "email")
	e.wantField(b.get(suppressionsPath, "campaignSlug="+film+"&limit=101"), "limit")
	e.wantStatus(b.get(suppressionsPath, "campaignSlug=unknown"), 404)
}

// Suppressions reported by providers are not listed, so the operator must type the address to clear
// one. Only super admins can do this, or exclude addresses from all campaigns.
func TestSuppressions_ClearReported(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	list := e.Services.Suppressions
	for _, reason := range []suppression.Reason{suppression.Bounced, suppression.Complained} {
		if err := list.Add(t.Context(), suppression.Scope{}, list.Address("a@example.com"), reason); err != nil {
			t.Fatal(err)
		}
	}
	e.wantStatus(b.change("", httpapi.SuppressionRequest{Email: "a@example.com"}), 200)
	if diff := cmp.Diff([]string{"a@example.com"}, b.suppressed("", 10)); diff != "" {
		t.Error(diff)
	}
	for _, tc := range []struct {
		why  suppression.Reason
		left string
	}{{suppression.Bounced, "complained"}, {suppression.Complained, "operator"}, {suppression.Operator, ""}} {
		e.wantStatus(b.change("/clear", httpapi.SuppressionClearance{Email: "a@example.com", Why: tc.why}), 200)
		if why := e.stopped(film, "a@example.com"); why != tc.left {
			t.Errorf("after clearing %s: suppressed by %q", tc.why, why)
		}
	}
	e.wantField(b.change("/clear", httpapi.SuppressionClearance{Email: "a@example.com", Why: suppression.Asked}), "why")
	e.wantField(b.change("/clear",
		httpapi.SuppressionClearance{CampaignSlug: game, Email: "a@example.com", Why: suppression.Bounced}), "campaignSlug")
	mine := e.with("mails@example.com", access.Mails)
	for _, path := range []string{"", "/clear"} {
		e.wantField(mine.change(path, map[string]any{"email": "a@example.com"}), "campaignSlug")
		e.wantStatus(mine.change(path, map[string]any{"email": "a@example.com", "campaignSlug": film}), 404)
		e.wantStatus(mine.change(path, map[string]any{"email": "a@example.com", "campaignSlug": game}), 200)
	}
}
