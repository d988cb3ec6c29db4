package checkout

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

// menu is what one campaign, and the platform beside it, offers one supporter.
type menu struct {
	campaign *campaign.Campaign
	addOns   []campaign.AddOn // the platform's
	pledged  money.Cents      // toward the goal, for tiers that wait for a threshold
	// held are the lines that the supporter's pledge has already. What was
	// promised with them stays promised: their prices, and that they are to be had.
	held   []pledge.Line
	source string // of the prices of held lines
	heldTo string // the country that they are sent to
}

// choice is what was chosen of a menu.
type choice struct {
	campaign *campaign.Campaign
	lines    []pledge.Line
	reasons  []pledge.Derivation
	own      []inventory.Want // of the campaign's units
	platform []inventory.Want // of the platform's
	// sent and sentByPlatform are what goes into the campaign's parcel and into the
	// platform's.
	sent, sentByPlatform []shipping.Item
}

// dish is one thing of the menu.
type dish struct {
	name, variantName string
	price             money.Cents
	source            string
	delivery          campaign.Delivery
	limit             int // as in inventory.Want
}

func (m menu) choose(picks []pick) (choice, error) {
	c := choice{campaign: m.campaign}
	if err := m.checkTiers(picks); err != nil {
		return choice{}, err
	}
	contributes := false
	for _, p := range picks {
		d, err := m.find(p)
		if err != nil {
			return choice{}, err
		}
		if err := c.add(m, p, d); err != nil {
			return choice{}, err
		}
		contributes = contributes || p.kind != pledge.PlatformAddOnLine
	}
	if !contributes {
		return choice{}, noContribution()
	}
	return c, nil
}

// checkTiers applies single_tier_only. Several tiers that are held already stay.
func (m menu) checkTiers(picks []pick) error {
	tiers, fresh, field := 0, false, ""
	for _, p := range picks {
		if p.kind == pledge.TierLine {
			tiers, field = tiers+1, p.field
			fresh = fresh || m.units(p) == 0
		}
	}
	if m.campaign.SingleTierOnly && tiers > 1 && fresh {
		return fault.New(fault.Invalid, "This campaign only allows one tier per pledge").In(field + ".id")
	}
	return nil
}

// units is how many units of the thing are held already.
func (m menu) units(p pick) int {
	n := 0
	for _, l := range m.held {
		if is(l, p) {
			n += l.Quantity
		}
	}
	return n
}

func is(l pledge.Line, p pick) bool {
	return l.Kind == p.kind && l.ID == p.id && l.Variant == p.variant
}

func (m menu) find(p pick) (dish, error) {
	d, err := m.look(p)
	promised := m.units(p) >= p.quantity
	if err == nil && promised && !d.delivery.Reaches(m.heldTo) {
		d.delivery.ShipsTo = append(slices.Clone(d.delivery.ShipsTo), m.heldTo)
	}
	if err == nil || !promised {
		return d, err
	}
	for _, l := range m.held { // it is gone from the menu, but was promised
		if is(l, p) && (p.amount == 0 || p.amount == l.Amount) {
			return dish{name: l.Name, variantName: l.VariantName, price: l.UnitPrice, source: m.source, delivery: campaign.Delivery{Category: l.Category}}, nil
		}
	}
	return d, err
}

func (m menu) look(p pick) (dish, error) {
	switch p.kind {
	case pledge.TierLine:
		return m.tier(p)
	case pledge.SupportLine:
		item, ok := m.campaign.SupportItem(p.id)
		if !ok {
			return dish{}, fault.New(fault.Invalid, "Support item not found").In(p.field + ".id")
		}
		return dish{name: item.Label, price: p.amount, delivery: item.Delivery}, nil
	case pledge.CustomLine:
		return m.custom(p)
	case pledge.CampaignAddOnLine:
		return addOn(p, m.campaign.AddOns, m.listed())
	case pledge.PlatformAddOnLine:
		return addOn(p, m.addOns, "platform add-ons")
	case pledge.ShippingLine, pledge.TipLine:
	}
	return dish{}, badItem(p.field)
}

func (m menu) listed() string { return "campaign " + m.campaign.Slug + "@" + m.campaign.Revision }

func (m menu) tier(p pick) (dish, error) {
	t, ok := m.campaign.Tier(p.id)
	held := m.units(p)
	switch {
	case !ok:
		return dish{}, fault.New(fault.Invalid, "Tier not found").In(p.field + ".id")
	case !t.Stackable && p.quantity > max(held, 1):
		return dish{}, fault.New(fault.Invalid, "Tier %q does not support multiple quantities", t.Name).In(p.field + ".quantity")
	case !t.Open(m.pledged) && p.quantity > held:
		return dish{}, fault.New(fault.Invalid, "Tier %q unlocks at %s", t.Name, t.RequiresThreshold).In(p.field + ".id")
	}
	return dish{name: t.Name, price: t.Price, source: m.listed(), delivery: t.Delivery, limit: t.Limit}, nil
}

func (m menu) custom(p pick) (dish, error) {
	offer, field := m.campaign.Custom, p.field
	if field != "customAmount" {
		field += ".amount"
	}
	for _, l := range m.held {
		if is(l, p) && l.Amount == p.amount {
			return dish{name: l.Name, price: p.amount}, nil
		}
	}
	if !offer.Enabled {
		return dish{}, fault.New(fault.Invalid, "The campaign takes no custom amounts").In(field)
	}
	if p.amount < offer.Min || p.amount > offer.Max {
		return dish{}, fault.New(fault.Invalid, "A custom amount is between %s and %s", offer.Min, offer.Max).In(field)
	}
	return dish{name: "Custom support", price: p.amount}, nil
}

func addOn(p pick, from []campaign.AddOn, source string) (dish, error) {
	for _, a := range from {
		if a.ID != p.id {
			continue
		}
		o, err := a.Resolve(p.variant)
		if f := fault.Of(err); f != nil {
			return dish{}, fault.New(fault.Invalid, "%s", f.Message).In(p.field + ".id")
		}
		if err != nil {
			return dish{}, err
		}
		return dish{o.Name, o.VariantName, o.UnitPrice, source, o.Delivery, stock(o.Inventory)}, nil
	}
	return dish{}, fault.New(fault.Invalid, "Add-on not found").In(p.field + ".id")
}

// stock turns an add-on's inventory, where nil is without limit and 0 is sold
// out, into a want's limit, where it is the other way round.
func stock(inventory *int) int {
	switch {
	case inventory == nil:
		return 0
	case *inventory <= 0:
		return -1
	}
	return *inventory
}

// add appends what was picked: at the promised prices what is held already, and
// the rest at the list price.
func (c *choice) add(m menu, p pick, d dish) error {
	rest := p.quantity
	for _, l := range m.held {
		if is(l, p) && rest > 0 && p.amount == 0 && l.UnitPrice.Check() == nil {
			n := min(rest, l.Quantity)
			rest -= n
			if err := c.append(p, d, n, l.UnitPrice, "promised price", m.source); err != nil {
				return err
			}
		}
	}
	rule := "list price"
	if p.amount > 0 {
		rule = "chosen by the supporter"
	}
	if rest > 0 {
		if err := c.append(p, d, rest, d.price, rule, d.source); err != nil {
			return err
		}
	}
	c.want(p, d)
	c.send(p, d)
	return nil
}

func (c *choice) send(p pick, d dish) {
	item := shipping.Item{Name: d.name, Quantity: p.quantity, Delivery: d.delivery}
	if p.kind == pledge.PlatformAddOnLine {
		c.sentByPlatform = append(c.sentByPlatform, item)
		return
	}
	c.sent = append(c.sent, item)
}

func (c *choice) append(p pick, d dish, quantity int, price money.Cents, rule, source string) error {
	amount, err := price.Times(quantity)
	if err != nil {
		return fault.New(fault.Invalid, "An amount is above the limit of %s", money.Max).In(p.field)
	}
	if n := len(c.lines); n > 0 && is(c.lines[n-1], p) && c.lines[n-1].UnitPrice == price {
		last := &c.lines[n-1]
		last.Quantity += quantity
		last.Amount += amount
		c.reasons[n-1].Cents = last.Amount
		return nil
	}
	c.lines = append(c.lines, pledge.Line{
		Kind: p.kind, ID: p.id, Variant: p.variant, Name: d.name, VariantName: d.variantName,
		Quantity: quantity, UnitPrice: price, Amount: amount, Category: d.delivery.Category,
	})
	c.reasons = append(c.reasons, pledge.Derivation{
		Amount: fmt.Sprintf("lines[%d]", len(c.lines)-1), Cents: amount, Rule: rule, Source: source,
	})
	return nil
}

func (c *choice) want(p pick, d dish) {
	item := pledge.Line{Kind: p.kind, ID: p.id, Variant: p.variant}.Item()
	if item == "" {
		return
	}
	name := d.name
	if d.variantName != "" {
		name += ", " + d.variantName
	}
	w := inventory.Want{Item: item, Quantity: p.quantity, Limit: d.limit, Name: name, Field: p.field + ".quantity"}
	if p.kind == pledge.PlatformAddOnLine {
		c.platform = append(c.platform, w)
		return
	}
	c.own = append(c.own, w)
}

// wants is what lines ask of the units there are, with the limits now in
// force. What is no longer on the menu has none.
func (m menu) wants(lines []pledge.Line) (own, platform []inventory.Want) {
	m.held = lines
	c := choice{campaign: m.campaign}
	for _, p := range picksOf(lines) {
		d, err := m.find(p)
		if err != nil {
			d = dish{name: p.id}
		}
		c.want(p, d)
	}
	return c.own, c.platform
}

// picksOf returns what was picked to come to the lines.
func picksOf(lines []pledge.Line) []pick {
	var picks []pick
	for _, l := range lines {
		p := pick{kind: l.Kind, id: l.ID, variant: l.Variant, quantity: l.Quantity, field: "items"}
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

// fulfillment is "physical" where something has to be sent, "digital" where
// something is delivered otherwise, and "none".
func (c *choice) fulfillment() string {
	kind := "none"
	for _, l := range c.lines {
		switch {
		case l.Category == campaign.Physical:
			return "physical"
		case l.Item() != "":
			kind = "digital"
		}
	}
	return kind
}
