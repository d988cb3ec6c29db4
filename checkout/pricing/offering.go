package pricing

import (
	"fmt"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Offering is the items that a campaign and the platform offer to one supporter.
type Offering struct {
	Campaign *campaign.Campaign
	AddOns   []campaign.AddOn // of the platform
	Pledged  money.Cents      // toward the goal, for tiers with a threshold
	// held are the lines of the supporter's existing pledge. They keep their
	// prices and stay available.
	held   []pledge.Line
	source string // source of the prices of held lines
	heldTo string // the country that held lines ship to
}

// Choice is a selection resolved against an offering.
type Choice struct {
	Campaign *campaign.Campaign
	Lines    []pledge.Line
	Own      []inventory.Request // of the campaign's units
	Platform []inventory.Request // of the platform's
	reasons  []pledge.Derivation
	// sent and sentByPlatform are the contents of the campaign's parcel and the
	// platform's.
	sent, sentByPlatform []shipping.Item
}

// offer is one item of an offering.
type offer struct {
	name, variantName string
	price             money.Cents
	source            string
	delivery          campaign.Delivery
	limit             int    // as in inventory.Request
	month             string // a reward's estimated delivery
}

// For returns the offering to the supporter of an existing pledge.
func (m Offering) For(p *pledge.Pledge) Offering {
	m.held, m.source = p.Lines, "campaign "+p.CampaignSlug+"@"+p.Promise.CampaignRevision
	if p.ShippingAddress != nil {
		m.heldTo = p.ShippingAddress.Country
	}
	return m
}

// Choose resolves picks. It fails with code Invalid, and the request's field, for an item that
// is not offered.
func (m Offering) Choose(picks []Pick) (Choice, error) {
	c := Choice{Campaign: m.Campaign}
	if err := m.checkTiers(picks); err != nil {
		return Choice{}, err
	}
	contributes := false
	for _, p := range picks {
		d, err := m.findOffer(p)
		if err != nil {
			return Choice{}, err
		}
		if err := c.addLines(m, p, d); err != nil {
			return Choice{}, err
		}
		contributes = contributes || p.kind != pledge.PlatformAddOnLine
	}
	if !contributes {
		return Choice{}, noContribution()
	}
	return c, nil
}

// checkTiers enforces single_tier_only. A pledge that already has several tiers keeps them.
func (m Offering) checkTiers(picks []Pick) error {
	tiers, fresh, field := 0, false, ""
	for _, p := range picks {
		if p.kind == pledge.TierLine {
			tiers, field = tiers+1, p.field
			fresh = fresh || m.heldUnits(p) == 0
		}
	}
	if m.Campaign.SingleTierOnly && tiers > 1 && fresh {
		return fault.New(fault.Invalid, "This campaign only allows one tier per pledge").In(field + ".id")
	}
	return nil
}

// heldUnits returns how many units of the item are already held.
func (m Offering) heldUnits(p Pick) int {
	n := 0
	for _, l := range m.held {
		if sameItem(l, p) {
			n += l.Quantity
		}
	}
	return n
}

func sameItem(l pledge.Line, p Pick) bool {
	return l.Kind == p.kind && l.ID == p.id && l.Variant == p.variant
}

// findOffer returns the offer for a pick. Units that the pledge already has remain available at
// their promised price, even if the item is no longer offered or no longer ships to the pledge's
// country.
func (m Offering) findOffer(p Pick) (offer, error) {
	d, err := m.lookUp(p)
	promised := m.heldUnits(p) >= p.quantity
	if err == nil && promised && !d.delivery.Reaches(m.heldTo) {
		d.delivery.ShipsTo = append(slices.Clone(d.delivery.ShipsTo), m.heldTo)
	}
	if err == nil || !promised {
		return d, err
	}
	for _, l := range m.held { // no longer offered, but promised
		if sameItem(l, p) && (p.amount == 0 || p.amount == l.Amount) {
			return offer{name: l.Name, variantName: l.VariantName, price: l.UnitPrice, source: m.source,
				delivery: campaign.Delivery{Category: l.Category}, month: l.PromisedDelivery}, nil
		}
	}
	return d, err
}

// lookUp returns the current offer for a pick. It fails with code Invalid if there is none.
func (m Offering) lookUp(p Pick) (offer, error) {
	switch p.kind {
	case pledge.TierLine:
		return m.tier(p)
	case pledge.SupportLine:
		item, ok := m.Campaign.SupportItem(p.id)
		if !ok {
			return offer{}, fault.New(fault.Invalid, "Support item not found").In(p.field + ".id")
		}
		return offer{name: item.Label, price: p.amount, delivery: item.Delivery}, nil
	case pledge.CustomLine:
		return m.custom(p)
	case pledge.CampaignAddOnLine:
		return addOn(p, m.Campaign.AddOns, m.listSource())
	case pledge.PlatformAddOnLine:
		return addOn(p, m.AddOns, "platform add-ons")
	case pledge.ShippingLine, pledge.TipLine:
	}
	return offer{}, badItem(p.field)
}

func (m Offering) listSource() string {
	return "campaign " + m.Campaign.Slug + "@" + m.Campaign.Revision
}

func (m Offering) tier(p Pick) (offer, error) {
	t, ok := m.Campaign.Tier(p.id)
	held := m.heldUnits(p)
	switch {
	case !ok:
		return offer{}, fault.New(fault.Invalid, "Tier not found").In(p.field + ".id")
	case !t.Stackable && p.quantity > max(held, 1):
		return offer{}, fault.New(fault.Invalid, "Tier %q does not support multiple quantities",
			t.Name).In(p.field + ".quantity")
	case !t.Open(m.Pledged) && p.quantity > held:
		return offer{}, fault.New(fault.Invalid, "Tier %q unlocks at %s", t.Name,
			t.RequiresThreshold).In(p.field + ".id")
	}
	return offer{name: t.Name, price: t.Price, source: m.listSource(), delivery: t.Delivery, limit: t.Limit,
		month: t.EstimatedDelivery}, nil
}

func (m Offering) custom(p Pick) (offer, error) {
	custom, field := m.Campaign.Custom, p.field
	if field != "customAmount" {
		field += ".amount"
	}
	for _, l := range m.held {
		if sameItem(l, p) && l.Amount == p.amount {
			return offer{name: l.Name, price: p.amount}, nil
		}
	}
	if !custom.Enabled {
		return offer{}, fault.New(fault.Invalid, "The campaign does not accept custom amounts").In(field)
	}
	if p.amount < custom.Min || p.amount > custom.Max {
		return offer{}, fault.New(fault.Invalid, "The custom amount must be between %s and %s",
			custom.Min, custom.Max).In(field)
	}
	return offer{name: "Custom support", price: p.amount}, nil
}

func addOn(p Pick, from []campaign.AddOn, source string) (offer, error) {
	for _, a := range from {
		if a.ID != p.id {
			continue
		}
		o, err := a.Resolve(p.variant)
		if f := fault.Of(err); f != nil {
			return offer{}, fault.New(fault.Invalid, "%s", f.Message).In(p.field + ".id")
		}
		if err != nil {
			return offer{}, err
		}
		return offer{name: o.Name, variantName: o.VariantName, price: o.UnitPrice, source: source,
			delivery: o.Delivery, limit: stock(o.Inventory)}, nil
	}
	return offer{}, fault.New(fault.Invalid, "Add-on not found").In(p.field + ".id")
}

// stock converts an add-on's inventory, where nil is unlimited and 0 is sold out, to the limit of
// an inventory.Request, where 0 is unlimited and -1 is sold out.
func stock(inventory *int) int {
	switch {
	case inventory == nil:
		return 0
	case *inventory <= 0:
		return -1
	}
	return *inventory
}

// addLines appends the picked item: held units at their promised prices and with their promised
// delivery, additional units at the list price and with the current estimate.
func (c *Choice) addLines(m Offering, p Pick, d offer) error {
	rest := p.quantity
	for _, l := range m.held {
		if sameItem(l, p) && rest > 0 && p.amount == 0 && l.UnitPrice.Check() == nil {
			n := min(rest, l.Quantity)
			rest -= n
			promised := d
			promised.price, promised.source, promised.month = l.UnitPrice, m.source, l.PromisedDelivery
			if err := c.appendLine(p, promised, n, "promised price"); err != nil {
				return err
			}
		}
	}
	rule := "list price"
	if p.amount > 0 {
		rule = "chosen by the supporter"
	}
	if rest > 0 {
		if err := c.appendLine(p, d, rest, rule); err != nil {
			return err
		}
	}
	c.addWant(p, d)
	c.addParcelItem(p, d)
	return nil
}

func (c *Choice) addParcelItem(p Pick, d offer) {
	item := shipping.Item{Name: d.name, Quantity: p.quantity, Delivery: d.delivery}
	if p.kind == pledge.PlatformAddOnLine {
		c.sentByPlatform = append(c.sentByPlatform, item)
		return
	}
	c.sent = append(c.sent, item)
}

// appendLine appends a line and its derivation, or adds the quantity to the last line if that has
// the same item, price and delivery.
func (c *Choice) appendLine(p Pick, d offer, quantity int, rule string) error {
	amount, err := d.price.Times(quantity)
	if err != nil {
		return fault.New(fault.Invalid, "An amount is above the limit of %s", money.Max).In(p.field)
	}
	if n := len(c.Lines); n > 0 && sameItem(c.Lines[n-1], p) && d.matches(c.Lines[n-1]) {
		last := &c.Lines[n-1]
		last.Quantity += quantity
		last.Amount += amount
		c.reasons[n-1].Cents = last.Amount
		return nil
	}
	c.Lines = append(c.Lines, pledge.Line{
		Kind: p.kind, ID: p.id, Variant: p.variant, Name: d.name, VariantName: d.variantName,
		Quantity: quantity, UnitPrice: d.price, Amount: amount, Category: d.delivery.Category,
		PromisedDelivery: d.month,
	})
	c.reasons = append(c.reasons, pledge.Derivation{
		Amount: fmt.Sprintf("lines[%d]", len(c.Lines)-1), Cents: amount, Rule: rule, Source: d.source,
	})
	return nil
}

// matches reports whether a line has the offer's price and delivery.
func (d offer) matches(l pledge.Line) bool {
	return l.UnitPrice == d.price && l.PromisedDelivery == d.month
}

// addWant adds the units that a picked item needs, if its kind is counted.
func (c *Choice) addWant(p Pick, d offer) {
	item := pledge.Line{Kind: p.kind, ID: p.id, Variant: p.variant}.Item()
	if item == "" {
		return
	}
	name := d.name
	if d.variantName != "" {
		name += ", " + d.variantName
	}
	w := inventory.Request{Item: item, Quantity: p.quantity, Limit: d.limit, Name: name, Field: p.field + ".quantity"}
	if p.kind == pledge.PlatformAddOnLine {
		c.Platform = append(c.Platform, w)
		return
	}
	c.Own = append(c.Own, w)
}

// Wants returns the units that lines need, with the current limits. Items that
// are no longer offered have no limit.
func (m Offering) Wants(lines []pledge.Line) (own, platform []inventory.Request) {
	m.held = lines
	c := Choice{Campaign: m.Campaign}
	for _, p := range picksOf(lines) {
		d, err := m.findOffer(p)
		if err != nil {
			d = offer{name: p.id}
		}
		c.addWant(p, d)
	}
	return c.Own, c.Platform
}

// fulfillment returns "physical" if something has to be shipped, "digital" if
// something is delivered otherwise, or "none".
func (c *Choice) fulfillment() string {
	kind := "none"
	for _, l := range c.Lines {
		switch {
		case l.Category == campaign.Physical:
			return "physical"
		case l.Item() != "":
			kind = "digital"
		}
	}
	return kind
}
