package content_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves CON-27, CON-31.
func TestCreate_HiddenCampaign(t *testing.T) {
	d := newFixture(t)
	made, err := d.Create(ctx, by("Ana", "c1"), `Café "Noir": part 2`, "")
	if err != nil || made.Slug != "cafe-noir-part-2" || made.File != "campaigns/cafe-noir-part-2.md" {
		t.Fatalf("%+v, %v", made, err)
	}
	c, err := d.catalogue().Campaign(made.Slug)
	if err != nil || c.Title != `Café "Noir": part 2` || c.Public() || c.Published || !c.PreviewOnly {
		t.Errorf("the campaign is %+v, %v", c, err)
	}
	again, err := d.Create(ctx, by("Ana", "c1"), `Café "Noir": part 2`, "")
	if err != nil || again != made {
		t.Errorf("second request: %+v, %v", again, err)
	}
	for title, field := range map[string]string{
		"": "title", "!!!": "slug", strings.Repeat("a", 300): "title", "<b>Bold</b>": "title",
		"Night Ferry": "title", `Café "Noir": part 2`: "title",
	} {
		if _, err := d.Create(ctx, by("Bo", "c2"), title, ""); err == nil || fault.Of(err).Field != field {
			t.Errorf("the title %q: %v", title, err)
		}
	}
}

// A title without Latin letters requires a page address. A given address is used unchanged.
func TestCreate_GivenSlug(t *testing.T) {
	d := newFixture(t)
	const title = "حملة اختبار"
	if _, err := d.Create(ctx, by("Ana", "c1"), title, ""); !fault.Is(err, fault.Invalid) ||
		fault.Of(err).Field != "slug" {
		t.Errorf("without an address: %v", err)
	}
	for _, wrong := range []string{"Test", "a b", "حملة", strings.Repeat("a", 101)} {
		if _, err := d.Create(ctx, by("Ana", "c1"), title, wrong); !fault.Is(err, fault.Invalid) ||
			fault.Of(err).Field != "slug" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	made, err := d.Create(ctx, by("Ana", "c1"), title, "ikhtibar-2")
	if err != nil || made.Slug != "ikhtibar-2" || made.File != "campaigns/ikhtibar-2.md" {
		t.Fatalf("%+v, %v", made, err)
	}
	if c, err := d.catalogue().Campaign("ikhtibar-2"); err != nil || c.Title != title {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := d.Create(ctx, by("Bo", "c2"), "Another", "ikhtibar-2"); !fault.Is(err, fault.Conflict) ||
		fault.Of(err).Field != "slug" {
		t.Errorf("a used address: %v", err)
	}
	if made, err := d.Duplicate(ctx, by("Bo", "c3"), "night-ferry", title, "copy"); err != nil || made.Slug != "copy" {
		t.Errorf("a copy: %+v, %v", made, err)
	}
}

func TestDuplicate_ResetsCampaignRun(t *testing.T) {
	d := newFixture(t)
	made, err := d.Duplicate(ctx, by("Ana", "c1"), "night-ferry", "Day Ferry", "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.catalogue().Campaign("day-ferry")
	if err != nil || c.Public() || !c.Start.IsZero() || !c.Deadline.IsZero() || c.Goal != 2500000 ||
		len(c.Tiers) != 2 || c.File != made.File {
		t.Errorf("the copy is %+v, %v", c, err)
	}
	if !strings.Contains(string(d.bytes(made.File)), "# signed") {
		t.Error("comments are lost")
	}
	if _, err := d.Duplicate(ctx, by("Ana", "c2"), "none", "X", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("copy of an unknown campaign: %v", err)
	}
}

// Proves ARC-04, ARC-05, ARC-06, ARC-07, ARC-08, ARC-09, ARC-10, ARC-11, ARC-12.
func TestArchive_MovesOwnFiles(t *testing.T) {
	const mug, badge = "assets/images/campaign-add-ons/mug.jpg", "assets/images/campaign-add-ons/badge.jpg"
	shared := "assets/images/campaigns/night-ferry/old.jpg" // referenced by the other campaign too
	d := newFixture(t)
	d.put(mug, "mug")
	d.put(badge, "badge")
	const sound, film = "assets/audio/campaigns/night-ferry/horn.mp3", "assets/videos/campaigns/night-ferry/trailer.mp4"
	d.put(sound, "sound")
	d.put(film, "film")
	d.mustPublish(draft(edit("campaign_add_ons[]", "", `{"name":"Mug","price":12,"image":"/`+mug+`"}`)))
	d.mustPublish(content.Draft{File: "campaigns/slow-weather.md",
		Edits: []content.Edit{edit("hero_image", "", `"/`+shared+`"`), edit("hero_image_alt", "", `"A cloud"`)}})
	d.now = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	if _, err := d.Archive(ctx, by("Ana", "a1"), "night-ferry"); !fault.Is(err, fault.Conflict) || !d.has(ferryFile) {
		t.Fatalf("a live campaign: %v", err)
	}
	d.now = time.Date(2027, 1, 20, 0, 0, 0, 0, time.UTC)
	d.setPledged(2, nil)
	if _, err := d.Archive(ctx, by("Ana", "a1"), "night-ferry"); !fault.Is(err, fault.Conflict) || !d.has(ferryFile) {
		t.Fatalf("with unsettled pledges: %v", err)
	}
	d.setPledged(0, nil)
	before := len(d.log())
	for slug, code := range map[string]fault.Code{
		"none": fault.NotFound, "../x": fault.Invalid, "": fault.Invalid, "Night-Ferry": fault.Invalid,
		" night-ferry": fault.Invalid,
		"night-ferry/": fault.Invalid, "night_ferry": fault.Invalid, "night-ferry.md": fault.Invalid,
		strings.Repeat("a", 101): fault.Invalid,
	} {
		if _, err := d.Archive(ctx, by("Ana", "a1"), slug); !fault.Is(err, code) || len(d.log()) != before {
			t.Errorf("the slug %q: %v, want %s", slug, err, code)
		}
	}
	m, err := d.Archive(ctx, by("Ana", "a1"), "night-ferry")
	if err != nil {
		t.Fatal(err)
	}
	var moved []string
	for _, f := range m.Moved {
		moved = append(moved, f.From)
		if d.has(f.From) || !d.has(f.To) || !strings.HasPrefix(f.To, "archive/campaigns/night-ferry/") {
			t.Errorf("%s was not moved to %s", f.From, f.To)
		}
	}
	if diff := cmp.Diff([]string{ferryFile, "assets/images/campaigns/night-ferry/hero.jpg", film, sound, mug},
		moved); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{shared}, m.Shared); diff != "" || !d.has(shared) || !d.has(badge) {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
	var written content.Manifest
	if err := json.Unmarshal(d.bytes("archive/campaigns/night-ferry/archive-manifest.json"), &written); err != nil ||
		cmp.Diff(m, written) != "" {
		t.Errorf("the manifest is %+v, %v", written, err)
	}
	if n := len(d.log()); n != before+1 {
		t.Errorf("%d commits", n-before)
	}
	c, err := d.catalogue().Campaign("night-ferry")
	if err != nil || c.Public() || !c.Archived() {
		t.Errorf("the pledges' campaign is missing: %+v, %v", c, err)
	}
	if _, err := d.Archive(ctx, by("Ana", "a2"), "night-ferry"); !fault.Is(err, fault.Conflict) {
		t.Errorf("archived twice: %v", err)
	}
}

// Files of archived campaigns do not count as shared.
func TestArchive_FileSharedWithArchivedCampaign(t *testing.T) {
	const shared = "assets/images/campaigns/night-ferry/old.jpg"
	d := newFixture(t)
	d.mustPublish(content.Draft{File: "campaigns/slow-weather.md",
		Edits: []content.Edit{edit("hero_image", "", `"/`+shared+`"`), edit("hero_image_alt", "", `"A cloud"`)}})
	d.now = time.Date(2027, 1, 20, 0, 0, 0, 0, time.UTC)
	for _, slug := range []string{"slow-weather", "night-ferry"} {
		if _, err := d.Archive(ctx, by("Ana", slug), slug); err != nil {
			t.Fatal(err)
		}
	}
	if d.has(shared) {
		t.Error("a file of two archived campaigns was not moved")
	}
}

func TestLaunchList_Dates(t *testing.T) {
	d := newFixture(t)
	l, err := d.LaunchList(ctx, "night-ferry")
	if err != nil {
		t.Fatal(err)
	}
	if l.Starts != "Monday, November 2, 2026, 12:00 AM MST" ||
		l.Ends != "Friday, December 18, 2026, 11:59 PM MST" || l.Days != 47 {
		t.Errorf("the campaign runs from %s to %s, %d days", l.Starts, l.Ends, l.Days)
	}
	d.mustPublish(draft(edit("tiers[early-bird].category", "", `"physical"`)))
	missing := func() (keys []string) {
		l, err := d.LaunchList(ctx, "night-ferry")
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range l.Items {
			if !i.Done && !i.Optional {
				keys = append(keys, i.Key)
			}
		}
		if l.Ready != (len(keys) == 0) {
			t.Errorf("ready: %v, without %v", l.Ready, keys)
		}
		return keys
	}
	if diff := cmp.Diff([]string{"creator", "shipping"}, missing()); diff != "" {
		t.Errorf("missing items (-want +got):\n%s", diff)
	}
	d.mustPublish(draft(edit("creator_name", "", `"Ana"`), edit("creator_about", "", `"A filmmaker."`),
		edit("risks", "", `"Rain."`), edit("shipping_fallback_flat_rate", "", "7.50")))
	if keys := missing(); len(keys) > 0 {
		t.Errorf("still missing: %v", keys)
	}
	made, err := d.Create(ctx, by("Ana", "c"), "New", "")
	if err != nil {
		t.Fatal(err)
	}
	if l, err = d.LaunchList(ctx, made.Slug); err != nil || l.Ready || l.Starts != "" || l.Ends != "" {
		t.Errorf("new campaign: %+v, %v", l, err)
	}
}

// Each item has Spanish texts for both states.
func TestLaunchList_Spanish(t *testing.T) {
	d := newFixture(t)
	made, err := d.Create(ctx, by("Ana", "c"), "New", "")
	if err != nil {
		t.Fatal(err)
	}
	d.mustPublish(draft(edit("tiers[early-bird].category", "", `"physical"`)))
	seen := map[string]int{}
	for _, slug := range []string{"night-ferry", made.Slug} {
		en, err := d.LaunchList(ctx, slug)
		if err != nil {
			t.Fatal(err)
		}
		es, err := d.In("es", labels).LaunchList(ctx, slug)
		if err != nil {
			t.Fatal(err)
		}
		for i, item := range es.Items {
			if item.Key != en.Items[i].Key || item.Done != en.Items[i].Done || item.Words == "" ||
				item.Words == en.Items[i].Words {
				t.Errorf("%+v is %+v in Spanish", en.Items[i], item)
			}
			seen[item.Words]++
		}
		for i, what := range es.Freezes {
			if what == en.Freezes[i] {
				t.Errorf("%q freezes in both languages", what)
			}
		}
	}
	for _, words := range []string{
		"Falta el peso de 1 recompensa con envío: por el envío se cobra la tarifa fija de la plataforma",
		"Indica una meta", "2 recompensas, desde $10.00"} {
		if seen[words] == 0 {
			t.Errorf("%q is missing in %v", words, seen)
		}
	}
	if l, err := d.In("es", labels).LaunchList(ctx, "night-ferry"); err != nil ||
		l.Starts != "lunes, 2 de noviembre de 2026, 00:00 MST" {
		t.Errorf("starts on %q, %v", l.Starts, err)
	}
}

// put adds a file to the repository.
func (d *fixture) put(path, text string) {
	d.t.Helper()
	if _, err := d.repo.Commit(ctx, putting(path, text)); err != nil {
		d.t.Fatal(err)
	}
}

func TestPublish_SettingsAndAddOns(t *testing.T) {
	d := newFixture(t)
	d.mustPublish(content.Draft{File: content.SettingsFile,
		Edits: []content.Edit{edit("platform.name", `"Stage"`, `"Curtain"`), edit("pricing.default_tip_percent", "", "5")}})
	if got, want := string(d.bytes("site.yml")),
		"platform:\n  name: Curtain # ours\npricing:\n  default_tip_percent: 5\n"; got != want {
		t.Errorf("the settings are %q", got)
	}
	d.mustPublish(content.Draft{File: campaign.AddOnsFile,
		Edits: []content.Edit{edit("products[]", "", `{"name":"Mug","price":12}`)}})
	if a := d.catalogue().AddOns(); len(a) != 1 || a[0].Name != "Mug" {
		t.Errorf("the add-ons are %+v", a)
	}
	_, err := d.Publish(ctx, by("Ana", "x"),
		content.Draft{File: campaign.AddOnsFile, Edits: []content.Edit{edit("products[mug].price", "12", `"free"`)}})
	var r *content.RefusedError
	if !errors.As(err, &r) || len(r.Problems) != 1 || r.Problems[0].Line == 0 {
		t.Errorf("a wrong price: %v", err)
	}
}

func putting(path, text string) repository.Change {
	return repository.Change{ID: "put-" + strings.ReplaceAll(path, "/", "-"), Author: by("Bo", "").Author,
		Message: "Put a file", Writes: []repository.Write{{Path: path, Bytes: []byte(text)}}}
}
