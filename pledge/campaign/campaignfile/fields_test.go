package campaignfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func openFile(t testing.TB, name string, src []byte) *campaignfile.Document {
	t.Helper()
	f, err := campaignfile.Open(name, src)
	if err != nil {
		t.Fatalf("%v of\n%s", err, src)
	}
	return f
}

func TestDocument_Value(t *testing.T) {
	f := openFile(t, "night-ferry.md", []byte(edited))
	for path, want := range map[string]string{
		"title": `"Night Ferry"`, "start_date": `"2026-11-02"`, "goal_amount": "100",
		"_mood": `["blue","grey"]`, "tiers[early-bird].price": `"$10"`, "tiers[1].price": "25",
		"tiers[download].description":     `"One line.\n\n# not a comment\n"`,
		"tiers[print].shipping.length_in": "18", "diary[2026-11-03-open].body": `"Hello."`,
		"body":                `"\nThe body,  as it is.\n"`,
		"tiers[nobody].price": "", "nothing": "", "_blank": "", "title.deeper": "", "tiers[]": "",
	} {
		if got, err := f.Value(path); string(got) != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := f.Value("../etc"); !fault.Is(err, fault.Invalid) {
		t.Errorf("invalid path: %v", err)
	}
}

func TestDocument_Fields(t *testing.T) {
	campaign := openFile(t, "a.md",
		[]byte("---\ntitle: A & B\ncustom_amount: {min: 5, max: 9}\ntiers: [{name: One}]\n_x: &x {y: 1}\n_z: *x\n---\nBody\n"))
	settings := openFile(t, "site.yml", []byte("body: text\na:\n"))
	for _, tt := range []struct {
		name string
		of   *campaignfile.Document
		keep []string // nil for all
		want string
	}{
		{"all of a campaign", campaign, nil,
			`{"title":"A & B","custom_amount":{"min":5,"max":9},"tiers":[{"name":"One"}],"_x":{"y":1},"_z":{"y":1},"body":"Body\n"}`},
		{"all settings", settings, nil, `{"body":"text","a":null}`},
		{"none", campaign, []string{}, `{}`},
		{"body", campaign, []string{"body"}, `{"body":"Body\n"}`},
		{"mapping", campaign, []string{"custom_amount"}, `{"custom_amount":{"min":5,"max":9}}`},
		{"field of a mapping", campaign, []string{"title", "custom_amount.max"},
			`{"title":"A & B","custom_amount":{"max":9}}`},
		{"field of an alias", campaign, []string{"_z.y"}, `{"_z":{"y":1}}`},
		{"field of a list", campaign, []string{"tiers[one].name"}, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var keep func(string) bool
			if tt.keep != nil {
				keep = func(path string) bool { return slices.Contains(tt.keep, path) }
			}
			if diff := cmp.Diff(tt.want, string(tt.of.Fields(keep))); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocument_FieldsOfNumbersWithoutJSONForm(t *testing.T) {
	f := openFile(t, "site.yml", []byte("a: 0x1F\nb: .5\nc: 1_000\nd: 25.50\ne: yes\nf: true\ng: 2026-11-02\nh: .inf\n"))
	want := `{"a":"0x1F","b":".5","c":"1_000","d":25.50,"e":"yes","f":true,"g":"2026-11-02","h":".inf"}`
	if got := string(f.Fields(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOpen_Refuses(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i, name := range "bcdefgh" {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", name, name,
			strings.TrimSuffix(strings.Repeat("*"+string("abcdefgh"[i])+",", 10), ","))
	}
	for name, src := range map[string]string{
		"anchors that expand too much": bomb, "depth": strings.Repeat("a:\n ", 1) + "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]",
		"not a mapping": "- a\n",
		"loop":          "a: &a [*a]\n", "size": strings.Repeat("#", campaign.MaxFile+1),
	} {
		var p campaign.Problems
		if _, err := campaignfile.Open("site.yml", []byte(src)); !errors.As(err, &p) {
			t.Errorf("%s: %v, want problems", name, err)
		}
	}
	for name, src := range map[string]func(more int) string{
		"depth": func(more int) string { return "a: " + strings.Repeat("[", 12+more) + strings.Repeat("]", 12+more) },
		"nodes": func(more int) string { return "a: [" + strings.Repeat("x,", 100_000-3+more) + "]" },
	} {
		openFile(t, "site.yml", []byte(src(0)))
		if _, err := campaignfile.Open("site.yml", []byte(src(1))); err == nil {
			t.Errorf("%s: file above the limit was opened", name)
		}
	}
	if _, err := campaignfile.Open("a.md", []byte("title: A\n")); err == nil {
		t.Error("a campaign without front matter was opened")
	}
}

// testFiles returns 200 campaign files: the examples with randomly reformatted lines.
func testFiles(t testing.TB) [][]byte {
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
		files = append(files, reformatted(r, string(src)))
	}
	return files
}

// reformatted returns a file with the same values and another formatting.
func reformatted(r *rand.Rand, src string) []byte {
	lines := strings.Split(src, "\n")
	front := true
	for i, line := range lines {
		front = front && (i == 0 || line != "---")
		key, value, found := strings.Cut(line, ": ")
		plain := found && front && value != "" && !strings.ContainsAny(value, "|>&*[]{}'\"#:") &&
			!strings.HasPrefix(strings.TrimSpace(line), "#")
		text := plain && strings.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' }) &&
			value != "true" && value != "false"
		switch n := r.IntN(10); {
		case text && n == 0:
			line = key + `: "` + value + `"`
		case text && n == 1:
			line = key + `:   '` + value + `'`
		case text && n == 6:
			line = key + `: "` + strings.Replace(value, "e", `\x65`, 1) + `"  `
		case text && n == 7:
			line = key + ": !!str " + value
		case plain && n == 8 && !strings.HasPrefix(key, " "):
			line = `"` + key + `" : ` + value + " \t"
		case plain && n == 2:
			line += "   # שלום 🦀 " + strings.Repeat("long ", 40)
		case text && n == 3 && strings.HasSuffix(key, "blurb"):
			indent := len(key) - len(strings.TrimLeft(key, " -")) + 2
			line = key + ": >-\n" + strings.Repeat(" ", indent) +
				strings.Replace(value, ". ", ".\n"+strings.Repeat(" ", indent), 1)
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

// newValues has a new value for at least one field of each type in the campaign form, by path.
var newValues = map[string]string{
	"goal_amount": "4321", "tiers[0].price": "77.50", "shipping_fallback_flat_rate": "9.25", // money
	"tiers[0].limit_total": "12", "tiers[0].shipping.weight_oz": "3.5", // numbers
	// texts
	"creator_name": `"שלום"`, "hero_image_alt": `"Another one: 🚢 with a # and “quotes”, 'single' and \"double\" \\ ones."`,
	"short_blurb": `"true"`, "risks": `"One.\n\n- two\n- three: *four*\n"`, "tiers[0].description": `"Two\nlines"`,
	"long_content[0].text": `"## Other\n\n    code\n\ntext"`,
	"start_date":           `"2026-10-02"`, "tiers[0].estimated_delivery": `"2027-09"`, // times
	"stretch_hidden": "true", "tiers[0].stackable": "true", // booleans
	// choices and lists
	"category": `"Web Series"`, "shipping_options": `["signature_required","adult_signature_required"]`,
	"tiers[0].ships_to": `["US","CA"]`, "tiers[0].includes": `["A disc","Notes: two # pages"]`,
	// addresses
	"runner_report_emails": `["a@example.com","b@example.com"]`,
	"creator_links[0].url": `"https://example.com/?a=b&c=d#e"`,
	// media
	"hero_image":    `"/assets/images/campaigns/x/other.jpg"`,
	"hero_video":    `"https://films.example.org/assets/videos/campaigns/x/hero-0123abcd.mp4"`,
	"custom_amount": `{"enabled":true,"min":2,"max":50}`, "creator_links": `[{"label":"One","url":"/one"}]`, // objects
	"featured_tier_id": "null", "body": `"\nAnother body. 🦀\n"`,
}

// An edit of one field changes only the field's lines, and Diff returns exactly that field.
// Comments, anchors, byte order marks and line endings are kept.
func TestApply_ChangesExactlyItsField(t *testing.T) {
	made := map[string]int{}
	share := 4 // one of four edits is tried per file
	if testing.Short() {
		share = 13
	}
	for i, src := range testFiles(t) {
		before := openFile(t, "a.md", src)
		for n, path := range slices.Sorted(maps.Keys(newValues)) {
			if (i+n)%share != 0 {
				continue
			}
			value := newValues[path]
			old, err := before.Value(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(old) == value || old == nil && value == "null" {
				continue
			}
			out, err := edit("a.md", src, change(path, value))
			if err != nil && strings.Contains(path, "[0]") {
				continue // the file has no such entry or field
			}
			if err != nil {
				t.Fatalf("file %d, %s: %v", i, path, err)
			}
			made[path]++
			got := before.Diff(openFile(t, "a.md", out))
			within := func(d campaignfile.Difference) bool {
				return strings.HasPrefix(d.Path, path) || strings.Contains(path, "[")
			}
			if len(got) == 0 || slices.ContainsFunc(got, func(d campaignfile.Difference) bool { return !within(d) }) ||
				len(got) > 1 && path != "custom_amount" {
				t.Fatalf("file %d: %s differs in %+v", i, path, got)
			}
			if now, err := openFile(t, "a.md", bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))).Value(path); err != nil ||
				!cmp.Equal(decoded(t, now), decoded(t, json.RawMessage(value))) {
				t.Fatalf("file %d: %s: %s, %v", i, path, now, err)
			}
			from, to := linesOfField(t, src, path)
			if value == "null" {
				from-- // the line above is its comment and is removed with it
			}
			if first, last := changedLines(string(src), string(out)); first < from || last > to {
				t.Errorf("file %d: %s in lines %d to %d, but lines %d to %d changed:\n%s", i, path, from, to, first, last,
					strings.Join(strings.SplitAfter(string(out), "\n")[max(first-2, 0):min(last+3, bytes.Count(out, []byte("\n")))],
						""))
			}
			if bytes.HasPrefix(src, []byte("\ufeff")) != bytes.HasPrefix(out, []byte("\ufeff")) {
				t.Errorf("file %d, %s: the byte order mark changed", i, path)
			}
			if crlf := bytes.Count(src, []byte("\r\n")); crlf > 0 &&
				bytes.Count(out, []byte("\n")) != bytes.Count(out, []byte("\r\n")) {
				t.Errorf("file %d, %s: mixed line endings", i, path)
			}
		}
	}
	for path := range newValues {
		if made[path] < 48/share {
			t.Errorf("%s was edited in %d files", path, made[path])
		}
	}
}

func decoded(t *testing.T, raw json.RawMessage) (v any) {
	t.Helper()
	if raw != nil && json.Unmarshal(raw, &v) != nil {
		t.Fatalf("%s is not valid JSON", raw)
	}
	return v
}

// linesOfField returns the first line of a field, from 0, and the line after its last, according to
// the parsed YAML. For an absent field, it returns the lines of its container.
func linesOfField(t *testing.T, src []byte, path string) (from, to int) {
	t.Helper()
	lines := strings.Split(string(src), "\n")
	end := 1
	for strings.TrimRight(lines[end], "\r") != "---" {
		end++
	}
	if path == "body" {
		return end + 1, len(lines)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines[1:end], "\n")), &doc); err != nil {
		t.Fatal(err)
	}
	n, from, to := doc.Content[0], 1, end
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[0]", ".0"), ".") {
		found := false
		for i := 0; i < len(n.Content); i++ {
			entry := n.Content[i]
			name, value := fmt.Sprint(i), entry
			if n.Kind == yaml.MappingNode {
				name, value = entry.Value, n.Content[i+1]
				i++
			}
			if name != part {
				continue
			}
			if i+1 < len(n.Content) {
				to = n.Content[i+1].Line
			}
			n, from, found = value, entry.Line, true
			break
		}
		if !found {
			return from, to
		}
	}
	return from, to
}

// changedLines returns the first line of a, from 0, that differs from b, and the line after the
// last one.
func changedLines(a, b string) (first, last int) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	last = len(x)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y, first = x[1:], y[1:], first+1
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y, last = x[:len(x)-1], y[:len(y)-1], last-1
	}
	return first, last
}

func TestDuplicate_IsNotCharged(t *testing.T) {
	out, err := campaignfile.Duplicate([]byte("---\ntitle: A\ncharged: true # in May\ngoal_amount: 5\n---\n"),
		"B", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := campaignfile.Parse("", out); err != nil || c.Charged || c.Slug != "b" || c.Goal != 500 {
		t.Errorf("copy %+v, %v", c, err)
	}
}

// A copy has neither the original's counts nor its estimated deliveries in the past.
func TestDuplicate_ResetsRewards(t *testing.T) {
	const src = "---\ntitle: A\nstate: ended\npledged_amount: 900\ntiers:\n" +
		"  - name: Book # signed\n    price: 5\n    limit_total: 9\n    remaining: 3\n    estimated_delivery: 2026-09\n" +
		"  - name: Film\n    price: 6\n    estimated_delivery: 2026-10\n---\n"
	const want = "---\ntitle: B\nslug: b\npublished: false\npreview_only: true\n" +
		"tiers:\n  - name: Book # signed\n    price: 5\n    limit_total: 9\n" +
		"  - name: Film\n    price: 6\n    estimated_delivery: 2026-10\n---\n"
	got, err := campaignfile.Duplicate([]byte(src), "B", "", time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var is, wanted map[string]any
	if err := errors.Join(yaml.Unmarshal([]byte(strings.Trim(string(got), "-\n")), &is),
		yaml.Unmarshal([]byte(strings.Trim(want, "-\n")), &wanted)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, is); diff != "" {
		t.Errorf("copy:\n%s\n%s", got, diff)
	}
}

func TestCheckFiles_SkipsArchive(t *testing.T) {
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
