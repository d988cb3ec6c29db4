package campaignfile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// problemTests are lines of a campaign's front matter with the problems to expect; none if it is
// valid.
var problemTests = []struct {
	name, more string
	want       []string // line (from the sixth of the front matter), field, part of the message
}{
	{"amount with three decimal places", "tiers: [{name: A, price: 1.234}]\n",
		[]string{"6: tiers[0].price: write an amount"}},
	{"amount with exponent", "tiers: [{name: A, price: 1e3}]\n", []string{"6: tiers[0].price: write an amount"}},
	{"negative amount", "tiers: [{name: A, price: -1}]\n", []string{"6: tiers[0].price: write an amount"}},
	{"add-on above the limit", "campaign_add_ons: [{name: A, price: 1000000.01}]\n",
		[]string{"6: campaign_add_ons[0].price: the amount is above"}},
	{"add-on at the limit", "campaign_add_ons: [{name: A, price: 1000000}]\n", nil},
	{"variant above the limit", "campaign_add_ons: [{name: A, price: 1, variants: [{label: B, price: 1000001}]}]\n",
		[]string{"6: campaign_add_ons[0].variants[0].price: the amount is above"}},
	{"variant at the limit", "campaign_add_ons: [{name: A, price: 1, variants: [{label: B, price: 1000000}]}]\n", nil},
	{"negative variant price", "campaign_add_ons: [{name: A, price: 1, variants: [{label: B, price: -5}]}]\n",
		[]string{"6: campaign_add_ons[0].variants[0].price: write an amount"}},
	{"slug with a space", "slug: Night Ferry\n", []string{"6: slug: write lower-case letters"}},
	{"invisible name", "tiers: [{name: \" \", price: 1}, {id: a, name: \"\\u202e\", price: 1}]\n",
		[]string{"6: tiers[0].name: is missing", "6: tiers[1].name: is missing"}},
	{"neither physical nor digital", "tiers: [{name: A, price: 1, category: liquid}]\n",
		[]string{"6: tiers[0].category: write one of: digital, physical\n"}},
	{"limit above the maximum", "tiers: [{name: A, price: 1, limit_total: 1000001}]\n",
		[]string{"6: tiers[0].limit_total: write a whole number from 0 to 1000000"}},
	{"fractional limit", "tiers: [{name: A, price: 1, limit_total: 1.5}]\n",
		[]string{"6: tiers[0].limit_total: write a whole number"}},
	{"limit at the maximum", "tiers: [{name: A, price: 1, limit_total: 1000000}]\n", nil},
	{"non-numeric weight",
		"tiers: [{name: A, price: 1, shipping: {weight_oz: some, length_in: 1.2345, width_in: 0, height_in: 1}}]\n",
		[]string{"weight_oz: write a number", "length_in: write a number", "width_in: write a number"}},
	{"account name of 31 letters", "instagram: " + strings.Repeat("a", 31) + "\n",
		[]string{"6: instagram: write the account's name"}},
	{"account name of 30 letters", "instagram: " + strings.Repeat("a", 30) + "\n", nil},
	{"account name with a space", "instagram: night ferry\n", []string{"6: instagram: write the account's name"}},
	{"inherited free shipping", "free_shipping: inherit\n", nil},
	{"unquoted yes", "single_tier_only: yes\n", []string{"6: single_tier_only: write true, without quotes"}},
	{"quoted no", "test_only: \"no\"\n", []string{"6: test_only: write false"}},
	{"invalid date", "decisions: [{title: A, deadline: 3/1/2026, options: [A, B]}]\n",
		[]string{"6: decisions[0].deadline: write a date"}},
	{"digital with a preset", "tiers: [{name: A, price: 1, category: digital, shipping_preset: cd}]\n",
		[]string{"6: tiers[0].category: is digital"}},
	{"digital with a package",
		"tiers: [{name: A, price: 1, category: digital, shipping: {weight_oz: 1, length_in: 1, width_in: 1, height_in: 1}}]\n",
		[]string{"6: tiers[0].category: is digital"}},
	{"preset only", "tiers: [{name: A, price: 1, shipping_preset: cd}]\n", nil},
	{"digital support item with a package",
		"support_items: [{label: A, category: digital, shipping: {weight_oz: 1, length_in: 1, width_in: 1, height_in: 1}}]\n",
		[]string{"6: support_items[0].category: is digital"}},
	{"physical add-on with its own measures",
		"campaign_add_ons: [{name: A, price: 1, category: physical, " +
			"shipping: {weight_oz: 1, length_in: 1, width_in: 1, height_in: 1}}]\n", nil},
	{"preset and package",
		"tiers:\n  - name: A\n    price: 1\n    shipping_preset: cd\n" +
			"    shipping: {weight_oz: 1, length_in: 1, width_in: 1, height_in: 1}\n",
		[]string{"10: tiers[0].shipping: cannot be combined with"}},
	{"incomplete package", "tiers: [{name: A, price: 1, shipping: {weight_oz: 1}}]\n",
		[]string{"length_in: is missing", "width_in: is missing", "height_in: is missing"}},
	{"all problems at once", "tiers:\n  - name: A\n    price: x\n  - price: 2\n",
		[]string{"8: tiers[0].price", "9: tiers[1].name: is missing"}},
	{"duplicate ID", "tiers: [{name: A, price: 1}, {name: a, price: 1}]\n", []string{"6: tiers[1].id: is also the ID"}},
	{"inventory of an add-on with variants",
		"campaign_add_ons: [{name: A, price: 1, inventory: 2, variants: [{label: B}]}]\n",
		[]string{"6: campaign_add_ons[0].inventory: cannot be combined with"}},
	{"image without alt", "long_content: [{type: image, src: /a.jpg}]\n", []string{"6: long_content[0].alt: is missing"}},
	{"image with blank alt", "long_content: [{type: image, src: /a.jpg, alt: }]\n",
		[]string{"6: long_content[0].alt: is missing"}},
	{"gallery pictures without alt and with blank alt",
		"long_content: [{type: gallery, images: [{src: /a.jpg}, {src: /b.jpg, alt: }]}]\n",
		[]string{"images[0].alt: is missing", "images[1].alt: is missing"}},
	{"decorative image", "long_content: [{type: image, src: /a.jpg, alt: \"\"}]\n", nil},
	{"all block types",
		"long_content:\n  - {type: text, text: a}\n" +
			"  - {type: quote, text: a, attribution: b}\n" +
			"  - {type: image, src: /a.jpg, alt: a}\n  - {type: gallery, images: [{src: /a.jpg, alt: a}]}\n" +
			"  - {type: video, src: /a.mp4}\n  - {type: audio, src: /a.mp3}\n" +
			"  - {type: embed, url: https://youtu.be/abcdefghij_}\n  - {type: divider}\n", nil},
	{"unknown block type", "long_content: [{type: html, text: a}]\n",
		[]string{"6: long_content[0].type: write one of: text, quote"}},
	{"script in a description", "tiers: [{name: A, price: 1, description: <script>}]\n",
		[]string{"6: tiers[0].description: contains a script"}},
	{"script as code", "tiers: [{name: A, price: 1, description: 'Write `<script>`'}]\n", nil},
	{"diary entry with a reserved ID",
		"diary: [{title: A, date: 2026-11-03, id: faq}, {title: B, date: 2026-11-03, id: reward-a}]\n",
		[]string{"6: diary[0].id: is reserved for another part", "6: diary[1].id: is reserved for another part"}},
	{"HTML in a name", "tiers: [{name: <b>A</b>, price: 1}]\n", []string{"6: tiers[0].name: must be plain text"}},
	{"unapproved embed", "long_content: [{type: embed, url: https://example.com/}]\n",
		[]string{"6: long_content[0].url: is not an approved embed"}},
	{"image path with ..", "hero_image: /a/../b.jpg\n", []string{"6: hero_image: is not a safe media"}},
	{"single option", "decisions: [{title: A, options: [B]}]\n", []string{"6: decisions[0].options: write at least two"}},
	{"duplicate option", "decisions: [{title: A, options: [B, C, B]}]\n",
		[]string{"6: decisions[0].options: contains the same answer twice"}},
	{"option too long", "decisions: [{title: A, options: [B, " + strings.Repeat("c", 51) + "]}]\n",
		[]string{"6: decisions[0].options[1]: write an answer"}},
	{"duplicate key", "test_only: true\ntest_only: false\ntiers: none\n",
		[]string{"7: test_only: is written twice", "8: tiers: write a list"}},
	{"tab indentation", "tiers:\n\t- name: A\n", []string{"spaces, not tabs"}},
	{"unquoted colon", "short_blurb: A film: a ferry\n", []string{"6: the YAML cannot be read", "quote a value"}},
	{"list instead of value", "short_blurb: [a]\n", []string{"6: short_blurb: write one value"}},
	{"value instead of list", "tiers: none\n", []string{"6: tiers: write a list"}},
	{"cents in a custom amount", "custom_amount: {min: 1.50}\n", []string{"6: custom_amount.min: write whole dollars"}},
	{"custom amount with equal limits", "custom_amount: {min: 5, max: 5}\n", nil},
	{"min above max", "custom_amount: {min: 10, max: 5}\n", []string{"6: custom_amount.min"}},
	{"too many entries", "ongoing_items: [" + strings.Repeat("{label: a},", 101) + "]\n",
		[]string{"6: ongoing_items: has 101 entries"}},
	{"maximum number of entries", "ongoing_items: [" + strings.Repeat("{label: a},", 100) + "]\n", nil},
	{"too many variants", "campaign_add_ons: [{name: A, price: 1, variants: [" + strings.Repeat("{label: a},", 31) +
		"]}]\n", []string{"variants: has 31 entries"}},
	{"unknown featured tier", "featured_tier_id: x\n", []string{"6: featured_tier_id: is not a tier"}},
	{"email of maximum length", "runner_report_emails: [" + longest + "]\n", nil},
	{"email too long", "runner_report_emails: [" + longest + "m]\n", []string{"6: runner_report_emails: write email"}},
	{"two invalid emails", "runner_report_emails:\n  - crew\n  - a@b.com\n  - boss\n",
		[]string{"7: runner_report_emails: write email", "9: runner_report_emails: write email"}},
	{"invalid email", "runner_report_emails: [crew]\n", []string{"6: runner_report_emails: write email"}},
	{"minimum recovery", "recovery: {grace_days: 1, attempts: 1}\n", nil},
	{"maximum recovery", "recovery: {grace_days: 60, attempts: 15, retry_days: [1, 59]}\n", nil},
	{"non-numeric retry day", "recovery: {retry_days: [soon]}\n", []string{"6: recovery.retry_days: write increasing"}},
	{"grace of zero days", "recovery: {grace_days: 0}\n",
		[]string{"6: recovery.grace_days: write a whole number from 1 to 60"}},
	{"too many attempts", "recovery: {attempts: 16}\n",
		[]string{"6: recovery.attempts: write a whole number from 1 to 15"}},
	{"retry after the grace period", "recovery: {grace_days: 5, retry_days: [2, 5]}\n",
		[]string{"6: recovery.retry_days: write increasing whole days from 1 to 4"}},
	{"retry days not increasing", "recovery: {retry_days: [3, 3]}\n",
		[]string{"6: recovery.retry_days: write increasing"}},
	{"invalid month",
		"tiers: [{name: A, price: 1, estimated_delivery: May}, {name: B, price: 1, estimated_delivery: 2027-13}]\n",
		[]string{"6: tiers[0].estimated_delivery: write a month such as 2027-05", "6: tiers[1].estimated_delivery: write"}},
	{"delivery before and in 1970",
		"tiers: [{name: A, price: 1, estimated_delivery: 1969-12}, {name: B, price: 1, estimated_delivery: 1970-01}]\n",
		[]string{"6: tiers[0].estimated_delivery: write a month such as 2027-05",
			"6: tiers[1].estimated_delivery: is before the deadline"}},
	{"delivery before the deadline", "tiers: [{name: A, price: 1, estimated_delivery: 2026-11}]\n",
		[]string{"6: tiers[0].estimated_delivery: is before the deadline"}},
	{"delivery in the deadline's month", "tiers: [{name: A, price: 1, estimated_delivery: 2026-12}]\n", nil},
	{"empty reward part", "tiers: [{name: A, price: 1, includes: [A disc, \"\", {a: b}]}]\n",
		[]string{"6: tiers[0].includes[1]: write a part as plain text of at most 100 characters",
			"6: tiers[0].includes[2]: write a part as plain text of at most 100 characters"}},
	{"reward part too long", "tiers: [{name: A, price: 1, includes: [" + strings.Repeat("a", 101) + "]}]\n",
		[]string{"6: tiers[0].includes[0]: write a part as plain text of at most 100 characters"}},
	{"too many reward parts", "tiers: [{name: A, price: 1, includes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}]\n",
		[]string{"6: tiers[0].includes: has 13 entries; the limit is 12"}},
	{"maximum number of reward parts", "tiers: [{name: A, price: 1, includes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, " +
		strings.Repeat("a", 100) + "]}]\n", nil},
	{"country names", "ships_to: [US, Canada]\n", []string{"6: ships_to: write countries by two letters"}},
	{"unknown country code", "tiers:\n  - {name: A, price: 1, category: physical,\n     ships_to: [UK, US, ZZ]}\n",
		[]string{"8: tiers[0].ships_to: UK is not a country", "8: tiers[0].ships_to: ZZ is not a country"}},
	{"country without brackets", "ships_to: US\n", []string{"6: ships_to: write a list"}},
	{"countries for a digital item", "tiers: [{name: A, price: 1, category: digital, ships_to: [US]}]\n",
		[]string{"6: tiers[0].ships_to: cannot be combined with category digital"}},
	{"question without an answer", "faq: [{question: \"Why?\"}, {answer: Because.}]\n",
		[]string{"6: faq[0].answer: is missing", "6: faq[1].question: is missing"}},
	{"invalid link", "creator_links: [{label: Us}, {url: javascript:x}]\n",
		[]string{"6: creator_links[0].url: is missing", "6: creator_links[1].url: is not a safe link"}},
	{"HTML in risks", "risks: <div>\n", []string{"6: risks: contains HTML"}},
	{"unknown key", "teirs: [{name: A, price: 1}]\nmood: blue\n",
		[]string{"6: teirs: is not a known key; did you mean tiers?", "7: mood: is not a known key"}},
	{"unknown key of a tier", "tiers:\n  - name: A\n    price: 1\n    limit: 3\n    limit_totl: 4\n",
		[]string{"9: tiers[0].limit: is not", "10: tiers[0].limit_totl: is not a known key; did you mean limit_total?"}},
	{"key of another block type", "long_content: [{type: text, text: a, attribution: b}]\n",
		[]string{"6: long_content[0].attribution: is not a known key"}},
	{"diary entry without a date", "diary: [{title: A, date: \"\"}, {title: B}, {title: C, date: soon}]\n",
		[]string{"6: diary[0].date: is missing", "6: diary[1].date: is missing", "6: diary[2].date: write a date"}},
	{"content and body of a diary entry", "diary: [{date: 2026-11-03, title: A, content: b, body: c}]\n",
		[]string{"6: diary[0].body: cannot be combined with content"}},
	{"misspelled category", "category: Bord Game\n",
		[]string{"6: category: write one of: Short Film, Feature Film, Documentary, Web Series, Music Video, Album, " +
			"Board Game, Book, Other; did you mean Board Game?"}},
	{"reward below the minimum charge", "tiers: [{name: A, price: 0.49}, {name: B, price: 0}]\n",
		[]string{"6: tiers[0].price: the payment processor's minimum is $0.50",
			"6: tiers[1].price: the payment processor's minimum"}},
	{"reward at the minimum charge", "tiers: [{name: A, price: 0.50}]\n", nil},
	{"limit of zero", "tiers: [{name: A, price: 1, limit_total: 0}]\n",
		[]string{"6: tiers[0].limit_total: write at least 1"}},
	{"nothing to pledge for", "custom_amount: {enabled: false}\n", []string{"2: tiers: there is nothing to pledge for"}},
	{"only locked rewards", "tiers: [{name: A, price: 1, requires_threshold: 5}]\ncustom_amount: {enabled: false}\n",
		[]string{"6: tiers: every reward has a requires_threshold"}},
	{"locked and unlocked reward",
		"tiers: [{name: A, price: 1, requires_threshold: 5}, {name: B, price: 1}]\ncustom_amount: {enabled: false}\n", nil},
	{"empty draft", "preview_only: true\ncustom_amount: {enabled: false}\n", nil},
	{"unknown shipping options", "shipping_options:\n  - drone\n  - standard\n  - mule\n",
		[]string{"7: shipping_options: write standard", "9: shipping_options: write standard"}},
}

// Proves MON-19, MON-20, MON-22, CAM-07, CAM-09, CAM-10, CAM-17, CAM-21, CAM-26, CAM-30, CAM-31, CAM-32.
func TestParse_Problems(t *testing.T) {
	for _, tt := range problemTests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := campaignfile.Parse("campaigns/a.md", file(tt.more))
			if tt.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var problems campaign.Problems
			if !errors.As(err, &problems) || !fault.Is(err, fault.Invalid) {
				t.Fatalf("error is %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error()+"\n", want) {
					t.Errorf("%q is not in\n%v", want, err)
				}
			}
			if problems[0].File != "campaigns/a.md" || problems[0].Line == 0 {
				t.Errorf("no file or line: %+v", problems[0])
			}
		})
	}
}

// No link or media address can have a scheme that a page would execute.
//
// Proves CON-43.
func TestParse_RefusesScriptAddresses(t *testing.T) {
	for field, line := range map[string]string{
		"hero_image": "hero_image: '%s'", "hero_image_wide": "hero_image_wide: '%s'", "hero_video": "hero_video: '%s'",
		"campaign_background": "campaign_background: '%s'", "creator_image": "creator_image: '%s'",
		"creator_links[0].url":           "creator_links: [{label: Us, url: '%s'}]",
		"tiers[0].image":                 "tiers: [{name: A, price: 1, image: '%s'}]",
		"tiers[0].description":           "tiers: [{name: A, price: 1, description: '[x](%s)'}]",
		"campaign_add_ons[0].image":      "campaign_add_ons: [{name: A, price: 1, image: '%s'}]",
		"campaign_add_ons[0].source_url": "campaign_add_ons: [{name: A, price: 1, source_url: '%s'}]",
		"decisions[0].options[0].image": "decisions: [{type: poll, title: A, deadline: 2026-12-01, " +
			"options: [{label: A, image: '%s'}, B]}]",
		"long_content[0].src":           "long_content: [{type: image, alt: A, src: '%s'}]",
		"long_content[0].images[0].src": "long_content: [{type: gallery, images: [{alt: A, src: '%s'}]}]",
		"long_content[0].poster":        "long_content: [{type: video, src: /a.mp4, poster: '%s'}]",
		"long_content[0].url":           "long_content: [{type: embed, url: '%s'}]",
		"long_content[0].text":          "long_content: [{type: text, text: '![x](%s)'}]",
		"diary[0].content[0].src":       "diary: [{date: 2026-11-03, title: A, content: [{type: audio, src: '%s'}]}]",
	} {
		for _, address := range []string{"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x",
			"data:image/png;base64,AA", "vbscript:x", "file:///a.jpg"} {
			_, err := campaignfile.Parse("campaigns/a.md", file(fmt.Sprintf(line, address)+"\n"))
			var problems campaign.Problems
			if !errors.As(err, &problems) ||
				!slices.ContainsFunc(problems, func(p campaign.Problem) bool { return p.Field == field }) {
				t.Errorf("%s: %s: %v, want an error", field, address, err)
			}
		}
	}
}

// longest is an address of 254 bytes.
var longest = strings.Repeat("a", 64) + "@" + strings.Repeat(strings.Repeat("b", 61)+".", 3) + "com"

// A shorter grace period removes default retries after its end.
func TestParse_RetriesWithinGrace(t *testing.T) {
	for grace, want := range map[string][]int{"4": {2}, "5": {2}, "6": {2, 5}, "14": {2, 5, 10}} {
		got := parse(t, file("recovery: {grace_days: "+grace+"}\n")).Recovery.RetryDays
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("grace period of %s days: %s", grace, diff)
		}
	}
}

func TestParse_FileSizeLimit(t *testing.T) {
	long := func(text string, n int) []byte {
		return []byte(strings.Replace(text, "#", "#"+strings.Repeat("x", n-len(text)), 1))
	}
	for name, read := range map[string]func(n int) error{
		"campaigns/a.md": func(n int) error {
			_, err := campaignfile.Parse("campaigns/a.md", long(string(file("#\n")), n))
			return err
		},
		"site.yml":    func(n int) error { _, err := campaignfile.Open("site.yml", long("#\n", n)); return err },
		"add-ons.yml": func(n int) error { _, err := campaignfile.ParseAddOns("add-ons.yml", long("#\n", n)); return err },
	} {
		if err := read(campaign.MaxFile); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := read(campaign.MaxFile + 1); err == nil || err.Error() != name+": is larger than 1 MB" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParse_LineOfYAMLFault(t *testing.T) {
	for name, tt := range map[string]struct {
		yaml string
		line int // of the file, whose first line is ---
	}{
		"colon in the first value":         {"title: Comet: a story\n", 2},
		"colon in the first of many":       {"title: Comet: a story\nslug: comet\ngoal_amount: 5\n", 2},
		"at sign in the first value":       {"instagram: @comet\n", 2},
		"tab before the first key":         {"\ttitle: Comet\n", 2},
		"text after a quoted first value":  {"title: 'Comet's tail'\nslug: comet\n", 2},
		"text after a later quoted value":  {"slug: comet\ngoal_amount: 5\ntitle: 'Comet's tail'\nblurb: x\n", 4},
		"list entry between keys":          {"slug: comet\n- rewards\ntitle: Comet\n", 3},
		"indented key":                     {"slug: comet\ntiers:\n  - name: A\n     price: 2\ntitle: Comet\n", 5},
		"unclosed bracket":                 {"slug: comet\nships_to: [US, CA\ntitle: Comet\ngoal_amount: 5\n", 3},
		"unclosed quotation mark":          {"slug: comet\nshort_blurb: \"A comet\ntitle: Comet\ngoal_amount: 5\n", 3},
		"unknown anchor":                   {"slug: comet\ntitle: Comet\nshort_blurb: *tail\ngoal_amount: 5\n", 4},
		"control character":                {"slug: comet\ntitle: Com\x02et\ngoal_amount: 5\n", 3},
		"fault after a text of many lines": {"short_blurb: \"A\n  b\n  c\"\ntitle: Comet: a story\ngoal_amount: 5\n", 5},
		"fault after a list in brackets":   {"ships_to: [\n  US,\n  CA,\n]\nslug: comet\ninstagram: @comet\nx: 1\n", 7},
		"anchor after a list in brackets":  {"ships_to: [\n  US,\n  CA,\n]\nslug: comet\ntitle: *x\nx: 1\n", 7},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := campaignfile.Parse("campaigns/comet.md", []byte("---\n"+tt.yaml+"---\n"))
			var problems campaign.Problems
			if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Line != tt.line ||
				!strings.Contains(err.Error(), "the YAML cannot be read") {
				t.Errorf("%v; want line %d", err, tt.line)
			}
			if _, err := campaignfile.Open("campaigns/comet.md", []byte("---\n"+tt.yaml+"---\n")); !errors.As(err, &problems) ||
				problems[0].Line != tt.line {
				t.Errorf("fields: %v; want line %d", err, tt.line)
			}
		})
	}
}

func TestParse_InvalidUTF8(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		line int
	}{
		"Latin-1 in a key's value":          {"---\ntitle: Caf\xe9\npreview_only: true\n---\n", 2},
		"Latin-1 in the body":               {"---\ntitle: Tea\npreview_only: true\n---\nHot\n\nStra\xdfe\n", 7},
		"Latin-1 in a comment":              {"---\ntitle: Tea\n# gr\xfcn\npreview_only: true\n---\n", 3},
		"Windows line ends":                 {"---\r\ntitle: Tea\r\nshort_blurb: na\xefve\r\n---\r\n", 3},
		"UTF-16":                            {"\xff\xfe-\x00-\x00-\x00\n\x00", 1},
		"letter that is cut at the end":     {"---\ntitle: Tea\npreview_only: true\n---\nTh\xc3", 5},
		"letter beyond the last of Unicode": {"---\ntitle: \xf5\x80\x80\x80\n---\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := campaignfile.Parse("campaigns/tea.md", []byte(tt.src))
			want := campaign.Problems{{File: "campaigns/tea.md", Line: tt.line,
				Message: "has characters that are not UTF-8: " +
					"save the file with the encoding UTF-8, then check its accents and umlauts"}}
			if diff := cmp.Diff(error(want), err); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := campaignfile.ParseAddOns("add-ons.yml", []byte("products:\n  - name: T\xe9\n")); err == nil ||
		!strings.HasPrefix(err.Error(), "add-ons.yml:2: has characters") {
		t.Errorf("add-ons: %v", err)
	}
	if _, err := campaignfile.Open("site.yml", []byte("\xe9: 1\n")); err == nil ||
		!strings.HasPrefix(err.Error(), "site.yml:1: has characters") {
		t.Errorf("fields: %v", err)
	}
	parse(t, []byte("\ufeff---\ntitle: Straße ☕ 👩‍🚀\npreview_only: true\n---\nÜber \ufffd\n"))
}

func TestParse_WarnsOfTextCutByComment(t *testing.T) {
	for name, tt := range map[string]struct {
		more string
		want []string
	}{
		"number": {"short_blurb: Platform #9 at night\n",
			[]string{`campaigns/a.md:6: short_blurb: ends before "#9 at night"`}},
		"comment with a space": {"short_blurb: Platform # the old one\n",
			[]string{`6: short_blurb: ends before "# the old one"`}},
		"nested": {"tiers:\n  - name: Print #4\n    price: 3\n",
			[]string{`7: tiers[0].name: ends before "#4"`}},
		"rich text":        {"risks: We are #1\n", []string{`6: risks: ends before "#1"`}},
		"answer of a vote": {"decisions: [{title: A, options: [B, C]}]\n", nil},
		"cut answer of a vote": {"decisions:\n  - title: A\n    options:\n      - Cut #2\n      - C\n",
			[]string{`9: decisions[0].options[0]: ends before "#2"`}},
		"all of the value":      {"short_blurb: #9 platform\n", []string{`6: short_blurb: ends before "#9 platform"`}},
		"empty with a comment":  {"short_blurb: # later\n", nil},
		"quoted":                {"short_blurb: 'Platform #9' #x\n", nil},
		"block":                 {"risks: |\n  We are #1\n", nil},
		"no space before":       {"short_blurb: Platform#9\n", nil},
		"amount with a comment": {"tiers:\n  - name: Print\n    price: 3 # dollars\n", nil},
		"comment on its line":   {"# the old one\nshort_blurb: Platform\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			warnings := parse(t, file(tt.more)).Warnings
			if len(warnings) != len(tt.want) {
				t.Fatalf("%v; want %q", warnings, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(warnings[i].String(), want) || warnings[i].Line == 0 {
					t.Errorf("%v; want %q", warnings[i], want)
				}
			}
		})
	}
}

// Problems of a whole file, such as missing front matter, are reported.
//
// Proves CAM-01.
func TestParse_WholeFile(t *testing.T) {
	for src, want := range map[string]string{
		string(file("mood: a\x01b\n")):   "a.md:6: the YAML cannot be read: control characters are not allowed (remove them)",
		"":                               "begin the file with a line ---",
		"title: A\n":                     "begin the file with a line ---",
		"---\ntitle: A\n":                "begin the file with a line ---",
		"---\n- a\n---\n":                "2: write keys with values",
		"---\ntitle: A\n---\n":           "start_date: is missing",
		"---\npreview_only: true\n---\n": "title: is missing",
		"---\ntitle: A\nstart_date: 2026-03-02\ngoal_deadline: 2026-03-01\ngoal_amount: 1\n---\n": "4: goal_deadline: is before start_date",
		"---\ntitle: A\nstart_date: 2026-03-02\ngoal_deadline: 2026-03-03\ngoal_amount: 0\n---\n": "5: goal_amount: write more than 0",
		string(file("")) + "<iframe>":              "7: body: contains a frame",
		"---\ntitle: ★\npreview_only: true\n---\n": "slug: is missing and cannot be derived",
	} {
		if _, err := campaignfile.Parse("a.md", []byte(src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", src, err, want)
		}
	}
	draft := parse(t, []byte("---\ntitle: A\npreview_only: true\n---\n"))
	if draft.Public() || draft.Slug != "a" {
		t.Errorf("file with a title only: %+v", draft)
	}
}
