package campaignfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Physical items have a preset or a package with their own measures; digital ones have
// neither. A physical item without both gets a warning.
//
// Proves CAM-10, SHP-05, SHP-06, SHP-07.
func TestParse_Deliveries(t *testing.T) {
	dec := decimal.RequireFromString
	box := &campaign.Package{Weight: dec("6.5"), Packaging: dec("1"), Length: dec("5"),
		Width: dec("4"), Height: dec("3"), StackHeight: dec("2")}
	stiff := *box
	stiff.Rigid = true
	const measures = "shipping: {weight_oz: 6.5, packaging_weight_oz: 1, length_in: 5, " +
		"width_in: 4, height_in: 3, stack_height_in: 2}"
	lists := map[string]func(*campaign.Campaign) campaign.Delivery{
		"tiers: [{name: A, price: 1, ": func(c *campaign.Campaign) campaign.Delivery {
			return c.Tiers[0].Delivery
		},
		"support_items: [{label: A, target: 1, ": func(c *campaign.Campaign) campaign.Delivery {
			return c.SupportItems[0].Delivery
		},
		"campaign_add_ons: [{name: A, price: 1, ": func(c *campaign.Campaign) campaign.Delivery {
			return c.AddOns[0].Delivery
		},
		// platform add-ons
		"products: [{name: A, price: 1, ": func(c *campaign.Campaign) campaign.Delivery {
			return c.AddOns[0].Delivery
		},
	}
	for _, tt := range []struct {
		more string
		want campaign.Delivery
		says string // expected warning or, without a Delivery, error
	}{
		{"category: physical, shipping_preset: cd", campaign.Delivery{Category: campaign.Physical, ShippingPreset: "cd"}, ""},
		{"category: physical, " + measures, campaign.Delivery{Category: campaign.Physical, Package: box}, ""},
		{measures, campaign.Delivery{Category: campaign.Physical, Package: box}, ""},
		{strings.Replace(measures, "}", ", rigid: true}", 1),
			campaign.Delivery{Category: campaign.Physical, Package: &stiff}, ""},
		{"category: digital", campaign.Delivery{Category: campaign.Digital}, ""},
		{"category: physical", campaign.Delivery{Category: campaign.Physical}, "has neither shipping_preset nor shipping"},
		{"category: digital, shipping_preset: cd", campaign.Delivery{}, "is digital, so there is nothing to ship"},
		{"category: digital, " + measures, campaign.Delivery{}, "is digital, so there is nothing to ship"},
		{"shipping_preset: cd, " + measures, campaign.Delivery{}, "cannot be combined with shipping_preset"},
		{"category: physical, shipping: {length_in: 5, width_in: 4, height_in: 3}",
			campaign.Delivery{}, "weight_oz: is missing"},
		{"category: physical, shipping: {weight_oz: 6.5, width_in: 4, height_in: 3}",
			campaign.Delivery{}, "length_in: is missing"},
		{"category: physical, shipping: {weight_oz: 6.5, length_in: 5, height_in: 3}",
			campaign.Delivery{}, "width_in: is missing"},
		{"category: physical, shipping: {weight_oz: 6.5, length_in: 5, width_in: 4}",
			campaign.Delivery{}, "height_in: is missing"},
	} {
		for list, delivery := range lists {
			c, err := campaignfile.Parse("campaigns/a.md", file(list+tt.more+"}]\n"))
			if strings.HasPrefix(list, "products") {
				var all campaign.PlatformAddOns
				all, err = campaignfile.ParseAddOns("add-ons.yml", []byte(list+tt.more+"}]\n"))
				c = &campaign.Campaign{AddOns: all.Products, Warnings: all.Warnings}
			}
			if err != nil {
				if tt.want.Category != "" || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s%s: %v", list, tt.more, err)
				}
				continue
			}
			said := ""
			for _, w := range c.Warnings {
				said += w.Message
			}
			if diff := cmp.Diff(tt.want, delivery(c)); diff != "" || !strings.Contains(said, tt.says) ||
				tt.says == "" && said != "" {
				t.Errorf("%s%s: %q %s", list, tt.more, said, diff)
			}
		}
	}
}
