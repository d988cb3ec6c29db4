package campaignfile

import (
	"errors"
	"io/fs"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LoadEach reads a content repository as Load does, and isolates its problems: a file that
// cannot be read, parsed or validated keeps the version that it has in last, and is left out if
// last has none. If two files have the same slug, the one in last stays, otherwise the first.
// last may be nil; presets are the names of the shipping presets.
//
// The problems name each file that is not as the repository has it. LoadEach fails with code
// Unavailable if the folder of campaigns cannot be listed: then nothing is known about any file.
func (l *Loader) LoadEach(fsys fs.FS, last *campaign.Catalogue, presets []string) (*campaign.Catalogue, campaign.Problems, error) {
	if _, err := fs.ReadDir(fsys, campaign.Folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "The campaigns cannot be listed")
	}
	names, err := list(fsys)
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "The campaigns cannot be listed")
	}
	s := newSalvage(last)
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

// salvage collects the usable version of each file.
type salvage struct {
	good      map[string]*campaign.Campaign // of the last catalogue, by file
	owners    map[string]string             // files by slug, of the last catalogue
	lastShop  campaign.PlatformAddOns
	campaigns []*campaign.Campaign
	places    map[string]int // in campaigns, by slug
	addOns    campaign.PlatformAddOns
	problems  campaign.Problems
}

func newSalvage(last *campaign.Catalogue) *salvage {
	s := &salvage{good: map[string]*campaign.Campaign{}, owners: map[string]string{}, places: map[string]int{}}
	if last == nil {
		return s
	}
	s.lastShop = last.Platform()
	for _, c := range last.Campaigns() {
		s.good[c.File], s.owners[c.Slug] = c, c.File
	}
	return s
}

// reject records why a file is not used, and takes its last good version instead.
func (s *salvage) reject(name string, err error) {
	s.problems = append(s.problems, problemsOf(name, err)...)
	if c := s.good[name]; c != nil {
		s.add(c)
	}
}

// problemsOf returns a file's problems. An unreadable file has one problem.
func problemsOf(name string, err error) campaign.Problems {
	if p := problemsIn(err); len(p) > 0 {
		return p
	}
	return campaign.Problems{{File: name, Message: "cannot be read: " + reason(err)}}
}

// reason is the cause of a failure to read, without the path, which the problem names.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// add takes a campaign, unless another file has its slug and the better right to it.
func (s *salvage) add(c *campaign.Campaign) {
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

func (s *salvage) addAddOns(fsys fs.FS, presets []string) {
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
