package campaignfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func fields(t testing.TB, name string, src []byte) campaignfile.Fields {
	t.Helper()
	f, err := campaignfile.ReadFields(name, src)
	if err != nil {
		t.Fatalf("%v of\n%s", err, src)
	}
	return f
}

func TestFieldsAreWhatTheFileSays(t *testing.T) {
	f := fields(t, "night-ferry.md", []byte(edited))
	for path, want := range map[string]string{
		"title": `"Night Ferry"`, "start_date": `"2026-11-02"`, "goal_amount": "100",
		"_mood": `["blue","grey"]`, "tiers[early-bird].price": `"$10"`, "tiers[1].price": "25",
		"tiers[download].description":     `"One line.\n\n# not a comment\n"`,
		"tiers[print].shipping.length_in": "18", "diary[2026-11-03-open].body": `"Hello."`,
		"body":                `"\nThe body,  as it is.\n"`,
		"tiers[nobody].price": "", "nothing": "", "_blank": "", "title.deeper": "", "tiers[]": "",
	} {
		if got, err := f.Value(path); string(got) != want || err != nil {
			t.Errorf("%s is %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := f.Value("../etc"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a path that is none: %v", err)
	}
	var all struct {
		Title string
		Tiers []struct{ Shipping map[string]int }
		Body  string
	}
	b, err := json.Marshal(f)
	if err != nil || json.Unmarshal(b, &all) != nil || all.Title != "Night Ferry" || all.Tiers[3].Shipping["length_in"] != 18 || !strings.Contains(all.Body, "as it is") {
		t.Errorf("the whole is %s, %v", b, err)
	}
}

func TestNumbersThatJSONDoesNotHave(t *testing.T) {
	f := fields(t, "site.yml", []byte("a: 0x1F\nb: .5\nc: 1_000\nd: 25.50\ne: yes\nf: true\ng: 2026-11-02\nh: .inf\n"))
	want := `{"a":"0x1F","b":".5","c":"1_000","d":25.50,"e":"yes","f":true,"g":"2026-11-02","h":".inf"}`
	if b, err := json.Marshal(f); string(b) != want || err != nil {
		t.Errorf("it is %s, %v, want %s", b, err, want)
	}
}

func TestWhatCannotBeReadAsFields(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i, name := range "bcdefgh" {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", name, name, strings.TrimSuffix(strings.Repeat("*"+string("abcdefgh"[i])+",", 10), ","))
	}
	for name, src := range map[string]string{
		"a bomb of anchors": bomb, "depth": strings.Repeat("a:\n ", 1) + "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", "no mapping": "- a\n",
		"a loop": "a: &a [*a]\n", "size": strings.Repeat("#", campaign.MaxFile+1),
	} {
		var p campaign.Problems
		if _, err := campaignfile.ReadFields("site.yml", []byte(src)); !errors.As(err, &p) {
			t.Errorf("%s: %v, want problems", name, err)
		}
	}
	if _, err := campaignfile.ReadFields("a.md", []byte("title: A\n")); err == nil {
		t.Error("a campaign without front matter is read")
	}
}

func TestDiff(t *testing.T) {
	const before = "---\ntitle: A\ngoal_amount: 100\ncreator_links: [{label: a, url: /a}]\ntiers:\n  - {name: One, price: 1}\n  - {name: Two, price: 2}\n---\nBody\n"
	type diff = campaignfile.Difference
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, tt := range []struct {
		name string
		swap swap
		want []diff
	}{
		{"nothing", swap{"A", "A"}, nil},
		{"another way to write it", swap{"title: A", `title:   "A" # as it was`}, nil},
		{"a field", swap{"100", "250.50"}, []diff{{Path: "goal_amount", Before: raw("100"), After: raw("250.50")}}},
		{"one more", swap{"title: A", "title: A\nblurb: b"}, []diff{{Path: "blurb", After: raw(`"b"`)}}},
		{"one less", swap{"goal_amount: 100\n", ""}, []diff{{Path: "goal_amount", Before: raw("100")}}},
		{"in an entry", swap{"price: 2", "price: 3"}, []diff{{Path: "tiers[two].price", Before: raw("2"), After: raw("3")}}},
		{"another entry before", swap{"  - {name: One", "  - {name: Zero, price: 0}\n  - {name: One"}, []diff{{Path: "tiers[zero]", After: raw(`{"name":"Zero","price":0}`)}}},
		{"an entry gone", swap{"  - {name: One, price: 1}\n", ""}, []diff{{Path: "tiers[one]", Before: raw(`{"name":"One","price":1}`)}}},
		{"another order", swap{"  - {name: One, price: 1}\n  - {name: Two, price: 2}\n", "  - {name: Two, price: 2}\n  - {name: One, price: 1}\n"},
			[]diff{{Path: "tiers", Before: raw(`[{"name":"One","price":1},{"name":"Two","price":2}]`), After: raw(`[{"name":"Two","price":2},{"name":"One","price":1}]`)}}},
		{"a list without IDs", swap{"label: a", "label: b"}, []diff{{Path: "creator_links", Before: raw(`[{"label":"a","url":"/a"}]`), After: raw(`[{"label":"b","url":"/a"}]`)}}},
		{"the body", swap{"Body", "Soul"}, []diff{{Path: "body", Before: raw(`"Body\n"`), After: raw(`"Soul\n"`)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.Replace(before, tt.swap.old, tt.swap.now, 1)
			got := fields(t, "a.md", []byte(before)).Diff(fields(t, "a.md", []byte(after)))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("it differs (-want +got):\n%s", d)
			}
		})
	}
}

// corpus are 200 files that people might have written: the examples, each line of them in
// another hand.
func corpus(t testing.TB) [][]byte {
	names, err := filepath.Glob("../../../examples/site/campaigns/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(20, 26))
	var files [][]byte
	for len(files) < 200 {
		src, err := os.ReadFile(names[len(files)%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, rewritten(r, string(src)))
	}
	return files
}

// rewritten changes how a file is written, not what it says.
func rewritten(r *rand.Rand, src string) []byte {
	lines := strings.Split(src, "\n")
	front := true
	for i, line := range lines {
		front = front && (i == 0 || line != "---")
		key, value, found := strings.Cut(line, ": ")
		plain := found && front && value != "" && !strings.ContainsAny(value, "|>&*[]{}'\"#:") && !strings.HasPrefix(strings.TrimSpace(line), "#")
		text := plain && strings.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' }) && value != "true" && value != "false"
		switch n := r.IntN(9); {
		case text && n == 0:
			line = key + `: "` + value + `"`
		case text && n == 1:
			line = key + `:   '` + value + `'`
		case plain && n == 2:
			line += "   # שלום 🦀 " + strings.Repeat("long ", 40)
		case text && n == 3 && strings.HasSuffix(key, "blurb"):
			indent := len(key) - len(strings.TrimLeft(key, " -")) + 2
			line = key + ": >-\n" + strings.Repeat(" ", indent) + strings.Replace(value, ". ", ".\n"+strings.Repeat(" ", indent), 1)
		case plain && n == 4 && !strings.HasPrefix(key, " "):
			line = "\n# a thought\n" + line
		case plain && n == 5 && !strings.HasPrefix(key, " ") && key != "title":
			line = key + ": &" + key + " " + value
		}
		lines[i] = line
	}
	out := strings.Join(lines, "\n")
	if r.IntN(4) == 0 {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	if r.IntN(4) == 0 {
		out = "\ufeff" + out
	}
	return []byte(out)
}

// Every edit of one field in the corpus changes the lines of that field alone, and is told
// as that one difference.
func TestAnEditIsItsDifferenceAndNothingElse(t *testing.T) {
	for i, src := range corpus(t) {
		before := fields(t, "a.md", src)
		for path, value := range map[string]string{
			"goal_amount": "4321", "short_blurb": `"Another one: 🚢 with a # and “quotes”."`, "creator_name": `"שלום"`,
			"tiers[0].price": "77", "category": `"Web Series"`, "start_date": `"2026-10-02"`,
		} {
			out, err := campaignfile.Edit(src, change(path, value))
			if err != nil {
				t.Fatalf("file %d, %s: %v", i, path, err)
			}
			got := before.Diff(fields(t, "a.md", out))
			if len(got) != 1 || string(got[0].After) != value && path != "start_date" {
				t.Fatalf("file %d: %s differs in %+v", i, path, got)
			}
			if n := changedLines(string(src), string(out)); n > 3 {
				t.Errorf("file %d: %s changed %d lines", i, path, n)
			}
		}
	}
}

// changedLines counts the lines between what two texts have in common at both ends.
func changedLines(a, b string) int {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return max(len(x), len(y))
}

func FuzzFields(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, name := range []string{"a.md", "site.yml"} {
			a, err := campaignfile.ReadFields(name, src)
			if err != nil {
				continue
			}
			b, err := json.Marshal(a)
			if err != nil || !json.Valid(b) {
				t.Fatalf("%q, %v of %q", b, err, src)
			}
			if d := a.Diff(a); len(d) > 0 {
				t.Fatalf("it differs from itself in %+v", d)
			}
		}
	})
}

func TestACopyWasNeverSettled(t *testing.T) {
	out, err := campaignfile.Duplicate([]byte("---\ntitle: A\ncharged: true # in May\ngoal_amount: 5\n---\n"), "B")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := campaignfile.Parse("", out); err != nil || c.Charged || c.Slug != "b" || c.Goal != 500 {
		t.Errorf("the copy is %+v, %v", c, err)
	}
}

func TestTheArchiveNeedsNoFiles(t *testing.T) {
	const src = "---\ntitle: A\nhero_image: /assets/gone.jpg\nhero_image_alt: Gone\npreview_only: true\n---\n"
	for file, fine := range map[string]bool{"archive/campaigns/a/a.md": true, "campaigns/a.md": false} {
		content := fstest.MapFS{file: {Data: []byte(src)}}
		c, err := campaignfile.Load(content)
		if err != nil || len(c.Campaigns()) != 1 {
			t.Fatalf("%s: %v", file, err)
		}
		if err := c.CheckFiles(content); (err == nil) != fine {
			t.Errorf("%s: %v", file, err)
		}
	}
}
