package campaignfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func TestDocument_Diff(t *testing.T) {
	const before = "---\ntitle: A\ngoal_amount: 100\ncreator_links: [{label: a, url: /a}]\nrisks: \"\"\n" +
		"custom_amount: {min: 5, max: 9}\ntiers:\n  - {name: One, price: 1}\n  - {name: Two, price: 2}\n---\nBody\n"
	type diff = campaignfile.Difference
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, tt := range []struct {
		name string
		swap swap
		want []diff
	}{
		{"nothing", swap{"A", "A"}, nil},
		{"other formatting", swap{"title: A", `title:   "A" # as it was`}, nil},
		{"changed field", swap{"100", "250.50"}, []diff{{Path: "goal_amount", Before: raw("100"), After: raw("250.50")}}},
		{"added field", swap{"title: A", "title: A\nblurb: b"}, []diff{{Path: "blurb", After: raw(`"b"`)}}},
		{"removed field", swap{"goal_amount: 100\n", ""}, []diff{{Path: "goal_amount", Before: raw("100")}}},
		{"in an entry", swap{"price: 2", "price: 3"}, []diff{{Path: "tiers[two].price", Before: raw("2"), After: raw("3")}}},
		{"added entry", swap{"  - {name: One", "  - {name: Zero, price: 0}\n  - {name: One"},
			[]diff{{Path: "tiers[zero]", After: raw(`{"name":"Zero","price":0}`)}}},
		{"removed entry", swap{"  - {name: One, price: 1}\n", ""},
			[]diff{{Path: "tiers[one]", Before: raw(`{"name":"One","price":1}`)}}},
		{"other order", swap{"  - {name: One, price: 1}\n  - {name: Two, price: 2}\n",
			"  - {name: Two, price: 2}\n  - {name: One, price: 1}\n"},
			[]diff{{Path: "tiers", Before: raw(`[{"name":"One","price":1},{"name":"Two","price":2}]`),
				After: raw(`[{"name":"Two","price":2},{"name":"One","price":1}]`)}}},
		{"in a mapping", swap{"min: 5", "min: 6"}, []diff{{Path: "custom_amount.min", Before: raw("5"), After: raw("6")}}},
		{"mapping replaced by value", swap{"{min: 5, max: 9}", "5"},
			[]diff{{Path: "custom_amount", Before: raw(`{"min":5,"max":9}`), After: raw("5")}}},
		{"value replaced by mapping", swap{"title: A", "title: {b: c}"},
			[]diff{{Path: "title", Before: raw(`"A"`), After: raw(`{"b":"c"}`)}}},
		{"empty and absent", swap{"risks: \"\"", "risks:"}, nil},
		{"list without IDs", swap{"label: a", "label: b"}, []diff{{Path: "creator_links",
			Before: raw(`[{"label":"a","url":"/a"}]`), After: raw(`[{"label":"b","url":"/a"}]`)}}},
		{"body", swap{"Body", "Soul"}, []diff{{Path: "body", Before: raw(`"Body\n"`), After: raw(`"Soul\n"`)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.Replace(before, tt.swap.old, tt.swap.now, 1)
			got := openFile(t, "a.md", []byte(before)).Diff(openFile(t, "a.md", []byte(after)))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("differences (-want +got):\n%s", d)
			}
		})
	}
}

// A note may have a duplicate key, whose first value is used.
func TestDocument_DiffOfRepeatedKey(t *testing.T) {
	before := openFile(t, "a.md", file("_note: {a: 1, a: 2}\n"))
	if d := before.Diff(before); d != nil {
		t.Errorf("differs from itself: %+v", d)
	}
	after, err := before.Apply(change("_note.a", "3"))
	if err != nil {
		t.Fatal(err)
	}
	want := []campaignfile.Difference{{Path: "_note.a", Before: json.RawMessage("1"), After: json.RawMessage("3")}}
	if d := cmp.Diff(want, before.Diff(after)); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
}

// Lists are compared by entry only if each entry has a unique path.
func TestDocument_DiffEntriesWithoutPaths(t *testing.T) {
	const good = `[{"name":"One"},{"name":"Two"}]`
	for name, bad := range map[string]string{
		"no name": `[{"name":"One"},{"price":1}]`, "duplicate name": `[{"name":"One"},{"name":"One","price":1}]`,
		"ID that is not valid in a path": `[{"name":"One"},{"id":"a b"}]`, "not a mapping": `[{"name":"One"},"Two"]`,
	} {
		for _, tt := range [][2]string{{good, bad}, {bad, good}} {
			got := openFile(t, "add-ons.yml",
				[]byte("products: "+tt[0])).Diff(openFile(t, "add-ons.yml", []byte("products: "+tt[1])))
			want := []campaignfile.Difference{{Path: "products", Before: json.RawMessage(tt[0]), After: json.RawMessage(tt[1])}}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: differences (-want +got):\n%s", name, d)
			}
		}
	}
}

// Diff of a new or removed campaign compares it with an empty file, which has no body.
func TestDocument_DiffWithoutBody(t *testing.T) {
	nothing, campaign := openFile(t, "site.yml", nil), openFile(t, "a.md", []byte("---\ntitle: A\n---\nBody\n"))
	title := json.RawMessage(`"A"`)
	if d := cmp.Diff([]campaignfile.Difference{{Path: "title", After: title}}, nothing.Diff(campaign)); d != "" {
		t.Errorf("new campaign (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]campaignfile.Difference{{Path: "title", Before: title}}, campaign.Diff(nothing)); d != "" {
		t.Errorf("removed campaign (-want +got):\n%s", d)
	}
}

func TestSameValue(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{``, `null`, true}, {``, `""`, true}, {`null`, `""`, true}, {`""`, `""`, true},
		{`""`, `0`, false}, {`null`, `false`, false}, {``, `[]`, false}, {`" "`, ``, false},
		{`{"a":1,"b":[2]}`, `{ "b": [2], "a": 1 }`, true}, {`[1,2]`, `[2,1]`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`"1"`, `1`, false},
	} {
		if got := campaignfile.SameValue(json.RawMessage(tt.a), json.RawMessage(tt.b)); got != tt.same {
			t.Errorf("SameValue(%s, %s) = %t, want %t", tt.a, tt.b, got, tt.same)
		}
	}
}
