package site_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/hosts/site"
)

// manyStates returns content with n live, n upcoming and n ended campaigns in addition to Paper
// Boat.
func manyStates(t testing.TB, n int) fstest.MapFS {
	t.Helper()
	files := content(t)
	for i := range n {
		for state, dates := range map[string]string{
			"live": "start_date: 2026-11-01\ngoal_deadline: 2026-12-%02d",
			"soon": "start_date: 2026-12-%02d\ngoal_deadline: 2027-01-20",
			"done": "start_date: 2026-09-01\ngoal_deadline: 2026-10-%02d",
		} {
			slug := fmt.Sprintf("%s-%03d", state, i)
			files["campaigns/"+slug+".md"] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
				"---\nslug: %s\ntitle: Film %s\ncategory: %s\n"+dates+"\ngoal_amount: 1000\npublished: true\n"+
					"hero_image: /assets/images/boat.jpg\nhero_image_alt: A boat\ntiers: [{name: A, price: 5}]\n---\n",
				slug, slug, []string{"Book", "Album"}[i%2], i%27+2))}
		}
	}
	return files
}

var cardLink = regexp.MustCompile(`<h3><a href="/campaigns/([a-z0-9-]+)/">`)

func cardsOf(page string) []string {
	var all []string
	for _, m := range cardLink.FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

// Home pages list at most nine campaigns each, every campaign once, and link to the next page.
func TestHome_Pages(t *testing.T) {
	tree := build(t, manyStates(t, 100), noon)
	for first, want := range map[string]int{"index.html": 101, "upcoming/index.html": 100, "ended/index.html": 100} {
		seen, page, pages := map[string]bool{}, first, 0
		for page != "" {
			html := text(t, tree, page)
			cards := cardsOf(html)
			if len(cards) > 9 || len(cards) == 0 {
				t.Fatalf("%s has %d cards", page, len(cards))
			}
			for _, slug := range cards {
				if seen[slug] {
					t.Errorf("%s is on two pages", slug)
				}
				seen[slug] = true
			}
			if n := strings.Count(html, `aria-current="page"`); n < 2 {
				t.Errorf("%s: %d current links, want at least the tab and the page", page, n)
			}
			pages++
			next := regexp.MustCompile(`<a href="/([a-z0-9/]*)" rel="next">`).FindStringSubmatch(html)
			if page = ""; next != nil {
				page = next[1] + "index.html"
			}
		}
		if len(seen) != want || pages != (want+8)/9 {
			t.Errorf("%s: %d campaigns on %d pages, want %d", first, len(seen), pages, want)
		}
	}
	es := text(t, tree, "es/page/2/index.html")
	for _, want := range []string{`href="/es/ended/"`, `href="/es/page/3/" rel="next"`,
		`href="/es/" rel="prev"`, "101 campañas en marcha"} {
		if !strings.Contains(es, want) {
			t.Errorf("second Spanish page lacks %s", want)
		}
	}
	if sitemap := text(t, tree, "sitemap.xml"); !strings.Contains(sitemap, "<loc>https://harbor.example/ended/12/</loc>") {
		t.Error("the sitemap lacks a page of campaigns")
	}
}

// The search index contains every public campaign, and the home page contains the form that the
// script uses.
func TestHome_SearchIndex(t *testing.T) {
	tree := build(t, manyStates(t, 20), noon)
	var index []struct {
		S, T, K, St, I, X string
		G, E              int64
	}
	body := text(t, tree, "search.json")
	if err := json.Unmarshal([]byte(body), &index); err != nil {
		t.Fatal(err)
	}
	if len(index) != 61 || len(body) > 61*300 {
		t.Errorf("%d campaigns in %d bytes", len(index), len(body))
	}
	states := map[string]int{}
	for _, c := range index {
		states[c.St]++
		if c.S == "" || c.T == "" || c.G != 100_000 || c.E == 0 || !strings.HasPrefix(c.I, "/_/images/") || c.X == "" {
			t.Fatalf("%+v", c)
		}
	}
	if states["live"] != 21 || states["upcoming"] != 20 || states["ended"] != 20 {
		t.Error(states)
	}
	home := text(t, tree, "index.html")
	for _, want := range []string{`data-find="/search.json" data-state="live" hidden`,
		`<option value="Book" data-name="Book">Book (30)</option>`, `<option value="closest">`, `class="feature card"`} {
		if !strings.Contains(home, want) {
			t.Errorf("home page lacks %s", want)
		}
	}
}

// A tab without campaigns has a note, and a site with few campaigns has no search.
func TestHome_Empty(t *testing.T) {
	files := content(t)
	for name := range files {
		if strings.HasPrefix(name, "campaigns/") {
			delete(files, name)
		}
	}
	tree := build(t, files, noon)
	for page, want := range map[string]string{
		"index.html": "No campaign is live right now.", "upcoming/index.html": "No campaign is coming up right now.",
		"es/ended/index.html": "Todavía no ha terminado ninguna campaña.",
	} {
		if got := text(t, tree, page); !strings.Contains(got, want) || strings.Contains(got, "data-find") ||
			strings.Contains(got, `rel="next"`) {
			t.Errorf("%s lacks %q, or has a search or pages", page, want)
		}
	}
}

// The number of campaigns is shown in the correct plural form.
func TestHome_Counts(t *testing.T) {
	for n, want := range map[int][2]string{0: {"1 live campaign.", "1 campaña en marcha."},
		1: {"2 live campaigns,", "2 campañas en marcha,"}} {
		tree := build(t, manyStates(t, n), noon)
		for i, page := range []string{"index.html", "es/index.html"} {
			if got := text(t, tree, page); !strings.Contains(got, want[i]) {
				t.Errorf("%s with %d lacks %q", page, n+1, want[i])
			}
		}
	}
}

// The campaign with the most supporters is featured.
func TestHome_Featured(t *testing.T) {
	files := manyStates(t, 5)
	tree := treeWith(t, files, func(slug string) site.Figures {
		return site.Figures{Supporters: map[string]int{"live-003": 9}[slug], At: noon}
	}, noon)
	if got := text(t, tree, "index.html"); !strings.Contains(got, `<a class="feature card" href="/campaigns/live-003/">`) {
		t.Error("live-003 is not featured")
	}
}
