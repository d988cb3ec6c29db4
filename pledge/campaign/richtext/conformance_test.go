package richtext_test

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// example is an example in the CommonMark specification.
type example struct {
	Example        int
	Section        string
	Markdown, HTML string
}

// leastPassed is the percentage of examples that must pass.
const leastPassed = 99

// TestConformance_CommonMark renders the specification's examples. It skips those with raw HTML or
// with links that Check rejects.
func TestConformance_CommonMark(t *testing.T) {
	var passed, leftOut int
	all := examples(t)
	for _, e := range all {
		if e.hasRawHTML() || e.hasRefusedURL() {
			leftOut++
			continue
		}
		diff := cmp.Diff(normalized(e.HTML), normalized(richtext.HTML(e.Markdown, "")))
		if diff == "" {
			passed++
			continue
		}
		t.Logf("example %d (%s) renders differently (-want +got):\n%s", e.Example, e.Section, diff)
	}
	total := len(all) - leftOut
	t.Logf("CommonMark: %d of %d examples pass (%.1f %%); %d with raw HTML or rejected addresses skipped",
		passed, total, 100*float64(passed)/float64(total), leftOut)
	if passed*100 < total*leastPassed {
		t.Errorf("%d of %d examples pass, want at least %d %%", passed, total, leastPassed)
	}
}

func examples(t testing.TB) (all []example) {
	t.Helper()
	b, err := os.ReadFile("testdata/spec.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	// ownTag matches the tags rendered for Markdown.
	ownTag = regexp.MustCompile(`</?(?:p|h[1-6]|ul|li|blockquote|pre|code|em|strong)>|<(?:br|hr) />|` +
		`</?ol>|<ol start="\d+">|` +
		`<code class="language-[^"]*">|<a href="[^"]*"(?: title="[^"]*")?>|</a>|` +
		`<img src="[^"]*" alt="[^"]*"(?: title="[^"]*")? />`)
	link  = regexp.MustCompile(`<a href="([^"]*)"`)
	image = regexp.MustCompile(`<img src="([^"]*)"`)
)

// hasRawHTML reports whether the expected result has tags that Markdown does not produce, or more
// of them than the text's Markdown produces.
func (e example) hasRawHTML() bool {
	if strings.Contains(ownTag.ReplaceAllString(e.HTML, ""), "<") {
		return true
	}
	for _, tag := range ownTag.FindAllString(e.HTML, -1) {
		if strings.Contains(e.Markdown, tag) && !strings.Contains(e.HTML, html.EscapeString(tag)) {
			return true
		}
	}
	return false
}

// hasRefusedURL reports whether the expected result has an address that Check rejects, as rendered
// or as written in the source.
func (e example) hasRefusedURL() bool {
	refused := func(found [][]string, check func(string) error) bool {
		return slices.ContainsFunc(found, func(m []string) bool {
			rendered := html.UnescapeString(m[1])
			written, err := url.PathUnescape(rendered)
			return check(rendered) != nil || err == nil && check(written) != nil
		})
	}
	return refused(link.FindAllStringSubmatch(e.HTML, -1), safety.MarkdownLink) ||
		refused(image.FindAllStringSubmatch(e.HTML, -1), safety.Media)
}

// normalized writes empty elements as HTML does and removes the attributes that pages
// add to links.
func normalized(page string) string {
	return strings.NewReplacer(" />", ">", ` rel="nofollow noreferrer noopener"`, "").Replace(page)
}
