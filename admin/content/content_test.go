package content_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

var ctx = context.Background()

const (
	ferryFile = "campaigns/night-ferry.md"
	ferry     = `---
# A film.
title: Night Ferry
start_date: 2026-11-02   # a Monday
goal_deadline: 2026-12-18
goal_amount: 25000
short_blurb: A film about a boat.
hero_image: /assets/images/campaigns/night-ferry/hero.jpg
hero_image_alt: A boat at night
creator_image: /assets/images/defaults/creator.jpg
tiers:
  - name: Early Bird
    price: 10
  - name: Poster   # signed
    price: 30
    category: digital
---

The film.
`
	other = "---\ntitle: Slow Weather\nstart_date: 2026-11-02\ngoal_deadline: 2026-12-18\ngoal_amount: 900\ncreator_image: /assets/images/defaults/creator.jpg\n---\n"
)

// fixture is a repository with two campaigns and a service for it.
type fixture struct {
	*content.Service
	t       testing.TB
	repo    *memory.Repository
	claims  inventory.Snapshot
	answers map[string]int // by decision
	now     time.Time
	n       int
	promise error
}

func newFixture(t testing.TB) *fixture {
	d := &fixture{t: t, now: time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC), repo: memory.New(map[string][]byte{
		ferryFile: []byte(ferry), "campaigns/slow-weather.md": []byte(other), "site.yml": []byte("platform:\n  name: Stage # ours\n"),
		"assets/images/campaigns/night-ferry/hero.jpg": []byte("hero"), "assets/images/campaigns/night-ferry/old.jpg": []byte("old"),
		"assets/images/defaults/creator.jpg": []byte("creator"),
	})}
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	d.Service = &content.Service{
		Repository: d.repo, Catalogue: d.catalogue, Presets: []string{"book"}, Zone: zone,
		Settings: func(src []byte) error {
			if strings.Contains(string(src), "nonsense") {
				return campaign.Problems{{File: "site.yml", Field: "platform.nonsense", Message: "is not a key"}}
			}
			return nil
		},
		Promises:  func(context.Context, *campaign.Catalogue, string) error { return d.promise },
		Claims:    func(context.Context, string) (inventory.Snapshot, error) { return d.claims, nil },
		Answers:   func(context.Context, string) (map[string]int, error) { return d.answers, nil },
		Unsettled: func(context.Context, string) (int, error) { return d.claims.Totals.Pledges(), nil },
		AuditHead: func(context.Context) (string, error) { return "41:9f86", nil },
		Now:       func() time.Time { return d.now },
	}
	return d
}

// pledged sets the number of pledges, and the claimed units by item.
func (d *fixture) pledged(pledges int, units map[string]int) {
	d.claims = inventory.Snapshot{Totals: inventory.Totals{Statuses: map[pledge.Status]int{pledge.Active: pledges}}, Stock: map[string]inventory.Stock{}}
	for item, n := range units {
		d.claims.Stock[item] = inventory.Stock{Committed: n}
	}
}

func (d *fixture) catalogue() *campaign.Catalogue {
	files := fstest.MapFS{}
	all, err := d.repo.Files(ctx, "", "")
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range all {
		files[e.Path] = &fstest.MapFile{Data: d.bytes(e.Path)}
	}
	c, err := campaignfile.Load(files)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func (d *fixture) bytes(path string) []byte {
	f, err := d.repo.File(ctx, "", path)
	if err != nil {
		d.t.Fatal(err)
	}
	return f.Bytes
}

func (d *fixture) has(path string) bool {
	_, err := d.repo.File(ctx, "", path)
	return err == nil
}

func by(name, id string) content.Author {
	return content.Author{Author: repository.Author{Name: name, Email: strings.ToLower(name) + "@example.com"}, ID: id}
}

func edit(path, was, value string) content.Edit {
	return content.Edit{Path: path, Was: json.RawMessage(was), Value: json.RawMessage(value)}
}

func draft(edits ...content.Edit) content.Draft {
	return content.Draft{File: ferryFile, Edits: edits}
}

// mustPublish publishes as Ana.
func (d *fixture) mustPublish(dr content.Draft) content.Published {
	d.t.Helper()
	d.n++
	p, err := d.Publish(ctx, by("Ana", fmt.Sprint("c", d.n)), dr)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *fixture) log() []repository.Commit {
	log, err := d.repo.Log(ctx, "", 1000)
	if err != nil {
		d.t.Fatal(err)
	}
	return log
}

// Proves CON-13.
func TestPublish_OneCommitChangesOneLine(t *testing.T) {
	d := newFixture(t)
	p := d.mustPublish(draft(edit("goal_amount", "25000", "31000")))
	if got, want := string(d.bytes(ferryFile)), strings.Replace(ferry, "25000", "31000", 1); got != want {
		t.Errorf("the file is\n%s", got)
	}
	c := d.log()[0]
	want := repository.Commit{
		Revision: p.Revision, Parent: c.Parent, At: d.now, Author: repository.Author{Name: "Ana", Email: "ana@example.com"},
		Message:  "night-ferry: goal: $25,000 to $31,000",
		Trailers: []repository.Trailer{{Key: "Audit-Head", Value: "41:9f86"}, {Key: "Change-Id", Value: "c1"}},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("the commit differs (-want +got):\n%s", diff)
	}
	if p.Base != repository.SHA(d.bytes(ferryFile)) {
		t.Error("the base is not the file's")
	}
}

func TestPublish_RepeatedRequest(t *testing.T) {
	d := newFixture(t)
	tiers := draft(edit("tiers[]", "", `{"name":"Ticket","price":15}`))
	for range 2 {
		if _, err := d.Publish(ctx, by("Ana", "same"), tiers); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(string(d.bytes(ferryFile)), "Ticket"); n != 1 {
		t.Errorf("the tier is in the file %d times", n)
	}
}

// Other authors' changes to other fields are kept; a change to the same field is a conflict that
// names its author.
func TestPublish_MergesFields(t *testing.T) {
	d := newFixture(t)
	seen := draft(edit("short_blurb", `"A film about a boat."`, `"A film about a ferry."`), edit("tiers[poster].price", "30", "35"))
	d.mustPublish(draft(edit("goal_amount", "25000", "31000")))
	d.mustPublish(seen)
	for _, want := range []string{"goal_amount: 31000", "A film about a ferry.", "price: 35", "# signed"} {
		if !strings.Contains(string(d.bytes(ferryFile)), want) {
			t.Errorf("the file lacks %q:\n%s", want, d.bytes(ferryFile))
		}
	}
	before := len(d.log())
	_, err := d.Publish(ctx, by("Bo", "late"), draft(edit("goal_amount", "25000", "20000"), edit("start_date", `"2026-11-02"`, `"2026-11-03"`)))
	var r *content.RefusedError
	if !errors.As(err, &r) || !fault.Is(err, fault.Conflict) || fault.Of(err).Field != "goal_amount" {
		t.Fatalf("a stale edit is %v", err)
	}
	at := d.now
	want := []content.Conflict{{Path: "goal_amount", Was: json.RawMessage("25000"), Is: json.RawMessage("31000"), Want: json.RawMessage("20000"),
		By: &repository.Author{Name: "Ana", Email: "ana@example.com"}, At: &at, Place: content.Place{Label: "goal", Target: content.Target{Field: "goal_amount"}},
		WasText: "25000", IsText: "31000", WantText: "20000"}}
	if diff := cmp.Diff(want, r.Conflicts); diff != "" {
		t.Errorf("the conflicts differ (-want +got):\n%s", diff)
	}
	if len(d.log()) != before || strings.Contains(string(d.bytes(ferryFile)), "2026-11-03") {
		t.Error("part of a conflicting draft was written")
	}
}

func TestPublish_ValueAlreadySet(t *testing.T) {
	d := newFixture(t)
	d.mustPublish(draft(edit("goal_amount", "25000", "31000")))
	before := len(d.log())
	if p := d.mustPublish(draft(edit("goal_amount", "25000", "31000"))); p.Revision != "" || len(d.log()) != before {
		t.Errorf("the same edit twice: %+v", p)
	}
}

// Proves CON-10.
func TestPreview(t *testing.T) {
	d := newFixture(t)
	d.pledged(214, nil)
	r, err := d.Preview(ctx, draft(edit("goal_amount", "25000", "31000"), edit("tiers[]", "", `{"name":"Ticket","price":15}`), edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, "")))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, c := range r.Changes {
		said = append(said, fmt.Sprint(c.Words, " ", c.Promise))
	}
	want := []string{"goal: $25,000 to $31,000 true", "tier ticket added (Ticket) at $15 false", "tier early-bird removed (Early Bird) at $10 true"}
	if diff := cmp.Diff(want, said); diff != "" || r.Pledges != 214 || !r.NeedsReason || r.Base != repository.SHA([]byte(ferry)) {
		t.Errorf("the review is %+v (-want +got):\n%s", r, diff)
	}
	for name, dr := range map[string]content.Draft{
		"problem":  draft(edit("goal_amount", "25000", `"much"`)),
		"conflict": draft(edit("goal_amount", "1", "2")),
		"file":     draft(edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`, `"/assets/images/campaigns/night-ferry/none.jpg"`)),
		"markup":   draft(edit("short_blurb", `"A film about a boat."`, `"<script>alert(1)</script>"`)),
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
	if r, err := d.Preview(ctx, draft(edit("short_blurb", `"A film about a boat."`, `"A film."`))); err != nil || len(r.Changes) != 1 || r.NeedsReason {
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
	if diff := cmp.Diff([]string{ferryFile + ":14 tiers[1].name"}, places(draft(edit("goal_amount", "25000", "26000")))); diff != "" {
		t.Errorf("campaign: %s", diff)
	}
	d.put(campaign.AddOnsFile, "products:\n  - name: Mug #7\n    price: 12\n")
	dr := content.Draft{File: campaign.AddOnsFile, Edits: []content.Edit{edit("products[mug].price", "12", "13")}}
	if diff := cmp.Diff([]string{campaign.AddOnsFile + ":2 products[0].name"}, places(dr)); diff != "" {
		t.Errorf("add-ons: %s", diff)
	}
}

func TestPublish_RejectsUnrenderable(t *testing.T) {
	damaged := campaign.Problem{File: ferryFile, Line: 8, Field: "hero_image", Message: "is no picture"}
	for name, tt := range map[string]struct {
		draw error
		want campaign.Problems
	}{
		"rendered":        {nil, nil},
		"damaged picture": {campaign.Problems{damaged}, campaign.Problems{damaged}},
		"template":        {errors.New("message \"x\" has no plural form"), campaign.Problems{{File: ferryFile, Message: "message \"x\" has no plural form"}}},
	} {
		d := newFixture(t)
		d.Renders = func(c *campaign.Campaign) error {
			if c.Goal != 26_000_00 {
				t.Errorf("%s: the page is not the draft's: %+v", name, c.Goal)
			}
			return tt.draw
		}
		r, err := d.Preview(ctx, draft(edit("goal_amount", "25000", "26000")))
		var got campaign.Problems
		for _, p := range r.Problems {
			got = append(got, p.Problem)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if _, err := d.Publish(ctx, by("Ana", "x"), draft(edit("goal_amount", "25000", "26000"))); (tt.want == nil) != (err == nil) {
			t.Errorf("%s: publish: %v", name, err)
		}
	}
	d := newFixture(t)
	d.Renders = func(*campaign.Campaign) error { return campaign.Problems{damaged} }
	r, err := d.Preview(ctx, draft(edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`, `"/assets/none.jpg"`)))
	if err != nil || len(r.Problems) != 2 {
		t.Errorf("a missing file and a page that cannot be rendered: %+v, %v", r.Problems, err)
	}
}

// Proves CON-12.
func TestPublish_Rejects(t *testing.T) {
	for name, test := range map[string]struct {
		draft content.Draft
		code  fault.Code
		field string
	}{
		"nothing":                   {draft(), fault.Invalid, "edits"},
		"an invalid path":           {draft(edit("../x", "", "1")), fault.Invalid, "path"},
		"a wrong amount":            {draft(edit("goal_amount", "25000", `"much"`)), fault.Invalid, "goal_amount"},
		"a missing picture":         {draft(edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`, `"/assets/none.jpg"`)), fault.Invalid, "hero_image"},
		"a script":                  {draft(edit("short_blurb", `"A film about a boat."`, `"<script>"`)), fault.Invalid, "short_blurb"},
		"an unknown key":            {draft(edit("teirs", "", "1")), fault.Invalid, "teirs"},
		"the slug":                  {draft(edit("slug", "", `"x"`)), fault.Invalid, "slug"},
		"another file":              {content.Draft{File: "Makefile", Edits: []content.Edit{edit("a", "", "1")}}, fault.NotFound, "file"},
		"a file outside":            {content.Draft{File: "campaigns/../x.md", Edits: []content.Edit{edit("a", "", "1")}}, fault.NotFound, "file"},
		"no such campaign":          {content.Draft{File: "campaigns/none.md", Edits: []content.Edit{edit("a", "", "1")}}, fault.NotFound, "file"},
		"an unknown setting":        {content.Draft{File: "site.yml", Edits: []content.Edit{edit("platform.nonsense", "", "1")}}, fault.Invalid, "platform.nonsense"},
		"an invalid price":          {content.Draft{File: campaign.AddOnsFile, Edits: []content.Edit{edit("products[]", "", `{"name":"Mug","price":"free"}`)}}, fault.Invalid, "products[0].price"},
		"too many edits":            {draft(slices.Repeat([]content.Edit{edit("goal_amount", "25000", "31000")}, 201)...), fault.Invalid, "edits"},
		"an unknown preset":         {draft(edit("tiers[early-bird].category", "", `"physical"`), edit("tiers[early-bird].shipping_preset", "", `"boat"`)), fault.Invalid, "tiers[0].shipping_preset"},
		"a reason that is too long": {content.Draft{File: ferryFile, Edits: []content.Edit{edit("goal_amount", "25000", "1")}, Reason: strings.Repeat("a", 501)}, fault.Invalid, "reason"},
		"values nested too far":     {draft(edit("_x", "", strings.Repeat("[", 40)+strings.Repeat("]", 40))), fault.Invalid, "_x"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			_, err := d.Publish(ctx, by("Ana", "c"), test.draft)
			if !fault.Is(err, test.code) || fault.Of(err).Field != test.field {
				t.Errorf("got %v, want %s in %s", err, test.code, test.field)
			}
			if len(d.log()) != 1 {
				t.Error("something was written")
			}
		})
	}
}

func TestPublish_PromiseRequiresReason(t *testing.T) {
	d := newFixture(t)
	d.pledged(3, map[string]int{"tier/poster": 2})
	for _, dr := range []content.Draft{
		draft(edit("goal_amount", "25000", "20000")), draft(edit("goal_deadline", `"2026-12-18"`, `"2026-12-19"`)), draft(edit("tiers[poster].price", "30", "35")),
	} {
		if _, err := d.Publish(ctx, by("Ana", "c"), dr); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "reason" {
			t.Errorf("%s without a reason: %v", dr.Edits[0].Path, err)
		}
	}
	d.mustPublish(draft(edit("short_blurb", `"A film about a boat."`, `"Another."`), edit("tiers[]", "", `{"name":"Ticket","price":15}`), edit("tiers[poster].limit_total", "", "50")))
	d.mustPublish(draft(edit("tiers[poster].limit_total", "50", "60"), edit("tiers[early-bird].price", "10", "11")))
	dr := draft(edit("goal_amount", "25000", "20000"))
	dr.Reason = "The boat costs\nless."
	d.mustPublish(dr)
	if got := d.log()[0].Trailer("Reason"); got != "The boat costs less." {
		t.Errorf("the reason is %q", got)
	}
	d.promise = fault.New(fault.Conflict, "The campaign is closed")
	if _, err := d.Publish(ctx, by("Ana", "d"), draft(edit("short_blurb", `"Another."`, `"Again."`))); !fault.Is(err, fault.Conflict) {
		t.Errorf("against a promise: %v", err)
	}
}

func TestPublish_DuplicateSlug(t *testing.T) {
	d := newFixture(t)
	served := d.catalogue()
	d.Catalogue = func() *campaign.Catalogue { return served }
	d.put("campaigns/copy.md", ferry)
	_, err := d.Publish(ctx, by("Ana", "c"), content.Draft{File: "campaigns/copy.md", Edits: []content.Edit{edit("goal_amount", "25000", "1")}})
	if !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "slug" {
		t.Errorf("another file's slug: %v", err)
	}
}

func TestUndo(t *testing.T) {
	d := newFixture(t)
	first := d.mustPublish(draft(edit("goal_amount", "25000", "31000"), edit("tiers[poster].price", "30", "35")))
	d.mustPublish(draft(edit("short_blurb", `"A film about a boat."`, `"Another."`)))
	if _, err := d.Undo(ctx, by("Bo", "u1"), ferryFile, first.Revision, ""); err != nil {
		t.Fatal(err)
	}
	if got, want := string(d.bytes(ferryFile)), strings.Replace(ferry, "A film about a boat.", "Another.", 1); got != want {
		t.Errorf("the file after the undo is\n%s", got)
	}
	gone := d.mustPublish(draft(edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, "")))
	if _, err := d.Undo(ctx, by("Bo", "u2"), ferryFile, gone.Revision, ""); err != nil || !strings.Contains(string(d.bytes(ferryFile)), "Early Bird") {
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
	because("The boat costs more.", edit("goal_amount", "25000", "31000"), edit("short_blurb", `"A film about a boat."`, `"Another."`))
	later := d.revision()
	at := d.now.Add(time.Hour)
	d.now = at
	because("", edit("tiers[poster].price", "30", "35"), edit("tiers[poster].description", "", `"`+strings.Repeat("long ", 20)+`"`), edit("tiers[]", "", `{"name":"Ticket","price":15}`))
	because("It is sold.", edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, ""), edit("goal_deadline", `"2026-12-18"`, `"2026-12-19"`))
	want := []content.Amendment{
		{At: at.Add(-time.Hour), Kind: content.GoalAmended, Before: "$25,000", After: "$31,000", Reason: "The boat costs more."},
		{At: at, Kind: content.RewardAmended, Name: "Poster", Field: "price", Before: "$30", After: "$35"},
		{At: at, Kind: content.DeadlineAmended, Before: "2026-12-18", After: "2026-12-19", Reason: "It is sold."},
		{At: at, Kind: content.RewardAmended, Name: "Early Bird", Reason: "It is sold."},
	}
	for revision, want := range map[string][]content.Amendment{pledged: want, later: want[1:], d.revision(): nil} {
		got, known, err := d.Since(ctx, "night-ferry", revision)
		if diff := cmp.Diff(want, got); err != nil || !known || diff != "" {
			t.Errorf("known %v, %v (-want +got):\n%s", known, err, diff)
		}
	}
	if got, known, err := d.Since(ctx, "night-ferry", "0123456789abcdef"); err != nil || known || got != nil {
		t.Errorf("unknown revision: %+v, %v, %v", got, known, err)
	}
	if _, _, err := d.Since(ctx, "none", pledged); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown campaign: %v", err)
	}
}

// revision is the film's revision as in pledges.
func (d *fixture) revision() string {
	c, err := d.catalogue().Campaign("night-ferry")
	if err != nil {
		d.t.Fatal(err)
	}
	return c.Revision
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
	for name, err := range map[string]error{"publish": publish, "create": create, "archive": archive, "undo": undo, "history": history} {
		if !fault.Is(err, fault.EditingOff) || !strings.Contains(fault.Of(err).Message, "CONTENT_REPOSITORY") {
			t.Errorf("%s: %v, want an error that names the missing setting", name, err)
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Eight people edit one file at once. Every accepted edit is in the final file, and every other
// edit is reported as a conflict.
func TestPublish_EightConcurrentEditors(t *testing.T) {
	d := newFixture(t)
	var names []string
	for i := range 6 {
		name := fmt.Sprint("Reward ", i)
		d.mustPublish(draft(edit("tiers[]", "", fmt.Sprintf(`{"name":%q,"price":1}`, name))))
		names = append(names, fmt.Sprintf("tiers[reward-%d].price", i))
	}
	last := []int{1, 1, 1, 1, 1, 1} // the newest accepted price of each tier
	var mu sync.Mutex
	var group sync.WaitGroup
	accepted, refused := 0, 0
	for w := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for n := range 125 {
				i := r.IntN(len(names))
				mu.Lock()
				was := last[i]
				mu.Unlock()
				now := w*1000 + n + 2
				_, err := d.Publish(ctx, by("W", fmt.Sprintf("w%d-%d", w, n)), draft(edit(names[i], fmt.Sprint(was), fmt.Sprint(now))))
				mu.Lock()
				switch {
				case err == nil:
					accepted++
					last[i] = now
				case isRefused(err):
					refused++
				default:
					t.Errorf("%v", err)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	file, err := campaignfile.Open(ferryFile, d.bytes(ferryFile))
	if err != nil {
		t.Fatal(err)
	}
	log := d.log()
	if accepted == 0 || refused == 0 || len(log) != 1+len(names)+accepted {
		t.Fatalf("%d accepted, %d refused, %d commits", accepted, refused, len(log))
	}
	for i, path := range names {
		if v, _ := file.Value(path); string(v) != newest(log, path) {
			t.Errorf("%s is %s, and %s was accepted last (%d)", path, v, newest(log, path), last[i])
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
}

// isRefused reports whether an error is a conflict that names its fields.
func isRefused(err error) bool {
	var r *content.RefusedError
	return errors.As(err, &r) && len(r.Conflicts) == 1
}

// newest returns the price of a tier in the message of the newest commit about it.
func newest(log []repository.Commit, path string) string {
	tier := strings.TrimSuffix(strings.TrimPrefix(path, "tiers["), "].price")
	for _, c := range log {
		if _, price, ok := strings.Cut(c.Message, "tier "+tier+", price: "); ok {
			_, price, _ = strings.Cut(price, " to $")
			return strings.NewReplacer(",", "", ".00", "").Replace(price)
		}
	}
	return "1"
}
