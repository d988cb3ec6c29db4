package pricing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Limits of a cart.
const (
	MaxItems     = 100
	MaxQuantity  = 1000 // units of one item
	MaxCampaigns = 20
)

// Cart is a supporter's selection. It has no prices: the service computes all totals.
type Cart struct {
	// CampaignSlug is the campaign that receives CustomAmount and whose pledge
	// gets the platform's add-ons. It is optional if all items name their
	// campaign.
	CampaignSlug string `json:"campaignSlug"`
	Items        []Item `json:"items"`
	// CustomAmount is an amount that the supporter chooses freely, in whole dollars.
	CustomAmount *int64 `json:"customAmount,omitempty"`
	TipPercent   *int   `json:"tipPercent,omitempty"` // nil for the default
	// Tip is a tip in cents instead of TipPercent, from MinTip to MaxTip. It is split over
	// the campaigns in proportion to their subtotals.
	Tip             *money.Cents    `json:"tipCents,omitempty"`
	ShippingAddress *pledge.Address `json:"shippingAddress,omitempty"`
	BillingAddress  *pledge.Address `json:"billingAddress,omitempty"`
	ShippingOption  string          `json:"shippingOption,omitempty"`
}

// Item is one entry of a cart. The form of its ID determines the kind of item:
//
//	{slug}__{tierId}
//	{slug}__support__{itemId}
//	{slug}__custom-support
//	{slug}__addon__{productId}[__variant__{variantId}]   an add-on of the campaign
//	addon__{productId}[__variant__{variantId}]           an add-on of the platform
type Item struct {
	ID       string `json:"id"`
	Quantity *int   `json:"quantity,omitempty"` // of tiers and add-ons; nil is 1
	Amount   *int64 `json:"amount,omitempty"`   // of support, in whole dollars
}

// Selection is a parsed cart that has not been checked against the catalogue.
type Selection struct {
	// Anchor is the campaign whose pledge gets the platform's add-ons.
	Anchor string
	parts  []part // sorted by slug
}

// part is the selection from one campaign. The anchor's part includes the
// platform's add-ons.
type part struct {
	slug  string
	picks []Pick
}

// Pick is one selected item. Support items have an amount, all others a quantity.
type Pick struct {
	kind        pledge.LineKind
	id, variant string
	quantity    int
	amount      money.Cents
	field       string // request field, for errors
}

func (p Pick) same(other Pick) bool {
	return p.kind == other.kind && p.id == other.id && p.variant == other.variant
}

// Select parses a cart and merges entries for the same item. It fails with code Invalid for a
// cart that is empty, too large, or has a malformed item.
func (c Cart) Select() (Selection, error) {
	if c.CampaignSlug != "" {
		if err := checkSlug(c.CampaignSlug, "campaignSlug"); err != nil {
			return Selection{}, err
		}
	}
	if len(c.Items) > MaxItems {
		return Selection{}, fault.New(fault.Invalid, "A cart can have at most %d items", MaxItems).In("items")
	}
	picks := map[string][]Pick{}
	for i, item := range c.Items {
		slug, p, err := item.parse(fmt.Sprintf("items[%d]", i))
		if err != nil {
			return Selection{}, err
		}
		if picks[slug], err = merge(picks[slug], p); err != nil {
			return Selection{}, err
		}
	}
	if err := c.addCustom(picks); err != nil {
		return Selection{}, err
	}
	return c.sortPicks(picks)
}

func checkSlug(slug, field string) error {
	if _, err := campaign.ParseSlug(slug); err != nil {
		return fault.New(fault.Invalid, "Invalid campaign slug format").In(field)
	}
	return nil
}

// platformSlug stands for the campaign slug of the platform's items, which belong to no campaign.
const platformSlug = ""

// parse parses one item and returns the campaign that it belongs to.
func (i Item) parse(field string) (slug string, p Pick, err error) {
	words := strings.Split(i.ID, "__")
	p.field = field
	if words[0] == "addon" {
		p.kind, words = pledge.PlatformAddOnLine, words[1:]
	} else {
		slug = words[0]
		if err := checkSlug(slug, field+".id"); err != nil {
			return "", Pick{}, err
		}
		p.kind, words = parseKind(words[1:])
	}
	switch {
	case p.kind == pledge.CustomLine && len(words) == 0:
	case len(words) == 1:
		p.id = words[0]
	case len(words) == 3 && words[1] == "variant" && isAddOn(p.kind):
		p.id, p.variant = words[0], words[2]
	default:
		return "", Pick{}, badItem(field)
	}
	for _, id := range words {
		if _, err := campaign.ParseSlug(id); err != nil {
			return "", Pick{}, badItem(field)
		}
	}
	if p.kind == pledge.SupportLine || p.kind == pledge.CustomLine {
		p.quantity = 1
		p.amount, err = i.parseAmount(field)
		return slug, p, err
	}
	p.quantity, err = i.parseQuantity(field)
	return slug, p, err
}

// parseKind parses the part of an item ID after the campaign's slug and returns
// the line kind and the words that identify the item.
func parseKind(words []string) (pledge.LineKind, []string) {
	switch {
	case len(words) == 1 && words[0] == "custom-support":
		return pledge.CustomLine, nil
	case len(words) == 2 && words[0] == "support":
		return pledge.SupportLine, words[1:]
	case len(words) > 1 && words[0] == "addon":
		return pledge.CampaignAddOnLine, words[1:]
	}
	return pledge.TierLine, words
}

func isAddOn(k pledge.LineKind) bool {
	return k == pledge.CampaignAddOnLine || k == pledge.PlatformAddOnLine
}

func badItem(field string) error {
	return fault.New(fault.Invalid, "Invalid cart item id").In(field + ".id")
}

func (i Item) parseQuantity(field string) (int, error) {
	if i.Quantity == nil {
		return 1, nil
	}
	if *i.Quantity < 1 || *i.Quantity > MaxQuantity {
		return 0, badQuantity(field)
	}
	return *i.Quantity, nil
}

func badQuantity(field string) error {
	return fault.New(fault.Invalid, "The quantity must be a whole number from 1 to %d",
		MaxQuantity).In(field + ".quantity")
}

func (i Item) parseAmount(field string) (money.Cents, error) {
	if i.Quantity != nil && *i.Quantity != 1 {
		return 0, fault.New(fault.Invalid, "Support items take an amount, not a quantity").In(field + ".quantity")
	}
	if i.Amount == nil {
		return 0, badAmount(field + ".amount")
	}
	return wholeDollars(*i.Amount, field+".amount")
}

func wholeDollars(dollars int64, field string) (money.Cents, error) {
	c := money.Dollars(dollars)
	if c <= 0 || c > money.Max {
		return 0, badAmount(field)
	}
	return c, nil
}

func badAmount(field string) error {
	return fault.New(fault.Invalid, "The amount must be in whole dollars, from 1 to %d", money.Max/100).In(field)
}

// merge adds a pick to the picks, increasing the quantity or amount of an
// existing one.
func merge(picks []Pick, p Pick) ([]Pick, error) {
	at := slices.IndexFunc(picks, p.same)
	if at < 0 {
		return append(picks, p), nil
	}
	if p.amount > 0 {
		sum, err := money.Sum(picks[at].amount, p.amount)
		if err != nil {
			return nil, badAmount(p.field + ".amount")
		}
		picks[at].amount = sum
		return picks, nil
	}
	picks[at].quantity += p.quantity
	if picks[at].quantity > MaxQuantity {
		return nil, badQuantity(p.field)
	}
	return picks, nil
}

// addCustom adds the custom amount to the picks of its campaign.
func (c Cart) addCustom(picks map[string][]Pick) error {
	if c.CustomAmount == nil || *c.CustomAmount == 0 {
		return nil
	}
	amount, err := wholeDollars(*c.CustomAmount, "customAmount")
	if err != nil {
		return err
	}
	slug := c.CampaignSlug
	if slug == "" {
		slugs := campaignsOf(picks)
		if len(slugs) != 1 {
			return fault.New(fault.Invalid, "Specify the campaign of the custom amount").In("campaignSlug")
		}
		slug = slugs[0]
	}
	p := Pick{kind: pledge.CustomLine, quantity: 1, amount: amount, field: "customAmount"}
	if slices.ContainsFunc(picks[slug], p.same) {
		return fault.New(fault.Invalid, "Specify the custom amount only once").In("customAmount")
	}
	picks[slug] = append(picks[slug], p)
	return nil
}

// sortPicks returns the picks as a selection in a canonical order. It fails with code Invalid if
// there are none, none from a campaign, or picks from too many campaigns.
func (c Cart) sortPicks(picks map[string][]Pick) (Selection, error) {
	if len(picks) == 0 {
		return Selection{}, fault.New(fault.Invalid, "Your cart is empty.").In("items")
	}
	slugs := campaignsOf(picks)
	if len(slugs) == 0 {
		return Selection{}, noContribution()
	}
	if len(slugs) > MaxCampaigns {
		return Selection{}, fault.New(fault.Invalid, "A cart can have at most %d campaigns", MaxCampaigns).In("items")
	}
	sel := Selection{Anchor: slugs[0]}
	if slices.Contains(slugs, c.CampaignSlug) {
		sel.Anchor = c.CampaignSlug
	}
	picks[sel.Anchor] = append(picks[sel.Anchor], picks[platformSlug]...)
	for _, slug := range slugs {
		slices.SortStableFunc(picks[slug], func(a, b Pick) int { return cmp.Compare(rank(a.kind), rank(b.kind)) })
		sel.parts = append(sel.parts, part{slug: slug, picks: picks[slug]})
	}
	return sel, nil
}

func noContribution() error {
	return fault.New(fault.Invalid, "Pledge must include at least one contribution").In("items")
}

func campaignsOf(picks map[string][]Pick) []string {
	slugs := make([]string, 0, len(picks))
	for slug := range picks {
		if slug != platformSlug {
			slugs = append(slugs, slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}

// rank returns a line kind's position in a pledge's list of lines.
func rank(k pledge.LineKind) int {
	return slices.Index([]pledge.LineKind{
		pledge.TierLine, pledge.SupportLine, pledge.CustomLine, pledge.CampaignAddOnLine, pledge.PlatformAddOnLine,
	}, k)
}
