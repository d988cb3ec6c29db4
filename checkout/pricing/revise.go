package pricing

import (
	"fmt"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Revise returns the picks of a changed pledge to a campaign: those of its lines, with other
// items unless items is nil, and another custom amount unless customAmount is nil. It fails with
// code Invalid for items of another campaign, and if no items remain.
func Revise(slug string, lines []pledge.Line, items *[]Item, customAmount *int64) ([]Pick, error) {
	c := Cart{CampaignSlug: slug, CustomAmount: customAmount}
	if items != nil {
		c.Items = *items
		sel, err := c.Select()
		if err != nil {
			return nil, err
		}
		if len(sel.parts) != 1 || sel.parts[0].slug != slug {
			return nil, fault.New(fault.Invalid, "A pledge belongs to one campaign").In("items")
		}
		return sel.parts[0].picks, nil
	}
	held := picksOf(lines)
	if customAmount == nil {
		return held, nil
	}
	held = slices.DeleteFunc(held, func(p Pick) bool { return p.kind == pledge.CustomLine })
	kept := map[string][]Pick{slug: held}
	if err := c.addCustom(kept); err != nil {
		return nil, err
	}
	if len(kept[slug]) == 0 {
		return nil, noContribution()
	}
	sel, err := c.sortPicks(kept)
	if err != nil {
		return nil, err
	}
	return sel.parts[0].picks, nil
}

// Same reports whether the picks are those that result in the lines.
func Same(picks []Pick, lines []pledge.Line) bool {
	a, b := picks, picksOf(lines)
	if len(a) != len(b) {
		return false
	}
	for _, p := range a {
		if !slices.ContainsFunc(b,
			func(q Pick) bool { return p.same(q) && p.quantity == q.quantity && p.amount == q.amount }) {
			return false
		}
	}
	return true
}

// picksOf returns the picks that result in the lines.
func picksOf(lines []pledge.Line) []Pick {
	var picks []Pick
	for _, l := range lines {
		p := Pick{kind: l.Kind, id: l.ID, variant: l.Variant, quantity: l.Quantity, field: "items"}
		if l.Kind == pledge.SupportLine || l.Kind == pledge.CustomLine {
			p.amount = l.Amount
		}
		if n := len(picks); n > 0 && picks[n-1].same(p) {
			picks[n-1].quantity += p.quantity
			continue
		}
		picks = append(picks, p)
	}
	return picks
}

// FormatItem returns a line as text: the ID of a cart's item with its quantity or whole
// dollars, such as "film__seat*2" or "film__custom-support=25". It returns "" for lines that
// are not items of a cart.
func FormatItem(slug string, l pledge.Line) string {
	id := l.ID
	if l.Variant != "" {
		id += "__variant__" + l.Variant
	}
	switch l.Kind {
	case pledge.TierLine:
		return fmt.Sprintf("%s__%s*%d", slug, id, l.Quantity)
	case pledge.CampaignAddOnLine:
		return fmt.Sprintf("%s__addon__%s*%d", slug, id, l.Quantity)
	case pledge.PlatformAddOnLine:
		return fmt.Sprintf("addon__%s*%d", id, l.Quantity)
	case pledge.SupportLine:
		return fmt.Sprintf("%s__support__%s=%d", slug, id, l.Amount/100)
	case pledge.CustomLine:
		return fmt.Sprintf("%s__custom-support=%d", slug, l.Amount/100)
	case pledge.ShippingLine, pledge.TipLine:
	}
	return ""
}
