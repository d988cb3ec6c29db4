package campaign

import (
	"errors"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// AddOnsFile is the name of the platform's add-ons in a content repository.
const AddOnsFile = "add-ons.yml"

// Folder holds the campaigns of a content repository.
const Folder = "campaigns"

// Catalogue is all that is for sale. It does not change once it is made.
type Catalogue struct {
	campaigns []*Campaign // by slug
	addOns    PlatformAddOns
}

// PlatformAddOns are the platform's own products.
type PlatformAddOns struct {
	Enabled bool `json:"enabled"`
	// LowStock is the number of units from which on little is left.
	LowStock int      `json:"lowStockThreshold"`
	Products []AddOn  `json:"products"`
	Warnings Problems `json:"-"`
	// References are the files of the content repository that it names.
	References []Reference `json:"-"`
	// Lines holds the line of each field in its file.
	Lines map[string]int `json:"-"`
}

// NewCatalogue makes a catalogue of campaigns. It fails
// with Problems where two have the same slug.
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

// SlugTaken is the problem of a campaign that has the slug of another one.
func SlugTaken(c, other *Campaign) Problem {
	return Problem{c.File, max(c.Lines["slug"], c.Lines["title"]), "slug", "is that of " + other.File + " too: write another"}
}

// With returns a catalogue with this campaign in place of the one of its slug, or
// beside the others where there is none.
func (c *Catalogue) With(other *Campaign) *Catalogue {
	list := slices.DeleteFunc(c.Campaigns(), func(each *Campaign) bool { return each.Slug == other.Slug })
	list = append(list, other)
	slices.SortFunc(list, func(a, b *Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	return &Catalogue{list, c.addOns}
}

// Without returns a catalogue that lacks the campaign with this slug.
func (c *Catalogue) Without(slug string) *Catalogue {
	return &Catalogue{slices.DeleteFunc(c.Campaigns(), func(each *Campaign) bool { return each.Slug == slug }), c.addOns}
}

// Platform returns the platform's add-ons with their settings, also while they are switched off.
func (c *Catalogue) Platform() PlatformAddOns { return c.addOns }

// Campaigns returns all campaigns by slug, those that are not public too.
func (c *Catalogue) Campaigns() []*Campaign { return slices.Clone(c.campaigns) }

// Campaign returns one campaign, public or not. It fails with code NotFound.
func (c *Catalogue) Campaign(slug string) (*Campaign, error) {
	i, ok := slices.BinarySearchFunc(c.campaigns, slug, func(c *Campaign, s string) int { return strings.Compare(c.Slug, s) })
	if !ok {
		return nil, fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
	}
	return c.campaigns[i], nil
}

// AddOns returns the platform's add-ons: none where they are switched off.
func (c *Catalogue) AddOns() []AddOn {
	if !c.addOns.Enabled {
		return nil
	}
	return slices.Clone(c.addOns.Products)
}

// AddOn returns one of the platform's add-ons. It fails with code NotFound.
func (c *Catalogue) AddOn(id string) (AddOn, error) {
	a, ok := find(c.AddOns(), func(a AddOn) bool { return a.ID == id })
	if !ok {
		return AddOn{}, fault.New(fault.NotFound, "Add-on not found").In("productId")
	}
	return a, nil
}

// LowStock is the number of units from which on little of an add-on is left.
func (c *Catalogue) LowStock() int { return c.addOns.LowStock }

// Warnings are those of all files.
func (c *Catalogue) Warnings() Problems {
	var all Problems
	for _, campaign := range c.campaigns {
		all = append(all, campaign.Warnings...)
	}
	return append(all, c.addOns.Warnings...)
}

// Validate checks every shipping preset's name against those that shipping
// knows. The error is Problems.
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

// Validate checks the products' shipping presets against those that shipping knows. The error is
// Problems.
func (a PlatformAddOns) Validate(presets []string) error {
	problems := unknownPresets(AddOnsFile, a.Lines, presets, named("products", a.Products))
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
