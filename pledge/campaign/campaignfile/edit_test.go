package campaignfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const edited = `---
# About the film.
title:   Night Ferry   # working title
start_date: 2026-11-02
goal_deadline: 2026-12-18
_mood: [blue,   "grey" ]
goal_amount: 100 # dollars

# What people get.
tiers:
  # The first ones.
  - name: Early Bird
    price: $10
    limit_total: 5

  # All others.
  - id: download
    price: 25
    name: "Download"
    description: |
      One line.

      # not a comment

  # A flow mapping.
  - {id: poster, name: Poster, price: 30, shipping: &tube {weight_oz: 8, length_in: 18, width_in: 3, height_in: 3}}
  - id: print
    name: Print
    price: 40
    shipping: *tube
# The end of the tiers.
diary:
- date: 2026-11-03
  title: Open
  body: Hello.
_blank:
---

The body,  as it is.
`

func change(path, value string) campaignfile.Change {
	return campaignfile.Change{Path: path, Value: json.RawMessage(value)}
}

// edit returns the file with the changes, if it is valid.
func edit(name string, src []byte, changes ...campaignfile.Change) ([]byte, error) {
	d, err := campaignfile.Open(name, src)
	if err != nil {
		return nil, err
	}
	if d, err = d.Apply(changes...); err != nil {
		return nil, err
	}
	switch name {
	case "a.md":
		_, err = d.Campaign()
	case campaign.AddOnsFile:
		_, err = d.AddOns()
	}
	return d.Bytes(), err
}

// swap is a part of a file and the text that replaces it.
type swap struct{ old, now string }

func TestApply_ChangesOnlyItsField(t *testing.T) {
	for _, tt := range []struct {
		name    string
		changes []campaignfile.Change
		swaps   []swap
	}{
		{"nothing", nil, nil},
		{"number keeps its comment", []campaignfile.Change{change("goal_amount", "250.50")},
			[]swap{{"goal_amount: 100 #", "goal_amount: 250.50 #"}}},
		{"date stays plain", []campaignfile.Change{change("start_date", `"2026-11-03"`)},
			[]swap{{"start_date: 2026-11-02", "start_date: 2026-11-03"}}},
		{"quoted text stays quoted", []campaignfile.Change{change("tiers[download].name", `"To keep"`)},
			[]swap{{`name: "Download"`, `name: "To keep"`}}},
		{"entry by index", []campaignfile.Change{change("tiers[1].price", `"26"`)}, []swap{{"price: 25", "price: 26"}}},
		{"block of text", []campaignfile.Change{change("tiers[download].description", `"Short."`)},
			[]swap{{"description: |\n      One line.\n\n      # not a comment\n", "description: Short.\n"}}},
		{"multi-line text", []campaignfile.Change{change("diary[0].body", `"One.\n\n- two\n"`)},
			[]swap{{"body: Hello.", "body: |\n    One.\n\n    - two"}}},
		{"in a flow mapping", []campaignfile.Change{change("tiers[poster].price", "35")}, []swap{{"price: 30", "price: 35"}}},
		{"anchored value", []campaignfile.Change{change("tiers[poster].shipping",
			`{"weight_oz":9.5,"length_in":18,"width_in":3,"height_in":3}`)},
			[]swap{{"weight_oz: 8", "weight_oz: 9.5"}}},
		{"new key", []campaignfile.Change{change("tiers[early-bird].stackable", "true")},
			[]swap{{"limit_total: 5\n", "limit_total: 5\n    stackable: true\n"}}},
		{"new top-level key", []campaignfile.Change{change("test_only", "true")},
			[]swap{{"_blank:\n", "_blank:\ntest_only: true\n"}}},
		{"new mapping", []campaignfile.Change{change("custom_amount.min", "5")},
			[]swap{{"_blank:\n", "_blank:\ncustom_amount:\n  min: 5\n"}}},
		{"new entry", []campaignfile.Change{change("tiers[]", `{"name":"Credit","price":"5.00"}`)},
			[]swap{{"shipping: *tube\n", "shipping: *tube\n  - name: Credit\n    price: \"5.00\"\n"}}},
		{"first entry of a list", []campaignfile.Change{change("decisions[]", `{"title":"A?","options":["B","C"]}`)},
			[]swap{{"_blank:\n", "_blank:\ndecisions:\n  - title: A?\n    options:\n      - B\n      - C\n"}}},
		{"entry of a flat list", []campaignfile.Change{change("diary[]", `{"date":"2026-11-04","title":"More"}`)},
			[]swap{{"  body: Hello.\n", "  body: Hello.\n- date: \"2026-11-04\"\n  title: More\n"}}},
		{"removed key", []campaignfile.Change{change("tiers[early-bird].limit_total", "null")},
			[]swap{{"    limit_total: 5\n", ""}}},
		{"removed first key of an entry",
			[]campaignfile.Change{change("tiers[download].price", "26"), change("tiers[print].shipping", "")},
			[]swap{{"price: 25", "price: 26"}, {"    shipping: *tube\n", ""}}},
		{"removed entry", []campaignfile.Change{change("tiers[download]", "")},
			[]swap{{"  # All others.\n  - id: download\n    price: 25\n    name: \"Download\"\n" +
				"    description: |\n      One line.\n\n      # not a comment\n\n", ""}}},
		{"removing an absent key", []campaignfile.Change{change("short_blurb", "")}, nil},
		{"blank key", []campaignfile.Change{change("_blank", `"x"`)}, []swap{{"_blank:\n", "_blank: x\n"}}},
		{"unknown key", []campaignfile.Change{change("_mood", `"red"`)}, []swap{{`_mood: [blue,   "grey" ]`, "_mood: red"}}},
		{"body", []campaignfile.Change{change("body", `"New.\n"`)}, []swap{{"\nThe body,  as it is.\n", "New.\n"}}},
		{"text that needs quotes", []campaignfile.Change{change("diary[0].body", `"A: b # c"`)},
			[]swap{{"body: Hello.\n", "body: 'A: b # c'\n"}}},
		{"title keeps the slug", []campaignfile.Change{change("title", `"Day Ferry"`)},
			[]swap{{"title:   Night Ferry   # working title", "title: Day Ferry # working title"},
				{"_blank:\n", "_blank:\nslug: night-ferry\n"}}},
		{"name keeps the ID", []campaignfile.Change{change("tiers[early-bird].name", `"First"`)},
			[]swap{{"name: Early Bird", "name: First"}, {"limit_total: 5\n", "limit_total: 5\n    id: early-bird\n"}}},
		{"diary title keeps the ID", []campaignfile.Change{change("diary[2026-11-03-open].title", `"We are open"`)},
			[]swap{{"  title: Open\n", "  title: We are open\n"},
				{"  body: Hello.\n", "  body: Hello.\n  id: 2026-11-03-open\n"}}},
		{"first entry as a whole", []campaignfile.Change{change("tiers[early-bird]", `{"name":"Early Bird","price":12}`)},
			[]swap{{"price: $10\n    limit_total: 5\n", "price: 12\n"}}},
		{"removed first entry", []campaignfile.Change{change("tiers[early-bird]", "")},
			[]swap{{"  - name: Early Bird\n    price: $10\n    limit_total: 5\n\n", "\n"}}},
		{"list in one line", []campaignfile.Change{change("_mood", `["red"]`)}, []swap{{`[blue,   "grey" ]`, "[red]"}}},
		{"digits as text", []campaignfile.Change{change("diary[0].body", `"5"`)}, []swap{{"body: Hello.", `body: "5"`}}},
		{"number for quoted text", []campaignfile.Change{change("tiers[download].name", "5")},
			[]swap{{`name: "Download"`, "name: 5"}}},
		{"name by index", []campaignfile.Change{change("tiers[0].name", `"First"`)},
			[]swap{{"name: Early Bird", "name: First"}, {"limit_total: 5\n", "limit_total: 5\n    id: early-bird\n"}}},
	} {
		for _, newline := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s%q", tt.name, newline), func(t *testing.T) {
				want := edited
				for _, s := range tt.swaps {
					if strings.Count(want, s.old) != 1 {
						t.Fatalf("%q does not occur exactly once", s.old)
					}
					want = strings.Replace(want, s.old, s.now, 1)
				}
				src := strings.ReplaceAll(edited, "\n", newline)
				got, err := edit("a.md", []byte(src), tt.changes...)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.ReplaceAll(want, "\n", newline), string(got)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// Proves CAM-03, CAM-07, CAM-08, CAM-19, CAM-23.
func TestApply_RefusesReadOnlyFields(t *testing.T) {
	for _, tt := range []struct{ src, path, value string }{
		{edited, "slug", `"x"`}, {edited, "charged", "true"}, {edited, "tiers[download].id", `"x"`},
		{edited, "tiers[0].id", `"x"`},
		{whole, "support_items[coats].id", `"x"`}, {whole, "campaign_add_ons[shirt].id", `"x"`},
		{whole, "campaign_add_ons[0].variants[small].id", `"x"`},
	} {
		for _, value := range []string{tt.value, "null"} {
			_, err := edit("a.md", []byte(tt.src), change(tt.path, value))
			if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tt.path {
				t.Errorf("%s = %s: %v; want an error", tt.path, value, err)
			}
		}
	}
	_, err := edit(campaign.AddOnsFile, []byte(products), change("products[sticker].id", `"x"`))
	if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "products[sticker].id" {
		t.Errorf("platform add-on: %v; want an error", err)
	}
	out, err := edit("a.md", []byte(edited), change("title", `"Day Ferry"`), change("tiers[early-bird].name", `"First"`))
	if err != nil {
		t.Fatal(err)
	}
	c := parse(t, out)
	if c.Slug != "night-ferry" || c.Title != "Day Ferry" || c.Tiers[0].ID != "early-bird" || c.Tiers[0].Name != "First" {
		t.Errorf("slug %q of %q, tier %q of %q", c.Slug, c.Title, c.Tiers[0].ID, c.Tiers[0].Name)
	}
	for before, want := range map[string]string{"title: Night Ferry\nslug: older-name\n": "older-name", "": "day-ferry"} {
		out, err := edit("a.md", []byte(strings.Replace(string(file("")), "title: Night Ferry\n", before, 1)),
			change("title", `"Day Ferry"`))
		if err != nil {
			t.Fatal(err)
		}
		if c := parse(t, out); c.Slug != want || c.Title != "Day Ferry" {
			t.Errorf("after %q, slug of %q: %q, want %q", before, c.Title, c.Slug, want)
		}
	}
}

// Proves CAM-08, CAM-19, CAM-23.
func TestApply_RenamedEntryKeepsID(t *testing.T) {
	for _, path := range []string{
		"tiers[a-poster].name", "campaign_add_ons[shirt].name", "campaign_add_ons[shirt].variants[small].label",
		"products[sticker].name", "products[shirt].variants[s].label",
	} {
		name, src := "a.md", whole
		if strings.HasPrefix(path, "products") {
			name, src = campaign.AddOnsFile, products
		}
		out, err := edit(name, []byte(src), change(path, `"Another"`))
		if err != nil || !strings.Contains(string(out), "Another") {
			t.Errorf("%s: %v\n%s", path, err, out)
			continue
		}
		if again, err := edit(name, out, change(path, `"A third"`)); err != nil ||
			!strings.Contains(string(again), "A third") {
			t.Errorf("%s not found by its ID: %v", path, err)
		}
	}
}

// An entry that is replaced as a whole keeps its ID.
//
// Proves CAM-08, CAM-19, CAM-23.
func TestApply_ReplacedEntryKeepsID(t *testing.T) {
	for _, tt := range []struct {
		src, path, value string
		refused          bool
	}{
		{edited, "tiers[early-bird]", `{"name":"First","price":12}`, true},
		{edited, "tiers[0]", `{"id":"first","name":"Early Bird","price":12}`, true},
		{edited, "tiers[early-bird]", `{"id":"early-bird","name":"First","price":12}`, false},
		{edited, "tiers[early-bird]", `{"name":"Early Bird","price":12}`, false},
		{edited, "tiers[early-bird]", ``, false},
		{edited, "tiers[]", `{"name":"Another","price":12}`, false},
		{whole, "campaign_add_ons[pin]", `{"name":"Needle","price":3}`, true},
		{whole, "campaign_add_ons[shirt].variants[small]", `{"label":"Tiny"}`, true},
		{whole, "campaign_add_ons[shirt].variants[small]", `{"id":"small","label":"Tiny"}`, false},
		{products, "products[sticker]", `{"name":"Badge","price":4,"category":"digital"}`, true},
		{products, "products[0]", `{"id":"badge","name":"Sticker","price":4,"category":"digital"}`, true},
		{products, "products[shirt].variants[s]", `{"label":"XS"}`, true},
		{products, "products[sticker]", `{"id":"sticker","name":"Badge","price":4,"category":"digital"}`, false},
	} {
		name := "a.md"
		if tt.src == products {
			name = campaign.AddOnsFile
		}
		_, err := edit(name, []byte(tt.src), change(tt.path, tt.value))
		if f := fault.Of(err); tt.refused != (f != nil && f.Code == fault.Invalid && f.Field == tt.path) ||
			!tt.refused && err != nil {
			t.Errorf("%s = %s: %v; want error: %t", tt.path, tt.value, err, tt.refused)
		}
	}
	nameless := "---\ntitle: A\npreview_only: true\ntiers:\n  - price: 1\n---\n"
	if _, err := edit("a.md", []byte(nameless), change("tiers[0]", `{"name":"A","price":1}`)); err != nil {
		t.Errorf("replacing an entry without an ID: %v", err)
	}
}

func TestApply_RefusesInvalidResult(t *testing.T) {
	for _, tt := range []struct{ path, value, field string }{
		{"goal_amount", `"1.234"`, "goal_amount"},
		{"tiers[download].price", `-1`, "tiers[1].price"},
		{"title", `null`, "title"},
		{"tiers[]", `{"price":1}`, "tiers[4].name"},
		{"goal_deadline", `"2026-01-01"`, "goal_deadline"},
		{"body", `"<script>"`, "body"},
		{"body", `3`, "body"},
		{"tiers[download].description", `"<iframe>"`, "tiers[1].description"},
		{"tiers[nobody].price", `1`, "tiers[nobody].price"},
		{"title.more", `1`, "title.more"},
		{"tiers.price", `1`, "tiers.price"},
		{"tiers[print].shipping.weight_oz", `1`, "tiers[print].shipping.weight_oz"},
		{"tiers[poster]", ``, "tiers[poster]"},
		{"goal_amount", `{`, "goal_amount"},
		{"goal_amount", `1 2`, "goal_amount"},
		{"_mood", strings.Repeat("[", 50) + strings.Repeat("]", 50), "_mood"},
		{"../title", `1`, "path"},
		{strings.Repeat("p", 301), `1`, "path"},
		{"", `1`, "path"},
	} {
		out, err := edit("a.md", []byte(edited), change(tt.path, tt.value))
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tt.field {
			t.Errorf("%s = %s: %q, %v; want an error about %s", tt.path, tt.value, out, err, tt.field)
		}
	}
}

func TestApply_RemovesBody(t *testing.T) {
	for _, nothing := range []string{"", "null", `""`} {
		out, err := edit("a.md", []byte(edited), change("body", nothing))
		if want := strings.TrimSuffix(edited, "\nThe body,  as it is.\n"); err != nil || string(out) != want {
			t.Errorf("with %q: %v\n%s", nothing, err, cmp.Diff(want, string(out)))
		}
	}
}

func TestApply_FixesInvalidFile(t *testing.T) {
	src := strings.Replace(edited, "goal_amount: 100", "goal_amount: lots", 1)
	if _, err := edit("a.md", []byte(src)); !errors.As(err, new(campaign.Problems)) {
		t.Errorf("error %v", err)
	}
	out, err := edit("a.md", []byte(src), change("goal_amount", "100"))
	if err != nil || string(out) != edited {
		t.Errorf("%v\n%s", err, cmp.Diff(edited, string(out)))
	}
}

// Proves CAM-26, CAM-32.
func TestApply_KeepsExplicitZeroAndEmpty(t *testing.T) {
	src := file("long_content: [{type: image, src: /a.jpg, alt: Boat}]\n" +
		"campaign_add_ons:\n  - name: Shirt\n    price: 20\n    variants:\n      - label: S\n")
	out, err := edit("a.md", src, change("long_content[0].alt", `""`),
		change("campaign_add_ons[shirt].variants[s].price", "0"))
	if err != nil {
		t.Fatal(err)
	}
	c := parse(t, out)
	if price := c.AddOns[0].Variants[0].Price; price == nil || *price != 0 || c.Content[0].Images[0].Alt != "" {
		t.Errorf("from %s\n%+v", out, c)
	}
	if _, err := edit("a.md", out, change("campaign_add_ons[shirt].variants[s].price", "-1")); err == nil {
		t.Error("a negative variant price was written")
	}
	out, err = edit("a.md", out, change("campaign_add_ons[shirt].variants[s].price", "null"))
	if err != nil || strings.Contains(string(out), "price: 0") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestApply_AddOnsKeepEverythingElse(t *testing.T) {
	out, err := edit(campaign.AddOnsFile, []byte("\ufeff# Ours.\n"+products),
		change("products[sticker].inventory", "4"), change("enabled", "true"))
	if err != nil {
		t.Fatal(err)
	}
	want := "\ufeff# Ours.\n" + strings.Replace(products, "inventory: 10", "inventory: 4", 1) + "enabled: true\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
	if _, err := edit(campaign.AddOnsFile, []byte(products),
		change("products[sticker].price", "1000000.01")); !fault.Is(err, fault.Invalid) {
		t.Errorf("error %v", err)
	}
	if out, err := edit(campaign.AddOnsFile, nil, change("products[]", `{"name":"A","price":1}`)); err != nil ||
		string(out) != "products:\n  - name: A\n    price: 1\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// An edit keeps comments, blank lines and formatting around it.
func TestApply_SettingsKeepEverythingElse(t *testing.T) {
	for _, tt := range []struct{ name, src, path, value, want string }{
		{"missing line end", "a:   1 # one\nb:   2", "a", "3", "a: 3 # one\nb:   2\n"},
		{"empty file", "", "a", "", ""},
		{"first line", "a: 1\nb:   2\n", "a", "", "b:   2\n"},
		{"last line", "a:   1\n\nb: 2\n", "b", "", "a:   1\n\n"},
		{"only field", "# Ours.\n\n# More.\na: 1\n", "a", "", "# Ours.\n\n# More.\n"},
		{"only field of a mapping", "m:\n  a: 1\nb:   2\n", "m.a", "", "m: {}\nb:   2\n"},
		{"comment of the previous entry", "l:\n  - a: 1\n    # of a\n  # of b, see #3\n  - b: 1\n",
			"l[1]", "", "l:\n  - a: 1\n    # of a\n"},
		{"comments further above", "l:\n  - a: 1\n\n  # x\n\n  # y\n\n  # z\n  - b: 1\n  - c:   1\n",
			"l[1]", "", "l:\n  - a: 1\n\n  # x\n\n  # y\n\n  - c:   1\n"},
		{"comment of the first entry", "l:\n  # x\n  - a: 1\n  # y\n  - c:   1\n", "l[0]",
			"", "l:\n  # x\n  # y\n  - c:   1\n"},
		{"comment below a rewritten entry", "l:\n  - a: 1\n    n: {b: 2}\n    # below\n\n  - c:   1\n",
			"l[0].a", "", "l:\n  - n: {b: 2}\n    # below\n\n  - c:   1\n"},
		{"digits for a list", "a:\n  - b\n", "a", `"5"`, "a: \"5\"\n"},
		{"comment below", "l:\n  - m: {b: 1}\n    # below\n\n  - b:   1\n", "l[0].m.b", "2",
			"l:\n  - m: {b: 2}\n    # below\n\n  - b:   1\n"},
		{"comment after a list", "a: [b] # note\n", "a", `["x"]`, "a: [x] # note\n"},
		{"comment after a replaced list", "a: [b] # note\n", "a", `"x"`, "a: x # note\n"},
		{"entry below its hyphen", "l:\n-\n  a: 1\n-\n  b: 1\nc:   1\n", "l[0]", "", "l:\n  - b: 1\nc:   1\n"},
		{"anchored value", "a: &x 5\nb:   *x\n", "a", `"five"`, "a: &x five\nb:   *x\n"},
		{"other line ends", "a: 1\rb:   2\rc:   3\n", "b", "4", "a: 1\rb: 4\nc:   3\n"},
		{"line separators in text", "t: \"1\u20282\u0085\n  3\u2029\"\na: 1\nb:   2\n", "a", "3",
			"t: \"1\u20282\u0085\n  3\u2029\"\na: 3\nb:   2\n"},
		{"line separators in new text", "l:\n- t: a\n- b:   2\n", "l[0].t", "\"1\u20282\"",
			"l:\n- t: '1\u2028    2'\n- b:   2\n"},
		{"longest path, absent", "b:   2\n", strings.Repeat("p", 300), "", "b:   2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := edit("site.yml", []byte(tt.src), change(tt.path, tt.value))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

// A renamed entry can get the name of another entry.
func TestApply_RenamedEntry(t *testing.T) {
	for _, tt := range []struct{ name, src, value, want string }{
		{"text", "l:\n- name: 1\n- name: two\n", `"x"`, "l:\n  - name: x\n  - name: two\n"},
		{"absent field", "l:\n- name: \"1\"\n- two\n", `"x"`, "l:\n  - name: \"x\"\n  - two\n"},
		{"number next to its digits as text", "l:\n- name: 1\n- name: \"5\"\n", "5", "l:\n  - name: 5\n  - name: \"5\"\n"},
		{"text next to an alias of that name", "a: &five 5\nl:\n- name: 1\n- name: *five\n", `"five"`,
			"a: &five 5\nl:\n  - name: five\n  - name: *five\n"},
		{"anchored next to plain", "l:\n- name: &n 1\n- name: 5\n", "5", "l:\n  - name: &n 5\n  - name: 5\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := edit("site.yml", []byte(tt.src), change("l[1].name", tt.value))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

// Setting each tier's price in the example campaigns to its current value changes no byte.
func TestApply_ExamplesUnchanged(t *testing.T) {
	names, err := filepath.Glob(exampleSite + "/campaigns/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c := parse(t, src)
		var changes []campaignfile.Change
		for i, tier := range c.Tiers {
			path := fmt.Sprintf("tiers[%d].price", i)
			line := strings.Split(string(src), "\n")[c.Lines[path]-1]
			written := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "price:"))
			changes = append(changes, change("tiers["+tier.ID+"].price", `"`+written+`"`))
		}
		out, err := edit("a.md", src, changes...)
		if err != nil || string(out) != string(src) {
			t.Errorf("%s: %v\n%s", name, err, cmp.Diff(string(src), string(out)))
		}
	}
}
