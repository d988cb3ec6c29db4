package site_test

import (
	"strings"
	"testing"
)

const (
	englishText = "The boat is for the two of you, and it floats. We sail in the bay and on the lake."
	spanishText = "El barco es para los dos y flota. Salimos en la bahía y por el lago, " +
		"con una vela de las que se ven en los puertos."
)

// A campaign's texts have a lang attribute on pages in another language, and only there.
func TestTextLanguage(t *testing.T) {
	for name, tt := range map[string]struct{ body, lang string }{
		"English": {englishText, "en"},
		"Spanish": {spanishText, "es"},
		"both":    {englishText + "\n\n" + spanishText, ""},
		"unclear": {"Bootsbau am See, mit Segeln und Rudern.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := content(t)
			files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "Below the fold.", tt.body, 1))
			tree := build(t, files, noon)
			for page, own := range map[string]string{"": "en", "es/": "es"} {
				mark := ""
				if tt.lang != "" && tt.lang != own {
					mark = ` lang="` + tt.lang + `"`
				}
				for p, want := range map[string][]string{
					"campaigns/paper-boat/index.html": {"<h1" + mark + ">Paper Boat</h1>", "<title" + mark + ">Paper Boat",
						`<section aria-labelledby="story"` + mark + ">"},
					"community/paper-boat/index.html": {"<title" + mark + ">", "<h2" + mark + ">Which name"},
					"embed/paper-boat/index.html":     {"<h1" + mark + ">Paper Boat</h1>"},
					"index.html":                      {`paper-boat/"` + mark + ">Paper Boat</a>"},
				} {
					got := text(t, tree, page+p)
					for _, w := range want {
						if !strings.Contains(got, w) {
							t.Errorf("%s%s has no %s", page, p, w)
						}
					}
				}
				if got := text(t, tree, page+"campaigns/paper-boat/index.html"); mark != "" &&
					!strings.Contains(got, `class="quiet-heading" lang="`+own+`"`) {
					t.Errorf("%s: the page's own heading is in %s", page, tt.lang)
				}
			}
			if got := text(t, tree, "api/campaigns.json"); tt.lang != "" && !strings.Contains(got, `"lang":"`+tt.lang+`"`) {
				t.Error("the catalogue has no language")
			}
		})
	}
}
