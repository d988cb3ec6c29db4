package content_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// labels returns the texts of some fields, as in package schema.
func labels(_, path, lang string) (content.FieldText, bool) {
	es := lang == "es"
	switch {
	case path == "goal_amount" && es:
		return content.FieldText{Tab: "settings", TabLabel: "Ajustes", Section: "dates", Label: "Meta", Kind: "money"}, true
	case path == "goal_amount":
		return content.FieldText{Tab: "settings", TabLabel: "Settings", Section: "dates",
			Label: "Funding goal", Kind: "money"}, true
	case path == "goal_deadline":
		return content.FieldText{Tab: "settings", TabLabel: "Settings", Section: "dates",
			Label: "Ends", Kind: "datetime"}, true
	case strings.HasPrefix(path, "tiers") && strings.HasSuffix(path, ".limit_total"):
		return content.FieldText{Tab: "tiers", TabLabel: "Tiers", Label: "Limit", Kind: "integer"}, true
	case strings.HasPrefix(path, "tiers") && strings.HasSuffix(path, ".price"):
		return content.FieldText{Tab: "tiers", TabLabel: "Tiers", Label: "Price", Kind: "money"}, true
	case strings.HasPrefix(path, "tiers"):
		return content.FieldText{Tab: "tiers", TabLabel: "Tiers", Label: "Rewards"}, true
	}
	if text, ok := valueTexts[path]; ok {
		return text, true
	}
	return content.FieldText{Label: path}, false
}

// valueTexts are the texts of fields with more kinds of values.
var valueTexts = map[string]content.FieldText{
	"recovery.grace_days": {Label: "Time to fix a payment", Kind: "integer", Unit: "days"},
	"recovery.retry_days": {Label: "Retry on days", Kind: "integers", Unit: "days"},
	"recovery.attempts":   {Label: "Attempts", Kind: "integer"},
	"ships_to": {Label: "Ships to", Kind: "countries",
		Choices: map[string]string{"DZ": "Algeria", "US": "United States", "everywhere": "All countries"}},
	"hero_image":                      {Label: "Picture", Kind: "media"},
	"decisions[which-poster].options": {Label: "Answers", Kind: "objects"},
}

// formatChange formats a change of a review.
func formatChange(c content.Change) string {
	out := fmt.Sprintf("%s %s/%s: %s: %q to %q", c.Action, c.TabLabel, c.Item, c.Label, c.BeforeText, c.AfterText)
	if c.Affected != nil {
		out += ". " + c.Affected.Words
	}
	return out
}

func TestPreview_LabelsAndPlaces(t *testing.T) {
	d := newFixture(t)
	d.setPledged(412, map[string]int{"tier/poster": 46})
	edits := draft(
		edit("goal_amount", "25000", "31000"), edit("goal_deadline", `"2026-12-18"`, `"2026-12-20"`),
		edit("tiers[poster].price", "30", "35.50"),
		edit("tiers[early-bird].price", "10", "11"), edit("tiers[]", "", `{"name":"Ticket","price":15}`),
	)
	for lang, want := range map[string][]string{
		"en": {
			`set Settings/: Ends: "Friday, December 18, 2026, 11:59 PM MST" to "Sunday, December 20, 2026, 11:59 PM MST". 412 supporters pledged under the old deadline. They will see the change and your reason.`,
			`set Settings/: Funding goal: "$25,000" to "$31,000". 412 supporters pledged under the old goal. They will see the change and your reason.`,
			`set Tiers/Early Bird: Price: "$10" to "$11"`,
			`set Tiers/Poster: Price: "$30" to "$35.50". Poster was claimed 46 times before this change. Its supporters can read your reason.`,
			`added Tiers/Ticket: Reward: "" to "Ticket"`,
		},
		"es": {
			`set Settings/: Ends: "viernes, 18 de diciembre de 2026, 23:59 MST" to "domingo, 20 de diciembre de 2026, 23:59 MST". 412 mecenas aportaron con la fecha límite anterior. Verán el cambio y tu motivo.`,
			`set Ajustes/: Meta: "25.000\u00a0US$" to "31.000\u00a0US$". 412 mecenas aportaron con la meta anterior. Verán el cambio y tu motivo.`,
			`set Tiers/Early Bird: Price: "10\u00a0US$" to "11\u00a0US$"`,
			`set Tiers/Poster: Price: "30\u00a0US$" to "35,50\u00a0US$". Poster se eligió 46 veces antes de este cambio. Sus mecenas pueden leer tu motivo.`,
			`added Tiers/Ticket: Recompensa: "" to "Ticket"`,
		},
	} {
		r, err := d.In(lang, labels).Preview(ctx, edits)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Changes {
			got = append(got, formatChange(c))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", lang, diff)
		}
	}
	r, err := d.In("en", labels).Preview(ctx, edits)
	want := content.Target{Tab: "tiers", List: "tiers", Item: "poster", Field: "price"}
	if err != nil || r.Changes[3].Target != want {
		t.Errorf("target: %+v, %v", r.Changes[3].Target, err)
	}
}

// Fields of objects and lists are shown separately, with names and units instead of codes.
func TestPreview_DisplayValues(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after []content.Edit
		want          []string
	}{
		"a list in a new object": {nil, []content.Edit{edit("recovery.retry_days", "", "[3,7]")},
			[]string{`Retry on days: "" to "3, 7 days"`}},
		"an object that is removed": {
			[]content.Edit{edit("recovery.grace_days", "", "20"), edit("recovery.attempts", "", "5")},
			[]content.Edit{edit("recovery", `{"grace_days":20,"attempts":5}`, "")},
			[]string{`Time to fix a payment: "20 days" to ""`, `Attempts: "5" to ""`},
		},
		"an empty list": {[]content.Edit{edit("recovery.retry_days", "", "[1]")},
			[]content.Edit{edit("recovery.retry_days", "[1]", "[]")}, []string{`Retry on days: "1 day" to "None"`}},
		"countries": {[]content.Edit{edit("ships_to", "", `"everywhere"`)}, []content.Edit{edit("ships_to",
			`"everywhere"`, `["DZ","US"]`)}, []string{`Ships to: "All countries" to "Algeria, United States"`}},
		"a picture": {nil, []content.Edit{edit("hero_image", `"/assets/images/campaigns/night-ferry/hero.jpg"`,
			`"/assets/images/campaigns/night-ferry/old.jpg"`)}, []string{`Picture: "hero.jpg" to "old.jpg"`}},
	} {
		d := newFixture(t)
		if tt.before != nil {
			d.mustPublish(draft(tt.before...))
		}
		r, err := d.In("en", labels).Preview(ctx, draft(tt.after...))
		var got []string
		for _, c := range r.Changes {
			got = append(got, fmt.Sprintf("%s: %q to %q", c.Label, c.BeforeText, c.AfterText))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// A changed entry requires a reason only if supporters have chosen it.
func TestPreview_ReasonOnlyForClaimedEntries(t *testing.T) {
	d := newFixture(t)
	d.setPledged(412, map[string]int{"tier/poster": 46})
	for path, want := range map[string]bool{"tiers[early-bird].price": false, "tiers[poster].price": true} {
		was := map[string]string{"tiers[early-bird].price": "10", "tiers[poster].price": "30"}[path]
		r, err := d.Preview(ctx, draft(edit(path, was, "40")))
		if err != nil || r.NeedsReason != want {
			t.Errorf("%s: reason needed %t, %v", path, r.NeedsReason, err)
		}
	}
	d.claims.Support = map[string]money.Cents{"boat": 90_00}
	d.mustPublish(draft(edit("support_items", "", `[{"label":"Boat","target":100}]`)))
	r, err := d.Preview(ctx, draft(edit("support_items[boat].target", "100", "200")))
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Affected == nil || r.Changes[0].Affected.Amount != 90_00 {
		t.Errorf("support item: %+v, %v", r.Changes, err)
	}
}

// Problems are returned together with the changes, each with a place and a sentence.
func TestPreview_Problems(t *testing.T) {
	d := newFixture(t)
	d.setPledged(50, map[string]int{"tier/poster": 46})
	d.mustPublish(draft(edit("tiers[poster].limit_total", "", "60")))
	r, err := d.In("en", labels).Preview(ctx,
		draft(edit("tiers[poster].limit_total", "60", "5"), edit("goal_amount", "25000", "31000")))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) != 1 || len(r.Changes) != 2 || r.Base == "" {
		t.Fatalf("the review is %+v", r)
	}
	p := r.Problems[0]
	if got, want := p.TabLabel+" · "+p.Item+" · "+p.Words,
		"Tiers · Poster · Limit: enter 46 or more, because 46 are already claimed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := (content.Target{Tab: "tiers", List: "tiers", Item: "poster", Field: "limit_total"}); p.Target != want {
		t.Errorf("target %+v", p.Target)
	}
	r, err = d.In("es", labels).Preview(ctx, draft(edit("tiers[poster].price", "30", `"-5"`)))
	if err != nil || len(r.Problems) != 1 ||
		r.Problems[0].Words != "Price: escribe una cantidad de 0 o más, con dos decimales como máximo" ||
		r.Problems[0].Item != "Poster" || r.Problems[0].Target.Item != "poster" {
		t.Errorf("negative price: %+v, %v", r.Problems, err)
	}
}

func TestPublish_RefusesClaimedEntries(t *testing.T) {
	poster, shirt := `{"name":"Poster","price":30,"category":"digital"}`,
		`{"name":"Shirt","price":20,"variants":[{"label":"S","inventory":5},{"label":"M","inventory":9}]}`
	for name, tt := range map[string]struct {
		edit    content.Edit
		refused bool
	}{
		"claimed reward":         {edit("tiers[poster]", poster, ""), true},
		"unclaimed reward":       {edit("tiers[early-bird]", `{"name":"Early Bird","price":10}`, ""), false},
		"all rewards":            {edit("tiers", `[{"name":"Early Bird","price":10},`+poster+`]`, ""), true},
		"limit below the claims": {edit("tiers[poster].limit_total", "", "45"), true},
		"limit at the claims":    {edit("tiers[poster].limit_total", "", "46"), false},
		"claimed variant":        {edit("campaign_add_ons[shirt].variants[s]", `{"label":"S","inventory":5}`, ""), true},
		"variant's stock":        {edit("campaign_add_ons[shirt].variants[s].inventory", "5", "3"), true},
		"unclaimed variant":      {edit("campaign_add_ons[shirt].variants[m].inventory", "9", "0"), false},
		"add-on with claims":     {edit("campaign_add_ons[shirt]", shirt, ""), true},
	} {
		d := newFixture(t)
		d.mustPublish(draft(edit("campaign_add_ons[]", "", shirt)))
		d.setPledged(50, map[string]int{"tier/poster": 46, "add-on/shirt/s": 4})
		dr := draft(tt.edit)
		dr.Reason = "We ran out."
		_, err := d.Publish(ctx, by("Ana", "c"), dr)
		if fault.Is(err, fault.Invalid) != tt.refused || err != nil && !tt.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Reordering is reported as one change that supporters do not rely on, and does not hide other
// changes.
func TestPreview_Order(t *testing.T) {
	d := newFixture(t)
	d.setPledged(50, map[string]int{"tier/poster": 46, "tier/early-bird": 4})
	bird, poster := `{"name":"Early Bird","price":10}`, `{"name":"Poster","price":30,"category":"digital"}`
	r, err := d.In("en", labels).Preview(ctx, draft(edit("tiers", "["+bird+","+poster+"]", "["+poster+","+bird+"]")))
	if err != nil || len(r.Changes) != 1 || r.NeedsReason ||
		formatChange(r.Changes[0]) != `moved Tiers/: Order: "Early Bird\nPoster" to "Poster\nEarly Bird"` {
		t.Errorf("reordered: %+v, %v", r.Changes, err)
	}
	dearer := strings.Replace(poster, "30", "35", 1)
	r, err = d.In("en", labels).Preview(ctx, draft(edit("tiers", "["+bird+","+poster+"]", "["+dearer+","+bird+"]")))
	if err != nil || len(r.Changes) != 2 || !r.NeedsReason || r.Changes[0].Path != "tiers[poster].price" {
		t.Errorf("reordered with another price: %+v, %v", r.Changes, err)
	}
}

func TestPreview_Dates(t *testing.T) {
	for name, tt := range map[string]struct {
		now  time.Time
		edit content.Edit
		want string // of the problem or warning
	}{
		"goal of zero": {time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), edit("goal_amount", "25000", "0"),
			"write more than 0 dollars"},
		"deadline in the past": {time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), edit("goal_deadline", `"2026-12-18"`,
			`"2026-11-20"`), "is in the past: the campaign ends as soon as this is published"},
		"before the start": {time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC),
			edit("goal_deadline", `"2026-12-18"`, `"2020-02-20"`), "is before start_date"},
		"start of a live one": {time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
			edit("start_date", `"2026-11-02"`, `"2026-11-05"`), "cannot change: the campaign has started"},
		"start before it": {time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC),
			edit("start_date", `"2026-11-02"`, `"2026-11-05"`), ""},
	} {
		d := newFixture(t)
		d.now = tt.now
		r, err := d.Preview(ctx, draft(tt.edit))
		got := ""
		for _, p := range append(r.Problems, r.Warnings...) {
			if p.Field == tt.edit.Path {
				got = p.Message
			}
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// An unchanged read-only field is ignored. A changed one is reported as a problem with its place,
// and the other changes are shown.
func TestPublish_ReadOnlyFields(t *testing.T) {
	d := newFixture(t)
	d.mustPublish(draft(edit("slug", `"night-ferry"`, `"night-ferry"`), edit("charged", "false", "false"),
		edit("goal_amount", "25000", "26000")))
	_, err := d.In("en", labels).Publish(ctx, by("Ana", "c"), draft(edit("charged", "", "true")))
	var r *content.RefusedError
	if !errors.As(err, &r) || len(r.Problems) != 1 || r.Problems[0].Words != "charged: this cannot be changed" ||
		r.Problems[0].Target.Field != "charged" {
		t.Errorf("a changed read-only field: %v, %+v", err, r)
	}
}

// A conflict contains everything needed to keep either value without reading the file again.
func TestPublish_ConflictValues(t *testing.T) {
	d := newFixture(t)
	d.mustPublish(draft(edit("tiers[poster].price", "30", "35")))
	mine := draft(edit("tiers[poster].price", "30", "40"), edit("short_blurb", `"A film about a boat."`, `"A film."`))
	_, err := d.In("en", labels).Publish(ctx, by("Bo", "late"), mine)
	var r *content.RefusedError
	if !errors.As(err, &r) || len(r.Conflicts) != 1 {
		t.Fatalf("got %v", err)
	}
	c := r.Conflicts[0]
	got := []string{c.TabLabel, c.Item, c.Label, c.WasText, c.IsText, c.WantText, c.By.Name, r.Current}
	want := []string{"Tiers", "Poster", "Price", "$30", "$35", "$40", "Ana", repository.SHA(d.bytes(ferryFile))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	mine.Edits[0].Was = c.Is // keep mine
	d.mustPublish(mine)
	if !strings.Contains(string(d.bytes(ferryFile)), "price: 40") {
		t.Error("the kept value was not published")
	}
}

// A text that is too long is rejected with its length and the limit, and never truncated.
func TestPublish_TooLongNames(t *testing.T) {
	d := newFixture(t)
	_, err := d.Create(ctx, by("Ana", "c"), strings.Repeat("a", 93), "")
	if f := fault.Of(err); f == nil || f.Message != "The title is 93 characters long; the limit is 80" {
		t.Errorf("title: %v", err)
	}
	for path, want := range map[string]string{"title": "title: use 80 characters at most; it has 120",
		"tiers[poster].name": "Rewards: use 100 characters at most; it has 120"} {
		was := map[string]string{"title": `"Night Ferry"`, "tiers[poster].name": `"Poster"`}[path]
		r, err := d.In("en", labels).Preview(ctx, draft(edit(path, was, `"`+strings.Repeat("a", 120)+`"`)))
		if err != nil || len(r.Problems) != 1 || r.Problems[0].Words != want {
			t.Errorf("%s: %+v, %v", path, r.Problems, err)
		}
	}
}

// Every message of the parsers has a wording in both languages.
func TestTranslated_AllMessages(t *testing.T) {
	used := 0
	for _, folder := range []string{"campaignfile", "safety", "richtext"} {
		files, err := filepath.Glob("../../pledge/campaign/" + folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range messagesIn(t, name) {
				used++
				if !content.Translated(m) {
					t.Errorf("%s: %q has no translation", filepath.Base(name), m)
				}
			}
		}
	}
	if used < 70 {
		t.Errorf("found only %d messages", used)
	}
}

// messagesIn returns the formats of the problems and warnings that a file can report.
func messagesIn(t *testing.T, name string) (all []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	format := map[string]int{"fail": 2, "warn": 2, "failKey": 1}
	if strings.Contains(name, "safety") || strings.Contains(name, "richtext") || strings.HasSuffix(name, "amount.go") {
		format["New"] = 1
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		at, known := format[called.Sel.Name]
		if !known || len(call.Args) <= at {
			return true
		}
		if l, ok := call.Args[at].(*ast.BasicLit); ok {
			if text, err := strconv.Unquote(l.Value); err == nil && text != "%s" {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}
