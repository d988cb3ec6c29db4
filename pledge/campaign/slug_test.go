package campaign_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Slug returns a valid slug or "" for titles of any length and script.
func TestSlug_Titles(t *testing.T) {
	for title, want := range map[string]string{
		"Café Noir, Part 2": "cafe-noir-part-2", "A–Z {0–9}": "a-z-0-9", "Jazz `90/91:": "jazz-90-91",
		"Ada’s  'Ferry'": "adas-ferry", "¡Film!": "film", "太郎": "", "--": "",
		strings.Repeat("a", 100): strings.Repeat("a", 100), strings.Repeat("a", 101): strings.Repeat("a", 100),
		strings.Repeat("a", 99) + " b": strings.Repeat("a", 99),
	} {
		got := campaign.Slug(title)
		if got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
		if _, err := campaign.ParseSlug(got); got != "" && err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
	for _, bad := range []string{"", "Film", "a b", "é", strings.Repeat("a", 101)} {
		if s, err := campaign.ParseSlug(bad); s != "" || !fault.Is(err, fault.Invalid) {
			t.Errorf("ParseSlug(%q) = %q, %v; want an error", bad, s, err)
		}
	}
}
