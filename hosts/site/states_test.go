package site_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// treeWith builds a site with the campaign totals that figures returns.
func treeWith(t testing.TB, files fstest.MapFS, figures func(string) site.Figures, now time.Time) *site.Tree {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, files, map[string]string{"SITE_BASE": "https://harbor.example"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := site.New(site.Options{Content: files, Config: cfg, Figures: figures})
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := b.Build(catalogue, now)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// visible returns a page without the elements that are hidden until the script shows them.
func visible(page string) string {
	for _, tag := range []string{"p", "div", "span", "noscript"} {
		page = withoutHidden(page, tag)
	}
	return page
}

func withoutHidden(page, tag string) string {
	var out strings.Builder
	for {
		i := strings.Index(page, "<"+tag+" ")
		if i < 0 {
			out.WriteString(page)
			return out.String()
		}
		open, rest, _ := strings.Cut(page[i:], ">")
		out.WriteString(page[:i])
		if strings.HasSuffix(open, " hidden") {
			if _, after, ok := strings.Cut(rest, "</"+tag+">"); ok {
				page = after
				continue
			}
		}
		out.WriteString(open + ">")
		page = rest
	}
}

// The static page of a campaign shows the campaign's state in both languages.
func TestCampaign_States(t *testing.T) {
	day := 24 * time.Hour
	deadline := time.Date(2026, 12, 2, 6, 59, 59, 0, time.UTC) // December 1, 11:59 PM in Denver
	for name, tt := range map[string]struct {
		now     time.Time
		pledged int64 // cents; -1 for unknown figures
		en, es  []string
		not     []string
	}{
		"upcoming": {noon.Add(-30 * day), 0,
			[]string{"Coming soon", "Launches November", "Get an email at launch", "One email when you can pledge."},
			[]string{"Próximamente", "Lanzamiento: "}, []string{"Choose a reward", "All or nothing."}},
		"live": {noon, 25_000, []string{"Ends December 1, 2026, 11:59 PM", "All or nothing.",
			"pledged of $1,000 goal", "<b>25%</b> of the goal", "<b>3</b> supporters", `value="25"`, "Choose a reward"},
			[]string{"Termina el 1 de diciembre de 2026 a las 23:59", "Todo o nada.", "<b>3</b> mecenas"},
			[]string{"Last 2 days", "The goal is reached."}},
		"last 48 hours": {deadline.Add(-40 * time.Hour), 25_000, []string{"Last 2 days", "<b>1</b> day left"},
			[]string{"Últimos 2 días", "<b>1</b> día restante"}, []string{"Ends today"}},
		"last day": {deadline.Add(-3 * time.Hour), 25_000, []string{"Ends today"}, []string{"Termina hoy"}, nil},
		"goal reached": {noon, 120_000, []string{"Goal reached",
			"The goal is reached. Pledges are charged after December 1, 2026", "<b>120%</b> of the goal", `value="100"`},
			[]string{"Meta alcanzada", "La meta está alcanzada."}, []string{"All or nothing."}},
		"missed": {deadline.Add(day), 25_000, []string{"Goal missed", "No one was charged.", "See live campaigns"},
			[]string{"Meta no alcanzada", "No se ha cobrado a nadie."}, []string{"Choose a reward", "Funded."}},
		"funded": {deadline.Add(day), 100_000,
			[]string{"Funded", "Pledging is closed.", "See my pledge", `href="/links/"`},
			[]string{"Financiada", "Ya no admite aportaciones."}, []string{"Choose a reward", "No one was charged."}},
		"ended with unknown figures": {deadline.Add(day), -1, []string{"Ended", "This campaign has ended"},
			[]string{"Terminada"}, []string{"No one was charged.", "Pledging is closed."}},
		"live with unknown figures": {noon, -1, []string{"Ends December 1, 2026, 11:59 PM", "All or nothing."},
			nil, []string{"</b> of the goal", "</b> supporters"}},
	} {
		t.Run(name, func(t *testing.T) {
			figures := func(string) site.Figures { return site.Figures{} }
			if tt.pledged >= 0 {
				figures = func(string) site.Figures {
					return site.Figures{Pledged: money.Cents(tt.pledged), Supporters: 3, At: tt.now}
				}
			}
			tree := treeWith(t, content(t), figures, tt.now)
			en, es := visible(text(t, tree, "campaigns/paper-boat/index.html")),
				visible(text(t, tree, "es/campaigns/paper-boat/index.html"))
			en, _, _ = strings.Cut(en, `<script type="application/json"`)
			es, _, _ = strings.Cut(es, `<script type="application/json"`)
			for page, want := range map[string][]string{en: tt.en, es: tt.es} {
				for _, w := range want {
					if !strings.Contains(page, w) {
						t.Errorf("no %q in\n%s", w, head(page))
					}
				}
			}
			for _, w := range tt.not {
				if strings.Contains(head(en), w) {
					t.Errorf("%q in\n%s", w, head(en))
				}
			}
		})
	}
}

func head(page string) string {
	_, after, _ := strings.Cut(page, `class="account"`)
	before, _, _ := strings.Cut(after, "</header>")
	return before
}

// Without JavaScript, a campaign's page explains what needs it and shows the time of the figures.
func TestCampaign_NoScript(t *testing.T) {
	tree := treeWith(t, content(t), func(string) site.Figures { return site.Figures{Pledged: 25_000, At: noon} }, noon)
	for page, want := range map[string][]string{
		"campaigns/paper-boat/index.html": {"To pledge, turn on JavaScript for this site.",
			"These figures are from November 20, 2026, 12:00 PM MST", "write to help@harbor.example"},
		"es/campaigns/paper-boat/index.html": {"Para aportar, activa JavaScript en este sitio.",
			"Estas cifras son del 20 de noviembre de 2026"},
	} {
		_, rest, _ := strings.Cut(text(t, tree, page), "<noscript>")
		got, _, _ := strings.Cut(rest, "</noscript>")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q in %s", page, w, got)
			}
		}
	}
}

// A reward shows its stock, its contents, and the amount missing until it is unlocked.
func TestReward_States(t *testing.T) {
	files := content(t)
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "tiers:\n", `tiers:
  - {id: open, name: Open, price: 5, includes: [A print, "Notes & sketches"]}
  - {id: one, name: One, price: 5, limit_total: 1}
  - {id: two, name: Two, price: 5, limit_total: 25}
  - {id: last, name: Last, price: 5, limit_total: 25}
  - {id: gone, name: Gone, price: 5, limit_total: 25}
  - {id: later, name: Later, price: 5, requires_threshold: 520, limit_total: 4}
`, 1))
	tree := treeWith(t, files, func(string) site.Figures {
		return site.Figures{Pledged: 39_450, Supporters: 3,
			Remaining: map[string]int{"one": 1, "two": 12, "last": 3, "gone": 0, "later": 4}, At: noon}
	}, noon)
	for page, want := range map[string]map[string][]string{
		"campaigns/paper-boat/index.html": {
			"open": {`<ul class="incl" aria-label="Includes"><li>A print</li><li>Notes &amp; sketches</li></ul>`, "Add to cart"},
			"one":  {"1 of 1 left", "Only 1 left"},
			"two":  {"12 of 25 left"}, "last": {"3 of 25 left", "Only 3 left"}, "gone": {"Sold out", " disabled>"},
			"later": {"Locked", "Unlocks at $520", "$125.50 to go until it unlocks", " disabled>"},
		},
		"es/campaigns/paper-boat/index.html": {"one": {"Queda 1 de 1", "Solo queda 1"},
			"last": {"Quedan 3 de 25", "Solo quedan 3"}, "later": {"Disponible al llegar a", "Faltan "}},
	} {
		html := visible(text(t, tree, page))
		for id, words := range want {
			got := rewardOf(html, id)
			for _, w := range words {
				if !strings.Contains(got, w) {
					t.Errorf("%s: %s lacks %q in\n%s", page, id, w, got)
				}
			}
		}
	}
	html := visible(text(t, tree, "campaigns/paper-boat/index.html"))
	for id, not := range map[string]string{"two": "Only", "later": "Only", "gone": "Only", "open": "Includes:"} {
		if got := rewardOf(html, id); strings.Contains(got, not) {
			t.Errorf("%s has %q", id, not)
		}
	}
	bare := treeWith(t, files, nil, noon)
	for page, want := range map[string][2]string{"campaigns/paper-boat/index.html": {"The only one", "Limited to 25"},
		"es/campaigns/paper-boat/index.html": {"La única", "Limitada a 25"}} {
		html := visible(text(t, bare, page))
		if !strings.Contains(rewardOf(html, "one"), want[0]) || !strings.Contains(rewardOf(html, "two"), want[1]) {
			t.Errorf("%s has no %q", page, want)
		}
	}
}

// rewardOf returns the part of a page that shows a reward.
func rewardOf(page, id string) string {
	_, after, _ := strings.Cut(page, `data-tier="`+id+`"`)
	got, _, _ := strings.Cut(after, "<li class=\"card tier")
	return got
}
