package campaignfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const basics = "title: Night Ferry\nstart_date: 2026-11-02\ngoal_deadline: 2026-12-18\ngoal_amount: 100\n"

// file returns a campaign's file with the required keys and the lines in more.
func file(more string) []byte { return []byte("---\n" + basics + more + "---\n") }

func parse(t testing.TB, src []byte) *campaign.Campaign {
	t.Helper()
	c, err := campaignfile.Parse("campaigns/a.md", src)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const whole = `---
layout: campaign
title: Night Ferry, Part 2
start_date: 2026-11-02
goal_deadline: 2026-12-18 18:00
goal_amount: $12,000.50
charged: true
category: Short Film
creator_name: Harbor Lantern
creator_image: /assets/images/creator.jpg
instagram: "@harborlantern"
creator_about: A company of *five*.
creator_links: [{label: Our films, url: https://example.com/films}, {url: https://example.org/}]
risks: The *sea* decides.
faq: [{question: "When?", answer: In **May**.}]
ships_to: [US, CA]
hero_image_wide: /assets/images/wide.jpg
campaign_background: /assets/images/sea.jpg
short_blurb: A last crossing
hero_image: /assets/images/hero.jpg
hero_video: https://vimeo.com/123456789
runner_report_emails: [Crew@example.com]
runner_report_excluded_emails: [boss@example.com]
single_tier_only: true
shipping_fallback_flat_rate: 0
free_shipping: false
shipping_options: [signature_required]
ship_disputed: true
recovery: {grace_days: 21, attempts: 5, retry_days: [1, 9]}
custom_amount: {min: 5, max: "2,500"}
tiers:
  - name: A Poster
    price: "25"
    category: physical
    shipping: {weight_oz: 6.5, length_in: 18, width_in: 3, height_in: 3.125}
    limit_total: 10
    stackable: true
    requires_threshold: 500
    estimated_delivery: 2027-05
    includes: [A print, 2]
    ships_to: everywhere
  - {id: old-id, name: Download, price: 10.5}
support_items:
  - {label: Safety boat, need: Two people, target: 1800}
  - {label: Coats, category: physical, shipping_preset: signed_script}
campaign_add_ons:
  - name: Shirt
    description: A *soft* one
    image: /assets/images/shirt.jpg
    price: 20
    category: physical
    shipping_preset: tshirt
    source_url: https://example.com/shirt
    variant_option_name: Size
    variants:
      - {label: Small, inventory: 0}
      - {label: Large, price: 0}
      - {label: Huge, price: "", inventory: 3}
  - {name: Pin, price: 3, inventory: 7, shipping: {weight_oz: 1, length_in: 2, width_in: 3, height_in: 0.25}}
  - {name: Print, price: 9, category: physical, shipping_preset: signed_script, source_url: "https://example.org/print", variant_option_name: Paper, variants: [{label: Matte}]}
  - {name: Song, price: 2, category: digital, inventory: 0}
stretch_goals: [{threshold: 15000, title: Strings, description: Four of them, status: soon}]
ongoing_items: [{label: Festival fees, remaining: 300}]
diary:
  - {date: 2026-11-03, title: Open, phase: fundraising, body: We are open.}
  - date: 2026-11-05 09:00
    title: News
    content:
      - {type: divider}
decisions:
  - {type: poll, title: "Which town?", deadline: 2026-12-01, eligible: charged, options: [A, {label: B, image: /b.jpg}]}
---
Hello.

---

A *second* part.
`

// Proves CAM-01, CAM-02, CAM-03, CAM-04, CAM-05, CAM-09, CAM-11, CAM-12, CAM-13, CAM-14, CAM-15,
// CAM-16, CAM-19, CAM-20, CAM-21, CAM-22, CAM-23, CAM-24, CAM-25, CAM-27, CAM-28, CAM-29, INV-12.
func TestParse_AllFields(t *testing.T) {
	cents := func(c money.Cents) *money.Cents { return &c }
	units := func(n int) *int { return &n }
	dec := decimal.RequireFromString
	moment := func(s string) campaign.Moment {
		m, err := campaign.ParseMoment(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	no := false
	want := &campaign.Campaign{
		Slug: "night-ferry-part-2", Title: "Night Ferry, Part 2",
		Start: moment("2026-11-02"), Deadline: moment("2026-12-18 18:00"), Goal: 1200050, Charged: true,
		Creator: campaign.Creator{Name: "Harbor Lantern", Image: "/assets/images/creator.jpg",
			Instagram: "harborlantern", About: "A company of *five*.",
			Links: []campaign.Link{{Label: "Our films", URL: "https://example.com/films"}, {URL: "https://example.org/"}}},
		Risks: "The *sea* decides.", Questions: []campaign.Question{{Question: "When?", Answer: "In **May**."}},
		Category: "Short Film", Blurb: "A last crossing", Body: "Hello.\n\n---\n\nA *second* part.",
		Media: campaign.Media{Hero: "/assets/images/hero.jpg", HeroWide: "/assets/images/wide.jpg",
			HeroAlt:   "Night Ferry, Part 2",
			HeroVideo: "https://vimeo.com/123456789", Background: "/assets/images/sea.jpg"},
		Tiers: []campaign.Tier{
			{ID: "a-poster", Name: "A Poster", Price: 2500, Limit: 10, Stackable: true, RequiresThreshold: 50000,
				EstimatedDelivery: "2027-05", Includes: []string{"A print", "2"},
				Delivery: campaign.Delivery{Category: campaign.Physical, Package: &campaign.Package{
					Weight: dec("6.5"), Length: dec("18"), Width: dec("3"), Height: dec("3.125")}}},
			{ID: "old-id", Name: "Download", Price: 1050, Delivery: campaign.Delivery{Category: campaign.Digital}},
		},
		SupportItems: []campaign.SupportItem{
			{ID: "safety-boat", Label: "Safety boat", Need: "Two people", Target: 180000,
				Delivery: campaign.Delivery{Category: campaign.Digital}},
			{ID: "coats", Label: "Coats", Delivery: campaign.Delivery{Category: campaign.Physical,
				ShippingPreset: "signed_script", ShipsTo: []string{"US", "CA"}}},
		},
		AddOns: []campaign.AddOn{{
			ID: "shirt", Name: "Shirt", Description: "A *soft* one", Image: "/assets/images/shirt.jpg", Price: 2000,
			Delivery:  campaign.Delivery{Category: campaign.Physical, ShippingPreset: "tshirt", ShipsTo: []string{"US", "CA"}},
			SourceURL: "https://example.com/shirt", VariantOption: "Size",
			Variants: []campaign.Variant{
				{ID: "small", Label: "Small", Inventory: units(0)},
				{ID: "large", Label: "Large", Price: cents(0)},
				{ID: "huge", Label: "Huge", Inventory: units(3)},
			},
		}, {ID: "pin", Name: "Pin", Price: 300, Inventory: units(7),
			Delivery: campaign.Delivery{Category: campaign.Physical, ShipsTo: []string{"US", "CA"},
				Package: &campaign.Package{Weight: dec("1"), Length: dec("2"), Width: dec("3"), Height: dec("0.25")}}},
			{ID: "print", Name: "Print", Price: 900, SourceURL: "https://example.org/print", VariantOption: "Paper",
				Variants: []campaign.Variant{{ID: "matte", Label: "Matte"}},
				Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: "signed_script",
					ShipsTo: []string{"US", "CA"}}},
			{ID: "song", Name: "Song", Price: 200, Inventory: units(0),
				Delivery: campaign.Delivery{Category: campaign.Digital}}},
		StretchGoals: []campaign.StretchGoal{{Threshold: 1500000, Title: "Strings",
			Description: "Four of them", Status: "soon"}},
		StretchHidden: true,
		OngoingItems:  []campaign.OngoingItem{{Label: "Festival fees", Remaining: 30000}},
		Diary: []campaign.DiaryEntry{
			{ID: "2026-11-05-news", Date: moment("2026-11-05 09:00"), Title: "News",
				Content: []campaign.Block{{Type: campaign.DividerBlock}}},
			{ID: "2026-11-03-open", Date: moment("2026-11-03"), Title: "Open", Phase: "fundraising",
				Content: []campaign.Block{{Type: campaign.TextBlock, Text: "We are open."}}},
		},
		Decisions: []campaign.Decision{{
			ID: "which-town", Type: campaign.Poll, Title: "Which town?", Deadline: moment("2026-12-01"),
			Eligible: campaign.Charged,
			Options:  []campaign.Option{{Label: "A"}, {Label: "B", Image: "/b.jpg"}},
		}},
		Custom:         campaign.CustomAmount{Enabled: true, Min: 500, Max: 250000},
		SingleTierOnly: true,
		Shipping: campaign.Shipping{FallbackFlatRate: cents(0), Free: &no,
			Options: []string{campaign.SignatureRequired}, ShipDisputed: true},
		Recovery:     campaign.Recovery{GraceDays: 21, RetryDays: []int{1, 9}, Attempts: 5},
		ReportEmails: []string{"crew@example.com"}, ReportExcluded: []string{"boss@example.com"},
		Published: true, File: "campaigns/a.md",
	}
	got := parse(t, []byte(whole))
	if diff := cmp.Diff(want, got,
		cmpopts.IgnoreFields(campaign.Campaign{}, "Lines", "Revision", "References")); diff != "" {
		t.Error(diff)
	}
	if got.Lines["tiers[1].price"] != 42 || len(got.Revision) != 16 {
		t.Errorf("line %d, revision %q", got.Lines["tiers[1].price"], got.Revision)
	}
}

func TestParse_FormattingVariants(t *testing.T) {
	plain := string(file("tiers: [{name: A, price: 25}]\n"))
	want := parse(t, []byte(plain))
	for name, src := range map[string]string{
		"CRLF":            strings.ReplaceAll(plain, "\n", "\r\n"),
		"byte order mark": "\ufeff" + plain,
		"two places":      strings.Replace(plain, "price: 25", "price: 25.00", 1),
		"dollar sign":     strings.Replace(plain, "price: 25", "price: $25", 1),
		"quoted number":   strings.Replace(plain, "price: 25", `price: "25"`, 1),
		"grouped number":  strings.Replace(plain, "goal_amount: 100", "goal_amount: \"$00,100\"", 1),
		"odd indentation": strings.Replace(plain, "tiers: [{name: A, price: 25}]",
			"tiers:\n       -   name:   A\n           price:   25", 1),
		"flat list":       strings.Replace(plain, "tiers: [{name: A, price: 25}]", "tiers:\n- price: 25\n  name: A", 1),
		"no end of line":  strings.TrimSuffix(plain, "\n"),
		"spaces in fence": strings.ReplaceAll(plain, "---\n", "---  \n"),
	} {
		got, err := campaignfile.Parse("campaigns/a.md", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got,
			cmpopts.IgnoreFields(campaign.Campaign{}, "Lines", "Revision", "References")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Proves CAM-06.
func TestParse_SlugFromTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Night Ferry": "night-ferry", "Café Noir — Part 2!": "cafe-noir-part-2",
		"Don't Panic": "dont-panic", "Åse & Öl": "ase-oel",
		"★ A to Z, 0 to 9": "a-to-z-0-to-9", "a" + strings.Repeat(" b", 39) + ".": "a" + strings.Repeat("-b", 39),
	} {
		src := strings.Replace(string(file("")), "title: Night Ferry", fmt.Sprintf("title: %q", title), 1)
		if got := parse(t, []byte(src)).Slug; got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
	if got := parse(t, file("slug: older-name\n")).Slug; got != "older-name" {
		t.Errorf("the slug in the file was changed to %q", got)
	}
}

// Proves CAM-07, PLG-04, LIM-12.
func TestParseSlug(t *testing.T) {
	for _, good := range []string{"a", "night-ferry-2", "abcdefghijklmnopqrstuvwxyz-0123456789",
		strings.Repeat("a", 100)} {
		if _, err := campaign.ParseSlug(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	bad := []string{"", "Night", "a_b", "a b", "a/b", "..", "é", "a\n", strings.Repeat("a", 101)}
	for mark := range rune(128) { // "a%b" has another meaning in a URL
		if mark != '-' && (mark < '0' || mark > '9') && (mark < 'a' || mark > 'z') {
			bad = append(bad, "a"+string(mark)+"b")
		}
	}
	for _, bad := range bad {
		if _, err := campaign.ParseSlug(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v; want an error", bad, err)
		}
	}
}

func TestParse_WarnsOfDerivedKeys(t *testing.T) {
	c := parse(t,
		file("_note: for us\nprogress_background: /a.jpg\ncustom_late_support: true\nstate: live\nlayout: campaign\n"+
			"tiers: [{name: A, price: 1, remaining: 3, late_support: true}]\n"+
			"decisions: [{title: A, options: [B, C], status: open}]\n"))
	var fields []string
	for _, w := range c.Warnings {
		fields = append(fields, w.Field)
	}
	want := []string{"progress_background", "custom_late_support", "state", "tiers[0].remaining",
		"tiers[0].late_support", "decisions[0].status"}
	if diff := cmp.Diff(want, fields, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Error(diff)
	}
}

func TestParse_WarnsOfDeadAnchors(t *testing.T) {
	src := file("tiers: [{name: Early Bird, price: 1, description: '[a](#risks) [b](#rewards-list)'}]\n" +
		"diary: [{title: Glue, date: 2026-11-03, content: '[a](#2026-11-03-glue) " +
		"[b](#reward-early-bird) [c](#reward-glue)'}]\n" +
		"risks: '[a](#campaign-tiers)'\n")
	c := parse(t, append(src, "\n[a](#story)\n\n[b](#glue)\n"...))
	got := map[string]int{}
	for _, w := range c.Warnings {
		if strings.Contains(w.Message, "links to an anchor") {
			got[w.Field] = w.Line
		}
	}
	if diff := cmp.Diff(map[string]int{"tiers[0].description": 6, "diary[0].content": 7, "risks": 8, "body": 10},
		got); diff != "" {
		t.Error(diff)
	}
}

// Proves CAM-08.
func TestParse_TierIDs(t *testing.T) {
	c := parse(t, file("tiers: [{id: first, name: Early Bird, price: 1}, {name: Early Bird, price: 2}]\n"))
	if c.Tiers[0].ID != "first" || c.Tiers[1].ID != "early-bird" {
		t.Errorf("IDs %q and %q", c.Tiers[0].ID, c.Tiers[1].ID)
	}
}

func TestParse_Visibility(t *testing.T) {
	for more, public := range map[string]bool{
		"": true, "published: false\n": false, "preview_only: true\n": false, "visibility: hidden\n": false,
		"visibility: preview\n": false, "visibility: public\n": true,
	} {
		if got := parse(t, file(more)).Public(); got != public {
			t.Errorf("%q: public is %t", more, got)
		}
	}
}

func TestCampaign_JSON(t *testing.T) {
	b, err := json.Marshal(parse(t, []byte(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"goalDeadline":"2026-12-18 18:00"`, `"goalAmount":1200050`, `"heightIn":"3.125"`,
		`"requiresThreshold":50000`, `"category":"physical"`, `"inventory":0`, `"inventory":null`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is missing in %s", want, b)
		}
	}
	if strings.Contains(string(b), "example.com\"]") || strings.Contains(string(b), "crew@") {
		t.Errorf("report addresses are included: %s", b)
	}
}

// Goals and thresholds may exceed the limit of single amounts.
func TestParse_LargeGoal(t *testing.T) {
	file := func(goal, threshold, price string) string {
		return "---\ntitle: A\npreview_only: true\ngoal_amount: " + goal + "\nstretch_goals:\n  - {title: B, threshold: \"" +
			threshold + "\"}\ntiers:\n  - {id: x, name: X, category: digital, price: \"" + price + "\"}\n---\n"
	}
	c, err := campaignfile.Parse("", []byte(file("2,500,000", "1,000,000,000", "1,000,000")))
	if err != nil || c.Goal != 250_000_000 || c.StretchGoals[0].Threshold != campaign.MaxGoal {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{file("1000000000.01", "1", "1"), file("1", "1000000001", "1"),
		file("1", "1", "1000001")} {
		if _, err := campaignfile.Parse("", []byte(bad)); err == nil {
			t.Errorf("accepted %s", bad)
		}
	}
}

func TestParseDollars(t *testing.T) {
	for in, want := range map[string]money.Cents{
		"25": 2500, "25.00": 2500, "25.5": 2550, "$25": 2500, "$ 25": 2500, " 0 ": 0, "0.07": 7,
		"1,000": 100000, "$1,234.56": 123456,
		"1000000": money.Max, "007": 700,
	} {
		if got, err := campaignfile.ParseDollars(in, money.Max); err != nil || got != want {
			t.Errorf("%q = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, bad := range []string{"", "$", "-1", "+1", "1.", ".5", "1.005", "1e3", "0x10", "1_000",
		"1,00", "1,0000", "25 USD", "1000000.01", "999999999999", "٣", "NaN"} {
		if got, err := campaignfile.ParseDollars(bad, money.Max); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q = %d, %v; want an error", bad, got, err)
		}
	}
}
