package marketing_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves MKT-06.
func TestFrames(t *testing.T) {
	for name, tc := range map[string]struct {
		embed marketing.Embed
		want  marketing.Frame
	}{
		"default": {marketing.Embed{}, marketing.Frame{
			URL:  "https://example.org/embed/film/",
			HTML: `<iframe src="https://example.org/embed/film/" title="&#34;Film&#34; &lt;1&gt;" width="420" height="520" loading="lazy"></iframe>`,
		}},
		"all options": {marketing.Embed{Lang: "es", Compact: true, Theme: "dark", HideMedia: true,
			HideButton: true}, marketing.Frame{
			URL:  "https://example.org/es/embed/film/compact/?cta=hide&media=hide&theme=dark",
			HTML: `<iframe src="https://example.org/es/embed/film/compact/?cta=hide&amp;media=hide&amp;theme=dark" title="&#34;Film&#34; &lt;1&gt;" width="420" height="220" loading="lazy"></iframe>`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.embed.Frame("https://example.org/", "film", `"Film" <1>`)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
	_, err := marketing.Embed{Theme: "red"}.Frame("https://example.org", "film", "Film")
	wantFault(t, err, fault.Invalid, "theme")
}
