package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// The guide's rows are the settings: same names, keys and defaults, in the
// same order, each with a meaning.
func TestGuideAgrees(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, settings []string
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		if strings.TrimSpace(cells[4]) == "" {
			t.Errorf("no meaning: %s", line)
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
