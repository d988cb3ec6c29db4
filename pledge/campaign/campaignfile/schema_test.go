package campaignfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// compiled returns the compiled JSON Schema of a kind of file, which text editors use.
func compiled(t testing.TB, of string) *jsonschema.Schema {
	t.Helper()
	text, ok := schema.JSON(of)
	if !ok {
		t.Fatalf("no schema for %s", of)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(of+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(of + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validateSchema validates the values in a file's YAML with a schema.
func validateSchema(t testing.TB, s *jsonschema.Schema, name string, src []byte) error {
	t.Helper()
	f, err := campaignfile.Open(name, src)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.Fields(nil)))
	if err != nil {
		t.Fatal(err)
	}
	if keys, ok := value.(map[string]any); ok && strings.HasSuffix(name, ".md") {
		delete(keys, campaignfile.BodyPath)
	}
	return s.Validate(value)
}

// The schema accepts all valid files.
func TestSchema_AcceptsExamples(t *testing.T) {
	names, err := filepath.Glob(exampleSite + "/campaigns/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	campaigns, addOns := compiled(t, schema.OfCampaign), compiled(t, schema.OfAddOns)
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validateSchema(t, campaigns, name, src); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{whole, edited} {
		if err := validateSchema(t, campaigns, "a.md", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	src, err := os.ReadFile(exampleSite + "/add-ons.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(src), products, ""} {
		if err := validateSchema(t, addOns, "add-ons.yml", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	if validateSchema(t, addOns, "add-ons.yml", []byte("products: [{name: A, price: 1, colour: red}]\n")) == nil {
		t.Error("the schema accepts an unknown key of an add-on")
	}
}

// parserOnly are the names of problemTests that only the parser rejects, because no schema can
// express the rule and accept everything that the parser accepts.
var parserOnly = []string{
	"HTML in a name",
	"HTML in risks",
	"amount with exponent",
	"amount with three decimal places",
	"content and body of a diary entry",
	"countries for a digital item",
	"delivery before and in 1970",
	"delivery before the deadline",
	"diary entry with a reserved ID",
	"digital support item with a package",
	"digital with a package",
	"digital with a preset",
	"duplicate ID",
	"duplicate option",
	"email too long",
	"image path with ..",
	"inventory of an add-on with variants",
	"invisible name",
	"min above max",
	"nothing to pledge for",
	"only locked rewards",
	"preset and package",
	"retry after the grace period",
	"retry days not increasing",
	"script in a description",
	"unapproved embed",
	"unknown country code",
	"unknown featured tier",
}

// The parser rejects everything that the schema rejects. Files that only the parser rejects are
// listed in parserOnly.
func TestSchema_AgreesWithParser(t *testing.T) {
	s := compiled(t, schema.OfCampaign)
	var only []string
	for _, tt := range problemTests {
		err := validateSchema(t, s, "a.md", file(tt.more))
		if tt.want == nil && err != nil {
			t.Errorf("%s is valid but the schema rejects it: %v", tt.name, err)
		}
		if tt.want != nil && err == nil {
			only = append(only, tt.name)
		}
	}
	slices.Sort(only)
	if diff := cmp.Diff(parserOnly, only); diff != "" {
		t.Error(diff)
	}
}

// The schema accepts everything that the parser accepts. Each value of a complete file is
// replaced with other values in turn.
func TestSchema_AcceptsWhatParserAccepts(t *testing.T) {
	s := compiled(t, schema.OfCampaign)
	taken := 0
	for _, value := range []string{"", "null", `""`, `" "`, "0", "1", "5", "12.50", `"5"`, `"$1,200.50"`, "true",
		`"TRUE"`, "false", "2026-11-05", `"2026-11-05 18:00"`, `"2026-11-05T18:00:00-07:00"`, "2027-05", "[]",
		"[a, b]", "[US]", "everywhere", "text", "digital", "physical", "vote", "inherit", "{}"} {
		lines := strings.Split(whole, "\n")
		for i, line := range lines {
			key, _, ok := strings.Cut(line, ": ")
			if !ok || strings.ContainsAny(key, "{[#") {
				continue
			}
			other := slices.Clone(lines)
			other[i] = key + ": " + value
			src := []byte(strings.Join(other, "\n"))
			if c, err := campaignfile.Parse("a.md", src); err != nil || c.Validate(shipping.PresetNames()) != nil {
				continue
			}
			taken++
			if err := validateSchema(t, s, "a.md", src); err != nil {
				t.Errorf("%s: %v", other[i], err)
			}
		}
	}
	if taken < 100 {
		t.Errorf("only %d files were valid", taken)
	}
}
