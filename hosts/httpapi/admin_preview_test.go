package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/preview"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// drawMinimalPage renders a minimal page.
func drawMinimalPage(c *campaign.Campaign, lang string) ([]byte, error) {
	if c.Title == "Undrawable" {
		return nil, errors.New("no ink")
	}
	return []byte("<h1>" + lang + " " + c.Title + "</h1>"), nil
}

// publishPreview publishes a preview of the game for the reviewers.
func (e *edge) publishPreview(b *browser, reviewers ...string) preview.Published {
	e.t.Helper()
	base := decode[opened](e.t, b.get("/admin/content", "campaignSlug="+game)).Base
	r := b.ask("POST", "/admin/campaign-preview/publish",
		httpapi.PreviewRequest{CampaignSlug: game, Base: base, Reviewers: reviewers})
	e.wantStatus(r, 200)
	return decode[preview.Published](e.t, r)
}

// openPreview requests the preview of a preview link.
func (e *edge) openPreview(link, slug string) httpapi.Response {
	e.t.Helper()
	_, token, _ := strings.Cut(link, "#t=")
	return e.get("/admin/campaign-preview/"+slug, "lang=en", "X-Link-Token", token)
}

// linkTo returns the link in the newest mail to the reviewer.
func (e *edge) linkTo(reviewer string) string {
	e.t.Helper()
	mails, err := e.Mails(context.Background())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, m := range slices.Backward(mails) {
		if link := previewLink.FindString(m.Text); m.To == reviewer && link != "" {
			return link
		}
	}
	e.t.Fatalf("no link for %s", reviewer)
	return ""
}

var previewLink = regexp.MustCompile(`https?://\S+/preview/#t=[\w.-]+`)

// A preview is published, mailed and viewed by its reviewers, and expires after a day.
//
// Proves PRV-01, PRV-02, PRV-03, PRV-04, PRV-05, PRV-06, PRV-07, PRV-08, PRV-09, PRV-10,
// PRV-14, PRV-15, PRV-17, PRV-18, KVR-28, KVR-29, EML-08, ERR-17,
// AUD-12.
func TestPreviews(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	file := decode[opened](t, b.get("/admin/content", "campaignSlug="+game))
	ask := httpapi.PreviewRequest{CampaignSlug: game, Base: "0000000000000000000000000000000000000000",
		Reviewers: []string{"Eve@Example.com"}, ChangeID: "one"}
	e.wantStatus(b.ask("POST", "/admin/campaign-preview/publish", ask), 409)
	e.wantStatus(b.ask("POST", "/admin/content/publish",
		edits(game, "short_blurb", string(file.Fields["short_blurb"]), `"Newer words."`)), 200)
	ask.Base = file.Base // the file's previous version
	stale := b.ask("POST", "/admin/campaign-preview/publish", ask)
	e.wantStatus(stale, 409)
	if !strings.Contains(string(stale.Body), `"code":"conflict"`) {
		t.Errorf("response to a stale base = %s", stale.Body)
	}
	file = decode[opened](t, b.get("/admin/content", "campaignSlug="+game))
	if string(file.Fields["short_blurb"]) != `"Newer words."` || file.Fields["preview_enabled"] != nil {
		t.Errorf("a stale base overwrote the file: %s, %s", file.Fields["short_blurb"], file.Fields["preview_enabled"])
	}
	before := e.kept()
	ask.Base = ""
	e.wantField(b.ask("POST", "/admin/campaign-preview/publish", ask), "base")
	ask.Base = file.Base
	e.wantStatus(b.ask("POST", "/admin/campaign-preview/publish", ask, "X-Svc-Admin-Csrf", ""), 403)
	ask.CampaignSlug = film
	e.wantStatus(b.ask("POST", "/admin/campaign-preview/publish", ask), 404)
	ask.CampaignSlug, ask.Reviewers = game, []string{"eve@example.com", "no address"}
	e.wantField(b.ask("POST", "/admin/campaign-preview/publish", ask), "reviewers[1]")
	ask.Reviewers = slices.Repeat([]string{"eve@example.com"}, 21)
	e.wantField(b.ask("POST", "/admin/campaign-preview/publish", ask), "reviewers")
	if after := e.kept(); after["repository"] != before["repository"] {
		t.Error("a rejected request created a commit")
	}

	ask.Reviewers = []string{"Eve@Example.com", "eve@example.com", "ada@example.com", "mike@example.com"}
	r := b.ask("POST", "/admin/campaign-preview/publish", ask)
	e.wantStatus(r, 200)
	made := decode[preview.Published](t, r)
	if again := decode[preview.Published](t, b.ask("POST", "/admin/campaign-preview/publish",
		ask)); again.Revision != made.Revision || again.ExpiresAt != made.ExpiresAt {
		t.Errorf("repeated request = %+v, want %+v", again, made)
	}
	if !slices.Equal(made.Reviewers, []string{"eve@example.com", "mike@example.com"}) ||
		!made.ExpiresAt.Equal(e.Now().Truncate(time.Second).Add(24*time.Hour)) {
		t.Errorf("published: %+v", made)
	}
	written := decode[opened](t, b.get("/admin/content", "campaignSlug="+game))
	if string(written.Fields["preview_enabled"]) != "true" || written.Base != made.Base {
		t.Errorf("file contains %s, with SHA %s", written.Fields["preview_enabled"], written.Base)
	}
	delete(written.Fields, "preview_enabled")
	if diff := cmp.Diff(file.Fields, written.Fields); diff != "" {
		t.Errorf("more than the preview flag was written: %s", diff)
	}
	all, err := e.Services.Repository.Files(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		text, err := e.Services.Repository.File(t.Context(), "", f.Path)
		if err != nil || strings.Contains(string(text.Bytes), "eve@example.com") ||
			strings.Contains(string(text.Bytes), "mike@example.com") {
			t.Errorf("%s contains a reviewer's address: %v", f.Path, err)
		}
	}
	copied, err := e.Services.Stores.Pledges.Get(t.Context(), "campaign-preview-reviewers:"+game)
	if err != nil || string(copied) != `["ada@example.com","eve@example.com","mike@example.com"]` {
		t.Errorf("copy = %s, %v", copied, err)
	}

	for who, link := range map[string]string{"the publisher": made.Link, "eve": e.linkTo("eve@example.com"),
		"mike": e.linkTo("mike@example.com")} {
		r := e.openPreview(link, game)
		e.wantStatus(r, 200)
		if p := decode[httpapi.CampaignPreview](t, r); p.HTML != "<h1>en "+titleOf(e, game)+"</h1>" ||
			p.ExpiresAt == nil || !p.ExpiresAt.Equal(made.ExpiresAt) {
			t.Errorf("%s sees %+v", who, p)
		}
		e.wantStatus(e.openPreview(link, film), 401)
	}
	mails, err := e.Mails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		if m.To == "eve@example.com" && !strings.Contains(m.Text, "24 hours") {
			t.Errorf("mail does not state the expiry: %s", m.Text)
		}
	}
	mine := decode[httpapi.CampaignPreview](t, b.get("/admin/campaign-preview/"+game, "lang=es"))
	if !strings.HasPrefix(mine.HTML, "<h1>es ") || mine.ExpiresAt != nil {
		t.Errorf("signed in: %+v", mine)
	}
	e.wantStatus(b.get("/admin/campaign-preview/"+film, ""), 404)
	e.wantStatus(e.get("/admin/campaign-preview/"+game, ""), 401)
	events := 0
	for ev, err := range e.Services.Audit.All(t.Context(), audit.Filter{Action: "preview.publish"}) {
		if err != nil || ev.CampaignSlug != game || ev.AdminEmail != "ada@example.com" {
			t.Errorf("audit event = %+v, %v", ev, err)
		}
		if ev.Status == audit.Done {
			events++
		}
	}
	if events != 2 {
		t.Errorf("%d events", events)
	}
	e.Advance(24*time.Hour - time.Second)
	e.wantStatus(e.openPreview(made.Link, game), 200)
	if _, err := e.Services.Stores.Pledges.Get(t.Context(), "campaign-preview-reviewers:"+game); err != nil {
		t.Errorf("copy was deleted too early: %v", err)
	}
	e.Advance(time.Second)
	e.wantStatus(e.openPreview(made.Link, game), 401)
	if _, err := e.Services.Stores.Pledges.Get(t.Context(),
		"campaign-preview-reviewers:"+game); !fault.Is(err, fault.NotFound) {
		t.Errorf("copy was not deleted: %v", err)
	}
}

func titleOf(e *edge, slug string) string {
	e.t.Helper()
	c, err := e.Services.Campaigns().Campaign(slug)
	if err != nil {
		e.t.Fatal(err)
	}
	return c.Title
}

// A token is valid for one campaign and one reviewer, as long as the reviewer is on the list, and
// only for previews.
//
// Proves PRV-16, PRV-17.
func TestPreviews_RemovedReviewer(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	first := e.publishPreview(b, "eve@example.com", "mike@example.com")
	eve, mike := e.linkTo("eve@example.com"), e.linkTo("mike@example.com")
	e.publishPreview(b, "mike@example.com")
	e.wantStatus(e.openPreview(eve, game), 401)
	e.wantStatus(e.openPreview(mike, game), 200)
	e.wantStatus(e.openPreview(first.Link, game), 200)
	r := decode[preview.Reviewers](t, b.get("/admin/campaign-preview/"+game+"/reviewers", ""))
	if !slices.Equal(r.Emails, []string{"ada@example.com", "mike@example.com"}) {
		t.Errorf("reviewers = %+v", r)
	}

	until := e.Now().Add(time.Hour)
	for _, c := range map[string]token.Claims{
		"another purpose":  {Scope: token.Manage, Email: "mike@example.com", CampaignSlug: game, Expires: until},
		"another campaign": {Scope: token.Preview, Email: "mike@example.com", CampaignSlug: film, Expires: until},
		"a stranger":       {Scope: token.Preview, Email: "eve@example.org", CampaignSlug: game, Expires: until},
		"no email":         {Scope: token.Preview, CampaignSlug: game, Expires: until},
		"too late":         {Scope: token.Preview, Email: "mike@example.com", CampaignSlug: game, Expires: e.Now()},
	} {
		tok, err := e.Services.Checkout.Links.Signer.Sign(c)
		if err != nil {
			t.Fatal(err)
		}
		e.wantStatus(e.openPreview("https://x.example/#t="+tok, game), 401)
	}
	forged, err := token.Signer{Secret: []byte(strings.Repeat("x", 32))}.Sign(token.Claims{Scope: token.Preview,
		Email: "mike@example.com", CampaignSlug: game, Expires: until})
	if err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.openPreview("https://x.example/#t="+forged, game), 401)

	long, err := e.Services.Checkout.Links.Signer.Sign(token.Claims{Scope: token.Preview, Email: "mike@example.com",
		CampaignSlug: game, Expires: e.Now().Add(48 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.openPreview("https://x.example/#t="+long, game), 200)

	off := edits(game, "preview_enabled", "true", "false")
	e.wantStatus(b.ask("POST", "/admin/content/publish", off), 200)
	e.wantStatus(e.openPreview(mike, game), 404)
	e.wantStatus(b.ask("POST", "/admin/content/publish", edits(game, "preview_enabled", "false", "true")), 200)
	e.wantStatus(e.openPreview(mike, game), 200)
	e.Advance(24 * time.Hour)
	e.wantStatus(e.openPreview("https://x.example/#t="+long, game), 401)
}

// Viewing a preview writes nothing, and drafts are rendered without being published.
func TestPreviews_Draft(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	was := quoted(titleOf(e, game))
	before := e.kept()
	draw := func(title string) httpapi.Response {
		d := edits(game, "title", was, quoted(title))
		return b.ask("POST", "/admin/content/page", httpapi.PageRequest{CampaignSlug: game, Edits: d.Edits, Lang: "es"})
	}
	if p := decode[httpapi.DrawnPage](t, draw("Other Traders")); p.HTML != "<h1>es Other Traders</h1>" {
		t.Errorf("drawn: %+v", p)
	}
	if p := decode[httpapi.DrawnPage](t, b.ask("POST", "/admin/content/page",
		httpapi.PageRequest{CampaignSlug: game})); p.HTML != "<h1> "+titleOf(e, game)+"</h1>" {
		t.Errorf("without edits: %+v", p)
	}
	e.wantField(draw(strings.Repeat("x", 1000)), "title")
	e.wantStatus(draw("Undrawable"), 409)
	e.wantStatus(b.ask("POST", "/admin/content/page", httpapi.PageRequest{CampaignSlug: film}), 404)
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("drawing wrote: %s", diff)
	}
	e.Services.DrawPage = nil
	e.wantStatus(draw("Other Traders"), 503)
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
