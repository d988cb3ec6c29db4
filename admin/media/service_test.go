package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image/jpeg"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var ctx = context.Background()

const (
	boatFile  = "campaigns/paper-boat.md"
	ferryFile = "campaigns/night-ferry.md"
	folder    = "/assets/images/campaigns/paper-boat/"
)

// fixture is a repository with two campaigns and a service for it.
type fixture struct {
	*media.Service
	t    *testing.T
	repo *memory.Repository
	n    int
}

func file(title, body string) []byte {
	return []byte("---\ntitle: " + title +
		"\nstart_date: 2026-11-02\ngoal_deadline: 2026-12-18\ngoal_amount: 900\n---\n" + body)
}

func newFixture(t *testing.T) *fixture {
	l := &fixture{t: t, repo: memory.New(map[string][]byte{
		boatFile:  file("Paper Boat", "![A boat](/assets/images/campaigns/paper-boat/byhand.jpg)"),
		ferryFile: file("Night Ferry", ""), "site.yml": []byte("platform:\n  name: Stage\n"),
		"assets/images/campaigns/paper-boat/byhand.jpg": []byte("x"),
		"assets/images/campaigns/paper-boat/old.jpg":    []byte("x"),
		"assets/images/campaigns/paper-boat/notes.txt":  []byte("x"),
		"assets/images/defaults/logo.svg":               []byte("x"),
	})}
	l.Service = &media.Service{
		Repository: l.repo, Catalogue: l.catalogue,
		Now:       func() time.Time { return time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC) },
		AuditHead: func(context.Context) (string, error) { return "7:abc", nil },
	}
	return l
}

func (l *fixture) catalogue() *campaign.Catalogue {
	var all []*campaign.Campaign
	for _, name := range []string{boatFile, ferryFile} {
		c, err := campaignfile.Parse(name, l.read(name).Bytes)
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, c)
	}
	made, err := campaign.NewCatalogue(all, campaign.PlatformAddOns{})
	if err != nil {
		l.t.Fatal(err)
	}
	return made
}

func (l *fixture) read(name string) repository.File {
	l.t.Helper()
	f, err := l.repo.File(ctx, "", name)
	if err != nil {
		l.t.Fatalf("%s: %v", name, err)
	}
	return f
}

func (l *fixture) by(id string) media.ChangeMeta {
	return media.ChangeMeta{ID: id, Author: repository.Author{Name: "Ada", Email: "ada@example.com"}}
}

// write commits a file, as an editor of the campaign does.
func (l *fixture) write(name string, b []byte) {
	l.t.Helper()
	l.n++
	_, err := l.repo.Commit(ctx, repository.Change{ID: "edit" + string(rune('a'+l.n)), Author: l.by("").Author,
		Message: "Edit", Writes: []repository.Write{{Path: name, Was: l.read(name).SHA, Bytes: b}}})
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *fixture) upload(id, name, sha string, b []byte) (media.Stored, error) {
	return l.Upload(ctx, l.by(id),
		media.Upload{Kind: media.Image, Use: media.Campaign, Slug: "paper-boat", Name: name, SHA: sha, Bytes: b})
}

func (l *fixture) head() string {
	h, err := l.repo.Head(ctx)
	if err != nil {
		l.t.Fatal(err)
	}
	return h
}

func (l *fixture) wantError(err error, code fault.Code, field string) {
	l.t.Helper()
	if f := fault.Of(err); f == nil || f.Code != code || f.Field != field {
		l.t.Errorf("the error is %v, want %s in %q", err, code, field)
	}
}

// sidewaysPhoto returns a photo that was taken sideways, in one of several versions.
func sidewaysPhoto(t *testing.T, version int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, canvas(20+version, 10), nil); err != nil {
		t.Fatal(err)
	}
	return splice(b.Bytes(), 2, appended(0xe1, exif(binary.BigEndian, 6)))
}

// Proves MED-03, MED-19, MED-20.
func TestUpload(t *testing.T) {
	l := newFixture(t)
	first, err := l.upload("one", "boat.jpg", "", sidewaysPhoto(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	kept := l.read("assets/images/campaigns/paper-boat/boat.jpg")
	if first.Path != folder+"boat.jpg" || first.SHA != kept.SHA || first.Size != kept.Size || first.Type != "image/jpeg" ||
		first.Width != 10 || first.Height != 20 || first.Revision != l.head() {
		t.Errorf("stored %+v, and the file is %s with %d bytes", first, kept.SHA, kept.Size)
	}
	if bytes.Contains(kept.Bytes, []byte(secret)) {
		t.Error("the location remains")
	}
	log, _ := l.repo.Log(ctx, "", 1)
	if c := log[0]; c.Author.Email != "ada@example.com" || c.Trailer("Audit-Head") != "7:abc" ||
		c.Message != "Upload boat.jpg\n\nassets/images/campaigns/paper-boat/boat.jpg" {
		t.Errorf("the commit is %+v", c)
	}
	if again, err := l.upload("one", "boat.jpg", "", sidewaysPhoto(t, 0)); err != nil || !cmp.Equal(again, first) {
		t.Errorf("sent again: %+v, %v", again, err)
	}
	if same, err := l.upload("two", "boat.jpg", "", sidewaysPhoto(t, 0)); err != nil ||
		same.SHA != first.SHA || same.Revision != "" {
		t.Errorf("same file with another ID: %+v, %v", same, err)
	}
	_, err = l.upload("one", "boat.jpg", "", sidewaysPhoto(t, 1))
	l.wantError(err, fault.Conflict, "filename")
	_, err = l.upload("three", "boat.jpg", repository.SHA([]byte("stale")), sidewaysPhoto(t, 1))
	l.wantError(err, fault.Conflict, "sha")
	_, err = l.upload("four", "none.jpg", first.SHA, sidewaysPhoto(t, 1))
	l.wantError(err, fault.Conflict, "sha")
	second, err := l.upload("five", "boat.jpg", first.SHA, sidewaysPhoto(t, 1))
	if err != nil || second.Path != first.Path || second.SHA == first.SHA ||
		l.read("assets/images/campaigns/paper-boat/boat.jpg").SHA != second.SHA {
		t.Errorf("replaced: %+v, %v", second, err)
	}
	if again, err := l.upload("five", "boat.jpg", first.SHA, sidewaysPhoto(t, 1)); err != nil ||
		!cmp.Equal(again, second) {
		t.Errorf("replaced again: %+v, %v", again, err)
	}
	was := l.head()
	for name, u := range map[string]media.Upload{
		"use": {Kind: media.Audio, Use: media.Default, Name: "a.mp3", Bytes: mp3()},
		"campaignSlug": {Kind: media.Image, Use: media.Campaign, Slug: "../night-ferry", Name: "boat.jpg",
			SHA: second.SHA, Bytes: sidewaysPhoto(t, 2)},
		"filename": {Kind: media.Image, Use: media.Campaign, Slug: "paper-boat", Name: "boat.mp4",
			SHA: second.SHA, Bytes: sidewaysPhoto(t, 2)},
		"file": {Kind: media.Image, Use: media.Campaign, Slug: "paper-boat", Name: "boat.jpg",
			SHA: second.SHA, Bytes: pngOf(t)},
	} {
		_, err := l.Upload(ctx, l.by("x"), u)
		l.wantError(err, fault.Invalid, name)
	}
	// The SHA identifies one file: it cannot replace a file of another campaign, folder or
	// type.
	for _, u := range []media.Upload{
		{Kind: media.Image, Use: media.Campaign, Slug: "night-ferry", Name: "boat.jpg",
			SHA: second.SHA, Bytes: sidewaysPhoto(t, 2)},
		{Kind: media.Image, Use: media.CampaignAddOn, Slug: "paper-boat", Name: "boat.jpg",
			SHA: second.SHA, Bytes: sidewaysPhoto(t, 2)},
		{Kind: media.Image, Use: media.Campaign, Slug: "paper-boat", Name: "boat.png", SHA: second.SHA, Bytes: pngOf(t)},
	} {
		_, err := l.Upload(ctx, l.by("y"), u)
		l.wantError(err, fault.Conflict, "sha")
	}
	_, err = l.Upload(ctx, l.by("z"),
		media.Upload{Kind: media.Image, Use: media.Campaign, Slug: "unknown", Name: "a.jpg", Bytes: sidewaysPhoto(t, 0)})
	if !fault.Is(err, fault.NotFound) || l.head() != was {
		t.Errorf("unknown campaign: %v", err)
	}
	l.Repository = small{l.repo}
	_, err = l.upload("six", "large.jpg", "", sidewaysPhoto(t, 3))
	l.wantError(err, fault.Invalid, "file")
	if limits := l.Limits(); limits != (media.Limits{Image: 100, Audio: 100, Video: 100}) {
		t.Errorf("the limits are %+v", limits)
	}
	l.Repository = nil
	_, err = l.upload("seven", "boat.jpg", "", sidewaysPhoto(t, 0))
	l.wantError(err, fault.EditingOff, "")
}

// small is a repository with low limits.
type small struct{ *memory.Repository }

func (small) Limits() repository.Limits { return repository.Limits{File: 100, Commit: 100} }

// Proves MED-21, MED-22.
func TestRemove(t *testing.T) {
	l := newFixture(t)
	for _, name := range []string{"gone.jpg", "kept.jpg", "shared.jpg", "draft.jpg", "gone-too.jpg"} {
		if _, err := l.upload("up-"+name, name, "", sidewaysPhoto(t, len(name))); err != nil {
			t.Fatal(err)
		}
	}
	l.write(boatFile, file("Paper Boat", "![Kept]("+folder+"kept.jpg) and ![another]("+folder+"gone.jpg)"))
	l.write(ferryFile, file("Night Ferry", "![Shared]("+folder+"shared.jpg)"))
	l.write("site.yml", []byte("platform:\n  name: Stage # "+folder+"draft.jpg\n"))
	lists, err := l.List(ctx, "paper-boat")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string][]string{}
	for _, f := range lists.Files {
		used[f.Path] = f.UsedBy
	}
	want := map[string][]string{
		folder + "gone.jpg": {boatFile}, folder + "kept.jpg": {boatFile}, folder + "shared.jpg": {ferryFile},
		folder + "draft.jpg": {}, folder + "gone-too.jpg": {}, folder + "byhand.jpg": {}, folder + "old.jpg": {},
	}
	if !cmp.Equal(used, want) || lists.Limits != (media.Limits{Image: 8 << 20, Audio: 32 << 20, Video: 32 << 20}) {
		t.Errorf("the list is %v, %+v", used, lists.Limits)
	}
	l.write(boatFile, file("Paper Boat", "![Kept]("+folder+"kept.jpg)"))
	paths := []string{
		folder + "gone.jpg", folder + "gone-too.jpg", folder + "kept.jpg", folder + "shared.jpg",
		folder + "draft.jpg", folder + "old.jpg", folder + "never.jpg",
		"/assets/images/defaults/logo.svg", "/assets/images/campaigns/night-ferry/a.jpg", "/" + boatFile, "/site.yml",
	}
	out, err := l.Remove(ctx, l.by("clean"), "paper-boat", paths)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{}
	for _, k := range out.Kept {
		kept[k.Path] = k.Reason
	}
	if !slices.Equal(out.Removed, []string{folder + "gone-too.jpg", folder + "gone.jpg", folder + "never.jpg"}) ||
		out.Revision != l.head() {
		t.Errorf("removed %v at %s", out.Removed, out.Revision)
	}
	if diff := cmp.Diff(kept, map[string]string{
		folder + "kept.jpg": media.InUse, folder + "shared.jpg": media.InUse, folder + "draft.jpg": media.InUse,
		folder + "old.jpg": media.ByHand,
		paths[7]:           media.OtherOwner, paths[8]: media.OtherOwner, paths[9]: media.OtherOwner,
		paths[10]: media.OtherOwner,
	}); diff != "" {
		t.Error(diff)
	}
	if _, err := l.repo.File(ctx, "", folder[1:]+"gone.jpg"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the file is still there: %v", err)
	}
	for _, p := range []string{"kept.jpg", "shared.jpg", "draft.jpg", "old.jpg"} {
		l.read(folder[1:] + p)
	}
	was := l.head()
	if again, err := l.Remove(ctx, l.by("clean"), "paper-boat", paths); err != nil ||
		!cmp.Equal(again.Removed, out.Removed) || l.head() != was {
		t.Errorf("removed again: %+v, %v", again, err)
	}
	_, err = l.Remove(ctx, l.by("x"), "..", paths)
	l.wantError(err, fault.Invalid, "campaignSlug")
	for _, p := range []string{"https://example.com" + folder + "kept.jpg", folder + "../night-ferry/a.jpg",
		folder[1:] + "kept.jpg", ""} {
		_, err = l.Remove(ctx, l.by("x"), "paper-boat", []string{p})
		l.wantError(err, fault.Invalid, "paths")
	}
	_, err = l.Remove(ctx, l.by("x"), "paper-boat", nil)
	l.wantError(err, fault.Invalid, "paths")
	platform, err := l.List(ctx, "")
	if err != nil || len(platform.Files) != 1 || platform.Files[0].Path != "/assets/images/defaults/logo.svg" {
		t.Errorf("the platform has %+v, %v", platform, err)
	}
	if _, err := l.List(ctx, "unknown"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown campaign: %v", err)
	}
}
