package app

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// publishedFiles stores the published files, so that a file that is broken when the server starts
// can fall back to its last good version.
type publishedFiles struct {
	folder string
	files  map[string]string // revisions of the campaigns, by file
	addOns []byte
}

// openPublished reads the files that the previous server saved, skipping unreadable ones.
func openPublished(folder string) (*publishedFiles, *campaign.Catalogue) {
	p := &publishedFiles{folder: folder, files: map[string]string{}}
	kept := os.DirFS(folder)
	p.addOns, _ = fs.ReadFile(kept, campaign.AddOnsFile) // the file may be missing
	var l campaignfile.Loader
	c, _, err := l.LoadEach(kept, nil, shipping.PresetNames())
	if err != nil {
		return p, nil
	}
	for _, each := range c.Campaigns() {
		p.files[each.File] = each.Revision
	}
	return p, c
}

// save saves the files of a catalogue loaded from content, and removes saved files that are in
// neither. If the version in content is not the published one, the saved version is kept.
func (p *publishedFiles) save(content fs.FS, c *campaign.Catalogue) error {
	var failed []error
	public := map[string]bool{}
	for _, each := range c.Campaigns() {
		public[each.File] = true
		failed = append(failed, p.saveCampaign(content, each))
	}
	for file := range p.files {
		if _, err := fs.Stat(content, file); !public[file] && errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, os.Remove(p.path(file)))
			delete(p.files, file)
		}
	}
	return errors.Join(append(failed, p.saveAddOns(content))...)
}

func (p *publishedFiles) saveCampaign(content fs.FS, c *campaign.Campaign) error {
	if p.files[c.File] == c.Revision {
		return nil
	}
	src, err := fs.ReadFile(content, c.File)
	if err != nil || campaignfile.Revision(src) != c.Revision {
		return nil //nolint:nilerr // the file has changed since it was loaded
	}
	if err := p.write(c.File, src); err != nil {
		return err
	}
	p.files[c.File] = c.Revision
	return nil
}

func (p *publishedFiles) saveAddOns(content fs.FS) error {
	src, err := fs.ReadFile(content, campaign.AddOnsFile)
	if err != nil || bytes.Equal(src, p.addOns) {
		return nil //nolint:nilerr // there are none
	}
	if addOns, err := campaignfile.ParseAddOns(campaign.AddOnsFile, src); err != nil ||
		addOns.Validate(shipping.PresetNames()) != nil {
		return nil //nolint:nilerr // the previous version is published
	}
	if err := p.write(campaign.AddOnsFile, src); err != nil {
		return err
	}
	p.addOns = src
	return nil
}

func (p *publishedFiles) path(name string) string {
	return filepath.Join(p.folder, filepath.FromSlash(name))
}

func (p *publishedFiles) write(name string, src []byte) error {
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", src, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
