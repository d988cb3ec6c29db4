package rendering

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// counts cover every plural form of the site's languages.
var counts = []int{0, 1, 2, 5, 1_000_000}

// generator writes files of random valid campaigns, determined by its seed.
type generator struct {
	*rand.Rand
	slug string
	ids  int
}

type keys = map[string]any

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// file returns a campaign's file as people could write it.
func (g *generator) file(t testing.TB) []byte {
	t.Helper()
	c := keys{"title": g.name(campaign.MaxTitle), "slug": g.slug, "goal_amount": g.dollars()}
	c["start_date"] = pick(g, "2026-11-02", "2026-11-02 09:30", "2026-12-01", "2026-10-01")
	c["goal_deadline"] = pick(g, "2026-12-18", "2027-01-31 18:00")
	if c["start_date"] == "2026-10-01" && g.IntN(2) == 0 {
		c["goal_deadline"] = "2026-10-20"
	}
	fields := map[string]func() any{
		"short_blurb": g.optional(campaign.MaxBlurb), "creator_name": g.optional(campaign.MaxName),
		"category":      of(g, append(campaign.Categories(), "")...),
		"creator_image": g.media, "creator_about": g.optionalRich(campaign.MaxDescription),
		"instagram": of(g, "", "nightferry.film", "@a", "https://www.instagram.com/night_ferry/"),
		"creator_links": g.list(campaign.MaxLinks,
			func() any { return g.without(keys{"label": g.plain(campaign.MaxName), "url": g.link()}, "label") }),
		"hero_image": g.media, "hero_image_wide": g.media, "hero_image_alt": g.optional(campaign.MaxName),
		"hero_video": of(g, "", "/assets/film.mp4", "https://youtu.be/abcdefghij_?si=x&t=9",
			"https://vimeo.com/123456789/0a1b2c3d4e"),
		"campaign_background": g.media, "risks": g.optionalRich(campaign.MaxText),
		"faq": g.list(4, func() any {
			return keys{"question": g.name(campaign.MaxBlurb), "answer": g.rich(campaign.MaxDescription)}
		}),
		"long_content": g.blocks, "tiers": g.list(6, g.tier), "support_items": g.list(3, g.supportItem),
		"campaign_add_ons": g.list(4, g.addOn),
		"stretch_hidden":   g.boolean, "stretch_goals": g.list(4, g.stretchGoal), "show_ongoing": g.boolean,
		"ongoing_items": g.list(3, func() any {
			return g.without(keys{"label": g.name(campaign.MaxName), "remaining": g.dollars()}, "remaining")
		}),
		"single_tier_only": g.boolean, "ship_disputed": g.boolean, "decisions": g.list(3, g.decision), "diary": g.list(3, g.diaryEntry),
		"ships_to":      g.countries,
		"free_shipping": of[any](g, true, false, "inherit"), "shipping_fallback_flat_rate": g.price,
		"shipping_options": of[any](g, []string{"standard"},
			[]string{"standard", "signature_required", "adult_signature_required"}),
		"preview_only": of[any](g, true, false, false, false),
		"visibility":   of(g, "public", "public", "hidden", "preview"), "preview_enabled": g.boolean, "test_only": g.boolean,
		"recovery": of[any](g, keys{"grace_days": 1, "attempts": 1},
			keys{"grace_days": 60, "attempts": 15, "retry_days": []int{1, 59}}),
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if g.IntN(3) > 0 {
			c[key] = fields[key]()
		}
	}
	if tiers, _ := c["tiers"].([]any); len(tiers) > 0 && g.IntN(2) == 0 {
		c["featured_tier_id"] = tiers[0].(keys)["id"]
	}
	front, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return []byte("---\n" + string(front) + "---\n" + g.rich(campaign.MaxBody) + "\n")
}

// addOns returns the file of the platform's add-ons.
func (g *generator) addOns(t testing.TB) []byte {
	t.Helper()
	src, err := yaml.Marshal(g.without(keys{"enabled": g.boolean(), "low_stock_threshold": pick(g, counts...),
		"products": g.list(4, g.addOn)()}, "enabled", "low_stock_threshold"))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// fragments are texts with different scripts, directions and punctuation, and
// parts of template, script and URL syntax.
var fragments = []string{
	"Night Ferry", "a", "Ärger & Größe", "¿Qué?", "“quoted” ’n’ 'so'", `"double"`, "مرحبا بالعالم", "שלום",
	"日本語のタイトル", "👩‍👩‍👧‍👦", "🏳️‍🌈🇪🇸", "e\u0301\u0327", "\u200d", "\u00a0", "{{.Title}}", "{{", "}}",
	"%d %s %!", "a < b && c > d", "&amp; &copy;", "$1,000,000", "#1", "@x", "C:\\dir\\", "x=1&y=2;z",
	"/*", "*/", "-->", "`tick`", "1. a", "NaN", "null", "~", "\t",
	strings.Repeat("long", 12), "ffi ﬁ", "İıſK", "\U0001F468\u200D\U0001F4BB", "zero\u200bwidth",
	"100 %", "a|b", "[x]", "(y)", "_z_", "!", "\\",
}

// markdown are fragments of rich text.
var markdown = []string{
	"# Title", "## Second\n\n### Third", "- a\n- b\n  - c", "1. one\n2. two\n\n   with more", "> quoted\n> twice",
	"**bold** *it* `code`", "```\ncode {{.X}}\n```", "    indented",
	"[a link](https://example.com/a?b=1&copy=2#c)", "[inside](/campaigns/night-ferry/)", "[mail](mailto:crew@example.com)",
	"![A boat](/assets/images/boat.png)", "---", "a<br>b <em>c</em> <u>d</u>",
	"| a | b |\n|---|---|\n| 1 | 2 |", "https://youtu.be/abcdefghij_", "https://example.com/bare",
	"line\nbreak  \nhard", "\\*escaped\\*", "Term\n: Definition", "~~gone~~", "* * *", "+ plus",
}

// plain returns a text that is empty, short or as long as allowed.
func (g *generator) plain(limit int) string {
	switch g.IntN(8) {
	case 0:
		return ""
	case 1:
		return cut(strings.Repeat(pick(g, fragments...)+" ", limit), limit)
	}
	return cut(g.words(), limit)
}

func (g *generator) words() string {
	var parts []string
	for range 1 + g.IntN(4) {
		parts = append(parts, pick(g, fragments...))
	}
	return strings.Join(parts, " ")
}

// name returns a visible text.
func (g *generator) name(limit int) string { return cut("N"+g.plain(limit), limit) }

// rich returns visible Markdown.
func (g *generator) rich(limit int) string {
	text := "Text"
	for range g.IntN(6) {
		more := pick(g, pick(g, markdown...), strings.ReplaceAll(g.words(), "[", ""), "")
		if utf8.RuneCountInString(text+more)+2 <= limit {
			text += "\n\n" + more
		}
	}
	return text
}

// cut truncates a text to a number of characters.
func cut(s string, limit int) string {
	runes := []rune(s)
	return strings.TrimSpace(string(runes[:min(len(runes), limit)]))
}

func (g *generator) optional(limit int) func() any { return func() any { return g.plain(limit) } }
func (g *generator) optionalRich(limit int) func() any {
	return func() any { return pick(g, "", g.rich(limit)) }
}

// of returns a function that picks one of the values.
func of[T any](g *generator, values ...T) func() any { return func() any { return pick(g, values...) } }

func (g *generator) boolean() any { return g.IntN(2) == 0 }

func (g *generator) media() any {
	return pick(g, "", "/assets/images/boat.png", "/assets/images/boat.svg", "/assets/images/boat.gif",
		"https://example.com/boat.jpg")
}

func (g *generator) link() string {
	return pick(g, "https://example.com/", "/campaigns/night-ferry/", "http://example.com/a?b=c&d=%20#e",
		"https://sub.example.museum/%C3%A9")
}

func (g *generator) dollars() any {
	return pick[any](g, 1, 2, 5, 25000, 999999, "$12,345", "1000")
}

func (g *generator) price() any { return pick[any](g, "0.50", 1, 2, "5.05", 25, "$1,234.50", 999999) }

func (g *generator) list(most int, entry func() any) func() any {
	return func() any {
		list := []any{}
		for range pick(g, 0, 1, 2, most) {
			list = append(list, entry())
		}
		return list
	}
}

func (g *generator) id() string {
	g.ids++
	return fmt.Sprintf("%s-%d", pick(g, "a", "early-bird", strings.Repeat("x", 80)), g.ids)
}

// without removes some of the optional keys.
func (g *generator) without(k keys, optional ...string) keys {
	for _, key := range optional {
		if g.IntN(2) == 0 {
			delete(k, key)
		}
	}
	return k
}

func (g *generator) countries() any {
	return pick[any](g, "everywhere", []string{"US"}, []string{"ES", "DE", "XK", "JP"}, []string{})
}

func (g *generator) includes() any {
	return pick[any](g, []string{}, []string{"A disc"},
		[]string{g.name(campaign.MaxName), "Two prints, \"signed\"", "1 < 2 &amp; 3"})
}

// delivery adds shipping fields.
func (g *generator) delivery(k keys) keys {
	switch g.IntN(4) {
	case 0:
		k["category"] = "digital"
	case 1:
		k["shipping_preset"] = pick(g, shipping.PresetNames()...)
	case 2:
		k["shipping"] = g.without(keys{"weight_oz": 1, "length_in": "9999.999", "width_in": 2, "height_in": "0.5",
			"packaging_weight_oz": 3, "stack_height_in": 1, "rigid": true}, "packaging_weight_oz", "stack_height_in", "rigid")
	case 3:
		k["category"], k["ships_to"] = "physical", g.countries()
	}
	return k
}

func (g *generator) tier() any {
	return g.delivery(g.without(keys{
		"id": g.id(), "name": g.name(campaign.MaxName), "price": g.price(), "image": g.media(),
		"description": g.rich(campaign.MaxDescription), "stackable": g.boolean(),
		"includes": g.includes(), "estimated_delivery": pick(g, "", "2027-02", "2031-12"),
		"requires_threshold": pick[any](g, "", 0, 5, 1000), "limit_total": pick(g, counts[1:]...),
	}, "image", "description", "includes", "stackable", "estimated_delivery", "requires_threshold", "limit_total"))
}

func (g *generator) supportItem() any {
	return g.delivery(g.without(keys{"id": g.id(), "label": g.name(campaign.MaxName),
		"need": g.plain(campaign.MaxDescription), "target": g.dollars()}, "need", "target"))
}

func (g *generator) addOn() any {
	k := g.delivery(g.without(keys{
		"id": g.id(), "name": g.name(campaign.MaxName), "price": pick[any](g, g.price(), 0),
		"description": g.rich(campaign.MaxDescription), "image": g.media(),
		"source_url": g.link(), "variant_option_name": g.plain(campaign.MaxOption), "inventory": pick(g, counts...),
	}, "description", "image", "source_url", "variant_option_name", "inventory"))
	if g.IntN(2) == 0 {
		delete(k, "inventory")
		k["variants"] = g.list(campaign.MaxVariants, func() any {
			return g.without(keys{"id": g.id(), "label": g.name(campaign.MaxOption), "price": g.price(),
				"inventory": pick(g, counts...)}, "price", "inventory")
		})()
	}
	return k
}

func (g *generator) stretchGoal() any {
	return g.without(keys{"threshold": g.dollars(), "title": g.name(campaign.MaxName),
		"description": g.rich(campaign.MaxDescription), "status": g.plain(campaign.MaxName)}, "description", "status")
}

func (g *generator) decision() any {
	options := []any{}
	for i := range pick(g, 2, 3, campaign.MaxOptions) {
		label := cut(fmt.Sprintf("%d%s", i, g.plain(campaign.MaxOption)), campaign.MaxOption)
		options = append(options, pick[any](g, label, keys{"label": label, "image": g.media()}))
	}
	return g.without(keys{
		"id": g.id(), "title": g.name(campaign.MaxDescription), "type": pick(g, "vote", "poll"),
		"eligible": pick(g, "supporters", "charged"),
		"deadline": pick(g, "2026-11-01", "2026-12-24 12:00"), "options": options,
	}, "type", "eligible", "deadline")
}

func (g *generator) diaryEntry() any {
	k := g.without(keys{"id": g.id(), "title": g.name(campaign.MaxName), "date": pick(g, "2026-10-05", "2026-11-09 08:00"),
		"phase": pick(g, append(campaign.Phases(), "")...)}, "phase")
	k[pick(g, "content", "body")] = pick(g, g.blocks(), any(g.rich(campaign.MaxText)))
	return k
}

// blocks returns blocks of all types, some types, or none.
func (g *generator) blocks() any {
	image := func() keys {
		return g.without(keys{"src": pick(g, "/assets/images/boat.png", "/assets/images/boat.svg",
			"https://example.com/a.jpg"),
			"alt": g.plain(campaign.MaxDescription), "caption": g.plain(campaign.MaxDescription)}, "caption")
	}
	with := func(k, more keys) keys { maps.Copy(k, more); return k }
	every := []keys{
		{"type": "text", "text": g.rich(campaign.MaxText)},
		g.without(keys{"type": "quote", "text": g.rich(campaign.MaxText), "attribution": g.plain(campaign.MaxName)},
			"attribution"),
		with(keys{"type": "image"}, image()),
		g.without(keys{"type": "gallery", "images": []keys{image(), image(), image()},
			"caption": g.plain(campaign.MaxDescription)}, "caption"),
		g.without(keys{"type": "video", "src": pick(g, "/assets/film.mp4", "https://vimeo.com/123456789"),
			"poster": g.media(), "title": g.plain(campaign.MaxName), "caption": g.plain(campaign.MaxDescription)},
			"poster", "title", "caption"),
		g.without(keys{"type": "audio",
			"src":   pick(g, "/assets/sound.mp3", "https://open.spotify.com/track/0123456789abcdefABCDEF?si=1"),
			"title": g.plain(campaign.MaxName), "caption": g.plain(campaign.MaxDescription)}, "title", "caption"),
		g.without(keys{"type": "embed", "url": pick(g, "https://youtu.be/abcdefghij_",
			"https://www.youtube.com/shorts/abcdefghij_", "https://bandcamp.com/EmbeddedPlayer/album=1/"),
			"title": g.plain(campaign.MaxName), "caption": g.plain(campaign.MaxDescription)}, "title", "caption"),
		{"type": "divider"},
	}
	g.Shuffle(len(every), func(i, j int) { every[i], every[j] = every[j], every[i] })
	return pick[any](g, every, slices.Clone(every[:g.IntN(len(every))]), []keys{})
}
