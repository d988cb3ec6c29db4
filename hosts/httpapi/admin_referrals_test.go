package httpapi_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// Users with the mails permission can create embed code with options.
//
// Proves MKT-06.
func TestMarketing_Embed(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	const path = "/admin/marketing/embed/" + game
	frame := decode[marketing.Frame](t, b.get(path, "lang=es&theme=dark&size=compact&media=hide&cta=hide"))
	want := string(e.Config.Site.Base) + "/es/embed/" + game + "/compact/?cta=hide&media=hide&theme=dark"
	if frame.URL != want || !strings.HasPrefix(frame.HTML, "<iframe ") {
		t.Errorf("%+v", frame)
	}
	e.wantField(b.get(path, "theme=red"), "theme")
}

// Users with the mails permission can save referral codes, but only for their own campaigns.
//
// Proves MKT-04, CON-04, CON-15.
func TestMarketing_Referrals(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	const path = "/admin/marketing/referrals"
	list := func() []marketing.Referral {
		t.Helper()
		r := b.get(path, "campaignSlug="+game)
		e.wantStatus(r, 200)
		return decode[httpapi.ReferralList](t, r).Referrals
	}
	if all := list(); len(all) != 0 || all == nil {
		t.Errorf("%+v", all)
	}
	change := func(what, path string, in any) httpapi.Response {
		t.Helper()
		before := e.kept()
		r := b.ask("POST", path, in)
		e.wantStatus(r, 200)
		for key, value := range e.kept() {
			if before[key] != value && !strings.Contains(key, game) && !strings.Contains(key, "audit") {
				t.Errorf("%s: wrote %s, which belongs to another campaign", what, key)
			}
		}
		return r
	}
	r := change("saving", path, httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada", UTMSource: "news"})
	saved := decode[marketing.Referral](t, r)
	if want := string(e.Config.Site.Base) + "/campaigns/" + game +
		"/?ref=ada&utm_source=news"; saved.Links.English != want || saved.QR != want || saved.Revision != 1 {
		t.Errorf("%+v", saved)
	}
	e.wantStatus(b.ask("POST", path, httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada"}), 409)
	e.wantField(b.ask("POST", path, httpapi.ReferralRequest{CampaignSlug: game, Code: "a/b", Name: "Ada"}), "code")
	for _, name := range []string{"", "Ada\nBcc: x", strings.Repeat("x", 101)} {
		e.wantField(b.ask("POST", path, httpapi.ReferralRequest{CampaignSlug: game, Code: "new", Name: name}), "name")
	}
	e.wantStatus(b.ask("POST", path, httpapi.ReferralRequest{CampaignSlug: "night-ferry", Code: "ada", Name: "Ada"}), 404)
	e.wantStatus(b.get(path, "campaignSlug=night-ferry"), 404)
	e.wantStatus(b.ask("POST", path, httpapi.ReferralRequest{CampaignSlug: game, Code: "x", Name: "X"},
		"X-Svc-Admin-Csrf", ""), 403)
	if all := list(); len(all) != 1 || all[0] != saved {
		t.Errorf("%+v", all)
	}
	edited := decode[marketing.Referral](t,
		change("editing", path, httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada L.", Revision: 1}))
	if edited.Name != "Ada L." || edited.UTMSource != "" || edited.Revision != 2 {
		t.Errorf("%+v", edited)
	}
	e.wantStatus(b.ask("POST", path+"/delete", httpapi.ReferralDeletion{CampaignSlug: game, Code: "ada", Revision: 1}),
		409)
	change("deleting", path+"/delete", httpapi.ReferralDeletion{CampaignSlug: game, Code: "ada", Revision: 2})
	if all := list(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	e.user(access.User{Email: "ada@example.com", Role: access.CampaignUser, Campaigns: []string{game},
		Permissions: []access.Permission{access.Money}, Revision: 1})
	e.wantStatus(b.get(path, "campaignSlug="+game), 403)
}
