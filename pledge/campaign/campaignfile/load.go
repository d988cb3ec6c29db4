package campaignfile

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Load reads the campaigns of a content repository, including archived ones, and its add-ons.yml if
// it exists. The error is Problems with all errors of all files, or has code Unavailable if a file
// cannot be read.
func Load(fsys fs.FS) (*campaign.Catalogue, error) { return new(Loader).Load(fsys) }

// Loader loads a content repository repeatedly and only parses files that have changed.
// It is not safe for concurrent use.
type Loader struct {
	known map[string]*campaign.Campaign // by file name; a campaign's revision identifies its file's content
}

// Load is like the function [Load], but does not parse unchanged files again.
func (l *Loader) Load(fsys fs.FS) (*campaign.Catalogue, error) {
	names, err := list(fsys)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The campaigns cannot be listed")
	}
	known := map[string]*campaign.Campaign{}
	var campaigns []*campaign.Campaign
	var problems campaign.Problems
	for _, name := range names {
		c, err := l.read(fsys, name)
		if fault.Is(err, fault.Unavailable) {
			return nil, err
		}
		problems = append(problems, problemsIn(err)...)
		if err == nil {
			campaigns, known[name] = append(campaigns, c), c
		}
	}
	l.known = known
	addOns, err := loadAddOns(fsys)
	if fault.Is(err, fault.Unavailable) {
		return nil, err
	}
	problems = append(problems, problemsIn(err)...)
	catalogue, err := campaign.NewCatalogue(campaigns, addOns)
	problems = append(problems, problemsIn(err)...)
	if len(problems) > 0 {
		return nil, problems
	}
	return catalogue, nil
}

// read parses one campaign's file unless it is unchanged. The error is Problems, or has
// code Unavailable if the file cannot be read.
func (l *Loader) read(fsys fs.FS, name string) (*campaign.Campaign, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "A campaign cannot be read").In(name)
	}
	if c := l.known[name]; c != nil && c.Revision == Revision(src) {
		return c, nil
	}
	return Parse(name, src)
}

// list returns the paths of the campaigns' files, sorted, with archived campaigns last.
func list(fsys fs.FS) ([]string, error) {
	var all []string
	for _, pattern := range []string{campaign.Folder + "/*.md", campaign.ArchiveFolder + "/*/*.md"} {
		names, err := fs.Glob(fsys, pattern)
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		all = append(all, names...)
	}
	return all, nil
}

func loadAddOns(fsys fs.FS) (campaign.PlatformAddOns, error) {
	src, err := fs.ReadFile(fsys, campaign.AddOnsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return campaign.PlatformAddOns{}, nil
	}
	if err != nil {
		return campaign.PlatformAddOns{}, fault.Wrap(err, fault.Unavailable,
			"The add-ons cannot be read").In(campaign.AddOnsFile)
	}
	return ParseAddOns(campaign.AddOnsFile, src)
}

// ParseAddOns returns the platform add-ons in a file's content, like Document.AddOns. name is the
// file name used in problems.
func ParseAddOns(name string, src []byte) (campaign.PlatformAddOns, error) {
	d, err := open(name, src, "")
	if err != nil {
		return campaign.PlatformAddOns{}, err
	}
	return d.AddOns()
}

// AddOns returns the platform add-ons that the document defines with the keys enabled,
// low_stock_threshold and products. The error is Problems.
func (d *Document) AddOns() (campaign.PlatformAddOns, error) {
	r := d.reader()
	m := r.mapping(d.root, "")
	a := campaign.PlatformAddOns{Enabled: m.boolean("enabled", true), Products: m.addOns("products"), LowStock: 5}
	if n := m.units("low_stock_threshold"); n != nil {
		a.LowStock = *n
	}
	m.rejectUnknownKeys()
	if len(r.problems) > 0 {
		return campaign.PlatformAddOns{}, r.problems
	}
	a.Warnings, a.References, a.Lines = r.warnings, r.references, r.lines
	return a, nil
}

func problemsIn(err error) campaign.Problems {
	var p campaign.Problems
	errors.As(err, &p)
	return p
}
