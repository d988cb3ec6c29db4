package httpapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// If two people edit a draft, the second save is rejected and loses nothing.
//
// Proves DRF-04, ERR-18.
func TestDrafts(t *testing.T) {
	e := newEdge(t, memory.Options{})
	load := func(query string) httpapi.Response { return e.get("/admin/marketing/draft", query, e.admin()...) }
	here := "campaignSlug=" + game + "&surface=blast"
	if d := decode[broadcast.Draft](t, load(here)); d.Revision != "" {
		t.Errorf("before anything is saved: %+v", d)
	}
	r := httpapi.DraftRequest{CampaignSlug: game, Surface: broadcast.Blasts,
		Words: broadcast.Words{Subject: "News", Body: "One"}}
	first := decode[broadcast.Draft](t, e.call("/admin/marketing/draft", r))
	mine, theirs := r, r
	mine.Revision, theirs.Revision = first.Revision, first.Revision
	mine.Body, theirs.Body = "Mine", "Theirs"
	saved := decode[broadcast.Draft](t, e.call("/admin/marketing/draft", theirs))
	if got := e.call("/admin/marketing/draft", mine); got.Status != 409 || decode[failure](t, got).Field != "revision" {
		t.Errorf("saved second: %d %s", got.Status, got.Body)
	}
	if diff := cmp.Diff(saved, decode[broadcast.Draft](t, load(here))); diff != "" || saved.Body != "Theirs" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
	gone := httpapi.ClearRequest{CampaignSlug: game, Surface: broadcast.Blasts, Revision: first.Revision}
	e.wantStatus(e.call("/admin/marketing/draft/clear", gone), 409)
	gone.Revision = saved.Revision
	e.wantStatus(e.call("/admin/marketing/draft/clear", gone), 200)
	for query, status := range map[string]int{"campaignSlug=unknown&surface=blast": 404,
		"campaignSlug=" + game + "&surface=other": 400, "": 404} {
		e.wantStatus(load(query), status)
	}
	mine.CampaignSlug = "unknown"
	e.wantStatus(e.call("/admin/marketing/draft", mine), 404)
	gone.CampaignSlug = "unknown"
	e.wantStatus(e.call("/admin/marketing/draft/clear", gone), 404)
}
