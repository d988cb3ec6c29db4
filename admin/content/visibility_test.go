package content_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// visibility returns a campaign's visibility as shown in its editor.
func (d *fixture) visibility(file string) string {
	d.t.Helper()
	o, err := d.Open(ctx, file)
	if err != nil {
		d.t.Fatal(err)
	}
	var fields struct{ Visibility string }
	if err := json.Unmarshal(o.Fields, &fields); err != nil || fields.Visibility != o.Visibility {
		d.t.Errorf("the field is %q, the visibility %q, %v", fields.Visibility, o.Visibility, err)
	}
	return o.Visibility
}

// One edit replaces any flags of a file and is reported as one change.
func TestPublish_VisibilityReplacesFlags(t *testing.T) {
	for name, tt := range map[string]struct{ flags, is string }{
		"none":          {"", content.Public},
		"not published": {"published: false\n", content.Hidden},
		"both":          {"published: false\npreview_only: true\n", content.Hidden},
		"preview only":  {"preview_only: true\n", content.PreviewOnly},
		"preview":       {"visibility: preview\n", content.PreviewOnly},
		"hidden":        {"visibility: hidden\npublished: true\n", content.Hidden},
	} {
		for _, want := range []string{content.Public, content.PreviewOnly, content.Hidden} {
			d := newFixture(t)
			d.put("campaigns/flags.md",
				strings.Replace(strings.Replace(ferry, "Night Ferry", "Flags", 1), "title:", tt.flags+"title:", 1))
			const file = "campaigns/flags.md"
			if got := d.visibility(file); got != tt.is {
				t.Fatalf("%s is %s, want %s", name, got, tt.is)
			}
			p := d.mustPublish(content.Draft{File: file, Edits: []content.Edit{edit("visibility", `"`+tt.is+`"`, `"`+want+`"`)}})
			if got := d.visibility(file); got != want {
				t.Errorf("%s set to %s is %s", name, want, got)
			}
			if n := len(p.Changes); tt.is != want && (n != 1 || p.Changes[0].Path != "visibility") {
				t.Errorf("%s set to %s: %+v", name, want, p.Changes)
			}
		}
	}
}

func TestLaunch(t *testing.T) {
	d := newFixture(t)
	made, err := d.Create(ctx, by("Ana", "c"), "New", "")
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.In("en", labels).LaunchList(ctx, made.Slug)
	if err != nil || l.Ready || l.Left == 0 || l.Visibility != content.Hidden {
		t.Fatalf("the list is %+v, %v", l, err)
	}
	for _, i := range l.Items {
		if i.Done || i.State == content.Done || i.Target == nil || i.Key == "published" ||
			i.Key == "alt" && i.State != content.Blocked {
			t.Errorf("item of a new campaign: %+v", i)
		}
	}
	if _, err := d.Launch(ctx, by("Ana", "early"), made.Slug, l.Base); !fault.Is(err, fault.Conflict) ||
		d.visibility(made.File) != content.Hidden {
		t.Errorf("launched too early: %v", err)
	}
	d.mustPublish(content.Draft{File: made.File, Edits: []content.Edit{
		edit("goal_amount", "", "6500"), edit("goal_deadline", "", `"2026-12-18"`),
		edit("short_blurb", "", `"News."`), edit("creator_name", "", `"Ana"`),
		edit("hero_image", "", `"/assets/images/defaults/creator.jpg"`), edit("hero_image_alt", "", `"A face"`),
		edit("body", "", `"Our story."`),
		edit("tiers", "", `[{"name":"Ticket","price":15,"limit_total":40}]`),
	}})
	old := l.Base
	if l, err = d.LaunchList(ctx, made.Slug); err != nil || !l.Ready || l.Left != 0 {
		t.Fatalf("the list is %+v, %v", l, err)
	}
	want := content.Launch{Goal: 6500_00, Ends: "Friday, December 18, 2026, 11:59 PM MST", Days: 78,
		Rewards: []content.LaunchReward{{ID: "ticket", Name: "Ticket", Price: 15_00, Limit: 40}}}
	if diff := cmp.Diff(want,
		content.Launch{Goal: l.Goal, Starts: l.Starts, Ends: l.Ends, Days: l.Days, Rewards: l.Rewards}); diff != "" {
		t.Errorf("read back: %s", diff)
	}
	if _, err := d.Launch(ctx, by("Ana", "stale"), made.Slug, old); !fault.Is(err, fault.Conflict) {
		t.Errorf("launched another version: %v", err)
	}
	for range 2 { // the second request is a repeat
		p, err := d.Launch(ctx, by("Ana", "go"), made.Slug, l.Base)
		if err != nil || p.Revision == "" || d.visibility(made.File) != content.Public {
			t.Fatalf("launch: %+v, %v", p, err)
		}
	}
	c, err := d.catalogue().Campaign(made.Slug)
	if err != nil || !c.Accepts(d.now.Add(time.Second), d.Zone) {
		t.Errorf("the campaign is not live: %+v, %v", c, err)
	}
	if _, err := d.Launch(ctx, by("Bo", "again"), made.Slug, l.Base); !fault.Is(err, fault.Conflict) {
		t.Errorf("launched again: %v", err)
	}
}

func TestWithdraw(t *testing.T) {
	d := newFixture(t)
	d.setPledged(5, nil)
	r, err := d.In("en", labels).PreviewWithdrawal(ctx, "night-ferry", content.Hidden)
	if err != nil || !r.NeedsReason || len(r.Changes) != 1 || r.Changes[0].Affected.Supporters != 5 {
		t.Errorf("preview: %+v, %v", r, err)
	}
	if _, err := d.Withdraw(ctx, by("Ana", "w1"), "night-ferry", content.Hidden, " "); fault.Of(err) == nil ||
		fault.Of(err).Field != "reason" || d.visibility(ferryFile) != content.Public {
		t.Errorf("without a reason: %v", err)
	}
	if _, err := d.Withdraw(ctx, by("Ana", "w2"), "night-ferry", content.Public, "x"); fault.Of(err) == nil ||
		fault.Of(err).Field != "visibility" {
		t.Errorf("to public: %v", err)
	}
	if _, err := d.Withdraw(ctx, by("Ana", "w3"), "night-ferry", content.PreviewOnly, "The boat sank."); err != nil ||
		d.visibility(ferryFile) != content.PreviewOnly || d.log()[0].Trailer("Reason") != "The boat sank." {
		t.Errorf("with a reason: %v", err)
	}
	d.setPledged(0, nil)
	if _, err := d.Withdraw(ctx, by("Ana", "w4"), "slow-weather", content.Hidden, ""); err != nil {
		t.Errorf("without pledges: %v", err)
	}
}
