package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func describe(t *testing.T, of, language string) schema.Document {
	t.Helper()
	d, ok := schema.Describe(of, language)
	if !ok {
		t.Fatalf("no description of %s in %s", of, language)
	}
	return d
}

// forEachField calls see for each field, including the fields of list entries. above is the path of
// the list, such as "tiers[].", or "" at the top level.
func forEachField(d schema.Document, see func(above string, f schema.Field)) {
	var walk func(string, []schema.Field)
	walk = func(above string, fields []schema.Field) {
		for _, f := range fields {
			see(above, f)
			walk(above+f.Path+"[].", f.Fields)
		}
	}
	for _, s := range d.Sections {
		walk("", s.Fields)
	}
}

// keysInSource returns all string literals in a package's source that could be keys of a file.
func keysInSource(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil && s != "" && s[0] != '_' &&
					strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == "" {
					found[s] = true
				}
			}
			return true
		})
	}
	var keys []string
	for key := range found {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// keysRead returns the keys that the parser knows in the object at a path.
func keysRead(t *testing.T, of, path string, keys []string) []string {
	t.Helper()
	unknown := map[string]bool{}
	for _, p := range parseFile(of, fileWithKeys(of, path, keys)) {
		if strings.HasPrefix(p.Message, "is not a known key") {
			unknown[p.Field[strings.LastIndexByte(p.Field, '.')+1:]] = true
		}
	}
	var known []string
	for _, key := range keys {
		if !unknown[key] {
			known = append(known, key)
		}
	}
	return known
}

// fileWithKeys returns a file in which the object at a path has the given keys, all without values.
func fileWithKeys(of, path string, keys []string) []byte {
	file := map[string]any{}
	for _, key := range keys {
		file[key] = nil
	}
	segments := strings.Split(strings.TrimSuffix(path, "."), ".")
	for i := len(segments) - 1; i >= 0 && path != ""; i-- {
		name, kind, isType := strings.Cut(segments[i], "=")
		if isType {
			file["type"] = kind
		}
		if key, isList := strings.CutSuffix(name, "[]"); isList {
			file = map[string]any{key: []any{file}}
		} else {
			file = map[string]any{name: file}
		}
	}
	text, _ := json.Marshal(file) // JSON is YAML
	if of == schema.OfCampaign {
		text = fmt.Appendf(nil, "---\n%s\n---\n", text)
	}
	return text
}

func parseFile(of string, src []byte) campaign.Problems {
	var err error
	if of == schema.OfCampaign {
		_, err = campaignfile.Parse("x.md", src)
	} else {
		_, err = campaignfile.ParseAddOns("x.yml", src)
	}
	var problems campaign.Problems
	errors.As(err, &problems)
	return problems
}

// keysByObject returns the described keys of each object in a file, including keys without effect.
func keysByObject(d schema.Document) map[string][]string {
	all := map[string][]string{"": slices.Clone(d.Ignored)}
	var walk func(string, []schema.Field)
	walk = func(at string, fields []schema.Field) {
		for _, f := range fields {
			where, key := at, f.Path
			if section, below, ok := strings.Cut(f.Path, "."); ok {
				if !slices.Contains(all[at], section) {
					all[at] = append(all[at], section)
				}
				where, key = at+section+".", below
			}
			all[where] = append(all[where], key)
			if f.Kind == schema.Objects {
				below := at + f.Path + "[]."
				all[below] = slices.Clone(f.Ignored)
				walk(below, f.Fields)
			}
			if f.Kind != schema.Blocks {
				continue
			}
			for _, kind := range f.Fields[0].Choices {
				of := slices.DeleteFunc(slices.Clone(f.Fields),
					func(b schema.Field) bool { return b.Only != nil && !slices.Contains(b.Only, kind.Value) })
				walk(at+f.Path+"[]="+kind.Value+".", of)
			}
		}
	}
	for _, s := range d.Sections {
		walk("", s.Fields)
	}
	delete(all, "body")
	return all
}

// The description has exactly the keys that the parser reads, in every object of a file.
func TestDescribe_MatchesParser(t *testing.T) {
	keys := keysInSource(t, "../../pledge/campaign/campaignfile")
	for _, of := range []string{schema.OfCampaign, schema.OfAddOns} {
		for path, described := range keysByObject(describe(t, of, "en")) {
			all := slices.Concat(keys, described)
			slices.Sort(all)
			all = slices.Compact(all)
			want := slices.DeleteFunc(described,
				func(key string) bool { return of == schema.OfCampaign && path == "" && key == campaignfile.BodyPath })
			slices.Sort(want)
			if diff := cmp.Diff(want, keysRead(t, of, path, all)); diff != "" {
				t.Errorf("in %s, %q: described (-), read (+)\n%s", of, path, diff)
			}
		}
	}
}

// The description contains every setting of the site file and nothing else.
func TestDescribe_AllSettings(t *testing.T) {
	var want, got []string
	for _, s := range config.Settings() {
		if s.SiteKey != "" {
			want = append(want, s.SiteKey)
		}
	}
	for _, path := range config.SitePaths() {
		if path != "design" {
			want = append(want, path)
		}
	}
	for _, key := range site.DesignKeys() {
		want = append(want, "design."+key)
	}
	forEachField(describe(t, schema.OfSettings, "en"), func(_ string, f schema.Field) { got = append(got, f.Path) })
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-), described (+)\n%s", diff)
	}
}

// The site rejects values that the patterns of the design settings do not allow.
func TestDescribe_DesignPatterns(t *testing.T) {
	for key, value := range map[string]string{"color_text": "red", "font_body": "url(x)", "radius_lg": "1pt"} {
		fsys := fstest.MapFS{config.SiteFile: {Data: []byte("design: {" + key + ": " + value + "}\n")}}
		if site.CheckSettings(fsys) == nil {
			t.Errorf("%s: %s was accepted", key, value)
		}
	}
}

// The description has the specified sections in the specified order.
func TestDescribe_SettingsSections(t *testing.T) {
	want := []string{
		"Platform", "Brand and SEO", "Checkout", "Pricing", "Tax", "Shipping", "Campaign runner reports",
		"Design", "Users", "Admin sessions",
		"Audit log", "Plan usage", "Advanced performance", "Debug", "Secrets and credentials", "Runtime diagnostics",
	}
	var got []string
	for _, s := range describe(t, schema.OfSettings, "en").Sections {
		got = append(got, s.Label)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves STG-04, STG-12.
func TestDescribe_TimeAndPrefetchSettings(t *testing.T) {
	got := map[string]string{}
	forEachField(describe(t, schema.OfSettings, "en"), func(_ string, f schema.Field) {
		if f.Path == "platform.timezone" || strings.HasPrefix(f.Path, "performance.") {
			got[f.Path] = f.Kind + " " + string(f.Default)
		}
	})
	want := map[string]string{
		"platform.timezone": `timezone "America/Denver"`, "performance.intent_prefetch_enabled": "boolean true",
		"performance.intent_prefetch_delay_ms": "integer 90", "performance.intent_prefetch_limit": "integer 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescribe_BothLanguages(t *testing.T) {
	for _, of := range schema.Kinds() {
		words := map[string]map[string]string{}
		for _, language := range []string{"en", "es"} {
			words[language] = map[string]string{}
			d := describe(t, of, language)
			forEachField(d, func(above string, f schema.Field) {
				at := above + f.Path
				if f.Label == "" || len(f.Label) > 60 || len(f.Help) > 200 {
					t.Errorf("%s %s is %q, %q", language, at, f.Label, f.Help)
				}
				words[language][at] = f.Help
				for _, c := range f.Choices {
					if c.Label == "" {
						t.Errorf("%s: %s of %s has no label", language, c.Value, at)
					}
				}
				for what, text := range map[string]json.RawMessage{"default": f.Default, "new": f.New} {
					if text != nil && !json.Valid(text) {
						t.Errorf("%s's %s is %s", at, what, text)
					}
				}
			})
		}
		for at, help := range words["en"] {
			if es := words["es"][at]; (help == "") != (es == "") || help != "" && help == es {
				t.Errorf("%s: %q, %q", at, help, es)
			}
		}
	}
	if _, ok := schema.Describe("campaign", "fr"); ok {
		t.Error("returned a French description")
	}
	if _, ok := schema.Describe("pledge", "en"); ok {
		t.Error("returned a description of pledges")
	}
}

// Promise is set on the fields that supporters rely on, including those of list entries.
func TestDescribe_Promises(t *testing.T) {
	got := map[string]bool{}
	forEachField(describe(t, schema.OfCampaign, "en"),
		func(above string, f schema.Field) { got[above+f.Path] = f.Promise })
	for path, want := range map[string]bool{
		"goal_amount": true, "goal_deadline": true, "title": false, "tiers[].price": true, "tiers[].image": false,
		"campaign_add_ons[].variants[].price": true, "diary[].title": false, "tiers[].limit_total": false,
	} {
		if is, ok := got[path]; !ok || is != want {
			t.Errorf("%s: %t, want %t", path, is, want)
		}
	}
}
