package site_test

import (
	"crypto/rand"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
)

const rich = `creator_image: /assets/images/boat.jpg
creator_about: We *float*.
creator_links: [{label: Our boats, url: https://yard.example/boats}, {url: https://blog.example/a}]
instagram: theyard
hero_image_wide: /assets/images/wide.jpg
campaign_background: /assets/images/sea.jpg
risks: It may **sink**.
faq: [{question: "Does it float?", answer: "So *far*."}]
campaign_add_ons: [{name: Sail, price: 5, source_url: https://sails.example/one}]
`

const rewards = `  - {id: model, name: Model, price: 40, category: physical, shipping_preset: pin, ` +
	`ships_to: [US, DE], estimated_delivery: 2027-05}
  - {id: kit, name: Kit, price: 60, category: physical, shipping_preset: pin}
`

// withFields returns content in which Paper Boat has all optional fields.
func withFields(t testing.TB) fstest.MapFS {
	t.Helper()
	files := content(t)
	text := strings.Replace(open, "tiers:\n", rich+"tiers:\n"+rewards, 1)
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(text, "options: [Flo, Bob]",
		"options: [Flo, {label: Bob, image: /assets/images/bob.jpg}]", 1))
	for _, name := range []string{"wide", "sea", "bob"} {
		files["assets/images/"+name+".jpg"] = files["assets/images/boat.jpg"]
	}
	return files
}

// Campaign pages show the optional fields in both languages, and nothing in place of missing ones.
func TestOffers_OptionalFields(t *testing.T) {
	tree := build(t, withFields(t), noon)
	for p, want := range map[string][]string{
		"campaigns/paper-boat/index.html": {"<dt>Delivery</dt><dd>May 2027</dd>",
			"<dt>Ships to</dt><dd>United States, Germany</dd>",
			"<dt>Ships to</dt><dd>Worldwide, except Cuba, Iran, North Korea, Syria</dd>", `data-excluded="CU IR KP SY"`,
			"<dt>Shipping</dt><dd>$3, however many items</dd>",
			"We <em>float</em>.", `<a href="https://yard.example/boats" rel="nofollow noopener noreferrer">Our boats</a>`,
			">blog.example</a>", `href="https://www.instagram.com/theyard/"`,
			`<summary>Does it float?</summary>`, "So <em>far</em>.", "It may <strong>sink</strong>.",
			`<source media="(min-width: 60rem)"`, `<div class="backdrop">`,
			`<a href="https://sails.example/one" rel="nofollow noopener noreferrer">Learn more at sails.example</a>`,
			`decoding="async">Bob</li>`,
			`href="mailto:?subject=Paper%20Boat&amp;body=https%3a%2f%2fharbor.example%2fcampaigns%2fpaper-boat%2f"`,
			`u=https%3a%2f%2fharbor.example%2fcampaigns%2fpaper-boat%2f"`,
			`<a href="/share/paper-boat.png" download>`, `<a class="button big" href="#rewards">Choose a reward</a>`},
		"es/campaigns/paper-boat/index.html": {"<dt>Entrega</dt><dd>mayo de 2027</dd>",
			"<dt>Se envía a</dt><dd>Estados Unidos, Alemania</dd>", "Elegir recompensa",
			"body=https%3a%2f%2fharbor.example%2fes%2fcampaigns%2fpaper-boat%2f"},
		"api/campaigns.json": {`"shipsTo":["US","DE"]`, `"estimatedDelivery":"2027-05"`,
			`"faq":[{"question":"Does it float?"`},
	} {
		got := text(t, tree, p)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s has no %q", p, w)
			}
		}
	}
	bare := text(t, build(t, content(t), noon), "campaigns/paper-boat/index.html")
	for _, none := range []string{`id="faq"`, `class="backdrop"`, "<source", "<dt>Delivery", `class="links"`} {
		if strings.Contains(bare, none) {
			t.Errorf("a campaign without the field shows %s", none)
		}
	}
}

// Rewards show their shipping cost if it is the same for all destinations.
func TestOffers_ShippingCosts(t *testing.T) {
	for name, c := range map[string]struct {
		more  string
		with  map[string]string
		wants string
	}{
		"platform's rate":   {"", nil, "$3, however many items"},
		"campaign's rate":   {"shipping_fallback_flat_rate: 7.50\n", nil, "$7.50, however many items"},
		"free":              {"free_shipping: true\n", nil, "Free"},
		"free by default":   {"", map[string]string{"SHIPPING_FREE_SHIPPING_DEFAULT": "true"}, "Free"},
		"carrier":           {"", carrier, "Depends on your address"},
		"free with carrier": {"free_shipping: true\n", carrier, "Free"},
	} {
		files := withFields(t)
		files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(string(files["campaigns/paper-boat.md"].Data),
			"risks:", c.more+"risks:", 1))
		env := map[string]string{"SITE_BASE": "https://harbor.example"}
		maps.Copy(env, c.with)
		cfg, err := config.Demo(rand.Reader, files, env)
		if err != nil {
			t.Fatal(err)
		}
		b, err := site.New(site.Options{Content: files, Config: cfg})
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, tree(t, b, files, noon), "campaigns/paper-boat/index.html"); strings.Count(got,
			"<dt>Shipping</dt><dd>"+c.wants+"</dd>") != 2 {
			t.Errorf("%s: no %q at both rewards", name, c.wants)
		}
	}
}

var carrier = map[string]string{"CARRIER_ENABLED": "true", "CARRIER_CLIENT_ID": "us",
	"CARRIER_CLIENT_SECRET": "a carrier secret", "SHIPPING_ORIGIN_ZIP": "87102"}
