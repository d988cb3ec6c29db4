package shipping

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Parcel is one box: its weight in ounces with packaging, and its size in inches.
type Parcel struct {
	Weight decimal.Decimal `json:"weightOz"`
	Length decimal.Decimal `json:"lengthIn"` // the longest side
	Width  decimal.Decimal `json:"widthIn"`
	Height decimal.Decimal `json:"heightIn"` // the shortest side
	// Media is set if the parcel only contains film, sound or print. Flexible is set if it may
	// ship as a letter or a large envelope.
	Media    bool `json:"media,omitempty"`
	Flexible bool `json:"bends,omitempty"`
}

// Pack packs the physical items into one parcel. If an item has no package, ok is false and
// missing is its name. The order of items does not matter.
//
// The parcel's weight is the sum of the items' weights and the heaviest packaging. Its length
// and width are the largest of the items. Its height is the sum of the units' stack heights (or
// heights, if none are specified), plus, once, the largest difference between an item's height
// and its stack height, which is the packaging.
func Pack(items []Item) (p Parcel, missing string, ok bool) {
	var packaging, wrapping, stack decimal.Decimal
	p.Media, p.Flexible = true, true
	for _, item := range items {
		if !item.IsShipped() {
			continue
		}
		one, known := item.preset()
		if !known {
			return Parcel{}, item.Name, false
		}
		step := one.StackHeight
		if step.IsZero() {
			step = one.Height
		}
		n := decimal.NewFromInt(int64(item.Quantity))
		p.Weight = p.Weight.Add(one.Weight.Mul(n))
		packaging = decimal.Max(packaging, one.Packaging)
		p.Length = decimal.Max(p.Length, one.Length, one.Width)
		p.Width = decimal.Max(p.Width, decimal.Min(one.Length, one.Width))
		stack, wrapping = stack.Add(step.Mul(n)), decimal.Max(wrapping, one.Height.Sub(step))
		p.Media, p.Flexible = p.Media && one.Media, p.Flexible && one.Flexible
	}
	p.Weight = p.Weight.Add(packaging)
	p.Height = stack.Add(wrapping)
	p.sortSides()
	return p, "", true
}

// sortSides sorts the sides so that the longest is the length.
func (p *Parcel) sortSides() {
	sides := []decimal.Decimal{p.Length, p.Width, p.Height}
	slices.SortFunc(sides, func(a, b decimal.Decimal) int { return b.Cmp(a) })
	p.Length, p.Width, p.Height = sides[0], sides[1], sides[2]
}

// Billable returns the weight in ounces that a carrier bills for a large parcel: above
// the given number of cubic inches, one pound per divisor cubic inches, rounded up.
// dimensional reports whether that exceeds the actual weight.
func (p *Parcel) Billable(above, divisor int64) (ounces decimal.Decimal, dimensional bool) {
	volume := p.Length.Mul(p.Width).Mul(p.Height)
	if volume.LessThanOrEqual(decimal.NewFromInt(above)) {
		return p.Weight, false
	}
	pounds, rest := volume.QuoRem(decimal.NewFromInt(divisor), 0)
	if !rest.IsZero() {
		pounds = pounds.Add(decimal.NewFromInt(1))
	}
	ounces = pounds.Mul(decimal.NewFromInt(16))
	if ounces.LessThanOrEqual(p.Weight) {
		return p.Weight, false
	}
	return ounces, true
}

// IsShipped reports whether there is something to ship.
func (i Item) IsShipped() bool { return i.Category == campaign.Physical && i.Quantity > 0 }

// preset returns the package of one unit: the specified one, or that of the named preset. It
// returns false if the item has neither. A specified package is flexible unless it is rigid;
// whether it fits an envelope depends on its size.
func (i Item) preset() (Preset, bool) {
	if i.Package != nil {
		return Preset{Package: *i.Package, Flexible: !i.Package.Rigid}, true
	}
	return FindPreset(i.ShippingPreset)
}
