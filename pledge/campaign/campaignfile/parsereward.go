package campaignfile

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

func (m *mapping) tiers() []campaign.Tier {
	var tiers []campaign.Tier
	taken := map[string]bool{}
	m.each("tiers", campaign.MaxList, func(t *mapping) {
		tier := campaign.Tier{
			Name: t.name("name", campaign.MaxName), Price: t.pledgeable("price"), Image: t.media("image"),
			Description: t.rich("description", campaign.MaxDescription), Includes: t.includes(), Delivery: t.delivery(),
			Stackable: t.boolean("stackable", false), EstimatedDelivery: t.month("estimated_delivery"),
		}
		tier.ID = t.id("id", tier.Name, taken)
		tier.RequiresThreshold, _ = t.amountUpTo("requires_threshold", campaign.MaxGoal)
		if limit := t.units("limit_total"); limit != nil {
			if tier.Limit = *limit; tier.Limit == 0 {
				t.failKey("limit_total", "write at least 1, or remove it for no limit")
			}
		}
		t.warnDerived("remaining")
		t.warnRetired(noLatePledges, "late_support")
		t.rejectUnknownKeys("fields")
		tiers = append(tiers, tier)
	})
	return tiers
}

// includes reads the list of what a reward contains.
func (m *mapping) includes() []string {
	var parts []string
	for i, n := range m.list("includes", campaign.MaxIncludes) {
		n = follow(n)
		field := fmt.Sprintf("%s[%d]", m.field("includes"), i)
		if n.Kind == yaml.ScalarNode && n.Style == 0 {
			m.warnOfComment(n.Line, field, n.LineComment)
		}
		part, err := safety.Plain(n.Value, campaign.MaxName)
		if err != nil || n.Kind != yaml.ScalarNode || part == "" {
			m.fail(n.Line, field, "write a part as plain text of at most %d characters", campaign.MaxName)
		}
		parts = append(parts, part)
	}
	return parts
}

func (m *mapping) supportItems() []campaign.SupportItem {
	var items []campaign.SupportItem
	taken := map[string]bool{}
	m.each("support_items", campaign.MaxList, func(s *mapping) {
		item := campaign.SupportItem{
			Label: s.name("label", campaign.MaxName), Need: s.text("need", campaign.MaxDescription),
			Delivery: s.delivery(),
		}
		s.warnRetired(noLatePledges, "late_support")
		item.ID = s.id("id", item.Label, taken)
		item.Target, _ = s.dollars("target")
		s.rejectUnknownKeys()
		items = append(items, item)
	})
	return items
}

// delivery reads how an item is delivered. Items with a preset or a package are physical by
// default, and others digital.
func (m *mapping) delivery() campaign.Delivery {
	sent := m.has("shipping_preset") || m.has("shipping")
	usual, other := campaign.Digital, campaign.Physical
	if sent {
		usual, other = other, usual
	}
	d := campaign.Delivery{Category: usual}
	if m.has("category") {
		d.Category = campaign.Category(m.choice("category", string(usual), string(other)))
	}
	if d.Category == campaign.Digital && sent {
		m.failKey("category",
			"is digital, so there is nothing to ship: remove shipping_preset and shipping, or write physical")
	}
	if s, _ := m.scalar("shipping_preset"); s != "" {
		_, err := campaign.ParseSlug(presetLetters.Replace(s))
		m.failIf("shipping_preset", err)
		d.ShippingPreset = s
	}
	if d.Category == campaign.Physical && !sent {
		m.warn(m.lineOf("category"), m.field("category"),
			"has neither shipping_preset nor shipping: carriers cannot quote its parcel, so the fallback rate applies")
	}
	if d.ShipsTo = m.shipsTo(); d.Category == campaign.Digital && len(d.ShipsTo) > 0 {
		m.failKey("ships_to", "cannot be combined with category digital: remove it")
	}
	if s := m.sub("shipping"); s != nil {
		d.Package = s.parcel()
		if d.ShippingPreset != "" {
			m.failKey("shipping", "cannot be combined with shipping_preset: keep one of them")
		}
	}
	return d
}

func (m *mapping) parcel() *campaign.Package {
	p := &campaign.Package{
		Weight: m.measure("weight_oz", true), Packaging: m.measure("packaging_weight_oz", false),
		Length: m.measure("length_in", true), Width: m.measure("width_in", true), Height: m.measure("height_in", true),
		StackHeight: m.measure("stack_height_in", false), Rigid: m.boolean("rigid", false),
	}
	m.rejectUnknownKeys()
	return p
}

func (m *mapping) addOns(key string) []campaign.AddOn {
	var list []campaign.AddOn
	taken := map[string]bool{}
	m.each(key, campaign.MaxAddOns, func(a *mapping) {
		addOn := campaign.AddOn{
			Name: a.name("name", campaign.MaxName), Description: a.rich("description", campaign.MaxDescription),
			Image: a.media("image"), Price: a.price("price"), Delivery: a.delivery(),
			Inventory: a.units("inventory"), SourceURL: a.link("source_url"),
			VariantOption: a.text("variant_option_name", campaign.MaxOption),
		}
		addOn.ID = a.id("id", addOn.Name, taken)
		addOn.Variants = a.variants()
		if len(addOn.Variants) > 0 && addOn.Inventory != nil {
			a.failKey("inventory", "cannot be combined with variants: set it for each variant instead")
		}
		a.rejectUnknownKeys()
		list = append(list, addOn)
	})
	return list
}

func (m *mapping) variants() []campaign.Variant {
	var list []campaign.Variant
	taken := map[string]bool{}
	m.each("variants", campaign.MaxVariants, func(v *mapping) {
		variant := campaign.Variant{Label: v.name("label", campaign.MaxOption), Inventory: v.units("inventory")}
		variant.ID = v.id("id", variant.Label, taken)
		if price, ok := v.amount("price"); ok {
			variant.Price = &price
		}
		v.rejectUnknownKeys()
		list = append(list, variant)
	})
	return list
}
