package campaign

import (
	"errors"
	"io/fs"
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

	lines map[string]int
}

// Load reads a content repository: campaigns/*.md and, if it is there,
// add-ons.yml. The error is Problems with everything wrong in all files, or
// the failure to read one, code Unavailable.
func Load(fsys fs.FS) (*Catalogue, error) { return new(Loader).Load(fsys) }

// Loader loads a content repository again and again, and parses only the files that
// are not as they were. It is not safe for concurrent use.
type Loader struct {
	known map[string]*Campaign // by file name; a campaign's revision names its file's bytes
}

// Load does what the function of that name does.
func (l *Loader) Load(fsys fs.FS) (*Catalogue, error) {
	names, err := fs.Glob(fsys, Folder+"/*.md")
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The campaigns cannot be listed")
	}
	slices.Sort(names)
	known := map[string]*Campaign{}
	var campaigns []*Campaign
	var problems Problems
	for _, name := range names {
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "A campaign cannot be read").In(name)
		}
		c := l.known[name]
		if c == nil || c.Revision != revisionOf(src) {
			c, err = Parse(name, src)
			problems = append(problems, problemsOf(err)...)
		}
		if err == nil {
			campaigns, known[name] = append(campaigns, c), c
		}
	}
	l.known = known
	addOns, err := loadAddOns(fsys)
	if fault.Is(err, fault.Unavailable) {
		return nil, err
	}
	problems = append(problems, problemsOf(err)...)
	catalogue, err := NewCatalogue(campaigns, addOns)
	problems = append(problems, problemsOf(err)...)
	if len(problems) > 0 {
		return nil, problems
	}
	return catalogue, nil
}

func problemsOf(err error) Problems {
	var p Problems
	errors.As(err, &p)
	return p
}

func loadAddOns(fsys fs.FS) (PlatformAddOns, error) {
	src, err := fs.ReadFile(fsys, AddOnsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return PlatformAddOns{}, nil
	}
	if err != nil {
		return PlatformAddOns{}, fault.Wrap(err, fault.Unavailable, "The add-ons cannot be read").In(AddOnsFile)
	}
	return ParseAddOns(AddOnsFile, src)
}

// ParseAddOns reads the platform's add-ons: the keys enabled,
// low_stock_threshold and products. The error is Problems.
func ParseAddOns(name string, src []byte) (PlatformAddOns, error) {
	r := &reader{file: name, lines: map[string]int{}}
	if len(src) > MaxFile {
		return PlatformAddOns{}, Problems{{name, 0, "", "is larger than 1 MB"}}
	}
	root, problem := parseYAML(name, src, 0)
	if problem != nil {
		return PlatformAddOns{}, Problems{*problem}
	}
	m := r.mapping(root, "")
	a := PlatformAddOns{Enabled: m.boolean("enabled", true), Products: m.addOns("products"), LowStock: 5}
	if n := m.units("low_stock_threshold"); n != nil {
		a.LowStock = *n
	}
	m.done()
	if len(r.problems) > 0 {
		return PlatformAddOns{}, r.problems
	}
	a.Warnings, a.References, a.lines = r.warnings, r.references, r.lines
	return a, nil
}

// NewCatalogue makes a catalogue of campaigns that Parse returned. It fails
// with Problems where two have the same slug.
func NewCatalogue(campaigns []*Campaign, addOns PlatformAddOns) (*Catalogue, error) {
	list := slices.Clone(campaigns)
	slices.SortStableFunc(list, func(a, b *Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	var problems Problems
	for i := 1; i < len(list); i++ {
		if list[i].Slug == list[i-1].Slug {
			problems = append(problems, Problem{list[i].File, max(list[i].Lines["slug"], list[i].Lines["title"]), "slug",
				"is that of " + list[i-1].File + " too: write another"})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &Catalogue{list, addOns}, nil
}

// With returns a catalogue with this campaign in place of the one of its slug, or
// beside the others where there is none.
func (c *Catalogue) With(other *Campaign) *Catalogue {
	list := slices.DeleteFunc(c.Campaigns(), func(each *Campaign) bool { return each.Slug == other.Slug })
	list = append(list, other)
	slices.SortFunc(list, func(a, b *Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	return &Catalogue{list, c.addOns}
}

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
	problems = append(problems, unknownPresets(AddOnsFile, c.addOns.lines, presets, named("products", c.addOns.Products))...)
	if len(problems) > 0 {
		return problems
	}
	return nil
}
