package campaignfile_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func repository(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

const products = `low_stock_threshold: 3
products:
  - {name: Sticker, price: 4, category: physical, shipping_preset: sticker, inventory: 10}
  - name: Shirt
    price: 20
    category: physical
    shipping_preset: tshirt
    variants:
      - {label: S}
      - {label: M, price: 0, inventory: 0}
      - {label: L, price: 22.50, inventory: 2}
`

func TestLoad(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(map[string]string{
		"campaigns/z.md":      strings.Replace(string(file("")), "Night Ferry", "Beta", 1),
		"campaigns/a.md":      strings.Replace(string(file("preview_only: true\n")), "Night Ferry", "Gamma", 1),
		"campaigns/b.md":      strings.Replace(string(file("")), "Night Ferry", "Alpha", 1),
		"campaigns/notes.txt": "not a campaign", "add-ons.yml": products,
	}))
	if err != nil {
		t.Fatal(err)
	}
	var slugs []string
	for _, c := range catalogue.Campaigns() {
		slugs = append(slugs, c.Slug)
	}
	if diff := cmp.Diff([]string{"alpha", "beta", "gamma"}, slugs); diff != "" {
		t.Error(diff)
	}
	if c, err := catalogue.Campaign("gamma"); err != nil || c.Public() {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := catalogue.Campaign("delta"); !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v", err)
	}
	if _, err := catalogue.AddOn("mug"); !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v", err)
	}
	if catalogue.LowStock() != 3 {
		t.Errorf("low stock %d", catalogue.LowStock())
	}
	catalogue.Campaigns()[0] = nil
	if catalogue.Campaigns()[0] == nil {
		t.Error("a caller changed the catalogue")
	}
}

// Proves CAM-18.
func TestLoad_AddOnsOfCampaignAndPlatform(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(map[string]string{
		"campaigns/a.md": string(file("campaign_add_ons: [{name: Score, price: 5}]\n")), "add-ons.yml": products,
	}))
	if err != nil {
		t.Fatal(err)
	}
	c := catalogue.Campaigns()[0]
	_, ofCampaign := c.AddOn("score")
	_, platformOfCampaign := c.AddOn("sticker")
	if !ofCampaign || platformOfCampaign {
		t.Errorf("add-ons of the campaign: %+v", c.AddOns)
	}
	if _, err := catalogue.AddOn("sticker"); err != nil {
		t.Error(err)
	}
	if _, err := catalogue.AddOn("score"); !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v", err)
	}
}

// Platform add-ons have the same fields as a campaign's.
//
// Proves CAM-16, CAM-20, CAM-22.
func TestLoad_PlatformAddOnFields(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(map[string]string{"add-ons.yml": `products:
  - name: Shirt
    description: A *soft* one
    image: /assets/shirt.jpg
    price: 20
    category: physical
    shipping_preset: tshirt
    source_url: https://example.com/shirt
    variant_option_name: Size
    variants: [{label: S, inventory: 0}, {label: M, price: 22.50, inventory: 4}]
  - {name: Song, price: 2, category: digital, inventory: 0}
  - {name: Pin, price: 3, inventory: 7, shipping_preset: sticker}
`, "assets/shirt.jpg": "a picture"}))
	if err != nil {
		t.Fatal(err)
	}
	none, four, seven, more := 0, 4, 7, money.Cents(2250)
	want := []campaign.AddOn{
		{ID: "shirt", Name: "Shirt", Description: "A *soft* one", Image: "/assets/shirt.jpg", Price: 2000,
			Delivery:  campaign.Delivery{Category: campaign.Physical, ShippingPreset: "tshirt"},
			SourceURL: "https://example.com/shirt", VariantOption: "Size",
			Variants: []campaign.Variant{{ID: "s", Label: "S", Inventory: &none},
				{ID: "m", Label: "M", Price: &more, Inventory: &four}}},
		{ID: "song", Name: "Song", Price: 200, Inventory: &none, Delivery: campaign.Delivery{Category: campaign.Digital}},
		{ID: "pin", Name: "Pin", Price: 300, Inventory: &seven,
			Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: "sticker"}},
	}
	if diff := cmp.Diff(want, catalogue.AddOns()); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_CollectsProblems(t *testing.T) {
	_, err := campaignfile.Load(repository(map[string]string{
		"campaigns/a.md": string(file("test_only: maybe\n")),
		"campaigns/b.md": string(file("")), "campaigns/c.md": string(file("")),
		"campaigns/d.md": "nothing",
		"add-ons.yml":    "products:\n  - {name: A}\n",
	}))
	var problems campaign.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("error %v", err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.File+" "+p.Field)
	}
	want := []string{"campaigns/a.md test_only", "campaigns/d.md ", "add-ons.yml products[0].price", "campaigns/c.md slug"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_EmptyRepository(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(nil))
	if err != nil || len(catalogue.Campaigns()) != 0 || len(catalogue.AddOns()) != 0 {
		t.Errorf("%v, %v", catalogue, err)
	}
}

func TestLoad_DisabledAddOns(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(map[string]string{"add-ons.yml": "enabled: false\n" + products}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := catalogue.AddOn("sticker"); !fault.Is(err, fault.NotFound) || len(catalogue.AddOns()) != 0 {
		t.Errorf("error %v", err)
	}
}

// Proves CAM-24, CAM-25, INV-12.
func TestResolve_Variants(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(map[string]string{"add-ons.yml": products}))
	if err != nil {
		t.Fatal(err)
	}
	units := func(n int) *int { return &n }
	shirt := campaign.Delivery{Category: campaign.Physical, ShippingPreset: "tshirt"}
	for _, tt := range []struct {
		id, variant string
		want        campaign.Offer
	}{
		{"sticker", "", campaign.Offer{AddOn: "sticker", Name: "Sticker", UnitPrice: 400, Inventory: units(10),
			Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: "sticker"}}},
		{"shirt", "s",
			campaign.Offer{AddOn: "shirt", Variant: "s", Name: "Shirt", VariantName: "S", UnitPrice: 2000, Delivery: shirt}},
		{"shirt", "m", campaign.Offer{AddOn: "shirt", Variant: "m", Name: "Shirt", VariantName: "M",
			UnitPrice: 0, Inventory: units(0), Delivery: shirt}},
		{"shirt", "l", campaign.Offer{AddOn: "shirt", Variant: "l", Name: "Shirt", VariantName: "L",
			UnitPrice: 2250, Inventory: units(2), Delivery: shirt}},
	} {
		a, err := catalogue.AddOn(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Resolve(tt.variant)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
	shirts, _ := catalogue.AddOn("shirt")
	if _, err := shirts.Resolve(""); !fault.Is(err, fault.Invalid) {
		t.Errorf("no variant: %v", err)
	}
	if _, err := shirts.Resolve("xl"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown variant: %v", err)
	}
}

// Proves MON-23.
func TestResolve_RechecksLimit(t *testing.T) {
	over, negative, most := money.Max+1, money.Cents(-1), money.Max
	variant := func(c *money.Cents) []campaign.Variant { return []campaign.Variant{{ID: "v", Label: "V", Price: c}} }
	for name, a := range map[string]campaign.AddOn{
		"product above":    {Name: "A", Price: over},
		"product negative": {Name: "A", Price: negative},
		"variant above":    {Name: "A", Price: 1, Variants: variant(&over)},
		"variant negative": {Name: "A", Price: 1, Variants: variant(&negative)},
		"inherited above":  {Name: "A", Price: over, Variants: variant(nil)},
	} {
		id := ""
		if len(a.Variants) > 0 {
			id = "v"
		}
		if o, err := a.Resolve(id); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v; want an error", name, o, err)
		}
	}
	if o, err := (campaign.AddOn{Name: "A", Price: over, Variants: variant(&most)}).Resolve("v"); err != nil ||
		o.UnitPrice != most {
		t.Errorf("variant at the limit: %+v, %v", o, err)
	}
}

func TestValidate_Presets(t *testing.T) {
	catalogue, err := campaignfile.Load(repository(map[string]string{
		"campaigns/a.md": string(file("tiers:\n  - name: A\n    price: 1\n    shipping_preset: boat\n")),
		"add-ons.yml":    products,
	}))
	if err != nil {
		t.Fatal(err)
	}
	err = catalogue.Validate([]string{"tshirt", "boot"})
	want := "campaigns/a.md:9: tiers[0].shipping_preset: is not a valid shipping preset " +
		"(available: tshirt, boot); did you mean boot?\n" +
		"add-ons.yml:3: products[0].shipping_preset: is not a valid shipping preset (available: tshirt, boot)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if err := catalogue.Validate([]string{"tshirt", "boat", "sticker"}); err != nil {
		t.Error(err)
	}
}

// Proves CAM-13, CAM-14, INV-13.
func TestParse_TierLimit(t *testing.T) {
	c := parse(t,
		file("tiers: [{name: A, price: 1, limit_total: 3, remaining: 1}, "+
			"{name: B, price: 1}, {name: One, price: 1, limit_total: 1}]\n"))
	a, _ := c.Tier("a")
	b, _ := c.Tier("b")
	one, _ := c.Tier("one")
	if a.Limit != 3 || b.Limit != 0 || one.Limit != 1 {
		t.Errorf("limits %d, %d and %d, want 3, none and 1", a.Limit, b.Limit, one.Limit)
	}
	gated := parse(t, file("tiers: [{name: A, price: 1, requires_threshold: 5}]\n")).Tiers[0]
	if gated.Open(499) || !gated.Open(500) || !a.Open(0) {
		t.Error("wrong tier is open at the threshold")
	}
}

func TestWith_ReplacesOrAdds(t *testing.T) {
	named := func(title, more string) *campaign.Campaign {
		return parse(t, []byte(strings.Replace(string(file(more)), "Night Ferry", title, 1)))
	}
	catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{named("Beta", ""), named("Delta", "")},
		campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range catalogue.With(named("Gamma", "")).With(named("Beta", "short_blurb: New\n")).Campaigns() {
		got = append(got, c.Slug+" "+c.Blurb)
	}
	if diff := cmp.Diff([]string{"beta New", "delta ", "gamma "}, got); diff != "" {
		t.Error(diff)
	}
	if c, err := catalogue.Campaign("beta"); err != nil || c.Blurb != "" || len(catalogue.Campaigns()) != 2 {
		t.Errorf("With changed its receiver: %+v, %v", c, err)
	}
}

// FromSite returns the catalogue that the site was built from, without private fields.
func TestFromSite(t *testing.T) {
	c := parse(t, []byte(whole))
	campaigns, err := json.Marshal(map[string]any{"campaigns": []*campaign.Campaign{c}})
	if err != nil {
		t.Fatal(err)
	}
	addOns := []byte(`{"enabled":true,"products":[{"id":"mug","name":"Mug","price":900}]}`)
	catalogue, err := campaign.FromSite(campaigns, addOns)
	if err != nil {
		t.Fatal(err)
	}
	got, err := catalogue.Campaign(c.Slug)
	if err != nil {
		t.Fatal(err)
	}
	c.ReportEmails, c.ReportExcluded, c.File, c.Lines, c.References = nil, nil, "", nil, nil
	if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if s, ok := got.SupportItem("coats"); !ok || s.Label != "Coats" {
		t.Errorf("coats: %+v", s)
	}
	if d, ok := got.Decision("which-town"); !ok || d.Title != "Which town?" {
		t.Errorf("decision: %+v", d)
	}
	if a, err := catalogue.AddOn("mug"); err != nil || a.Price != 900 {
		t.Errorf("mug: %+v, %v", a, err)
	}
	for _, bad := range [][2]string{
		{"", string(addOns)}, {"{}", string(addOns)}, {`{"campaigns":[null]}`, string(addOns)},
		{`{"campaigns":[{"title":"A"}]}`, string(addOns)},
		{`{"campaigns":[]}`, "nothing"}, {`{"campaigns":[]}`, "{}"},
	} {
		if _, err := campaign.FromSite([]byte(bad[0]), []byte(bad[1])); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s with %s: %v; want an error", bad[0], bad[1], err)
		}
	}
}

// A loader only parses files that have changed.
func TestLoader_ParsesChangedFiles(t *testing.T) {
	file := func(title string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\ntitle: " + title +
			"\nstart_date: 2026-11-01\ngoal_deadline: 2026-12-01\ngoal_amount: 10\n---\n")}
	}
	files := fstest.MapFS{"campaigns/a.md": file("Apple"), "campaigns/b.md": file("Bread")}
	var l campaignfile.Loader
	load := func() map[string]*campaign.Campaign {
		t.Helper()
		c, err := l.Load(files)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]*campaign.Campaign{}
		for _, one := range c.Campaigns() {
			all[one.Title] = one
		}
		return all
	}
	first := load()
	files["campaigns/b.md"] = file("Butter")
	files["campaigns/c.md"] = file("Cake")
	second := load()
	if len(second) != 3 || second["Apple"] != first["Apple"] || second["Butter"] == nil || second["Cake"] == nil {
		t.Errorf("%v", second)
	}
	delete(files, "campaigns/a.md")
	if third := load(); len(third) != 2 || third["Apple"] != nil || third["Cake"] != second["Cake"] {
		t.Errorf("%v", third)
	}
	files["campaigns/c.md"] = &fstest.MapFile{Data: []byte("nothing")}
	if _, err := l.Load(files); err == nil {
		t.Error("an invalid file was loaded")
	}
	files["campaigns/c.md"] = file("Cookies")
	if fourth := load(); fourth["Cookies"] == nil || len(fourth) != 2 {
		t.Errorf("%v", fourth)
	}
}
