package campaignfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func TestOpen_KeepsBytes(t *testing.T) {
	for name, tt := range map[string]struct{ file, src string }{
		"campaign":                {"a.md", edited},
		"campaign with CRLF":      {"a.md", strings.ReplaceAll(edited, "\n", "\r\n")},
		"campaign with BOM":       {"a.md", "\ufeff" + edited},
		"blanks after the hyphen": {"a.md", "--- \t\ntitle: A\n---  \n\nBody"},
		"no fields":               {"a.md", "---\n---"},
		"add-ons":                 {campaign.AddOnsFile, products},
		"settings with BOM":       {"site.yml", "\ufeffa:   1 # one"},
		"comments only":           {"site.yml", "# Ours.\r\n\r\n"},
		"empty":                   {"site.yml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := openFile(t, tt.file, []byte(tt.src))
			if diff := cmp.Diff(tt.src, string(d.Bytes())); diff != "" {
				t.Errorf("opened (-want +got):\n%s", diff)
			}
			same, err := d.Apply()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.src, string(same.Bytes())); diff != "" {
				t.Errorf("without changes (-want +got):\n%s", diff)
			}
			if got := d.File(); got != tt.file {
				t.Errorf("file %q, want %q", got, tt.file)
			}
		})
	}
}

// YAML in UTF-16 is rejected, although it is valid YAML, because files are edited as UTF-8.
func TestOpen_UTF16(t *testing.T) {
	_, err := campaignfile.Open("site.yml", []byte("\xfe\xff\x00a\x00:\x00 \x001\x00\n"))
	var p campaign.Problems
	if !errors.As(err, &p) || !strings.Contains(p[0].Message, "not UTF-8") {
		t.Errorf("got %v, want a problem about the encoding", err)
	}
}

func TestApply_LeavesOriginalUnchanged(t *testing.T) {
	before := openFile(t, "a.md", []byte(edited))
	after, err := before.Apply(
		// anchored, with an alias
		change("tiers[poster].shipping", `{"weight_oz":9,"length_in":18,"width_in":3,"height_in":3}`),
		change("tiers[early-bird].name", `"First"`), change("tiers[download]", ""), change("_mood",
			"null"), change("body", `"New."`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(edited, string(before.Bytes())); diff != "" {
		t.Errorf("the original's bytes changed (-want +got):\n%s", diff)
	}
	if d := openFile(t, "a.md", []byte(edited)).Diff(before); d != nil {
		t.Errorf("the original's fields changed: %+v", d)
	}
	var paths []string
	for _, d := range before.Diff(after) {
		paths = append(paths, d.Path)
	}
	want := []string{"tiers[early-bird].name", "tiers[early-bird].id", "tiers[poster].shipping.weight_oz",
		"tiers[print].shipping.weight_oz", "tiers[download]", "_mood", "body"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("changed fields (-want +got):\n%s", diff)
	}
}

// Problems have the lines of the edited text.
func TestApply_ProblemsHaveNewLines(t *testing.T) {
	d := openFile(t, "campaigns/a.md",
		[]byte("---\ntitle: A\nshort_blurb: One.\npreview_only: true\ntiers:\n  - name: A\n    price: 1\n---\n\n<iframe>\n"))
	d, err := d.Apply(change("short_blurb", `"One.\n\nTwo.\n"`), change("tiers[a].price", `"much"`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Campaign()
	want := campaign.Problems{
		{File: "campaigns/a.md", Line: 10, Field: "tiers[0].price",
			Message: "write an amount in dollars such as 25 or 25.00"},
		{File: "campaigns/a.md", Line: 12, Field: "body", Message: "contains a frame: use a block of type embed"},
	}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// Apply rejects a result that Open would reject.
func TestApply_Limits(t *testing.T) {
	many := `["` + strings.Repeat(`x","`, 1000) + `x"]`
	for name, tt := range map[string]struct {
		file, src string
		change    campaignfile.Change
		want      string
	}{
		"size of a campaign": {"a.md", edited, change("body", `"`+strings.Repeat("x", campaign.MaxFile)+`"`),
			"a.md: is larger than 1 MB"},
		"size of settings": {"site.yml", "a: 1\n", change("a", `"`+strings.Repeat("x", campaign.MaxFile)+`"`),
			"site.yml: is larger than 1 MB"},
		"depth": {"site.yml", "a: {b: {c: {d: 1}}}\n", change("a.b.c.d", strings.Repeat("[",
			11)+strings.Repeat("]", 11)), "site.yml: is nested too deeply, or expands too much through anchors"},
		"anchors": {"site.yml", "a: &a 1\nb: [" + strings.Repeat("*a,", 100) + "]\n", change("a", many),
			"site.yml: is nested too deeply, or expands too much through anchors"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openFile(t, tt.file, []byte(tt.src)).Apply(tt.change)
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("got %.200s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzDocument(f *testing.F) {
	for _, src := range append(seeds(f), []byte(products), []byte("\ufeffa: &x 1\r\nb:   *x")) {
		f.Add("a.md", src, "goal_amount", []byte("12"))
		f.Add("a.md", src, "tiers[0].name", []byte(`"A: b\n\n# c"`))
		f.Add("a.md", src, "tiers[]", []byte(`{"name":"x","price":1}`))
		f.Add("a.md", src, "tiers[1]", []byte(nil))
		f.Add("a.md", src, "body", []byte(`"\r\n---\n"`))
		f.Add(campaign.AddOnsFile, src, "products[]", []byte(`{"name":"x","price":1}`))
		f.Add("site.yml", src, "a[1].b", []byte(nil))
	}
	f.Fuzz(func(t *testing.T, file string, src []byte, path string, value []byte) {
		d, err := campaignfile.Open(file, src)
		if err != nil {
			checkLines(t, src, err)
			return
		}
		checkDocument(t, d, src)
		if same, err := d.Apply(); err != nil || !bytes.Equal(same.Bytes(), src) {
			t.Fatalf("without changes: %q, %v", same.Bytes(), err)
		}
		after, err := d.Apply(campaignfile.Change{Path: path, Value: value})
		checkDocument(t, d, src)
		if err != nil {
			return
		}
		out := after.Bytes()
		again := openFile(t, file, out)
		checkDocument(t, after, out)
		if a, b := encoded(t, after), encoded(t, again); a != b {
			t.Fatalf("fields %s, reopened %s", a, b)
		}
		body := func(d campaignfile.Difference) bool { return d.Path == campaignfile.BodyPath }
		if path != campaignfile.BodyPath && slices.ContainsFunc(d.Diff(after), body) {
			t.Fatalf("%s changed the body of\n%s\nto\n%s", path, src, out)
		}
		if got, err := again.Value(path); !strings.Contains(path, "[") &&
			(err != nil || comparable(got) != comparable(value)) {
			t.Fatalf("%s: %s, %v; want %s", path, got, err, value)
		}
		if c, err := again.Campaign(); err == nil {
			if after, err := after.Campaign(); err != nil || encoded(t, c) != encoded(t, after) {
				t.Fatalf("campaign %+v, %v; reopened %+v", after, err, c)
			}
		}
	})
}

// checkDocument checks that a document has the content src, has valid JSON fields, and does not
// differ from itself.
func checkDocument(t *testing.T, d *campaignfile.Document, src []byte) {
	t.Helper()
	if got := d.Bytes(); !bytes.Equal(got, src) {
		t.Fatalf("content %q, want %q", got, src)
	}
	if diff := d.Diff(d); diff != nil {
		t.Fatalf("differs from itself: %+v", diff)
	}
	if text := encoded(t, d.Fields(nil)); !json.Valid([]byte(text)) {
		t.Fatalf("%q of %q", text, src)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	if d, ok := v.(*campaignfile.Document); ok {
		v = d.Fields(nil)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// comparable returns a value without the details that Apply adapts to the file: line endings, and
// quotes around numbers and dates.
func comparable(value json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || v == nil {
		return ""
	}
	out, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.Trim(strings.ReplaceAll(string(out), `\r`, ""), `"`)
}
