package campaignfile

import (
	"errors"
	"io/fs"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LoadEach is like Load, but loads the valid files even if others are invalid. For a file that
// cannot be read, parsed or validated, it uses the version in last, or omits the file if last has
// none. If two files have the same slug, it uses the file that had the slug in last, otherwise the
// first one. last may be nil. presets are the names of the shipping presets.
//
// The problems include every file whose current version is not used. LoadEach fails with code
// Unavailable if the campaigns folder cannot be listed.
func (l *Loader) LoadEach(fsys fs.FS, last *campaign.Catalogue,
	presets []string) (*campaign.Catalogue, campaign.Problems, error) {
	if _, err := fs.ReadDir(fsys, campaign.Folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "The campaigns cannot be listed")
	}
	names, err := list(fsys)
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "The campaigns cannot be listed")
	}
	s := newUsableFiles(last)
	known := map[string]*campaign.Campaign{}
	for _, name := range names {
		c, err := l.read(fsys, name)
		if err == nil {
			known[name] = c
			err = c.Validate(presets)
		}
		if err != nil {
			s.reject(name, err)
			continue
		}
		s.add(c)
	}
	l.known = known
	s.addAddOns(fsys, presets)
	catalogue, err := campaign.NewCatalogue(s.campaigns, s.addOns)
	return catalogue, s.problems, err
}

// usableFiles collects the usable version of each file.
type usableFiles struct {
	good      map[string]*campaign.Campaign // campaigns of the last catalogue, by file
	owners    map[string]string             // files of the last catalogue, by slug
	lastShop  campaign.PlatformAddOns
	campaigns []*campaign.Campaign
	places    map[string]int // index in campaigns, by slug
	addOns    campaign.PlatformAddOns
	problems  campaign.Problems
}

func newUsableFiles(last *campaign.Catalogue) *usableFiles {
	s := &usableFiles{good: map[string]*campaign.Campaign{}, owners: map[string]string{}, places: map[string]int{}}
	if last == nil {
		return s
	}
	s.lastShop = last.Platform()
	for _, c := range last.Campaigns() {
		s.good[c.File], s.owners[c.Slug] = c, c.File
	}
	return s
}

// reject records why a file is not used, and adds the campaign of its last valid version, if any.
func (s *usableFiles) reject(name string, err error) {
	s.problems = append(s.problems, problemsOf(name, err)...)
	if c := s.good[name]; c != nil {
		s.add(c)
	}
}

// problemsOf returns the Problems in err, or one problem if the file could not be read.
func problemsOf(name string, err error) campaign.Problems {
	if p := problemsIn(err); len(p) > 0 {
		return p
	}
	return campaign.Problems{{File: name, Message: "cannot be read: " + reason(err)}}
}

// reason returns the message of a read error without the path, which the problem already has.
func reason(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// add adds a campaign. If another file has the same slug, it records a problem and keeps the file
// that had the slug in the last catalogue, otherwise the first one.
func (s *usableFiles) add(c *campaign.Campaign) {
	at, taken := s.places[c.Slug]
	if !taken {
		s.places[c.Slug] = len(s.campaigns)
		s.campaigns = append(s.campaigns, c)
		return
	}
	refused, kept := c, s.campaigns[at]
	if s.owners[c.Slug] == c.File && kept.File != c.File {
		refused, kept = kept, c
		s.campaigns[at] = c
	}
	s.problems = append(s.problems, campaign.SlugTaken(refused, kept))
}

func (s *usableFiles) addAddOns(fsys fs.FS, presets []string) {
	addOns, err := loadAddOns(fsys)
	if err == nil {
		err = addOns.Validate(presets)
	}
	if err != nil {
		s.problems = append(s.problems, problemsOf(campaign.AddOnsFile, err)...)
		addOns = s.lastShop
	}
	s.addOns = addOns
}
