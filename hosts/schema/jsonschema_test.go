package schema_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
)

var update = flag.Bool("update", false, "update the published schemas")

// The schemas in docs/schema match the output of JSON.
func TestJSON_Published(t *testing.T) {
	for _, of := range schema.Kinds() {
		want, ok := schema.JSON(of)
		if !ok {
			t.Fatal(of)
		}
		name := "../../docs/schema/" + of + ".json"
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil { //nolint:gosec // public file
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date: run go test ./hosts/schema -update\n%s", name, diff)
		}
	}
	if _, ok := schema.JSON("pledge"); ok {
		t.Error("returned a schema of pledges")
	}
}

// The embedded data is up to date.
func TestDescribed_Embedded(t *testing.T) {
	want := map[string]json.RawMessage{}
	for _, of := range schema.Kinds() {
		want[of], _ = schema.JSON(of)
		for _, language := range []string{"en", "es"} {
			d, _ := schema.Describe(of, language)
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			want[of+" "+language] = text
		}
	}
	if *update {
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		err = errors.Join(err, json.NewEncoder(w).Encode(want), w.Close())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("published.json.gz", out.Bytes(), 0o644); err != nil { //nolint:gosec // public file
			t.Fatal(err)
		}
		t.Skip("run the tests again to use the new embedded data")
	}
	for _, of := range schema.Kinds() {
		s, _ := schema.Schema(of)
		en, _ := schema.Described(of, "en")
		es, _ := schema.Described(of, "es")
		for key, got := range map[string]json.RawMessage{of: s, of + " en": en, of + " es": es} {
			var a, b any
			if err := errors.Join(json.Unmarshal(want[key], &a), json.Unmarshal(got, &b)); err != nil || !cmp.Equal(a, b) {
				t.Errorf("%s is out of date: run go test ./hosts/schema -update\n%v %s", key, err, cmp.Diff(a, b))
			}
		}
	}
	for _, wrong := range [][2]string{{"campaign", ""}, {"campaign", "fr"}, {"", "en"}} {
		if _, ok := schema.Described(wrong[0], wrong[1]); ok {
			t.Errorf("returned a result for %q", wrong)
		}
	}
}

func settingsSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, _ := schema.JSON(schema.OfSettings)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("settings.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("settings.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validateSettings validates a site file with the schema.
func validateSettings(t *testing.T, s *jsonschema.Schema, src string) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(src), &value); err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

func TestJSON_AcceptsSiteFiles(t *testing.T) {
	s := settingsSchema(t)
	for _, name := range []string{"../../examples/site/site.yml", "../nethttp/cmd/pledged/starter/site.yml"} {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validateSettings(t, s, string(src)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema and config.Load accept and reject the same settings.
func TestJSON_AgreesWithConfiguration(t *testing.T) {
	s := settingsSchema(t)
	blank := configErrors("")
	for _, tt := range []struct {
		src  string
		good bool
	}{
		{"platform: {name: 1984, timezone: Europe/Madrid}", true},
		{"platform: {nonsense: 1}", false},
		{"nonsense: 1", false},
		{"platform: name", false},
		{"platform: {name: [a]}", false},
		{"pricing: {max_tip_percent: 100}", true},
		{"pricing: {max_tip_percent: 101}", false},
		{"pricing: {max_tip_percent: '20'}", true},
		{"pricing: {sales_tax_rate: 0.07875}", true},
		{"pricing: {sales_tax_rate: 2}", false},
		{"tax: {provider: flat}", true},
		{"tax: {provider: guess}", false},
		{"shipping: {fallback_flat_rate: 3.50, carrier: {enabled: false}}", true},
		{"shipping: {fallback_flat_rate: -1}", false},
		{"shipping: {carrier: {timeout_ms: 99}}", false},
		{"performance: {intent_prefetch_enabled: maybe}", false},
		{"performance: {intent_prefetch_enabled: }", true},
		{"debug: {anything: true}", true},
	} {
		if err := validateSettings(t, s, tt.src); (err == nil) != tt.good {
			t.Errorf("%s: schema error = %v", tt.src, err)
		}
		if more := slices.DeleteFunc(configErrors(tt.src),
			func(f string) bool { return slices.Contains(blank, f) }); (len(more) == 0) != tt.good {
			t.Errorf("%s: configuration errors = %q", tt.src, more)
		}
	}
}

// configErrors returns the errors of loading a configuration that has only a site file.
func configErrors(src string) (all []string) {
	lookup := func(name string) (string, bool) { return map[string]string{"APP_MODE": "test"}[name], true }
	_, err := config.Load(lookup, fstest.MapFS{config.SiteFile: {Data: []byte(src)}})
	var found config.SettingErrors
	errors.As(err, &found)
	for _, f := range found {
		all = append(all, f.Error())
	}
	return all
}
