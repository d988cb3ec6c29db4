package forge_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/forge"
	"github.com/pledgeworks/pledgeworks/admin/repository/forge/forgetest"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// At a Git host a campaign is archived by one commit through the API: all files move or
// none does, pictures are not uploaded again if the host can move them, and no workflow
// runs.
//
// Proves ARC-14.
func TestArchive_OneCommit(t *testing.T) {
	const slug, picture = "night-ferry", "assets/images/campaigns/night-ferry/boat.jpg"
	files := map[string]string{
		"campaigns/night-ferry.md":  "---\ntitle: Night Ferry\nslug: night-ferry\n---\n",
		picture:                     "\xff\xd8picture\x00\xff\xd9",
		"campaigns/slow-weather.md": "---\ntitle: Slow Weather\n---\n",
	}
	for name, h := range hosts {
		f := forgetest.New(t, files)
		h.as(f)
		r := h.open(options(f.Serve()))
		before, err := r.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{{Slug: slug, Title: "Night Ferry",
			File: "campaigns/night-ferry.md"}}, campaign.PlatformAddOns{})
		if err != nil {
			t.Fatal(err)
		}
		s := content.Service{
			Repository: r, Catalogue: func() *campaign.Catalogue { return catalogue }, Zone: time.UTC,
			Now:       func() time.Time { return time.Date(2027, 2, 1, 12, 0, 0, 0, time.UTC) },
			Unsettled: func(context.Context, string) (int, error) { return 0, nil },
		}
		by := content.Author{ID: "archive-1", Author: repository.Author{Name: "Ana", Email: "ana@example.com"}}
		m, err := s.Archive(t.Context(), by, slug)
		if err != nil || len(m.Moved) != 2 {
			t.Fatalf("%s: %+v, %v", name, m, err)
		}
		log, err := r.Log(t.Context(), "", 3)
		if err != nil || len(log) != 2 || log[0].Parent != before || log[0].Author.Email != "ana@example.com" ||
			log[0].Trailer(repository.IDTrailer) != "archive-1" {
			t.Errorf("%s: the log is %+v, %v", name, log, err)
		}
		for path, want := range map[string]string{
			"archive/campaigns/night-ferry/night-ferry.md": files["campaigns/night-ferry.md"],
			campaign.ArchivedPath(slug, picture):           files[picture],
			"campaigns/slow-weather.md":                    files["campaigns/slow-weather.md"],
		} {
			if got, err := r.File(t.Context(), "", path); err != nil || string(got.Bytes) != want {
				t.Errorf("%s: %s is %q, %v", name, path, got.Bytes, err)
			}
		}
		for _, moved := range []string{"campaigns/night-ferry.md", picture} {
			if _, err := r.File(t.Context(), "", moved); err == nil {
				t.Errorf("%s: %s is still there", name, moved)
			}
		}
		if bodies := strings.Join(f.Bodies, "\n"); name == "GitHub" && (strings.Contains(bodies, "picture") ||
			strings.Count(bodies, `"encoding"`) != 1) || strings.Contains(bodies, "inputs") {
			t.Errorf("%s was sent %s", name, bodies)
		}
	}
}

// Gitea needs moved files to be uploaded again. If they exceed its limit, nothing is sent.
func TestArchive_TooLargeForGitea(t *testing.T) {
	film := strings.Repeat("\x00", 16<<20)
	f := forgetest.New(t, map[string]string{"a.mp4": film, "b.mp4": film})
	forgetest.AsGitea(f)
	o := options(f.Serve())
	o.Fetch = overhttp.New(nil, time.Minute).Reading(64 << 20)
	r := forge.Gitea(o)
	c := change()
	sha := repository.SHA([]byte(film))
	c.Writes = []repository.Write{{Path: "archive/a.mp4", From: "a.mp4", Was: sha}}
	if _, err := r.Commit(t.Context(), c); err != nil {
		t.Errorf("one of 16 MB: %v", err)
	}
	c.ID, c.Writes = "c2",
		[]repository.Write{{Path: "a.mp4", From: "archive/a.mp4", Was: sha}, {Path: "c.mp4", From: "b.mp4", Was: sha}}
	if _, err := r.Commit(t.Context(), c); !fault.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "30 MB") || len(f.Bodies) != 1 {
		t.Errorf("two: %v, after %d requests", err, len(f.Bodies))
	}
}
