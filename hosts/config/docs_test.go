package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const reservedHeading = "\n## Reserved settings\n"

// The table in the guide lists exactly the settings, with the same names, keys and defaults in the
// same order, each with a description.
func TestGuide_MatchesSettings(t *testing.T) {
	var documented, settings []string
	guide, _, _ := strings.Cut(read(t, "docs/configuration.md"), reservedHeading)
	for line := range strings.SplitSeq(guide, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		if strings.TrimSpace(cells[4]) == "" {
			t.Errorf("no description: %s", line)
		}
		row := strings.Join([]string{cells[1], cells[2], cells[3]}, "|")
		documented = append(documented, strings.NewReplacer(" ", "", "`", "").Replace(row))
	}
	for _, s := range config.Settings() {
		settings = append(settings, s.Variable+"|"+s.SiteKey+"|"+s.Default)
	}
	if diff := cmp.Diff(settings, documented); diff != "" {
		t.Errorf("docs/configuration.md (-settings +guide):\n%s", diff)
	}
}

var quotedName = regexp.MustCompile("`([A-Za-z_.]+)`")

// The guide lists the reserved settings. No other document mentions them.
func TestGuide_ListsReserved(t *testing.T) {
	var reserved, listed []string
	for _, s := range config.Reserved() {
		for _, name := range []string{s.Variable, s.SiteKey} {
			if name != "" {
				reserved = append(reserved, name)
			}
		}
	}
	guide, list, _ := strings.Cut(read(t, "docs/configuration.md"), reservedHeading)
	_, rows, _ := strings.Cut(list, "|---|---|\n")
	for _, m := range quotedName.FindAllStringSubmatch(rows, -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(reserved)
	slices.Sort(listed)
	if diff := cmp.Diff(reserved, listed); diff != "" {
		t.Errorf("docs/configuration.md (-reserved +guide):\n%s", diff)
	}

	texts := map[string]string{"docs/configuration.md": guide}
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*", "deploy/*/*", "examples/site/*"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			p, _ := filepath.Rel(root, p)
			if info, err := os.Stat(filepath.Join(root, p)); err != nil || info.IsDir() ||
				slices.Contains([]string{"CHANGELOG.md", "docs/configuration.md", "docs/requirements.md"}, p) {
				continue
			}
			texts[p] = read(t, p)
		}
	}
	for _, s := range config.Reserved() {
		for p, text := range texts {
			if s.Variable != "" && strings.Contains(text, s.Variable) {
				t.Errorf("%s mentions %s, which has no effect", p, s.Variable)
			}
		}
	}
}

// The example's site file contains only known keys.
func TestExampleSiteFile(t *testing.T) {
	cfg, err := config.Load(valid(map[string]string{"APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1"}),
		os.DirFS(filepath.Join(root, "examples/site")))
	if err != nil || len(cfg.Warnings) != 0 {
		t.Errorf("%v, %v", cfg.Warnings, err)
	}
}
