package content_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves CON-10.
func TestPreview(t *testing.T) {
	d := newFixture(t)
	d.setPledged(214, nil)
	r, err := d.Preview(ctx, draft(edit("goal_amount", "25000", "31000"), edit("tiers[]", "",
		`{"name":"Ticket","price":15}`), edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, "")))
	if err != nil {
		t.Fatal(err)
	}
	var formatted []string
	for _, c := range r.Changes {
		formatted = append(formatted, fmt.Sprint(c.Words, " ", c.Promise))
	}
	want := []string{"goal: $25,000 to $31,000 true", "tier ticket added (Ticket) at $15 false",
		"tier early-bird removed (Early Bird) at $10 true"}
	if diff := cmp.Diff(want, formatted); diff != "" || r.Pledges != 214 || !r.NeedsReason ||
		r.Base != repository.SHA([]byte(ferry)) {
		t.Errorf("the review is %+v (-want +got):\n%s", r, diff)
	}
	for name, dr := range map[string]content.Draft{
		"problem":  draft(edit("goal_amount", "25000", `"much"`)),
		"conflict": draft(edit("goal_amount", "1", "2")),
		"file": draft(edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`,
			`"/assets/images/campaigns/night-ferry/none.jpg"`)),
		"markup": draft(edit("short_blurb", `"A film about a boat."`, `"<script>alert(1)</script>"`)),
	} {
		r, err := d.Preview(ctx, dr)
		if err != nil || len(r.Problems)+len(r.Conflicts) != 1 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		for _, p := range r.Problems {
			if p.File != ferryFile {
				t.Errorf("%s: the problem %+v is not in %s", name, p, ferryFile)
			}
		}
	}
	if r, err := d.Preview(ctx, draft(edit("short_blurb", `"A film about a boat."`, `"A film."`))); err != nil ||
		len(r.Changes) != 1 || r.NeedsReason {
		t.Errorf("draft without problems: %+v, %v", r, err)
	}
	if len(d.log()) != 1 {
		t.Error("a preview wrote to the repository")
	}
}

func TestPreview_WarnsOfTextCutByComment(t *testing.T) {
	d := newFixture(t)
	places := func(dr content.Draft) (places []string) {
		t.Helper()
		r, err := d.Preview(ctx, dr)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Warnings {
			places = append(places, fmt.Sprintf("%s:%d %s", w.File, w.Line, w.Field))
		}
		return places
	}
	if diff := cmp.Diff([]string{ferryFile + ":14 tiers[1].name"},
		places(draft(edit("goal_amount", "25000", "26000")))); diff != "" {
		t.Errorf("campaign: %s", diff)
	}
	d.put(campaign.AddOnsFile, "products:\n  - name: Mug #7\n    price: 12\n")
	dr := content.Draft{File: campaign.AddOnsFile, Edits: []content.Edit{edit("products[mug].price", "12", "13")}}
	if diff := cmp.Diff([]string{campaign.AddOnsFile + ":2 products[0].name"}, places(dr)); diff != "" {
		t.Errorf("add-ons: %s", diff)
	}
}

func TestUndo(t *testing.T) {
	d := newFixture(t)
	first := d.mustPublish(draft(edit("goal_amount", "25000", "31000"), edit("tiers[poster].price", "30", "35")))
	d.mustPublish(draft(edit("short_blurb", `"A film about a boat."`, `"Another."`)))
	if _, err := d.Undo(ctx, by("Bo", "u1"), ferryFile, first.Revision, ""); err != nil {
		t.Fatal(err)
	}
	if got, want := string(d.bytes(ferryFile)),
		strings.Replace(ferry, "A film about a boat.", "Another.", 1); got != want {
		t.Errorf("the file after the undo is\n%s", got)
	}
	gone := d.mustPublish(draft(edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, "")))
	if _, err := d.Undo(ctx, by("Bo", "u2"), ferryFile, gone.Revision, ""); err != nil ||
		!strings.Contains(string(d.bytes(ferryFile)), "Early Bird") {
		t.Errorf("the tier was not restored: %v", err)
	}
	second := d.mustPublish(draft(edit("goal_amount", "25000", "26000")))
	d.mustPublish(draft(edit("goal_amount", "26000", "27000")))
	if _, err := d.Undo(ctx, by("Bo", "u3"), ferryFile, second.Revision, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("a later change was undone: %v", err)
	}
	if _, err := d.Undo(ctx, by("Bo", "u4"), ferryFile, "none", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("undo of an unknown change: %v", err)
	}
	begun := d.log()[len(d.log())-1].Revision
	if _, err := d.Undo(ctx, by("Bo", "u5"), ferryFile, begun, ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("undo of the commit that created the file: %v", err)
	}
}

// Since returns the amendments made after the revision of a pledge.
func TestSince(t *testing.T) {
	d := newFixture(t)
	pledged := d.revision()
	because := func(reason string, edits ...content.Edit) {
		dr := draft(edits...)
		dr.Reason = reason
		d.mustPublish(dr)
	}
	because("The boat costs more.", edit("goal_amount", "25000", "31000"),
		edit("short_blurb", `"A film about a boat."`, `"Another."`))
	later := d.revision()
	at := d.now.Add(time.Hour)
	d.now = at
	because("", edit("tiers[poster].price", "30", "35"), edit("tiers[poster].description", "",
		`"`+strings.Repeat("long ", 20)+`"`), edit("tiers[]", "", `{"name":"Ticket","price":15}`))
	because("It is sold.", edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, ""),
		edit("goal_deadline", `"2026-12-18"`, `"2026-12-19"`))
	want := []content.Amendment{
		{At: at.Add(-time.Hour), Kind: content.GoalAmended, Before: "$25,000", After: "$31,000",
			Reason: "The boat costs more."},
		{At: at, Kind: content.RewardAmended, Name: "Poster", Field: "price", Before: "$30", After: "$35"},
		{
			At: at, Kind: content.DeadlineAmended, Reason: "It is sold.",
			Before: "December 18, 2026, 11:59 PM MST", After: "December 19, 2026, 11:59 PM MST",
		},
		{At: at, Kind: content.RewardAmended, Name: "Early Bird", Reason: "It is sold."},
	}
	for revision, want := range map[string][]content.Amendment{pledged: want, later: want[1:], d.revision(): nil} {
		got, known, err := d.Since(ctx, "night-ferry", revision)
		if diff := cmp.Diff(want, got); err != nil || !known || diff != "" {
			t.Errorf("known %v, %v (-want +got):\n%s", known, err, diff)
		}
	}
	got, _, err := d.In("es", nil).Since(ctx, "night-ferry", pledged)
	if err != nil || len(got) != 4 || got[0].Before != "25.000\u00a0US$" ||
		!strings.HasPrefix(got[2].After, "19 de diciembre de 2026 a las 23:59") {
		t.Errorf("in Spanish: %+v, %v", got, err)
	}
	if got, known, err := d.Since(ctx, "night-ferry", "0123456789abcdef"); err != nil || known || got != nil {
		t.Errorf("unknown revision: %+v, %v, %v", got, known, err)
	}
	if _, _, err := d.Since(ctx, "none", pledged); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown campaign: %v", err)
	}
}

func TestHistory(t *testing.T) {
	d := newFixture(t)
	d.mustPublish(draft(edit("goal_amount", "25000", "31000")))
	d.mustPublish(draft(edit("short_blurb", `"A film about a boat."`, `"Another."`)))
	versions, err := d.History(ctx, ferryFile, 2)
	if err != nil || len(versions) != 2 {
		t.Fatalf("%+v, %v", versions, err)
	}
	if w := versions[1].Changes[0].Words; w != "goal: $25,000 to $31,000" || versions[0].Author.Name != "Ana" {
		t.Errorf("the history is %+v", versions)
	}
}

// Proves CON-16, CON-17, CON-18, CON-20.
func TestWithoutRepository(t *testing.T) {
	d := newFixture(t)
	with, err := d.Open(ctx, ferryFile)
	if err != nil {
		t.Fatal(err)
	}
	d.Repository = nil
	d.Local = func(path string) ([]byte, error) { return d.bytes(path), nil }
	o, err := d.Open(ctx, ferryFile)
	if err != nil || o.Publishable || len(o.Problems) > 0 {
		t.Errorf("opened: %+v, %v", o, err)
	}
	if same, other := jsonOf(t, with.Fields), jsonOf(t, o.Fields); same != other {
		t.Errorf("with a repository it shows %s, without %s", same, other)
	}
	change := draft(edit("goal_amount", "25000", "31000"))
	if r, err := d.Preview(ctx, change); err != nil || len(r.Changes) != 1 || r.Publishable {
		t.Errorf("previewed: %+v, %v", r, err)
	}
	_, publish := d.Publish(ctx, by("Ana", "c"), change)
	_, create := d.Create(ctx, by("Ana", "c"), "A", "")
	_, archive := d.Archive(ctx, by("Ana", "c"), "night-ferry")
	_, undo := d.Undo(ctx, by("Ana", "c"), ferryFile, "r", "")
	_, history := d.History(ctx, ferryFile, 1)
	for name, err := range map[string]error{"publish": publish, "create": create, "archive": archive,
		"undo": undo, "history": history} {
		if !fault.Is(err, fault.EditingOff) || !strings.Contains(fault.Of(err).Message, "CONTENT_REPOSITORY") {
			t.Errorf("%s: %v, want an error that names the missing setting", name, err)
		}
	}
}
