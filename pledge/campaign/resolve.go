package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Resolve returns the offer for a variant, or for the add-on itself if variant is "", at its
// current price. It checks the price again, because catalogues that were not loaded from files may
// be invalid.
//
// It fails with code NotFound if the variant does not exist, and with Invalid if a variant must be
// chosen or the price is not between 0 and money.Max.
func (a AddOn) Resolve(variant string) (Offer, error) {
	o := Offer{AddOn: a.ID, Name: a.Name, UnitPrice: a.Price, Inventory: a.Inventory, Delivery: a.Delivery}
	if variant == "" && len(a.Variants) > 0 {
		return Offer{}, fault.New(fault.Invalid, "Choose a variant of %s", a.Name).In("variant")
	}
	if variant != "" {
		v, ok := find(a.Variants, func(v Variant) bool { return v.ID == variant })
		if !ok {
			return Offer{}, fault.New(fault.NotFound, "%s has no such variant", a.Name).In("variant")
		}
		o.Variant, o.VariantName, o.Inventory = v.ID, v.Label, v.Inventory
		if v.Price != nil {
			o.UnitPrice = *v.Price
		}
	}
	if o.UnitPrice < 0 || o.UnitPrice > money.Max {
		return Offer{}, fault.New(fault.Invalid,
			"The price of %s must be between $0 and %s", a.Name, money.Max).In("price")
	}
	return o, nil
}

// Validate checks that the campaign's shipping presets are among presets. The error is Problems.
func (c *Campaign) Validate(presets []string) error {
	at := presetsOf("campaign_add_ons", c.AddOns)
	for i, t := range c.Tiers {
		at[fmt.Sprintf("tiers[%d]", i)] = t.ShippingPreset
	}
	for i, s := range c.SupportItems {
		at[fmt.Sprintf("support_items[%d]", i)] = s.ShippingPreset
	}
	if problems := unknownPresets(c.File, c.Lines, presets, at); len(problems) > 0 {
		return problems
	}
	return nil
}

// presetsOf returns the shipping presets of add-ons, by the path of the add-on in its file.
func presetsOf(list string, addOns []AddOn) map[string]string {
	at := map[string]string{}
	for i, a := range addOns {
		at[fmt.Sprintf("%s[%d]", list, i)] = a.ShippingPreset
	}
	return at
}

func unknownPresets(file string, lines map[string]int, known []string, at map[string]string) Problems {
	var problems Problems
	for path, preset := range at {
		if field := path + ".shipping_preset"; preset != "" && !slices.Contains(known, preset) {
			problems = append(problems, Problem{file, lines[field], field,
				"is not a valid shipping preset (available: " + strings.Join(known, ", ") + ")" + fault.DidYouMean(preset, known)})
		}
	}
	problems.Sort()
	return problems
}
