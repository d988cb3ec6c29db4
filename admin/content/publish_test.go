package content_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

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
	seen := draft(edit("short_blurb", `"A film about a boat."`, `"A film about a ferry."`),
		edit("tiers[poster].price", "30", "35"))
	d.mustPublish(draft(edit("goal_amount", "25000", "31000")))
	d.mustPublish(seen)
	for _, want := range []string{"goal_amount: 31000", "A film about a ferry.", "price: 35", "# signed"} {
		if !strings.Contains(string(d.bytes(ferryFile)), want) {
			t.Errorf("the file lacks %q:\n%s", want, d.bytes(ferryFile))
		}
	}
	before := len(d.log())
	_, err := d.Publish(ctx, by("Bo", "late"),
		draft(edit("goal_amount", "25000", "20000"), edit("start_date", `"2026-11-02"`, `"2026-11-03"`)))
	var r *content.RefusedError
	if !errors.As(err, &r) || !fault.Is(err, fault.Conflict) || fault.Of(err).Field != "goal_amount" {
		t.Fatalf("a stale edit is %v", err)
	}
	at := d.now
	want := []content.Conflict{{Path: "goal_amount", Was: json.RawMessage("25000"),
		Is: json.RawMessage("31000"), Want: json.RawMessage("20000"),
		By: &repository.Author{Name: "Ana", Email: "ana@example.com"}, At: &at,
		Place:   content.Place{Label: "goal", Target: content.Target{Field: "goal_amount"}},
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

func TestPublish_RejectsUnrenderable(t *testing.T) {
	damaged := campaign.Problem{File: ferryFile, Line: 8, Field: "hero_image", Message: "is no picture"}
	for name, tt := range map[string]struct {
		draw error
		want campaign.Problems
	}{
		"rendered":        {nil, nil},
		"damaged picture": {campaign.Problems{damaged}, campaign.Problems{damaged}},
		"template": {errors.New("message \"x\" has no plural form"),
			campaign.Problems{{File: ferryFile, Message: "message \"x\" has no plural form"}}},
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
		if _, err := d.Publish(ctx, by("Ana", "x"),
			draft(edit("goal_amount", "25000", "26000"))); (tt.want == nil) != (err == nil) {
			t.Errorf("%s: publish: %v", name, err)
		}
	}
	d := newFixture(t)
	d.Renders = func(*campaign.Campaign) error { return campaign.Problems{damaged} }
	r, err := d.Preview(ctx,
		draft(edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`, `"/assets/none.jpg"`)))
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
		"nothing":         {draft(), fault.Invalid, "edits"},
		"an invalid path": {draft(edit("../x", "", "1")), fault.Invalid, "path"},
		"a wrong amount":  {draft(edit("goal_amount", "25000", `"much"`)), fault.Invalid, "goal_amount"},
		"a missing picture": {draft(edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`,
			`"/assets/none.jpg"`)), fault.Invalid, "hero_image"},
		"a script": {draft(edit("short_blurb", `"A film about a boat."`, `"<script>"`)),
			fault.Invalid, "short_blurb"},
		"an unknown key": {draft(edit("teirs", "", "1")), fault.Invalid, "teirs"},
		"the slug":       {draft(edit("slug", "", `"x"`)), fault.Invalid, "slug"},
		"another file": {content.Draft{File: "Makefile", Edits: []content.Edit{edit("a", "", "1")}},
			fault.NotFound, "file"},
		"a file outside": {content.Draft{File: "campaigns/../x.md", Edits: []content.Edit{edit("a", "", "1")}},
			fault.NotFound, "file"},
		"no such campaign": {content.Draft{File: "campaigns/none.md", Edits: []content.Edit{edit("a", "", "1")}},
			fault.NotFound, "file"},
		"an unknown setting": {content.Draft{File: "site.yml",
			Edits: []content.Edit{edit("platform.nonsense", "", "1")}}, fault.Invalid, "platform.nonsense"},
		"an invalid price": {content.Draft{File: campaign.AddOnsFile, Edits: []content.Edit{edit("products[]",
			"", `{"name":"Mug","price":"free"}`)}}, fault.Invalid, "products[0].price"},
		"too many edits": {draft(slices.Repeat([]content.Edit{edit("goal_amount", "25000", "31000")}, 201)...),
			fault.Invalid, "edits"},
		"an unknown preset": {draft(edit("tiers[early-bird].category", "", `"physical"`),
			edit("tiers[early-bird].shipping_preset", "", `"boat"`)), fault.Invalid, "tiers[0].shipping_preset"},
		"a reason that is too long": {content.Draft{File: ferryFile, Edits: []content.Edit{edit("goal_amount", "25000", "1")},
			Reason: strings.Repeat("a", 501)}, fault.Invalid, "reason"},
		"values nested too far": {draft(edit("_x", "", strings.Repeat("[", 40)+strings.Repeat("]", 40))),
			fault.Invalid, "_x"},
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
	d.setPledged(3, map[string]int{"tier/poster": 2})
	for _, dr := range []content.Draft{
		draft(edit("goal_amount", "25000", "20000")), draft(edit("goal_deadline", `"2026-12-18"`, `"2026-12-19"`)),
		draft(edit("tiers[poster].price", "30", "35")),
	} {
		if _, err := d.Publish(ctx, by("Ana", "c"), dr); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "reason" {
			t.Errorf("%s without a reason: %v", dr.Edits[0].Path, err)
		}
	}
	d.mustPublish(draft(edit("short_blurb", `"A film about a boat."`, `"Another."`),
		edit("tiers[]", "", `{"name":"Ticket","price":15}`), edit("tiers[poster].limit_total", "", "50")))
	d.mustPublish(draft(edit("tiers[poster].limit_total", "50", "60"), edit("tiers[early-bird].price", "10", "11")))
	dr := draft(edit("goal_amount", "25000", "20000"))
	dr.Reason = "The boat costs\nless."
	d.mustPublish(dr)
	if got := d.log()[0].Trailer("Reason"); got != "The boat costs less." {
		t.Errorf("the reason is %q", got)
	}
	d.promise = fault.New(fault.Conflict, "The campaign is closed")
	if _, err := d.Publish(ctx, by("Ana", "d"),
		draft(edit("short_blurb", `"Another."`, `"Again."`))); !fault.Is(err, fault.Conflict) {
		t.Errorf("against a promise: %v", err)
	}
}

func TestPublish_DuplicateSlug(t *testing.T) {
	d := newFixture(t)
	served := d.catalogue()
	d.Catalogue = func() *campaign.Catalogue { return served }
	d.put("campaigns/copy.md", ferry)
	_, err := d.Publish(ctx, by("Ana", "c"),
		content.Draft{File: "campaigns/copy.md", Edits: []content.Edit{edit("goal_amount", "25000", "1")}})
	if !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "slug" {
		t.Errorf("another file's slug: %v", err)
	}
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
				_, err := d.Publish(ctx, by("W", fmt.Sprintf("w%d-%d", w, n)),
					draft(edit(names[i], fmt.Sprint(was), fmt.Sprint(now))))
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
