package campaign

import (
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Resolve returns the add-on in a variant, at the price in force, with that
// price checked against the ceiling once more: whatever was saved elsewhere is
// not asked. It fails with code NotFound for a variant the add-on does not
// have, and with Invalid where a variant has to be chosen or the price is not
// an amount.
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
		return Offer{}, fault.New(fault.Invalid, "The price of %s is not between $0 and %s", a.Name, money.Max).In("price")
	}
	return o, nil
}
