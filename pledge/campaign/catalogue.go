package campaign

import (
	"errors"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// AddOnsFile is the path of the platform add-ons in a content repository.
const AddOnsFile = "add-ons.yml"

// Folder is the folder of the campaigns in a content repository.
const Folder = "campaigns"

// Catalogue has all campaigns and platform add-ons. It is immutable.
type Catalogue struct {
	campaigns []*Campaign // sorted by slug
	addOns    PlatformAddOns
}

// PlatformAddOns are the platform's products, which can be added to pledges to any
// campaign.
type PlatformAddOns struct {
	Enabled bool `json:"enabled"`
	// LowStock is the number of units at or below which stock counts as low.
	LowStock int      `json:"lowStockThreshold"`
	Products []AddOn  `json:"products"`
	Warnings Problems `json:"-"`
	// References are the files of the content repository that the products refer to.
	References []Reference `json:"-"`
	// Lines has the line of each field in the file.
	Lines map[string]int `json:"-"`
}

// NewCatalogue returns a catalogue. It fails with Problems if two campaigns have the
// same slug.
func NewCatalogue(campaigns []*Campaign, addOns PlatformAddOns) (*Catalogue, error) {
	list := slices.Clone(campaigns)
	slices.SortStableFunc(list, func(a, b *Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	var problems Problems
	for i := 1; i < len(list); i++ {
		if list[i].Slug == list[i-1].Slug {
			problems = append(problems, SlugTaken(list[i], list[i-1]))
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &Catalogue{list, addOns}, nil
}

// SlugTaken returns the problem of campaign c, which has the same slug as other.
func SlugTaken(c, other *Campaign) Problem {
	return Problem{c.File, max(c.Lines["slug"], c.Lines["title"]), "slug",
		"is already used by " + other.File + ": choose another"}
}

// With returns a catalogue with the campaign added. It replaces the campaign with the same slug.
func (c *Catalogue) With(other *Campaign) *Catalogue {
	list := slices.DeleteFunc(c.Campaigns(), func(each *Campaign) bool { return each.Slug == other.Slug })
	list = append(list, other)
	slices.SortFunc(list, func(a, b *Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	return &Catalogue{list, c.addOns}
}

// Without returns a catalogue without the campaign with the slug.
func (c *Catalogue) Without(slug string) *Catalogue {
	return &Catalogue{slices.DeleteFunc(c.Campaigns(), func(each *Campaign) bool { return each.Slug == slug }), c.addOns}
}

// Platform returns the platform add-ons and their settings, even if they are disabled.
func (c *Catalogue) Platform() PlatformAddOns { return c.addOns }

// Campaigns returns all campaigns, including those that are not public, sorted by slug.
func (c *Catalogue) Campaigns() []*Campaign { return slices.Clone(c.campaigns) }

// Campaign returns the campaign with the slug, public or not. It fails with code NotFound if there
// is none.
func (c *Catalogue) Campaign(slug string) (*Campaign, error) {
	i, ok := slices.BinarySearchFunc(c.campaigns, slug,
		func(c *Campaign, s string) int { return strings.Compare(c.Slug, s) })
	if !ok {
		return nil, fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
	}
	return c.campaigns[i], nil
}

// AddOns returns the platform add-ons, or none if they are disabled.
func (c *Catalogue) AddOns() []AddOn {
	if !c.addOns.Enabled {
		return nil
	}
	return slices.Clone(c.addOns.Products)
}

// AddOn returns the platform add-on with the ID. It fails with code NotFound if there is none, or
// if platform add-ons are disabled.
func (c *Catalogue) AddOn(id string) (AddOn, error) {
	a, ok := find(c.AddOns(), func(a AddOn) bool { return a.ID == id })
	if !ok {
		return AddOn{}, fault.New(fault.NotFound, "Add-on not found").In("productId")
	}
	return a, nil
}

// LowStock returns the number of units at or below which stock counts as low.
func (c *Catalogue) LowStock() int { return c.addOns.LowStock }

// Warnings returns the warnings of all files.
func (c *Catalogue) Warnings() Problems {
	var all Problems
	for _, campaign := range c.campaigns {
		all = append(all, campaign.Warnings...)
	}
	return append(all, c.addOns.Warnings...)
}

// Validate checks that every shipping preset is one of presets. The error is Problems.
func (c *Catalogue) Validate(presets []string) error {
	var problems Problems
	for _, campaign := range c.campaigns {
		problems = append(problems, problemsOf(campaign.Validate(presets))...)
	}
	problems = append(problems, problemsOf(c.addOns.Validate(presets))...)
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// Validate checks that every shipping preset is one of presets. The error is Problems.
func (a PlatformAddOns) Validate(presets []string) error {
	problems := unknownPresets(AddOnsFile, a.Lines, presets, presetsOf("products", a.Products))
	if len(problems) > 0 {
		return problems
	}
	return nil
}

func problemsOf(err error) Problems {
	var p Problems
	errors.As(err, &p)
	return p
}
